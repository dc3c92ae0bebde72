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
from dragoman.errors import StorageError
from dragoman.store.seal import break_seal, seal


class DocumentConnection:
    """The file; thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # held while writing
        self._choosing = threading.Lock()  # held for a moment, while a reader takes or returns a connection
        break_seal(path)
        with self._errors():
            self._connection = self._connect()
            prepare(self._connection)
            segment_sums.prepare(self._connection)
        break_seal(path)
        self._readers: list[sqlite3.Connection] = []  # connections that nobody is reading with
        self._closed = False

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
        connection.create_function("folded", 1, str.casefold, deterministic=True)
        segment_sums.add_function(connection)
        connection.create_function("source_hash", 1, source_hash, deterministic=True)
        return connection

    def close(self) -> None:
        """Close the file, and seal it."""
        with self._lock, self._choosing:
            was_closed, self._closed = self._closed, True
            for connection in (self._connection, *self._readers):
                connection.close()
            self._readers.clear()
        if not was_closed:
            seal(self._path)

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Read, with a connection that does not wait for whoever else reads or writes."""
        with self._errors():
            with self._choosing:
                if self._closed:
                    raise sqlite3.ProgrammingError("the project is closed")
                connection = self._readers.pop() if self._readers else self._connect()
            try:
                return connection.execute(query, values).fetchall()
            finally:
                with self._choosing:
                    if self._closed:
                        connection.close()
                    else:
                        self._readers.append(connection)

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
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
            what, remedy = f"the documents cannot be read or written ({error})", "see that there is room on the disk"
            raise StorageError(what, where=self._path, remedy=remedy) from error
