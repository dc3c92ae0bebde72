"""The documents of a project, split into segments with their states, in an SQLite file next to the journal.

What was learned is in the journal; here is what people are working on: the segments of uploaded files, with their
drafts, and how much effort each took. Each segment has a version, so that two people who edit it at once notice.

Journal and documents are not written in one transaction. So what is to be learned from a segment is recorded as an
intent first, with the revision of the journal, until the segment refers to the correction; after a crash in between,
the journal tells whether it was learned.

How many segments and words of a document are in each state, and the effort they took, is kept by triggers, so that
showing a document, or a page of its segments, takes no longer when it is large. Reading does not wait for writing, nor
the other way round: each reader has a connection of its own.
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

from dragoman.cancelling import checkpoint
from dragoman.errors import StorageError
from dragoman.server.api_errors import ApiError

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
CREATE INDEX IF NOT EXISTS segments_by_state ON segments (document, state, number);
"""
WORDS = "LENGTH(TRIM({text})) - LENGTH(REPLACE(TRIM({text}), ' ', '')) + 1"  # as many as there are spaces, and one
COUNT = (
    "INSERT INTO progress VALUES ({row}.document, {row}.state, {sign}1, {sign}({words})) ON CONFLICT (document, state)"
    " DO UPDATE SET segments = segments + excluded.segments, words = words + excluded.words;"
)
COUNT_NEW = COUNT.format(row="NEW", sign="+", words=WORDS.format(text="NEW.source"))
COUNT_OLD = COUNT.format(row="OLD", sign="-", words=WORDS.format(text="OLD.source"))
PROGRESS = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS progress (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, state TEXT NOT NULL, segments INTEGER NOT NULL,
    words INTEGER NOT NULL, PRIMARY KEY (document, state)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS segment_added AFTER INSERT ON segments BEGIN {COUNT_NEW} END;
CREATE TRIGGER IF NOT EXISTS segment_changed AFTER UPDATE OF state ON segments WHEN OLD.state <> NEW.state
    BEGIN {COUNT_OLD} {COUNT_NEW} END;
INSERT OR REPLACE INTO progress SELECT document, state, COUNT(*), SUM({WORDS.format(text="source")})
    FROM segments GROUP BY document, state;
PRAGMA user_version = 1;
COMMIT;
"""  # noqa: S608
COUNTED = "{row}.state = 'confirmed' AND {row}.suggestion IS NOT NULL"
ADD_EFFORT = (
    "INSERT INTO effort SELECT {row}.document, {sign}1, {sign}{row}.key_strokes, {sign}{row}.mouse_actions,"
    " {sign}{row}.milliseconds, {sign}LENGTH({row}.target), {sign}({words}), {sign}COALESCE({row}.edits, 0)"
    " WHERE {counted} ON CONFLICT (document) DO UPDATE SET segments = segments + excluded.segments,"
    " key_strokes = key_strokes + excluded.key_strokes, mouse_actions = mouse_actions + excluded.mouse_actions,"
    " milliseconds = milliseconds + excluded.milliseconds, characters = characters + excluded.characters,"
    " words = words + excluded.words, edits = edits + excluded.edits;"
)
ADD_NEW, ADD_OLD = (
    ADD_EFFORT.format(row=row, sign=sign, words=WORDS.format(text=f"{row}.target"), counted=COUNTED.format(row=row))
    for row, sign in (("NEW", "+"), ("OLD", "-"))
)
EFFORT = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS effort (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE, segments INTEGER NOT NULL,
    key_strokes INTEGER NOT NULL, mouse_actions INTEGER NOT NULL, milliseconds INTEGER NOT NULL,
    characters INTEGER NOT NULL, words INTEGER NOT NULL, edits INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS effort_changed AFTER UPDATE ON segments BEGIN {ADD_OLD} {ADD_NEW} END;
INSERT OR REPLACE INTO effort SELECT document, COUNT(*), SUM(key_strokes), SUM(mouse_actions), SUM(milliseconds),
    SUM(LENGTH(target)), SUM({WORDS.format(text="target")}), SUM(COALESCE(edits, 0))
    FROM segments WHERE {COUNTED.format(row="segments")} GROUP BY document;
PRAGMA user_version = 2;
COMMIT;
"""  # noqa: S608
PAGE = 1000  # segments that are read at a time where all are wanted
SCANNED = 5000  # segments that are searched at a time
SEGMENT = (
    "SELECT document, number, key, source, target, state, correction, version, suggestion, key_strokes, mouse_actions,"
    " milliseconds, edits FROM segments"
)


@dataclass(frozen=True)
class Document:
    """A document and its progress."""

    id: int
    name: str
    time: str
    states: dict[str, int]  # number of segments in each state
    words: dict[str, int]  # number of their source words


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
    suggestion: str | None  # the machine translation that the person started from
    key_strokes: int
    mouse_actions: int
    milliseconds: int
    edits: int | None  # words changed between suggestion and target
    unlearned: str | None = None  # why nothing was learned from it, for the client that has just confirmed it


class ConflictError(ApiError):
    """Somebody else has changed the segment."""

    def __init__(self, segment: Segment) -> None:
        what = f"segment {segment.number} was changed by someone else; it is no longer at version {segment.version}"
        super().__init__(409, what, "reload the segment")


class DocumentStore:
    """The documents in a file; thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # held while writing
        self._choosing = threading.Lock()  # held for a moment, while a reader takes or returns a connection
        with self._errors():
            self._connection = self._connect()
            self._connection.executescript("PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;" + SCHEMA)
            for version, script in enumerate((PROGRESS, EFFORT), start=1):
                if self._connection.execute("PRAGMA user_version").fetchone()[0] < version:
                    self._connection.executescript(script)
        self._readers: list[sqlite3.Connection] = []  # connections that nobody is reading with
        self._closed = False

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
        connection.create_function("folded", 1, str.casefold, deterministic=True)
        return connection

    def close(self) -> None:
        """Close the file."""
        with self._lock, self._choosing:
            self._closed = True
            for connection in (self._connection, *self._readers):
                connection.close()
            self._readers.clear()

    def add(self, name: str, segments: Iterable[tuple[str, str, str, str]], data: bytes | None = None) -> int:
        """Add a document with its segments (key, source, target, state); returns its id."""
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
        progress: dict[int, list[tuple[str, int, int]]] = {}
        for document, *counts in self._rows("SELECT document, state, segments, words FROM progress"):
            progress.setdefault(document, []).append(tuple(counts))
        return [_document(row, progress.get(row[0], [])) for row in found]

    def document(self, document: int) -> Document:
        """One document with its progress."""
        found = self._rows("SELECT id, name, time FROM documents WHERE id = ?", (document,))
        if not found:
            raise _no_document(document)
        counts = self._rows("SELECT state, segments, words FROM progress WHERE document = ?", (document,))
        return _document(found[0], counts)

    def data(self, document: int) -> bytes | None:
        """The uploaded file, if the document came from one."""
        found = self._rows("SELECT data FROM documents WHERE id = ?", (document,))
        if not found:
            raise _no_document(document)
        return None if found[0][0] is None else bytes(found[0][0])

    def segments(
        self, document: int, *, state: str | None = None, search: str | None = None, after: int = 0, limit: int = -1
    ) -> list[Segment]:
        """The segments of a document after a number, in order; optionally those in a state, or containing a text."""
        self.document(document)  # there is one, or an error
        wanted = f"{SEGMENT} WHERE document = ? AND number > ?"
        values: list[object] = [document, after]
        if state is not None:
            wanted, values = f"{wanted} AND state = ?", [*values, state]
        if search is not None:
            return self._search(wanted, values, search, limit)
        return [Segment(*row) for row in self._rows(f"{wanted} ORDER BY number LIMIT ?", [*values, limit])]

    def each(self, document: int) -> Iterator[Segment]:
        """All segments of a document, one page at a time."""
        last = 0
        while page := self.segments(document, after=last, limit=PAGE):
            yield from page
            last = page[-1].number

    def _search(self, wanted: str, values: list[object], search: str, limit: int) -> list[Segment]:
        """Segments that contain a text: page by page, so that it ends soon if nobody waits for the answer any more."""
        found: list[Segment] = []
        document, after = values[:2]
        (last,) = self._rows("SELECT MAX(number) FROM segments WHERE document = ?", (document,))[0]
        condition, more = _contains(search)
        for first in range(int(str(after)), last or 0, SCANNED):
            checkpoint()
            query = f"{wanted} AND number <= ? AND {condition} ORDER BY number LIMIT ?"
            page = [document, first, *values[2:], first + SCANNED, *more, limit - len(found) if limit >= 0 else -1]
            found += [Segment(*row) for row in self._rows(query, page)]
            if len(found) == limit:
                break
        return found

    def segment(self, document: int, number: int) -> Segment:
        """One segment."""
        found = self._rows(f"{SEGMENT} WHERE document = ? AND number = ?", (document, number))
        if not found:
            raise ApiError(404, f"no segment {number} in document {document}", "see the list of segments")
        return Segment(*found[0])

    def taught(self, correction: int) -> Segment | None:
        """The segment that a correction came from, if it came from one."""
        found = self._rows(f"{SEGMENT} WHERE correction = ? ORDER BY document, number LIMIT 1", (correction,))
        return Segment(*found[0]) if found else None

    def change(self, old: Segment, **values: object) -> Segment:
        """Change fields of a segment, unless somebody has changed it since."""
        names = ", ".join(f"{name} = ?" for name in values)  # our own names, not those of a request
        place = "document = ? AND number = ? AND version = ?"
        update = f"UPDATE segments SET {names}, version = version + 1 WHERE {place}"  # noqa: S608
        with self._changing() as connection:
            which = old.document, old.number, old.version
            if not connection.execute(update, (*values.values(), *which)).rowcount:
                raise ConflictError(old)
        return self.segment(old.document, old.number)

    def check(self, old: Segment) -> None:
        """Raise if somebody has changed a segment since."""
        if self.segment(old.document, old.number).version != old.version:
            raise ConflictError(old)

    def intend(self, segment: Segment, target: str, revision: int) -> None:
        """Record what is about to be learned from a segment, and the last row of the journal before that."""
        with self._changing() as connection:
            values = segment.document, segment.number, target, revision
            connection.execute("INSERT OR REPLACE INTO intents VALUES (?, ?, ?, ?)", values)

    def intended(self, segment: Segment) -> tuple[str, int] | None:
        """The target and revision of the intent, if its outcome is not known."""
        place = segment.document, segment.number
        found = self._rows("SELECT target, revision FROM intents WHERE document = ? AND number = ?", place)
        return (str(found[0][0]), int(found[0][1])) if found else None

    def detach(self, correction: int) -> None:
        """Make the segments that a correction came from drafts again: it was forgotten."""
        self._detach("correction = ?", correction)

    def detach_after(self, revision: int) -> None:
        """Do so for all corrections after a revision: an old copy of the journal was restored."""
        self._detach("correction > ?", revision)

    def _detach(self, which: str, number: int) -> None:
        with self._changing() as connection:
            update = "UPDATE segments SET correction = NULL, state = 'translated', version = version + 1"
            connection.execute(f"{update} WHERE {which}", (number,))
            connection.execute(f"DELETE FROM units WHERE {which}", (number,))  # noqa: S608

    def redirect(self, old: int, new: int, target: str) -> None:
        """Let the segments and units that a correction came from refer to the one that has replaced it."""
        with self._changing() as connection:
            update = "UPDATE segments SET correction = ?, target = ?, version = version + 1 WHERE correction = ?"
            connection.execute(update, (new, target, old))
            connection.execute("UPDATE units SET correction = ? WHERE correction = ?", (new, old))

    def unit(self, unit: str) -> int | None:
        """The correction that came from a translation unit of another program."""
        found = self._rows("SELECT correction FROM units WHERE unit = ?", (unit,))
        return int(found[0][0]) if found else None

    def set_unit(self, unit: str, correction: int) -> None:
        """Remember which correction came from a translation unit."""
        with self._changing() as connection:
            connection.execute("INSERT OR REPLACE INTO units VALUES (?, ?)", (unit, correction))

    def effort(self) -> dict[str, int]:
        """Totals over all confirmed segments that somebody has worked on: their effort and their sizes."""
        names = "segments", "key_strokes", "mouse_actions", "milliseconds", "characters", "words", "edits"
        row = self._rows(f"SELECT {', '.join(f'SUM({name})' for name in names)} FROM effort")[0]  # noqa: S608
        return {name: int(value or 0) for name, value in zip(names, row, strict=True)}

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
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
            what, remedy = f"the documents cannot be read or written ({error})", "see that there is context on the disk"
            raise StorageError(what, where=self._path, remedy=remedy) from error


def _contains(search: str) -> tuple[str, list[object]]:
    """The condition that a segment contains a text, whatever the case, and its values.

    SQLite itself knows only the case of ASCII, which is enough for most texts; the others are folded in Python, slowly.
    """
    folded = search.casefold()
    slow = "(LENGTH({0}) <> LENGTH(CAST({0} AS BLOB)) AND instr(folded({0}), ?))"
    if not folded.isascii():
        return f"({slow.format('source')} OR {slow.format('target')})", [folded, folded]
    quick = "instr(lower({0}), ?)"
    either = " OR ".join(f"{kind.format(side)}" for side in ("source", "target") for kind in (quick, slow))
    return f"({either})", [folded] * 4


def _document(row: tuple[int, str, str], counts: Iterable[tuple[str, int, int]]) -> Document:
    segments, words = dict.fromkeys(STATES, 0), dict.fromkeys(STATES, 0)
    for state, *numbers in counts:
        segments[state], words[state] = numbers
    return Document(*row, segments, words)


def _no_document(document: int) -> ApiError:
    return ApiError(404, f"no document {document}", "see the list of documents")
