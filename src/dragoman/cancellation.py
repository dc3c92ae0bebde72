"""Work that may be stopped: because nobody waits for its result any more, or because it takes too long.

Long work calls `checkpoint()` between its parts: the pieces of a long sentence, the lines of a text, the entries of an
n-best list. Nothing is left half-done, because only work that changes nothing has checkpoints.

>>> work = Cancellation()
>>> work.cancel()
>>> with work:
...     checkpoint()
Traceback (most recent call last):
...
dragoman.errors.CancelledError: the work was cancelled
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Self, TypeVar

from dragoman.errors import CancelledError

T = TypeVar("T")

_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


class Cancellation:
    """Stops the work inside its `with` block, when `cancel` is called from any thread or after some seconds.

    It applies to the thread that enters the block. Another may enter the same one at the same time.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._cancelled = threading.Event()
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._entered = threading.local()

    def cancel(self) -> None:
        """Stop the work at its next checkpoint."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise `CancelledError` if the work is to stop."""
        if self._cancelled.is_set():
            raise CancelledError("the work was cancelled")
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise CancelledError("the work took too long", remedy="give it a shorter text, or ask for fewer results")

    def __enter__(self) -> Self:
        tokens: list[Token[Cancellation | None]] = self._entered.__dict__.setdefault("tokens", [])
        tokens.append(_current.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._entered.tokens.pop())


def checkpoint() -> None:
    """Raise `CancelledError` if the work that this is part of is to stop."""
    current = _current.get()
    if current is not None:
        current.check()


def bound(function: Callable[..., T]) -> Callable[..., T]:
    """The function, as part of the current work also when other threads call it."""
    current = _current.get()
    if current is None:
        return function

    def work(*given: object, **named: object) -> T:
        with current:
            return function(*given, **named)

    return work
