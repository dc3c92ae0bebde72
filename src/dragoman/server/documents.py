"""The documents of a project, cut into segments with their states, in an SQLite file beside the journal.

What was learned is in the journal; here is what people are working on: the segments of uploaded files, drafts included,
and how much effort each took. A segment counts its changes, so that two people who edit it notice each other.

Journal and documents are not written in one transaction. So what is to be learned from a segment is written down as an
intent first, with the revision of the journal, until the segment refers to the correction; after a crash in between,
the journal tells whether it was learned.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dragoman.errors import StorageError
from dragoman.server.answers import RefusedError

STATES = ("new", "translated", "confirmed", "locked")  # as dragoman.formats has them
SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, time TEXT NOT NULL, data BLOB);
CREATE TABLE IF NOT EXISTS segments (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, number INTEGER NOT NULL, key TEXT NOT NULL,
    source TEXT NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL, correction INTEGER,
    version INTEGER NOT NULL DEFAULT 1, suggestion TEXT, key_strokes INTEGER NOT NULL DEFAULT 0,
    mouse_actions INTEGER NOT NULL DEFAULT 0, milliseconds INTEGER NOT NULL DEFAULT 0, edits INTEGER,
    PRIMARY KEY (document, number)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS segments_by_correction ON segments (correction) WHERE correction IS NOT NULL;
CREATE TABLE IF NOT EXISTS units (unit TEXT PRIMARY KEY, correction INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS intents (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, number INTEGER NOT NULL, target TEXT NOT NULL,
    revision INTEGER NOT NULL, PRIMARY KEY (document, number)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS intent_done AFTER UPDATE OF correction ON segments BEGIN
    DELETE FROM intents WHERE document = NEW.document AND number = NEW.number; END;
"""
SEGMENT = (
    "SELECT document, number, key, source, target, state, correction, version, suggestion, key_strokes, mouse_actions,"
    " milliseconds, edits FROM segments"
)


@dataclass(frozen=True)
class Document:
    """A file that somebody has uploaded."""

    id: int
    name: str
    time: str
    states: dict[str, int]  # how many segments are in each state
    words: dict[str, int]  # how many source words these have


@dataclass(frozen=True)
class Segment:
    """A piece of a document, with its translation as far as there is one."""

    document: int
    number: int  # from 1, in the order of the document
    key: str  # its name in the file
    source: str
    target: str
    state: str
    correction: int | None  # what the project has learned from it
    version: int
    suggestion: str | None  # what the person started from
    key_strokes: int
    mouse_actions: int
    milliseconds: int
    edits: int | None  # words changed between suggestion and target
    unlearned: str | None = None  # why nothing was learned from it, for whoever has just confirmed it


class ChangedError(RefusedError):
    """Somebody else was quicker."""

    def __init__(self, segment: Segment) -> None:
        what = f"segment {segment.number} was changed meanwhile: it is at version {segment.version} or later"
        super().__init__(409, what, "look at it again")


class Documents:
    """The documents in a file; safe to use from threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        with self._errors():
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._connection.create_function("folded", 1, str.casefold, deterministic=True)
            self._connection.executescript("PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;" + SCHEMA)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def add(self, name: str, segments: Iterable[tuple[str, str, str, str]], data: bytes | None = None) -> int:
        """Enter a document with its segments: key, source, target, state. Returns its id."""
        with self._changing() as connection:
            time = datetime.now(UTC).isoformat(timespec="seconds")
            row = connection.execute("INSERT INTO documents (name, time, data) VALUES (?, ?, ?)", (name, time, data))
            number = int(row.lastrowid or 0)
            rows = ((number, n, *each) for n, each in enumerate(segments, start=1))
            insert = "INSERT INTO segments (document, number, key, source, target, state) VALUES (?, ?, ?, ?, ?, ?)"
            connection.executemany(insert, rows)
        return number

    def remove(self, document: int) -> None:
        """Delete a document; what was learned from it stays learned."""
        with self._changing() as connection:
            if not connection.execute("DELETE FROM documents WHERE id = ?", (document,)).rowcount:
                raise _no_document(document)

    def documents(self) -> list[Document]:
        """All documents with their progress."""
        found = self._rows("SELECT id, name, time FROM documents ORDER BY id")
        counts = self._rows(
            "SELECT document, state, COUNT(*), SUM(LENGTH(TRIM(source)) - LENGTH(REPLACE(TRIM(source), ' ', '')) + 1)"
            " FROM segments GROUP BY document, state"
        )
        progress: dict[tuple[int, str], tuple[int, int]] = {(row[0], row[1]): (row[2], row[3]) for row in counts}
        return [
            Document(
                id=number,
                name=name,
                time=time,
                states={state: progress.get((number, state), (0, 0))[0] for state in STATES},
                words={state: progress.get((number, state), (0, 0))[1] for state in STATES},
            )
            for number, name, time in found
        ]

    def document(self, document: int) -> Document:
        """One document with its progress."""
        found = [each for each in self.documents() if each.id == document]
        if not found:
            raise _no_document(document)
        return found[0]

    def data(self, document: int) -> bytes | None:
        """The file as it was uploaded, if it was one."""
        found = self._rows("SELECT data FROM documents WHERE id = ?", (document,))
        if not found:
            raise _no_document(document)
        return None if found[0][0] is None else bytes(found[0][0])

    def segments(
        self, document: int, *, state: str | None = None, search: str | None = None, after: int = 0, limit: int = -1
    ) -> list[Segment]:
        """Segments of a document after the one with this number; only those in a state, or with a text in them."""
        self.data(document)
        wanted = f"{SEGMENT} WHERE document = ? AND number > ?"
        values: list[object] = [document, after]
        if state is not None:
            wanted, values = f"{wanted} AND state = ?", [*values, state]
        if search is not None:
            wanted = f"{wanted} AND (instr(folded(source), ?) OR instr(folded(target), ?))"
            values += [search.casefold(), search.casefold()]
        return [Segment(*row) for row in self._rows(f"{wanted} ORDER BY number LIMIT ?", [*values, limit])]

    def segment(self, document: int, number: int) -> Segment:
        """One segment."""
        found = self._rows(f"{SEGMENT} WHERE document = ? AND number = ?", (document, number))
        if not found:
            raise RefusedError(404, f"there is no segment {number} in document {document}", "see the list of segments")
        return Segment(*found[0])

    def taught(self, correction: int) -> Segment | None:
        """The segment that a correction came from, if it was one."""
        found = self._rows(f"{SEGMENT} WHERE correction = ? ORDER BY document, number LIMIT 1", (correction,))
        return Segment(*found[0]) if found else None

    def change(self, old: Segment, **values: object) -> Segment:
        """Change fields of a segment, if nobody has changed it since."""
        names = ", ".join(f"{name} = ?" for name in values)  # our own words, not those of a request
        place = "document = ? AND number = ? AND version = ?"
        update = f"UPDATE segments SET {names}, version = version + 1 WHERE {place}"  # noqa: S608
        with self._changing() as connection:
            which = old.document, old.number, old.version
            if not connection.execute(update, (*values.values(), *which)).rowcount:
                raise ChangedError(old)
        return self.segment(old.document, old.number)

    def check(self, old: Segment) -> None:
        """Refuse if somebody has changed a segment since."""
        if self.segment(old.document, old.number).version != old.version:
            raise ChangedError(old)

    def intend(self, segment: Segment, target: str, revision: int) -> None:
        """Write down what is going to be learned from a segment, and the last row of the journal before that."""
        with self._changing() as connection:
            values = segment.document, segment.number, target, revision
            connection.execute("INSERT OR REPLACE INTO intents VALUES (?, ?, ?, ?)", values)

    def intended(self, segment: Segment) -> tuple[str, int] | None:
        """The target and revision of the intent, if it is not known what became of it."""
        place = segment.document, segment.number
        found = self._rows("SELECT target, revision FROM intents WHERE document = ? AND number = ?", place)
        return (str(found[0][0]), int(found[0][1])) if found else None

    def forgotten(self, correction: int) -> None:
        """A correction is no more: the segments it came from are drafts again."""
        self._forget("correction = ?", correction)

    def lost(self, revision: int) -> None:
        """All corrections after a revision are no more: an old copy of the journal was brought back."""
        self._forget("correction > ?", revision)

    def _forget(self, which: str, number: int) -> None:
        with self._changing() as connection:
            update = "UPDATE segments SET correction = NULL, state = 'translated', version = version + 1"
            connection.execute(f"{update} WHERE {which}", (number,))
            connection.execute(f"DELETE FROM units WHERE {which}", (number,))  # noqa: S608

    def revised(self, old: int, new: int, target: str) -> None:
        """A correction was replaced: the segments and units it came from refer to the new one."""
        with self._changing() as connection:
            update = "UPDATE segments SET correction = ?, target = ?, version = version + 1 WHERE correction = ?"
            connection.execute(update, (new, target, old))
            connection.execute("UPDATE units SET correction = ? WHERE correction = ?", (new, old))

    def unit(self, unit: str) -> int | None:
        """The correction that came from a unit of another program's memory."""
        found = self._rows("SELECT correction FROM units WHERE unit = ?", (unit,))
        return int(found[0][0]) if found else None

    def set_unit(self, unit: str, correction: int) -> None:
        """Remember which correction came from a unit."""
        with self._changing() as connection:
            connection.execute("INSERT OR REPLACE INTO units VALUES (?, ?)", (unit, correction))

    def effort(self) -> dict[str, int]:
        """Sums over all confirmed segments that somebody has worked on: what they took, and what they came to."""
        names = "segments", "key_strokes", "mouse_actions", "milliseconds", "characters", "words", "edits"
        row = self._rows(
            "SELECT COUNT(*), SUM(key_strokes), SUM(mouse_actions), SUM(milliseconds), SUM(LENGTH(target)),"
            " SUM(LENGTH(TRIM(target)) - LENGTH(REPLACE(TRIM(target), ' ', '')) + 1), SUM(edits)"
            " FROM segments WHERE state = 'confirmed' AND suggestion IS NOT NULL"
        )[0]
        return {name: int(value or 0) for name, value in zip(names, row, strict=True)}

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock, self._errors():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
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
        except sqlite3.Error as error:
            what, remedy = f"the documents cannot be read or written ({error})", "see that there is room on the disk"
            raise StorageError(what, where=self._path, remedy=remedy) from error


def _no_document(document: int) -> RefusedError:
    return RefusedError(404, f"there is no document {document}", "see the list of documents")
