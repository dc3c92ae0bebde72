"""What the checks have found in the segments of a document, and what people have accepted, with the reason.

A finding that was accepted stays accepted as long as the same is found again, whatever else changes in the segment.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.editor import segment_table
from dragoman.editor.document_store import DocumentStore, Segment, now
from dragoman.editor.segment_table import ACCEPTED
from dragoman.quality import CHECKS, Finding

OF_OTHERS = ("same-source", "same-target")  # found by comparing segments
FOUND = (
    'SELECT found.number, found.name, found.what, found.start, found."end", found.source_start, found.source_end,'
    " accepted.reason, accepted.user, accepted.time FROM findings AS found LEFT JOIN accepted"
    " ON accepted.document = found.document AND accepted.number = found.number AND accepted.name = found.name"
    " AND accepted.what = found.what"
)


@dataclass(frozen=True)
class Acceptance:
    """Why somebody has accepted a finding."""

    reason: str
    user: str | None
    time: str


@dataclass(frozen=True)
class SegmentFinding:
    """A finding in a segment, and whether somebody has accepted it."""

    segment: int
    finding: Finding
    accepted: Acceptance | None = None


def write(connection: sqlite3.Connection, segment: Segment, findings: Iterable[Finding], off: Collection[str]) -> None:
    """Replace the findings of a segment, in a transaction."""
    place = segment.document, segment.number
    connection.execute("DELETE FROM findings WHERE document = ? AND number = ?", place)
    rows = [(*place, n, *_values(finding)) for n, finding in enumerate(findings)]
    connection.executemany("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute(segment_table.SET_CHECKED, place)
    count(connection, segment.document, off, segment.number)


def _values(finding: Finding) -> tuple[Any, ...]:
    places = finding.start, finding.end, finding.source_start, finding.source_end
    return finding.check, finding.severity, finding.what, *places


def count(connection: sqlite3.Connection, document: int, off: Collection[str], number: int | None = None) -> None:
    """Count findings again, in one segment or in all: whether each is held, and how many warnings it has."""
    update = segment_table.count_findings(len(off))
    values: list[object] = [*sorted(off), document]
    if number is not None:
        update, values = f"{update} AND number = ?", [*values, number]
    else:  # only those that have, or had, any
        update += " AND (held OR warnings > 0 OR number IN (SELECT number FROM findings WHERE document = ?))"
        values.append(document)
    connection.execute(update, values)


def read(store: DocumentStore, document: int, number: int) -> list[SegmentFinding]:
    """The findings in a segment, as they were when it was last changed."""
    query = f"{FOUND} WHERE found.document = ? AND found.number = ? ORDER BY found.position"
    return [_finding(row) for row in store.rows(query, (document, number))]


def read_all(store: DocumentStore, document: int, off: Collection[str], limit: int) -> list[SegmentFinding]:
    """The first findings of a document that nobody has accepted."""
    marks = ", ".join("?" * len(off))
    query = (
        f"{FOUND} WHERE found.document = ? AND accepted.time IS NULL AND found.name NOT IN ({marks})"
        " ORDER BY found.number, found.position LIMIT ?"
    )
    return [_finding(row) for row in store.rows(query, (document, *sorted(off), limit))]


def with_acceptance(store: DocumentStore, segment: Segment, findings: Iterable[Finding]) -> list[SegmentFinding]:
    """Findings, and which of them somebody has accepted in this segment."""
    query = "SELECT name, what, reason, user, time FROM accepted WHERE document = ? AND number = ?"
    rows = store.rows(query, (segment.document, segment.number))
    known = {(name, what): Acceptance(*rest) for name, what, *rest in rows}
    return [SegmentFinding(segment.number, each, known.get((each.check, each.what))) for each in findings]


def _finding(row: Sequence[Any]) -> SegmentFinding:
    number, name, what, start, end, source_start, source_end, reason, user, time = row
    accepted = None if time is None else Acceptance(reason, user, time)
    return SegmentFinding(number, Finding(name, what, start, end, source_start, source_end), accepted)


def accept(store: DocumentStore, segment: Segment, findings: Iterable[Finding], reason: str, user: str | None) -> None:
    """Accept findings in a segment."""
    off = store.document(segment.document).off
    with store.writing() as connection:
        rows = [(segment.document, segment.number, each.check, each.what, reason, user, now()) for each in findings]
        connection.executemany("INSERT OR REPLACE INTO accepted VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        count(connection, segment.document, off, segment.number)


def accept_everywhere(store: DocumentStore, document: int, check: str, reason: str, user: str | None) -> None:
    """Accept all findings of a check in a document."""
    off = store.document(document).off
    with store.writing() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO accepted SELECT document, number, name, what, ?, ?, ? FROM findings"
            " WHERE document = ? AND name = ? AND severity <> 'error'",
            (reason, user, now(), document, check),
        )
        count(connection, document, off)


def take_back(store: DocumentStore, segment: Segment, check: str) -> None:
    """Accept the findings of a check in a segment no longer."""
    off = store.document(segment.document).off
    with store.writing() as connection:
        which = segment.document, segment.number, check
        connection.execute("DELETE FROM accepted WHERE document = ? AND number = ? AND name = ?", which)
        count(connection, segment.document, off, segment.number)


def hold(store: DocumentStore, segment: Segment, why: str) -> None:
    """Mark a segment that turned out not to fit into its file when that was written."""
    known = [each.finding for each in read(store, segment.document, segment.number)]
    if any(each.severity == "error" for each in known):
        return
    off = store.document(segment.document).off
    with store.writing() as connection:
        write(connection, segment, [Finding("file", why), *known], off)


def counts(store: DocumentStore, document: int) -> dict[str, int]:
    """How many segments have findings of each check that nobody has accepted."""
    query = f"SELECT name, COUNT(DISTINCT number) FROM findings WHERE document = ? AND NOT {ACCEPTED} GROUP BY name"  # noqa: S608
    return dict.fromkeys(CHECKS, 0) | dict(store.rows(query, (document,)))


def replace_comparisons(store: DocumentStore, document: int, found: Iterable[tuple[int, Finding]]) -> None:
    """Replace what was found by comparing segments with each other."""
    off = store.document(document).off
    with store.writing() as connection:
        connection.execute(
            "DELETE FROM findings WHERE document = ? AND name IN (?, ?)",
            (document, *OF_OTHERS),
        )
        rows = [(document, number, 1000 + OF_OTHERS.index(each.check), *_values(each)) for number, each in found]
        connection.executemany("INSERT OR REPLACE INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        count(connection, document, off)
