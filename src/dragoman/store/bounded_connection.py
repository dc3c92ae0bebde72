"""Connections to PostgreSQL that wait for an answer only so long.

A server that hangs (its machine is suspended, its disk does not come back, it was sent SIGSTOP) keeps its connections
open and says nothing; none of its own time-outs is of use then. So a wait
that has taken too long ends in an error, and its connection is closed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import psycopg

QUICK = 4.0  # seconds for what people wait for: reading some rows, appending one
PATIENT = 60.0  # seconds for what is done once: indexes, taking over from a writer that is still at it
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

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **options: Any) -> Any:
        """Wait for the server, as all that talks to it does."""
        try:
            return super().wait(_until(time.monotonic() + _allowed.get(), gen), *arguments, **options)
        except SilentDatabaseError:
            self.silence.note(silent=True)  # whoever tries again with another connection need not wait again
            self.pgconn.finish()
            raise


def _until(deadline: float, work: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """What psycopg waits for; it looks here several times a second even if nothing comes."""
    try:
        wanted = next(work)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() > deadline:
                raise SilentDatabaseError
            wanted = work.send(ready)
    except StopIteration as done:
        return done.value


def is_silence(error: BaseException | None) -> bool:
    """Whether this error says that a database does not answer."""
    return isinstance(error, SilentDatabaseError)
