"""Reading the journal in an SQLite file without SQLAlchemy, which takes longer to load than a translation takes.

This is all that opening a project for reading needs: the newest row, rows by their ids, and the same checks as in
`dragoman.store.journal`, which does everything else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from dragoman.store.head import check_head, read_head
from dragoman.store.journal_errors import interrupted, no_journal
from dragoman.store.row_reader import RowReader
from dragoman.store.rows import Row, given_text, read_row
from dragoman.store.sqlite_files import TABLE, connect_to_read, explain

NAMES = f"SELECT name FROM sqlite_master WHERE name LIKE '{TABLE}%'"  # noqa: S608 (no input)
PREVIOUS = f"(SELECT digest FROM {TABLE} b WHERE b.id < j.id ORDER BY b.id DESC LIMIT 1) AS previous"  # noqa: S608
FORGOTTEN_BY = (
    f"(SELECT min(l.id) FROM {TABLE} l WHERE l.kind = 'forget' AND l.refers_to = j.id) AS really_forgotten_by"  # noqa: S608
)
TEXTS = ("username", "source", "target", "reason", "settings")


class JournalFile(RowReader):
    """A journal in an SQLite file, for reading; each call has a connection of its own."""

    is_shared = is_writable = False

    def __init__(self, file: Path) -> None:
        self._file, self.name = file.absolute(), str(file.absolute())
        self.warnings = []  # repairing takes a writer
        head = read_head(self._file)  # before the rows, which may be appended to meanwhile
        with self._reading() as connection:
            names = {name for (name,) in connection.execute(NAMES)}
        if TABLE not in names:
            raise no_journal(self.name, file=True)
        if f"{TABLE}_unfinished" in names:
            raise interrupted(self.name)
        # Without the index of the rows that forget, the mark in each row is believed; see `store.forgotten_marks`
        columns = f"j.*, {PREVIOUS}, {FORGOTTEN_BY}" if f"{TABLE}_forgets" in names else f"j.*, {PREVIOUS}"
        self._rows = f"SELECT {columns} FROM {TABLE} j"  # noqa: S608
        check_head(self._file, head, self._digest_of)

    def _between(self, after: int, last: int, most: int) -> list[Row]:
        query = f"{self._rows} WHERE j.id > ? AND j.id <= ? ORDER BY j.id LIMIT ?"
        with self._reading() as connection:
            connection.row_factory = sqlite3.Row
            return [read_row(_given(found), self.name) for found in connection.execute(query, (after, last, most))]

    @property
    def last_id(self) -> int:
        """The id of the newest row, 0 if there is none."""
        with self._reading() as connection:
            return int(connection.execute(f"SELECT max(id) FROM {TABLE}").fetchone()[0] or 0)  # noqa: S608

    def _digest_of(self, row_id: int) -> bytes | None:
        with self._reading() as connection:
            found = connection.execute(f"SELECT digest FROM {TABLE} WHERE id = ?", (row_id,)).fetchone()  # noqa: S608
            return found[0] if found else None

    def resume(self, known: int, known_digest: str) -> None:
        """Nothing: only a writer goes on after a row."""

    def close(self) -> None:
        """Nothing: no connection is kept."""

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the file as it is now; errors say what happened to the journal."""
        try:
            with closing(connect_to_read(self._file)) as connection:
                connection.execute("BEGIN")
                yield connection
        except sqlite3.Error as error:
            raise explain(error, "cannot read: {}", self._file, self.name) from error


def _given(found: sqlite3.Row) -> dict[str, Any]:
    """The values of a row, with its texts as they were given."""
    values = {name: found[name] for name in found.keys()}  # noqa: SIM118 (a sqlite3.Row iterates over its values)
    return values | {name: given_text(values[name]) for name in TEXTS}
