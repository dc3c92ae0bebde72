"""One thread of a process learns for all its projects, in turn.

A project that has something to learn makes one step and goes to the end of the queue. Weights and moments of a network
take a lot of memory: only those of MOST_RESIDENT projects stay. If more projects learn at the same time, each has a
longer turn, since it has to begin at its last snapshot.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from contextlib import suppress
from typing import Protocol

MOST_RESIDENT = 2
TURN = 20.0  # seconds, if there are more projects than that
LAST_STEP = 2.0  # seconds that closing waits for


class Learning(Protocol):
    """What has something to learn."""

    def advance(self) -> bool:
        """Make one step; whether there is more to do."""
        ...

    def let_go(self) -> None:
        """Give back the memory for learning."""
        ...


class LearningWorker:
    """The queue, and the thread, which ends when it is empty."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._queue: OrderedDict[Learning, None] = OrderedDict()
        self._again: set[Learning] = set()  # changed while at work
        self._resident: list[Learning] = []  # the one used last at the end
        self._current: Learning | None = None
        self._thread: threading.Thread | None = None

    def add(self, learning: Learning) -> None:
        """Something has changed for this one."""
        with self._lock:
            if learning is self._current:
                self._again.add(learning)
            else:
                self._queue.setdefault(learning)
            if self._thread is None or not self._thread.is_alive():  # it does not outlive a fork
                self._thread = threading.Thread(target=self._run, daemon=True, name="learning weights")
                self._thread.start()

    def remove(self, learning: Learning) -> None:
        """It is closed: wait for its step to end, a moment."""
        with self._lock:
            self._lock.wait_for(lambda: self._current is not learning, LAST_STEP)
            self._queue.pop(learning, None)
            self._again.discard(learning)
            if learning in self._resident:
                self._resident.remove(learning)

    def _run(self) -> None:
        while learning := self._next():
            more = False
            with suppress(Exception):  # which it has noted
                more = self._turn(learning)
            with self._lock:
                self._current = None
                if more or learning in self._again:
                    self._queue[learning] = None
                self._again.discard(learning)
                self._lock.notify_all()

    def _next(self) -> Learning | None:
        with self._lock:
            if not self._queue:
                self._thread = None
                return None
            self._current, _ = self._queue.popitem(last=False)
            return self._current

    def _turn(self, learning: Learning) -> bool:
        self._make_resident(learning)
        until = time.monotonic() + (TURN if len(self._queue) >= MOST_RESIDENT else 0.0)
        more = learning.advance()
        while more and time.monotonic() < until:
            more = learning.advance()
        return more

    def _make_resident(self, learning: Learning) -> None:
        with self._lock:
            self._resident = [each for each in self._resident if each is not learning] + [learning]
            old = self._resident.pop(0) if len(self._resident) > MOST_RESIDENT else None
        if old:
            old.let_go()


WORKER = LearningWorker()
