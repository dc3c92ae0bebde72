"""Connections to PostgreSQL that wait for an answer only so long.

A server that hangs (its machine is suspended, its disk does not come back, it was sent SIGSTOP) keeps its connections
open and says nothing; none of its own time-outs is of use then. So a watchdog here ends the connection of a wait that
has taken too long, and the wait ends in an error.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import psycopg

QUICK = 4.0  # seconds for what people wait for: reading some rows, appending one
PATIENT = 60.0  # seconds for what is done once: indexes, taking over from a writer that is still at it
TICK = 0.2  # seconds between two looks of the watchdog
_allowed: ContextVar[float] = ContextVar("seconds", default=QUICK)


@contextmanager
def patiently() -> Iterator[None]:
    """Allow what is done inside to take longer."""
    token = _allowed.set(PATIENT)
    try:
        yield
    finally:
        _allowed.reset(token)


class SilentDatabaseError(psycopg.OperationalError):
    """The database has not answered in time."""

    def __init__(self) -> None:
        super().__init__("the database does not answer")


class Watchdog:
    """A thread that shuts down the sockets of waits that take too long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waits: dict[object, tuple[int, float]] = {}  # descriptor and deadline
        self._thread: threading.Thread | None = None

    def begin(self, descriptor: int, seconds: float) -> object:
        """Watch over a wait."""
        wait = object()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="watching over databases")
                self._thread.start()
            self._waits[wait] = descriptor, time.monotonic() + seconds
        return wait

    def end(self, wait: object) -> bool:
        """The wait is over; whether it had to be ended."""
        with self._lock:
            return self._waits.pop(wait, None) is None

    def _run(self) -> None:
        while True:
            time.sleep(TICK)
            with self._lock:  # as long as it is held, a wait goes on and its descriptor is its own
                now = time.monotonic()
                for wait in [each for each, (_, deadline) in self._waits.items() if deadline < now]:
                    _shut_down(self._waits.pop(wait)[0])


def _shut_down(descriptor: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as copied:
        copied.shutdown(socket.SHUT_RDWR)


_watchdog = Watchdog()


def _start_again() -> None:
    """In a forked child there are no threads."""
    global _watchdog
    _watchdog = Watchdog()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_again)


class DatabaseSilence:
    """Whether a database was last found not to answer: then one asks now and then, and nobody else waits for it."""

    PAUSE = 1.0  # seconds before somebody may ask again

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ask_again: float | None = None  # None while it answers
        self._asking = 0  # the thread that asks on behalf of all

    def check(self) -> bool:
        """Whether to try: always if it answers, otherwise one at a time."""
        with self._lock:
            now = time.monotonic()
            if self._ask_again is None or self._asking == threading.get_ident():
                return True
            if now < self._ask_again:
                return False
            self._ask_again = now + QUICK + self.PAUSE  # this one asks, the others are told what is known
            self._asking = threading.get_ident()
            return True

    def note(self, *, silent: bool) -> None:
        """How it went."""
        with self._lock:
            self._ask_again = time.monotonic() + self.PAUSE if silent else None
            self._asking = 0


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which nothing waits for longer than is allowed."""

    silence: DatabaseSilence  # of the database

    @classmethod
    def open(cls, silence: DatabaseSilence, *arguments: Any, **options: Any) -> BoundedConnection:
        """Connect, unless the database is known not to answer."""
        if not silence.check():
            raise SilentDatabaseError
        try:
            connection = cls.connect(*arguments, **options)
        except psycopg.errors.ConnectionTimeout as error:
            raise SilentDatabaseError from error
        connection.silence = silence
        return connection

    def wait(self, *arguments: Any, **options: Any) -> Any:
        """Wait for the server, as all that talks to it does."""
        watched, watchdog = None, _watchdog
        with suppress(psycopg.OperationalError):  # it is closed, which waiting will say
            watched = watchdog.begin(self.pgconn.socket, _allowed.get())
        try:
            answer = super().wait(*arguments, **options)
        except psycopg.OperationalError as error:
            if watched is not None and watchdog.end(watched):
                self.silence.note(silent=True)  # whoever tries again with another connection need not wait again
                raise SilentDatabaseError from error
            raise
        finally:
            if watched is not None:
                watchdog.end(watched)
        return answer


def is_silence(error: BaseException | None) -> bool:
    """Whether this error says that a database does not answer."""
    return isinstance(error, SilentDatabaseError)
