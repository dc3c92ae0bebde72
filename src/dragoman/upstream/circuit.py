"""A circuit breaker: an engine that fails repeatedly is left alone for a while, and then tried with a single call.

>>> now = [0.0]
>>> circuit = Circuit(clock=lambda: now[0])
>>> for _ in range(FAILURES):
...     circuit.failed()
>>> circuit.allows()
False
>>> now[0] = FIRST_REST
>>> circuit.allows(), circuit.allows()  # one call finds out whether it works again
(True, False)
>>> circuit.succeeded()
>>> circuit.allows()
True
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FAILURES = 3  # in a row, after which an engine is left alone
FIRST_REST, LONGEST_REST = 5.0, 300.0  # seconds, doubled with each trial that fails


class Circuit:
    """Whether an engine may be asked; safe to use from threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._failures = 0
        self._rest, self._until = FIRST_REST, 0.0
        self._is_open = False

    def allows(self) -> bool:
        """Whether a call may be made now; once the rest is over, for one call only until its outcome is known."""
        with self._lock:
            now = self._clock()
            if not self._is_open:
                return now >= self._until
            if now < self._until:
                return False
            self._until = now + self._rest  # should the outcome never be told, somebody tries again later
            return True

    @property
    def rest(self) -> float:
        """Seconds until a call may be made."""
        return max(self._until - self._clock(), 0.0)

    def succeeded(self) -> None:
        """A call was answered."""
        with self._lock:
            self._failures, self._rest, self._until, self._is_open = 0, FIRST_REST, 0.0, False

    def failed(self, wait: float = 0.0) -> None:
        """A call was not answered; the engine may have asked to be left alone for so many seconds."""
        with self._lock:
            self._failures += 1
            now = self._clock()
            if self._is_open:
                self._rest = min(2 * self._rest, LONGEST_REST)
            self._is_open = self._is_open or self._failures >= FAILURES
            rest = max(self._rest if self._is_open else 0.0, min(wait, 3600.0))
            self._until = max(self._until if not self._is_open else 0.0, now + rest)
