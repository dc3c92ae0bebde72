"""The SQLite file of a project's documents: one connection that writes, and as many that read as there are readers.

Reading does not wait for writing, nor the other way round: each reader has a connection of its own.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dragoman.editor import segment_sums
from dragoman.editor.document_schema import prepare, source_hash
from dragoman.store.sqlite_files import connect, connect_to_read, explain


class DocumentConnection:
    """The file; thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock = threading.Lock()  # held while writing
        self._choosing = threading.Lock()  # held for a moment, while a reader takes or returns a connection
        with self._errors():
            self._connection = open_documents(path)
            prepare(self._connection)
            segment_sums.prepare(self._connection)
        self._readers: list[sqlite3.Connection] = []  # connections that nobody is reading with
        self._closed = False

    def close(self) -> None:
        """Close the file."""
        with self._lock, self._choosing:
            self._closed = True
            for connection in (self._connection, *self._readers):
                connection.close()
            self._readers.clear()

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Read, with a connection that does not wait for whoever else reads or writes."""
        with self._errors():
            with self._choosing:
                if self._closed:
                    raise sqlite3.ProgrammingError("the project is closed")
                connection = self._readers.pop() if self._readers else _with_functions(connect_to_read(self._path))
            try:
                return connection.execute(query, values).fetchall()
            finally:
                with self._choosing:
                    if self._closed:
                        connection.close()
                    else:
                        self._readers.append(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all that is written in it is kept, or nothing."""
        with self._lock, self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            what = "the documents cannot be read or written ({})"
            raise explain(error, what, self._path, str(self._path), holds="file of documents") from error


def open_documents(path: Path) -> sqlite3.Connection:
    """A connection that reads and writes, with the functions that triggers and queries call; a new file is made."""
    return _with_functions(connect(path.absolute(), "rwc"))


def _with_functions(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.create_function("folded", 1, str.casefold, deterministic=True)
    connection.create_function("source_hash", 1, source_hash, deterministic=True)
    segment_sums.add_function(connection)
    return connection
