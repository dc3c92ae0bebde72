"""Connections to PostgreSQL that wait for an answer only so long.

A server that hangs (its machine is suspended, its disk does not come back, it was sent SIGSTOP) keeps its connections
open and says nothing; none of its own time-outs is of use then. So a wait
that has taken too long ends in an error, and its connection is closed.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import psycopg

from dragoman.circuit import Circuit

QUICK = 4.0  # seconds for what people wait for: reading some rows, appending one
PATIENT = 60.0  # seconds for what is done once: indexes, taking over from a writer that is still at it
PAUSE = 1.0  # seconds before somebody asks again a database that did not answer
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


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which nothing waits for longer than is allowed."""

    circuit: Circuit  # of the database

    @classmethod
    def open(cls, circuit: Circuit, *arguments: Any, **options: Any) -> BoundedConnection:
        """Connect, unless the database is known not to answer."""
        if not circuit.allows():
            raise SilentDatabaseError
        try:
            connection = cls.connect(*arguments, **options)
        except psycopg.errors.ConnectionTimeout as error:
            raise SilentDatabaseError from error
        connection.circuit = circuit
        return connection

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **options: Any) -> Any:
        """Wait for the server, as all that talks to it does."""
        try:
            return super().wait(_until(time.monotonic() + _allowed.get(), gen), *arguments, **options)
        except SilentDatabaseError:
            self.circuit.failed()  # whoever tries again with another connection need not wait again
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


def new_circuit() -> Circuit:
    """Of a database: if it was last found not to answer, one thread asks now and then, and nobody else waits for it."""
    return Circuit(failures=1, rest=(PAUSE, PAUSE), trial=QUICK + PAUSE)


def is_silence(error: BaseException | None) -> bool:
    """Whether this error says that a database does not answer."""
    return isinstance(error, SilentDatabaseError)
