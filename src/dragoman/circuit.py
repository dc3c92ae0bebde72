"""A circuit breaker: what fails repeatedly, an engine or a database, is left alone for a while, and then tried once.

>>> now = [0.0]
>>> circuit = Circuit(clock=lambda: now[0])
>>> for _ in range(FAILURES):
...     circuit.failed()
>>> circuit.allows()
False
>>> now[0] = FIRST_REST
>>> from concurrent.futures import ThreadPoolExecutor
>>> with ThreadPoolExecutor() as others:
...     circuit.allows(), others.submit(circuit.allows).result()  # one thread finds out whether it works again
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
    """Whether something may be asked; safe to use from threads.

    The outcome of a trial is waited for as long as the rest before it, and at least so many seconds.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        rest: tuple[float, float] = (FIRST_REST, LONGEST_REST),
        trial: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._rests, self._trial = failures, rest, trial
        self._clock, self._lock = clock, threading.Lock()
        self._failures, self._trying = 0, 0  # in a row; the thread that tries on behalf of all
        self._rest, self._until = rest[0], 0.0
        self._is_open = False

    def allows(self) -> bool:
        """Whether a call may be made now; once the rest is over, by one thread only until its outcome is known."""
        with self._lock:
            now = self._clock()
            if not self._is_open:
                return now >= self._until
            if self._trying == threading.get_ident():
                return True
            if now < self._until:
                return False
            self._until = now + max(self._rest, self._trial)  # should the outcome never be told, somebody tries again
            self._trying = threading.get_ident()
            return True

    @property
    def rest(self) -> float:
        """Seconds until a call may be made."""
        return max(self._until - self._clock(), 0.0)

    def succeeded(self) -> None:
        """A call was answered."""
        with self._lock:
            self._failures, self._rest, self._until, self._is_open = 0, self._rests[0], 0.0, False
            self._trying = 0

    def failed(self, wait: float = 0.0) -> None:
        """A call was not answered; maybe with the request to be left alone for so many seconds."""
        with self._lock:
            self._failures, self._trying = self._failures + 1, 0
            now = self._clock()
            if self._is_open:
                self._rest = min(2 * self._rest, self._rests[1])
            self._is_open = self._is_open or self._failures >= self._most
            rest = max(self._rest if self._is_open else 0.0, min(wait, 3600.0))
            self._until = max(self._until if not self._is_open else 0.0, now + rest)
