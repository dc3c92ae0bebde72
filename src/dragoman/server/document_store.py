"""The documents of a project, split into segments with their states, in an SQLite file next to the journal.

What was learned is in the journal; here is what people are working on: the segments of uploaded files, with their
drafts, and how much effort each took. Each segment has a version, so that two people who edit it at once notice.

Journal and documents are not written in one transaction. So what is to be learned from a segment is recorded as an
intent first, with the revision of the journal, until the segment refers to the correction; after a crash in between,
the journal tells whether it was learned.

Showing a document, or a page of its segments, takes no longer when it is large: `document_schema` says how.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from dragoman.cancelling import checkpoint
from dragoman.server.api_errors import ApiError
from dragoman.server.document_connection import DocumentConnection
from dragoman.server.document_schema import STATES, source_hash
from dragoman.server.segment_filter import Filter, contains

PAGE = 1000  # segments that are read at a time where all are wanted
SCANNED = 5000  # segments that are searched at a time
SEGMENT = (
    "SELECT document, number, key, source, target, state, correction, version, suggestion, key_strokes, mouse_actions,"
    " milliseconds, edits, user, changed, reviewer, assignee, origin, match, context, note, max_length, held, warnings,"
    " (SELECT COUNT(*) FROM comments WHERE comments.document = segments.document"
    " AND comments.number = segments.number) FROM segments"
)
DOCUMENT = (
    "SELECT id, name, time, assignee, format, settings,"
    " (SELECT COUNT(*) FROM segments INDEXED BY segments_held WHERE document = id AND held),"
    " (SELECT COUNT(*) FROM segments INDEXED BY segments_reviewed WHERE document = id AND reviewer IS NOT NULL)"
    " FROM documents"
)
PLACES = "SELECT document, number FROM segments WHERE correction = ? ORDER BY document, number LIMIT 1000"
LETTERS = "CASE WHEN reviewer IS NOT NULL THEN 'r' ELSE substr(state, 1, 1) END"


class NewSegment(NamedTuple):
    """A segment as its file has it."""

    key: str
    source: str
    target: str
    state: str
    context: str = ""
    note: str = ""
    limit: int | None = None


@dataclass(frozen=True)
class Document:
    """A document and its progress."""

    id: int
    name: str
    time: str
    states: dict[str, int]  # number of segments in each state
    words: dict[str, int]  # number of their source words
    assignee: str | None = None
    format: str = ""  # of its file
    settings: dict[str, Any] = field(default_factory=dict)
    held: int = 0  # segments whose text cannot be written into the file
    reviewed: int = 0  # segments that somebody has approved

    @property
    def repetitions(self) -> bool:
        """Whether confirming a segment fills others with the same source."""
        return bool(self.settings.get("repetitions", True))

    @property
    def off(self) -> frozenset[str]:
        """The checks that are switched off."""
        return frozenset(self.settings.get("off", ()))

    @property
    def stages(self) -> dict[str, int]:
        """How many segments are to be translated, to be reviewed, and done."""
        open_, confirmed = self.states["new"] + self.states["translated"], self.states["confirmed"]
        return {"translate": open_, "review": confirmed - self.reviewed, "done": self.reviewed}


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
    user: str | None = None  # who changed it last
    changed: str | None = None  # and when
    reviewer: str | None = None  # who has approved it
    assignee: str | None = None
    origin: str = ""  # of its target: file, person, machine, memory, repetition or replacement
    match: float | None = None  # similarity of the correction that the target was taken from, in percent
    context: str = ""  # where it stands, as the file says
    note: str = ""  # what the author tells the translator
    limit: int | None = None  # characters that the file allows
    held: int = 0  # whether its target cannot be written into the file
    warnings: int = 0  # findings that nobody has accepted
    comments: int = 0
    unlearned: str | None = None  # why nothing was learned from it, for the client that has just confirmed it

    @property
    def stage(self) -> str:
        """What is to be done next: translate, review, or nothing."""
        if self.state in ("new", "translated"):
            return "translate"
        return "done" if self.reviewer is not None or self.state == "locked" else "review"


Then = Callable[[sqlite3.Connection, Segment], None]


class ConflictError(ApiError):
    """Somebody else has changed the segment."""

    def __init__(self, segment: Segment) -> None:
        what = f"segment {segment.number} was changed by someone else; it is no longer at version {segment.version}"
        super().__init__(409, what, "reload the segment", code="conflict")


class DocumentStore(DocumentConnection):
    """The documents in a file; thread-safe."""

    def add(
        self,
        name: str,
        segments: Iterable[Sequence[Any]],
        data: bytes | None = None,
        *,
        format: str = "",  # noqa: A002
    ) -> int:
        """Add a document with its segments, as `NewSegment` has them; returns its id."""
        with self.changing() as connection:
            insert = "INSERT INTO documents (name, time, data, format) VALUES (?, ?, ?, ?)"
            row = connection.execute(insert, (name, now(), data, format))
            number = int(row.lastrowid or 0)
            new = (NewSegment(*each) for each in segments)
            rows = (
                (number, n, *one, source_hash(one.source), "file" if one.target else "")
                for n, one in enumerate(new, start=1)
            )
            insert = (
                "INSERT INTO segments (document, number, key, source, target, state, context, note, max_length,"
                " source_hash, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            )
            connection.executemany(insert, rows)
        return number

    def remove(self, document: int) -> None:
        """Delete a document; what was learned from it stays learned."""
        with self.changing() as connection:
            if not connection.execute("DELETE FROM documents WHERE id = ?", (document,)).rowcount:
                raise _no_document(document)

    def documents(self) -> list[Document]:
        """All documents with their progress."""
        found = self.rows(f"{DOCUMENT} ORDER BY id")
        progress: dict[int, list[tuple[str, int, int]]] = {}
        for document, *counts in self.rows("SELECT document, state, segments, words FROM progress"):
            progress.setdefault(document, []).append(tuple(counts))
        return [_document(row, progress.get(row[0], [])) for row in found]

    def document(self, document: int) -> Document:
        """One document with its progress."""
        found = self.rows(f"{DOCUMENT} WHERE id = ?", (document,))
        if not found:
            raise _no_document(document)
        counts = self.rows("SELECT state, segments, words FROM progress WHERE document = ?", (document,))
        return _document(found[0], counts)

    def change_document(self, document: int, **values: object) -> Document:
        """Change the name, assignee or settings of a document; settings are added to those that there are."""
        old = self.document(document)
        if "settings" in values:
            values["settings"] = json.dumps(old.settings | dict(values["settings"]))  # type: ignore[call-overload]
        if values:
            names = ", ".join(f"{name} = ?" for name in values)  # our own names, not those of a request
            with self.changing() as connection:
                connection.execute(f"UPDATE documents SET {names} WHERE id = ?", (*values.values(), document))  # noqa: S608
        return self.document(document)

    def data(self, document: int) -> bytes | None:
        """The uploaded file, if the document came from one."""
        found = self.rows("SELECT data FROM documents WHERE id = ?", (document,))
        if not found:
            raise _no_document(document)
        return None if found[0][0] is None else bytes(found[0][0])

    def has_file(self, document: int) -> bool:
        """Whether a document came from a file."""
        found = self.rows("SELECT data IS NOT NULL FROM documents WHERE id = ?", (document,))
        return bool(found and found[0][0])

    def segments(
        self,
        document: int,
        which: Filter | None = None,
        *,
        state: str | None = None,
        search: str | None = None,
        after: int = 0,
        limit: int = -1,
    ) -> list[Segment]:
        """The segments of a document after a number, in order; optionally only some of them."""
        self.document(document)  # there is one, or an error
        which = which or Filter(state=state, search=search)
        rows = self._find(SEGMENT, document, which, after, limit)
        return [Segment(*row) for row in rows]

    def segments_before(self, document: int, which: Filter, before: int, limit: int) -> list[Segment]:
        """The last segments before a number, in order."""
        self.document(document)
        condition, values = which.condition(document)
        if which.search is not None:
            found, more = contains(which.search)
            condition, values = f"{condition} AND {found}", [*values, *more]
        query = f"{SEGMENT} WHERE document = ? AND number < ?{condition} ORDER BY number DESC LIMIT ?"
        return [Segment(*row) for row in reversed(self.rows(query, (document, before, *values, limit)))]

    def numbers(self, document: int, which: Filter, limit: int = -1) -> list[int]:
        """The numbers of the segments that are wanted."""
        self.document(document)
        return [row[0] for row in self._find("SELECT number FROM segments", document, which, 0, limit)]

    def letters(self, document: int) -> str:
        """A letter for the state of each segment, in order; r for those that were approved."""
        query = f"SELECT {LETTERS} FROM segments WHERE document = ? ORDER BY number"  # noqa: S608
        return "".join(letter for (letter,) in self.rows(query, (document,)))

    def each(self, document: int) -> Iterator[Segment]:
        """All segments of a document, one page at a time."""
        last = 0
        while page := self.segments(document, after=last, limit=PAGE):
            yield from page
            last = page[-1].number

    def _find(self, select: str, document: int, which: Filter, after: int, limit: int) -> list[Any]:
        """The segments that are wanted; if a text is searched, page by page, so that it ends if nobody waits for it."""
        condition, values = which.condition(document)
        wanted = f"{select} WHERE document = ? AND number > ?{condition}"
        if which.search is None:
            return self.rows(f"{wanted} ORDER BY number LIMIT ?", [document, after, *values, limit])
        found: list[Any] = []
        (last,) = self.rows("SELECT MAX(number) FROM segments WHERE document = ?", (document,))[0]
        contained, more = contains(which.search)
        for first in range(after, last or 0, SCANNED):
            checkpoint()
            query = f"{wanted} AND number <= ? AND {contained} ORDER BY number LIMIT ?"
            left = limit - len(found) if limit >= 0 else -1
            found += self.rows(query, [document, first, *values, first + SCANNED, *more, left])
            if len(found) == limit:
                break
        return found

    def segment(self, document: int, number: int) -> Segment:
        """One segment."""
        found = self.rows(f"{SEGMENT} WHERE document = ? AND number = ?", (document, number))
        if not found:
            what = f"no segment {number} in document {document}"
            raise ApiError(404, what, "see the list of segments", code="not-found")
        return Segment(*found[0])

    def taught(self, correction: int) -> Segment | None:
        """The segment that a correction came from, if it came from one."""
        found = self.rows(f"{SEGMENT} WHERE correction = ? ORDER BY document, number LIMIT 1", (correction,))
        return Segment(*found[0]) if found else None

    def places(self, correction: int) -> list[tuple[int, int]]:
        """Document and number of the segments that a correction came from."""
        return [(row[0], row[1]) for row in self.rows(PLACES, (correction,))]

    def change(self, old: Segment, *, then: Then | None = None, **values: object) -> Segment:
        """Change fields of a segment, unless somebody has changed it since; `then` goes on in the same transaction."""
        names = ", ".join(f"{name} = ?" for name in values)  # our own names, not those of a request
        place = "document = ? AND number = ? AND version = ?"
        update = f"UPDATE segments SET {names}, version = version + 1 WHERE {place}"  # noqa: S608
        with self.changing() as connection:
            which = old.document, old.number, old.version
            if not connection.execute(update, (*values.values(), *which)).rowcount:
                raise ConflictError(old)
            if then is not None:
                row = connection.execute(f"{SEGMENT} WHERE document = ? AND number = ?", which[:2]).fetchone()
                then(connection, Segment(*row))
        return self.segment(old.document, old.number)

    def check(self, old: Segment) -> None:
        """Raise if somebody has changed a segment since."""
        if self.segment(old.document, old.number).version != old.version:
            raise ConflictError(old)

    def intend(self, segment: Segment, target: str, revision: int) -> None:
        """Record what is about to be learned from a segment, and the last row of the journal before that."""
        with self.changing() as connection:
            values = segment.document, segment.number, target, revision
            connection.execute("INSERT OR REPLACE INTO intents VALUES (?, ?, ?, ?)", values)

    def intended(self, segment: Segment) -> tuple[str, int] | None:
        """The target and revision of the intent, if its outcome is not known."""
        place = segment.document, segment.number
        found = self.rows("SELECT target, revision FROM intents WHERE document = ? AND number = ?", place)
        return (str(found[0][0]), int(found[0][1])) if found else None

    def detach(self, correction: int) -> None:
        """Make the segments that a correction came from drafts again: it was forgotten."""
        self._detach("correction = ?", correction)

    def detach_after(self, revision: int) -> None:
        """Do so for all corrections after a revision: an old copy of the journal was restored."""
        self._detach("correction > ?", revision)

    def _detach(self, which: str, number: int) -> None:
        with self.changing() as connection:
            update = "UPDATE segments SET correction = NULL, state = 'translated', version = version + 1"
            connection.execute(f"{update} WHERE {which}", (number,))
            connection.execute(f"DELETE FROM units WHERE {which}", (number,))  # noqa: S608

    def redirect(self, old: int, new: int, target: str) -> None:
        """Let the segments and units that a correction came from refer to the one that has replaced it."""
        with self.changing() as connection:
            update = "UPDATE segments SET correction = ?, target = ?, version = version + 1 WHERE correction = ?"
            connection.execute(update, (new, target, old))
            connection.execute("UPDATE units SET correction = ? WHERE correction = ?", (new, old))

    def unit(self, unit: str) -> int | None:
        """The correction that came from a translation unit of another program."""
        found = self.rows("SELECT correction FROM units WHERE unit = ?", (unit,))
        return int(found[0][0]) if found else None

    def set_unit(self, unit: str, correction: int) -> None:
        """Remember which correction came from a translation unit."""
        with self.changing() as connection:
            connection.execute("INSERT OR REPLACE INTO units VALUES (?, ?)", (unit, correction))

    def effort(self) -> dict[str, int]:
        """Totals over all confirmed segments that somebody has worked on: their effort and their sizes."""
        names = "segments", "key_strokes", "mouse_actions", "milliseconds", "characters", "words", "edits"
        row = self.rows(f"SELECT {', '.join(f'SUM({name})' for name in names)} FROM effort")[0]  # noqa: S608
        return {name: int(value or 0) for name, value in zip(names, row, strict=True)}


def now() -> str:
    """The time, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _document(row: Sequence[Any], counts: Iterable[tuple[str, int, int]]) -> Document:
    segments, words = dict.fromkeys(STATES, 0), dict.fromkeys(STATES, 0)
    for state, *numbers in counts:
        segments[state], words[state] = numbers
    number, name, time, assignee, kind, settings, held, reviewed = row
    return Document(number, name, time, segments, words, assignee, kind, json.loads(settings), held, reviewed)


def _no_document(document: int) -> ApiError:
    return ApiError(404, f"no document {document}", "see the list of documents", code="not-found")
