"""Work that may be stopped between its parts, and a lock for many readers or one writer.

Work is stopped because nobody waits for its result any more, or because it takes too long. Long work calls
`checkpoint()` between its parts: the sentences of a text, the entries of an n-best list.
Nothing is left half-done, because only work that changes nothing has checkpoints.

>>> work = Cancellation()
>>> work.cancel()
>>> with work:
...     checkpoint()
Traceback (most recent call last):
...
dragoman.errors.CancelledError: the work was cancelled

With the lock, translations run in parallel, and learning runs alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Self, TypeVar

from dragoman.errors import BadInputError, CancelledError

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


PASSING = 0.05  # seconds for which readers pass a writer that waits


class ReadWriteLock:
    """A lock for any number of readers or one writer; a writer that has waited a moment goes before later readers.

    For that moment they pass it, since the readers that it waits for may take long: who types should not wait for them.
    A thread that reads may read again, also while a writer waits. It must not write: that would wait for its own
    reading to end, and so is an error. The lock stays consistent if a thread is interrupted at any moment, for example
    by ^C.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers: dict[int, int] = {}  # by thread: how often it has the lock
        self._writers_waiting = 0
        self._waiting_since = 0.0  # of the first writer of those that wait
        self._writing = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock as one of any number of readers."""
        me = threading.get_ident()
        with self._condition:
            if me not in self._readers:
                self._condition.wait_for(self._may_read)
            self._readers[me] = self._readers.get(me, 0) + 1
        try:
            yield
        finally:
            with self._condition:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                if not self._readers:  # only writers wait for readers
                    self._condition.notify_all()

    def _may_read(self) -> bool:
        passes = not self._writers_waiting or time.monotonic() - self._waiting_since < PASSING
        return passes and not self._writing

    def refuse_reader(self) -> None:
        """Raise an error if this thread reads: as a writer it would wait for itself for ever."""
        if threading.get_ident() in self._readers:
            what = "the project cannot change while this thread reads its models"
            raise BadInputError(what, remedy="do it after the block `with engine.models()`")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock exclusively."""
        with self._condition:
            self.refuse_reader()
            if not self._writers_waiting:
                self._waiting_since = time.monotonic()
            self._writers_waiting += 1
            try:
                self._condition.wait_for(lambda: not self._writing and not self._readers)
                self._writing = True
            finally:
                self._writers_waiting -= 1
                self._condition.notify_all()  # if this writer was interrupted, readers must not go on waiting for it
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._waiting_since = time.monotonic()  # for a writer behind this one the moment begins now
                self._condition.notify_all()
