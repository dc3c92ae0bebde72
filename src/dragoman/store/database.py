"""Connections to the database that holds a journal, an SQLite file or PostgreSQL, and what its errors mean.

There is one connection for writing, a pool for reading, and separate sessions for holding a lock and for listening.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import NullPool, QueuePool

from dragoman.errors import BadInputError, StorageError
from dragoman.store.fork_safety import KEPT, only_here
from dragoman.store.sqlite_files import Place, connect, connect_to_read, explain, is_read_only

if TYPE_CHECKING:
    from dragoman.circuit import Circuit

LOST = {"idle": 5, "interval": 2, "count": 3}  # seconds without a sign, and between questions, and how many of these
KEEP_ALIVE = tuple(f"SET tcp_keepalives_{name} = {number}" for name, number in LOST.items())  # at the server's end
UNREACHABLE = {"connect_timeout": 4, "tcp_user_timeout": 10_000}  # seconds to connect, and ms until data is confirmed
SILENT = "see that the server runs; it is asked again every few seconds"
HUNG = "10s"  # after which the server takes back what was begun by a process that was stopped in the middle of it


class Database:
    """A database opened for reading by any number of threads, and optionally for writing by one at a time."""

    def __init__(self, place: Place, *, write: bool = False, create: bool = False) -> None:
        self.file = place.absolute() if isinstance(place, Path) else None
        self._url = URL.create("sqlite") if isinstance(place, Path) else _postgresql(place)
        self.name = str(self.file or self._url.render_as_string(hide_password=True))
        self._circuit: Circuit | None = None if self.file else _new_circuit()
        self._reader = self._engine(NullPool if self.file and is_read_only(self.file) else QueuePool)
        self._writer: sa.Engine | None = None
        if self.file:
            _set_up_sqlite_reader(self._reader, self.file)
        self._forked = False
        self._synchronous = "FULL"  # of SQLite: each commit is forced to disk
        only_here(self)
        if write:
            self.open_writer(create=create)

    def let_go(self) -> None:
        """In a forked child: read through connections of its own, and do not write."""
        for engine in filter(None, (self._reader, self._writer)):
            KEPT.append(engine.pool)
            engine.dispose(close=False)
        self._forked = self._writer is not None
        self._writer = None

    def open_writer(self, *, create: bool = False, check: Callable[[], None] = lambda: None) -> None:
        """Open for writing too; `check` is called for each new connection and raises an error if we may not write."""
        self._writer = self._engine(QueuePool)
        if self.file:
            _set_up_sqlite_writer(self._writer, self.file, self._synchronous, create=create)
        else:
            _set_up_postgresql_writer(self._writer, check)

    def sync_lazily(self) -> None:
        """From here on a commit to an SQLite file need not be on disk when it returns, for data that can be made again.

        A process may be killed at any time; after a power cut the newest rows may be gone, but none before them.
        """
        self._synchronous = "NORMAL"
        if self.file and self._writer:
            self.close_writer()
            self.open_writer()

    @property
    def is_writable(self) -> bool:
        """Whether it is open for writing."""
        return self._writer is not None

    def close_writer(self) -> None:
        """From here on only read."""
        if self._writer:
            self._writer.dispose()
        self._writer = None

    def session(self) -> sa.Connection:
        """A separate connection to PostgreSQL in autocommit mode, to hold a lock or to listen."""
        with self.clear_errors("cannot connect: {}"):
            connection = self._engine(NullPool).connect().execution_options(isolation_level="AUTOCOMMIT")
            try:
                for statement in KEEP_ALIVE:
                    connection.exec_driver_sql(statement)
            except BaseException:
                connection.close()
                raise
            return connection

    def _engine(self, pool: type[sa.Pool]) -> sa.Engine:
        who: dict[str, Any] = {f"keepalives_{name}": number for name, number in LOST.items()}
        who |= {name: number for name, number in UNREACHABLE.items() if name not in self._url.query}
        who |= {"application_name": f"dragoman, process {os.getpid()} on {socket.gethostname()}"}
        arguments = {} if self.file else who
        try:
            made = sa.create_engine(self._url, poolclass=pool, pool_pre_ping=True, connect_args=arguments)
        except ModuleNotFoundError:
            raise _no_driver() from None
        if self._circuit:
            _bound_waiting(made, self._circuit)
        return made

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees the database as it is now and changes nothing."""
        with self.clear_errors("cannot read: {}"), self._reader.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction on the one connection that writes: on disk when this ends, or as if it had never begun."""
        if self._writer is None:
            raise self.not_writable()
        with self.clear_errors("cannot write: {}; nothing was acknowledged"), self._writer.begin() as connection:
            yield connection

    def not_writable(self) -> BadInputError:
        """Why nothing can be written here."""
        if self._forked:
            remedy = "open the project again in this process"
            return BadInputError("was opened for writing by the parent of this process", where=self.name, remedy=remedy)
        return BadInputError("is open for reading only", where=self.name, remedy="open it for writing")

    def close(self) -> None:
        """Close all connections."""
        self._reader.dispose()
        self.close_writer()

    @contextlib.contextmanager
    def clear_errors(self, what: str) -> Iterator[None]:
        """Turn database errors inside into ours, which say what happened to the journal and what to do.

        If a database in PostgreSQL does not answer, nobody who comes after waits for it again: they are told at once.
        """
        if self._circuit and not self._circuit.allows():
            raise StorageError(what.format("the database does not answer"), where=self.name, remedy=SILENT)
        try:
            yield
        except sa.exc.DBAPIError as error:
            if self._circuit:
                (self._circuit.failed if _is_silence(error.orig) else self._circuit.succeeded)()
            raise explain(error.orig or error, what, self.file, self.name) from error
        if self._circuit:
            self._circuit.succeeded()


def patiently() -> contextlib.AbstractContextManager[None]:
    """Allow PostgreSQL to take longer, for what is done once."""
    try:
        from dragoman.store.bounded_connection import patiently as allow
    except ModuleNotFoundError:  # then there is nobody to wait for
        return contextlib.nullcontext()
    return allow()


def _new_circuit() -> Circuit:
    try:
        import psycopg  # noqa: F401

        from dragoman.store.bounded_connection import new_circuit  # here, since most projects need no PostgreSQL
    except ModuleNotFoundError:
        raise _no_driver() from None
    return new_circuit()


def _no_driver() -> BadInputError:
    remedy = "install it with: pip install 'dragoman[postgresql]'"
    return BadInputError("the driver for PostgreSQL is missing", remedy=remedy)


def _is_silence(error: BaseException | None) -> bool:
    from dragoman.store.bounded_connection import is_silence

    return is_silence(error)


def _bound_waiting(engine: sa.Engine, circuit: Circuit) -> None:
    from dragoman.store.bounded_connection import BoundedConnection

    @sa.event.listens_for(engine, "do_connect")
    def connect_bounded(_dialect: Any, _record: Any, arguments: list[Any], options: dict[str, Any]) -> Any:
        return BoundedConnection.open(circuit, *arguments, **options)


def _postgresql(place: str) -> URL:
    """The URL, with the driver that we use."""
    remedy = "write it as postgresql://user@host/database"
    try:
        url = make_url(place)
    except sa.exc.ArgumentError:
        raise BadInputError("the journal location is not a URL", remedy=remedy) from None
    if url.get_backend_name() != "postgresql":
        raise BadInputError(f"a journal cannot be kept in {url.get_backend_name()!r}", remedy=remedy)
    return url.set(drivername="postgresql+psycopg")


def _set_up_sqlite_reader(engine: sa.Engine, file: Path) -> None:
    @sa.event.listens_for(engine, "do_connect")
    def open_file(*_: Any) -> sqlite3.Connection:
        return connect_to_read(file)

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")


def _set_up_sqlite_writer(engine: sa.Engine, file: Path, synchronous: str, *, create: bool) -> None:
    @sa.event.listens_for(engine, "do_connect")
    def open_file(*_: Any) -> sqlite3.Connection:
        connection = connect(file, "rwc" if create else "rw")
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise sqlite3.OperationalError("no write-ahead log is possible on this file system; choose a local one")
            connection.execute(f"PRAGMA synchronous = {synchronous}")  # if FULL, each commit is forced to disk,
            connection.execute("PRAGMA fullfsync = ON")  # and out of the cache of the drive, where that takes asking
            connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
        except BaseException:
            connection.close()
            raise
        return connection

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _set_up_postgresql_writer(engine: sa.Engine, check: Callable[[], None]) -> None:
    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        try:
            check()
            for statement in (*KEEP_ALIVE, f"SET idle_in_transaction_session_timeout = '{HUNG}'"):
                connection.execute(statement)
            if connection.execute("SHOW synchronous_commit").fetchone() == ("off",):
                connection.execute("SET synchronous_commit = on")
            connection.commit()
        except BaseException:
            connection.close()
            raise
