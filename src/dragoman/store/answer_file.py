"""A file for answers that a process keeps which may not write the journal: a command, a replica, `write=False`.

It lies in the project's directory, and any number of processes may keep answers in it at the same time. If nothing can
be written there, a temporary file takes its place until the project is closed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from dragoman.errors import DamagedFileError
from dragoman.store.database import Database

NAME = "answers.db"


class AnswerFile:
    """The file, made when there is something to keep; safe to use from threads."""

    is_writable = True

    def __init__(self, project: Path) -> None:
        self._temporary = None if _may_write(project) else TemporaryDirectory(prefix="dragoman-")
        self._file = Path(self._temporary.name if self._temporary else project, NAME)
        self._opened: Database | None = None
        self._opening, self._writing = threading.Lock(), threading.Lock()

    @property
    def exists(self) -> bool:
        """Whether anything was ever kept in it."""
        return self._file.exists()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees the file as it is now; it must exist."""
        with self._explaining(), self._database().reading() as connection:
            yield connection

    @contextmanager
    def keeping(self) -> Iterator[sa.Connection]:
        """One transaction; the file is made if there is none."""
        with self._explaining(), self._writing, self._database().writing() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        with self._opening:
            if self._opened:
                self._opened.close()
            self._opened = None
            if self._temporary:
                self._temporary.cleanup()

    def _database(self) -> Database:
        with self._opening:
            if self._opened is None:
                self._opened = Database(self._file, write=True, create=True)
            return self._opened

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except DamagedFileError as error:
            remedy = "delete it: other engines are then asked again"
            raise DamagedFileError(error.what, where=self._file, remedy=remedy) from error


def _may_write(directory: Path) -> bool:
    return os.access(directory, os.W_OK)
