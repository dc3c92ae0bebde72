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

from dragoman.concurrency import checkpoint
from dragoman.editor import segment_table
from dragoman.editor.document_connection import DocumentConnection
from dragoman.editor.document_schema import STATES, source_hash
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_filter import Filter, contains
from dragoman.editor.segment_sums import SUMMED, damaged, row_sum
from dragoman.editor.segment_table import SEGMENT
from dragoman.formats.segment_groups import PARAGRAPHS, Merge, Split, Step

PAGE = 1000  # segments that are read at a time where all are wanted
HEIRS = 1000  # merges one after the other that are followed
SCANNED = 5000  # segments that are searched at a time


class FileSegment(NamedTuple):
    """A segment as its file has it."""

    key: str
    source: str
    target: str
    state: str
    context: str = ""
    note: str = ""
    limit: int | None = None


@dataclass(frozen=True)
class StoredDocument:
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
    regrouped: bool = False  # whether segments were merged or split

    @property
    def repetitions(self) -> bool:
        """Whether confirming a segment fills others with the same source."""
        return self.propagation != "off"

    @property
    def propagation(self) -> str:
        """How other segments with the same source are filled: off, draft or confirm."""
        return str(self.settings.get("propagation") or ("draft" if self.settings.get("repetitions", True) else "off"))

    @property
    def off(self) -> frozenset[str]:
        """The checks that are switched off."""
        return frozenset(self.settings.get("off", ()))

    @property
    def divisible(self) -> bool:
        """Whether its segments can be merged and split."""
        return self.format in PARAGRAPHS

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
    place: float | None = None  # where it stands, if its number does not say so: it was split off from another one
    unlearned: str | None = None  # why nothing was learned from it, for the client that has just confirmed it

    @property
    def stage(self) -> str:
        """What is to be done next: translate, review, or nothing."""
        if self.state in ("new", "translated"):
            return "translate"
        return "done" if self.reviewer is not None or self.state == "locked" else "review"


Then = Callable[[sqlite3.Connection, Segment], None]


class ConflictError(Refusal):
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
        """Add a document with its segments, as `FileSegment` has them; returns its id."""
        with self.writing() as connection:
            insert = "INSERT INTO documents (name, time, data, format) VALUES (?, ?, ?, ?)"
            row = connection.execute(insert, (name, now(), data, format))
            number = int(row.lastrowid or 0)
            new = (FileSegment(*each) for each in segments)
            rows = (
                (number, n, *one, source_hash(one.source), "file" if one.target else "")
                for n, one in enumerate(new, start=1)
            )
            connection.executemany(segment_table.INSERT, rows)
        return number

    def remove(self, document: int) -> None:
        """Delete a document; what was learned from it stays learned."""
        with self.writing() as connection:
            if not connection.execute("DELETE FROM documents WHERE id = ?", (document,)).rowcount:
                raise _no_document(document)

    def documents(self) -> list[StoredDocument]:
        """All documents with their progress."""
        found = self.rows(f"{segment_table.DOCUMENT} ORDER BY id")
        progress: dict[int, list[tuple[str, int, int]]] = {}
        for document, *counts in self.rows("SELECT document, state, segments, words FROM progress"):
            progress.setdefault(document, []).append(tuple(counts))
        return [_document(row, progress.get(row[0], [])) for row in found]

    def document(self, document: int) -> StoredDocument:
        """One document with its progress."""
        found = self.rows(f"{segment_table.DOCUMENT} WHERE id = ?", (document,))
        if not found:
            raise _no_document(document)
        counts = self.rows("SELECT state, segments, words FROM progress WHERE document = ?", (document,))
        return _document(found[0], counts)

    def change_document(self, document: int, **values: object) -> StoredDocument:
        """Change the name, assignee or settings of a document; settings are added to those that there are."""
        old = self.document(document)
        if "settings" in values:
            values["settings"] = json.dumps(old.settings | dict(values["settings"]))  # type: ignore[call-overload]
        if values:
            names = ", ".join(f"{name} = ?" for name in values)  # our own names, not those of a request
            with self.writing() as connection:
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
        return [self._segment(row) for row in rows]

    def segments_of(self, document: int, numbers: Sequence[int]) -> list[Segment]:
        """Some segments by their numbers, in order; those that there are not are left out."""
        self.document(document)
        marks = ", ".join("?" * len(numbers))
        query = f"{SEGMENT} WHERE document = ? AND number IN ({marks}) ORDER BY number"
        return [self._segment(row) for row in self.rows(query, (document, *numbers))]

    def segments_before(self, document: int, which: Filter, before: int, limit: int) -> list[Segment]:
        """The last segments before a number, in order."""
        self.document(document)
        condition, values = which.condition(document)
        if which.search is not None:
            found, more = contains(which.search)
            condition, values = f"{condition} AND {found}", [*values, *more]
        query = f"{SEGMENT} WHERE document = ? AND number < ?{condition} ORDER BY number DESC LIMIT ?"
        return [self._segment(row) for row in reversed(self.rows(query, (document, before, *values, limit)))]

    def numbers(self, document: int, which: Filter, limit: int = -1) -> list[int]:
        """The numbers of the segments that are wanted."""
        self.document(document)
        return [row[0] for row in self._find(segment_table.NUMBER, document, which, 0, limit)]

    def letters(self, document: int) -> str:
        """A letter for the state of each segment, in the order of the document; r for those that were approved."""
        return "".join(letter for (letter,) in self.rows(segment_table.LETTERS, (document,)))

    def order(self, document: int) -> list[int]:
        """The numbers of all segments in the order of the document, which is not theirs once some were split."""
        return [number for (number,) in self.rows(segment_table.ORDER, (document,))]

    def in_order(self, document: int) -> Iterator[Segment]:
        """All segments in the order of the document."""
        if not self.document(document).regrouped:
            yield from self.each(document)
            return
        numbers = self.order(document)
        for at in range(0, len(numbers), PAGE):
            page = {each.number: each for each in self.segments_of(document, numbers[at : at + PAGE])}
            yield from (page[number] for number in numbers[at : at + PAGE] if number in page)

    def regroupings(self, document: int) -> list[Step]:
        """How segments were merged and split, in that order."""
        return [
            Merge(first, second) if kind == "merge" else Split(first, at, second)
            for kind, first, second, at in self.rows(segment_table.STEPS, (document,))
        ]

    def numbers_by_key(self, document: int, keys: Sequence[str]) -> dict[str, int]:
        """The numbers of some segments, by their names in the file."""
        marks = ", ".join("?" * len(keys))
        return dict(self.rows(f"{segment_table.BY_KEY} AND key IN ({marks})", (document, *keys)))

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
        (last,) = self.rows(segment_table.LAST, (document,))[0]
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
        if found:
            return self._segment(found[0])
        if (heir := self.heir(document, number)) != number:
            what = f"segment {number} is part of segment {heir} now"
            raise Refusal(410, what, f"see segment {heir}: what was typed is among its versions", code="merged")
        what = f"no segment {number} in document {document}"
        raise Refusal(404, what, "see the list of segments", code="not-found")

    def heir(self, document: int, number: int) -> int:
        """The segment that a merged one is part of now, or one that was split off and merged again; else itself."""
        for _ in range(HEIRS):
            found = self.rows(segment_table.HEIR, (document, number, document, number))
            if not found:
                break
            number = int(found[0][0])
        return number

    def _segment(self, row: Sequence[Any]) -> Segment:
        """A segment as it was read, if it is what was written."""
        *values, total = row
        segment = Segment(*values)
        if total != row_sum(*(getattr(segment, name) for name in SUMMED)):
            raise damaged(self._path, segment.document, segment.number)
        return segment

    def taught(self, correction: int) -> Segment | None:
        """The segment that a correction came from, if it came from one."""
        found = self.rows(f"{SEGMENT} WHERE correction = ? ORDER BY document, number LIMIT 1", (correction,))
        return self._segment(found[0]) if found else None

    def places(self, correction: int) -> list[tuple[int, int]]:
        """Document and number of the segments that a correction came from."""
        return [(row[0], row[1]) for row in self.rows(segment_table.PLACES, (correction,))]

    def change(self, old: Segment, *, then: Then | None = None, **values: object) -> Segment:
        """Change fields of a segment, unless somebody has changed it since; `then` goes on in the same transaction."""
        update = segment_table.change(values)
        with self.writing() as connection:
            which = old.document, old.number, old.version
            if not connection.execute(update, (*values.values(), *which)).rowcount:
                raise ConflictError(old)
            if then is not None:
                then(connection, self.read_segment(connection, *which[:2]))
        return self.segment(old.document, old.number)

    def read_segment(self, connection: sqlite3.Connection, document: int, number: int) -> Segment:
        """A segment as it is within a transaction."""
        return self._segment(
            connection.execute(f"{SEGMENT} WHERE document = ? AND number = ?", (document, number)).fetchone()
        )

    def check(self, old: Segment) -> None:
        """Raise if somebody has changed a segment since."""
        if self.segment(old.document, old.number).version != old.version:
            raise ConflictError(old)

    def intend(self, segment: Segment, target: str, revision: int) -> None:
        """Record what is about to be learned from a segment, and the last row of the journal before that."""
        with self.writing() as connection:
            values = segment.document, segment.number, target, revision
            connection.execute("INSERT OR REPLACE INTO intents VALUES (?, ?, ?, ?)", values)

    def intended(self, segment: Segment) -> tuple[str, int] | None:
        """The target and revision of the intent, if its outcome is not known."""
        place = segment.document, segment.number
        found = self.rows("SELECT target, revision FROM intents WHERE document = ? AND number = ?", place)
        return (str(found[0][0]), int(found[0][1])) if found else None

    def intents(self) -> list[tuple[Segment, str, int]]:
        """The segments from which something may have been learned, with its target and the revision before it."""
        rows = self.rows("SELECT document, number, target, revision FROM intents ORDER BY revision")
        return [(self.segment(document, number), target, revision) for document, number, target, revision in rows]

    def forget_intent(self, segment: Segment) -> None:
        """Nothing was learned from a segment after all."""
        with self.writing() as connection:
            place = segment.document, segment.number
            connection.execute("DELETE FROM intents WHERE document = ? AND number = ?", place)

    def detach(self, correction: int) -> None:
        """Make the segments that a correction came from drafts again: it was forgotten."""
        self._detach("correction = ?", correction)

    def detach_after(self, revision: int) -> None:
        """Do so for all corrections after a revision: an old copy of the journal was restored."""
        self._detach("correction > ?", revision)

    def _detach(self, which: str, number: int) -> None:
        with self.writing() as connection:
            connection.execute(f"{segment_table.DETACH} WHERE {which}", (number,))
            connection.execute(f"DELETE FROM units WHERE {which}", (number,))  # noqa: S608

    def redirect(self, old: int, new: int, target: str) -> None:
        """Let the segments and units that a correction came from refer to the one that has replaced it."""
        with self.writing() as connection:
            connection.execute(segment_table.REDIRECT, (new, target, old))
            connection.execute("UPDATE units SET correction = ? WHERE correction = ?", (new, old))

    def unit(self, unit: str) -> int | None:
        """The correction that came from a translation unit of another program."""
        found = self.rows("SELECT correction FROM units WHERE unit = ?", (unit,))
        return int(found[0][0]) if found else None

    def set_unit(self, unit: str, correction: int) -> None:
        """Remember which correction came from a translation unit."""
        with self.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO units VALUES (?, ?)", (unit, correction))

    def effort(self) -> dict[str, int]:
        """Totals over all confirmed segments that somebody has worked on: their effort and their sizes."""
        names = "segments", "key_strokes", "mouse_actions", "milliseconds", "characters", "words", "edits"
        row = self.rows(f"SELECT {', '.join(f'SUM({name})' for name in names)} FROM effort")[0]  # noqa: S608
        return {name: int(value or 0) for name, value in zip(names, row, strict=True)}


def now() -> str:
    """The time, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _document(row: Sequence[Any], counts: Iterable[tuple[str, int, int]]) -> StoredDocument:
    segments, words = dict.fromkeys(STATES, 0), dict.fromkeys(STATES, 0)
    for state, *numbers in counts:
        segments[state], words[state] = numbers
    number, name, time, assignee, kind, settings, *counted, regrouped = row
    about = number, name, time, segments, words, assignee, kind, json.loads(settings)
    held, reviewed = counted
    return StoredDocument(*about, held, reviewed, bool(regrouped))


def _no_document(document: int) -> Refusal:
    return Refusal(404, f"no document {document}", "see the list of documents", code="not-found")
