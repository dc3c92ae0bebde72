"""Many may read at once, or one may write: translations go on side by side, learning waits for its turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadWriteLock:
    """A lock for any number of readers or one writer; a waiting writer is let in before readers that come later.

    So whoever holds it must not take it again. An interruption at any moment, ^C included, leaves it in order.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers = 0
        self._writers_waiting = 0
        self._writing = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock together with other readers."""
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
        """Hold the lock alone."""
        with self._condition:
            self._writers_waiting += 1
            try:
                self._condition.wait_for(lambda: not self._writing and not self._readers)
                self._writing = True
            finally:
                self._writers_waiting -= 1
                self._condition.notify_all()  # if this one gives up, readers need not wait for it any longer
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._condition.notify_all()
