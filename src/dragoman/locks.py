"""A readers–writer lock: translations run in parallel, learning runs alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from dragoman.errors import BadInputError

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
