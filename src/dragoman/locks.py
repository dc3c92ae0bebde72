"""A readers–writer lock: translations run in parallel, learning runs alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadWriteLock:
    """A lock for any number of readers or one writer; a waiting writer goes before readers that come later.

    It is therefore not reentrant: a thread that holds it must not take it again. It stays consistent if a thread is
    interrupted at any moment, for example by ^C.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers = 0
        self._writers_waiting = 0
        self._writing = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock as one of any number of readers."""
        with self._condition:
            self._condition.wait_for(lambda: not self._writing and not self._writers_waiting)
            self._readers += 1
        try:
            yield
        finally:
            with self._condition:
                self._readers -= 1
                self._condition.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock exclusively."""
        with self._condition:
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
                self._condition.notify_all()
