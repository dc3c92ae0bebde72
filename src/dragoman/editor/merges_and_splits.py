"""Merging a segment with the next one, and splitting one in two; undone and done again like any other step.

The number of a segment is its name: in the drafts of browsers, in the history, in what is sent while somebody is
offline. So no segment ever gets another number. One that was merged into the one before it is gone, until that is taken
back; one that was split off gets a new number, and a *place* between those of its neighbours.

What has been done is kept in the table `regroupings`, and applied to the file whenever that is read. What was learned
from segments that are merged or split stays learned.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.editor import segment_edits, segment_log, segment_table
from dragoman.editor.document_schema import source_hash
from dragoman.editor.document_store import ConflictError, Segment, now
from dragoman.editor.edited_project import EditedProject
from dragoman.editor.refusal import Refusal
from dragoman.errors import BadInputError
from dragoman.formats.document import Document
from dragoman.formats.segment_groups import Merge, Split, Step, regroup

ACTIONS = {"merge": "merged", "split": "split"}
BESIDE = ("findings", "accepted", "intents", "untaught", "sums")  # what belongs to a segment that is no more
_RECORDED = "SELECT kind, number, other, first, second, at, rows FROM regroupings WHERE document = ? AND batch = ?"
Row = dict[str, Any]


@dataclass(frozen=True)
class Regrouping:
    """What is done: which two segments are merged, or where one is split, and what each has then."""

    document: int
    kind: str
    number: int  # of the segment that stays
    other: int  # of the one that goes, or comes
    step: Step
    targets: tuple[str, str]


@dataclass(frozen=True)
class Done:
    """What was done, as the log has it."""

    segment: Segment
    other: int
    batch: int


def merge(
    project: EditedProject,
    document: int,
    number: int,
    user: str | None,
    *,
    version: int | None = None,
    targets: tuple[str | None, str | None] = (None, None),
) -> Done:
    """Merge a segment with the one after it; `targets` are newer texts of both than those that are saved."""
    first = _checked(project, document, number, version)
    after = _next(project, first)
    if after is None:
        raise Refusal(409, f"there is no segment after segment {number}", code="not-regrouped")
    second = _checked(project, document, after)
    texts = tuple(each.target if new is None else new for each, new in zip((first, second), targets, strict=True))
    what = Regrouping(document, "merge", number, second.number, Merge(first.key, second.key), (texts[0], texts[1]))
    return _do(project, what, user)


def split(
    project: EditedProject,
    document: int,
    number: int,
    at: int,
    user: str | None,
    *,
    version: int | None = None,
    targets: tuple[str | None, str] = (None, ""),
) -> Done:
    """Split a segment before a character of its source; its target stays with the first part, unless told otherwise."""
    segment = _checked(project, document, number, version)
    rows = project.documents.rows(segment_table.HIGHEST, (document,) * 3)
    new = int(rows[0][0]) + 1
    step = Split(segment.key, at, f"{segment.key}~{new}")
    first = segment.target if targets[0] is None else targets[0]
    return _do(project, Regrouping(document, "split", number, new, step, (first, targets[1])), user)


def _checked(project: EditedProject, document: int, number: int, version: int | None = None) -> Segment:
    segment = project.documents.segment(document, number)
    if segment.state == "locked":
        raise Refusal(409, f"segment {number} is locked in its file", "leave it unchanged", code="locked")
    if version not in (None, segment.version):
        raise ConflictError(segment)
    return segment


def _next(project: EditedProject, segment: Segment) -> int | None:
    """The number of the segment after one, in the order of the document."""
    place = segment.place or segment.number
    found = project.documents.rows(segment_table.NEXT, (segment.document, place, segment.document, place))
    return int(found[0][0]) if found else None


def _divided(project: EditedProject, document: int, step: Step) -> Document:
    """The file with one more step."""
    opened = project.open_file(document)
    if opened is None:
        what = "these segments came from no file, and are units of their own"
        raise Refusal(409, what, "translate them as they are", code="not-regrouped")
    try:
        return regroup(opened.document, [step])
    except BadInputError as error:
        raise Refusal(409, error.what, error.remedy, code="not-regrouped") from None


def _do(project: EditedProject, what: Regrouping, user: str | None) -> Done:
    sources = {one.id: one.source for one in _divided(project, what.document, what.step).segments}
    documents, batch = project.documents, 0
    old = documents.segment(what.document, what.number)
    with documents.writing() as connection:
        before = _rows(connection, what)
        _apply(connection, what, before, sources, user)
        new = documents.read_segment(connection, what.document, what.number)
        batch = segment_log.record(connection, old, new, ACTIONS[what.kind], user)
        if what.kind == "split":
            added = documents.read_segment(connection, what.document, what.other)
            segment_log.record(connection, added, added, ACTIONS[what.kind], user, batch)
        _remember(connection, what, before, batch)
    return Done(documents.segment(what.document, what.number), what.other, batch)


def _rows(connection: sqlite3.Connection, what: Regrouping) -> dict[int, Row]:
    """The rows of both segments, whole, as far as they are there."""
    cursor = connection.execute(segment_table.WHOLE_ROWS, (what.document, what.number, what.other))
    names = [each[0] for each in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {row["number"]: row for row in rows}


def _apply(
    connection: sqlite3.Connection, what: Regrouping, rows: dict[int, Row], sources: Mapping[str, str], user: str | None
) -> None:
    """Write both segments as they are from now on."""
    first = rows[what.number]
    if what.kind == "merge":
        source, target = sources[what.step[0]], _joined(what, rows, sources)
        _put(connection, _renewed(first, source, target, user))
        _drop(connection, what.document, what.other)
        connection.execute(
            "UPDATE comments SET number = ? WHERE document = ? AND number = ?", (what.number, what.document, what.other)
        )
    else:
        new = str(what.step[-1])
        place = _place_after(connection, what.document, float(first["place"] or what.number))
        _put(connection, _renewed(first, sources[what.step[0]], what.targets[0], user))
        other = _renewed(first, sources[new], what.targets[1], user) | {"number": what.other, "key": new}
        _put(connection, other | {"place": place, "max_length": None, "version": 1})
    _recount(connection, what.document)


def _joined(what: Regrouping, rows: dict[int, Row], sources: Mapping[str, str]) -> str:
    """Both targets, with what stands between the sources."""
    one, other = rows[what.number]["source"], rows[what.other]["source"]
    source, (before, after) = sources[what.step[0]], what.targets
    between = source[len(one) : len(source) - len(other)]
    return f"{before}{between}{after}" if before and after else before or after


def _renewed(row: Row, source: str, target: str, user: str | None) -> Row:
    """A row with other texts: a draft that nobody has checked yet."""
    return row | {
        "source": source,
        "source_hash": source_hash(source),
        "target": target,
        "state": "translated" if target else "new",
        "origin": "person" if target else "",
        "correction": None,
        "suggestion": None,
        "match": None,
        "edits": None,
        "reviewer": None,
        "held": 0,
        "warnings": 0,
        "checked": 0,
        "version": row["version"] + 1,
        "user": user,
        "changed": now(),
    }


def _put(connection: sqlite3.Connection, row: Row) -> None:
    """Write a row, which counts as new: what was found in it before is gone."""
    _drop(connection, row["document"], row["number"])
    connection.execute(segment_table.insert_row(row), tuple(row.values()))


def _drop(connection: sqlite3.Connection, document: int, number: int) -> None:
    connection.execute(segment_table.DELETE, (document, number))
    for table in BESIDE:
        connection.execute(f"DELETE FROM {table} WHERE document = ? AND number = ?", (document, number))  # noqa: S608


def _place_after(connection: sqlite3.Connection, document: int, place: float) -> float:
    """A place between one and the next."""
    found = connection.execute(segment_table.NEXT, (document, place, document, place)).fetchone()
    whole = float(int(place) + 1)  # what is split off from segment 3 stays below 4, also where 4 was merged
    new = (place + min(whole, float(found[1]) if found else whole)) / 2
    if not place < new:
        raise Refusal(409, "this segment was split too often", "merge some of its parts", code="not-regrouped")
    return new


def _recount(connection: sqlite3.Connection, document: int) -> None:
    """Progress and effort of a document, counted anew: triggers only follow changes of states."""
    for statement in segment_table.RECOUNT:
        connection.execute(statement, (document,))


def _remember(connection: sqlite3.Connection, what: Regrouping, before: dict[int, Row], batch: int) -> None:
    at = what.step.at if isinstance(what.step, Split) else None
    second = what.step[-1]
    kept = json.dumps({"rows": list(before.values()), "targets": what.targets})
    connection.execute("DELETE FROM regroupings WHERE document = ? AND batch = ?", (what.document, batch))
    connection.execute(
        "INSERT INTO regroupings (document, kind, number, other, first, second, at, rows, batch)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (what.document, what.kind, what.number, what.other, what.step[0], second, at, kept, batch),
    )


# ── Undo and redo ────────────────────────────────────────────────────────────────────────────────────────────────────


def take_back(
    project: EditedProject, document: int, changes: list[segment_log.LoggedChange], user: str | None
) -> Segment:
    """Give both segments back what they had; refused if one of them was changed since."""
    batch = changes[0].batch
    what, rows = _recorded(project, document, batch)
    for change in changes:
        if project.documents.segment(document, change.number).version != change.version:
            text = f"segment {change.number} was changed since"
            raise Refusal(409, text, "undo the later change first", code="nothing-to-undo")
    old = project.documents.segment(document, what.number)
    with project.documents.writing() as connection:
        _drop(connection, document, what.other)
        for row in rows:
            _put(connection, _restored(project, row, old.version if row["number"] == what.number else None))
        new = project.documents.read_segment(connection, document, what.number)
        segment_log.record(connection, old, new, "undo", user)
        connection.execute("UPDATE regroupings SET undone = 1 WHERE document = ? AND batch = ?", (document, batch))
        _recount(connection, document)
    return project.documents.segment(document, what.number)


def _restored(project: EditedProject, row: Row, version: int | None) -> Row:
    """A row as it was, at a later version than one; its correction only if nobody has forgotten it."""
    number = row["correction"]
    unchecked: Row = {"checked": 0, "warnings": 0, "held": 0}
    if number is not None and segment_edits.correction(project, number).forgotten:
        unchecked |= {"correction": None, "state": "translated"}
        version = version or row["version"]
    return row | unchecked | {"version": row["version"] if version is None else version + 1}


def do_again(
    project: EditedProject, document: int, changes: list[segment_log.LoggedChange], user: str | None
) -> Segment:
    """Merge or split once more what was taken back; refused if the segments are not what they were then."""
    batch = changes[0].batch
    what, rows = _recorded(project, document, batch)
    for row in rows:
        found = project.documents.segments_of(document, [row["number"]])
        if [(each.source, each.target) for each in found] != [(row["source"], row["target"])]:
            raise Refusal(409, f"segment {row['number']} was changed since", code="nothing-to-redo")
    sources = {one.id: one.source for one in _divided(project, document, what.step).segments}
    with project.documents.writing() as connection:
        before = _rows(connection, what)
        old = project.documents.read_segment(connection, document, what.number)
        _apply(connection, what, before, sources, user)
        new = project.documents.read_segment(connection, document, what.number)
        segment_log.record(connection, old, new, "redo", user)
        _remember(connection, what, before, batch)
    return project.documents.segment(document, what.number)


def _recorded(project: EditedProject, document: int, batch: int) -> tuple[Regrouping, list[Row]]:
    found = project.documents.rows(_RECORDED, (document, batch))
    kind, number, other, first, second, at, kept = found[0]
    step = Merge(first, second) if kind == "merge" else Split(first, at, second)
    told = json.loads(kept)
    return Regrouping(document, kind, number, other, step, tuple(told["targets"])), told["rows"]
