"""Many segments changed at once: a replacement in a whole document, and taking one back.

Texts are written a thousand at a time, each thousand in one transaction. Learning them takes longer than writing them:
what the models still have to be taught is remembered in the table `untaught`, and taught later, a few segments at a
time, whatever happens in between.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from dragoman.editor import segment_edits, segment_findings, segment_table
from dragoman.editor.document_store import Segment, now
from dragoman.editor.edited_project import EditedProject
from dragoman.errors import BadInputError
from dragoman.project.guard import FlaggedError
from dragoman.quality import Finding

TOGETHER = 1000  # texts that are written in one transaction


class NewText(NamedTuple):
    """What a segment is to have, if it is still at this version."""

    number: int
    version: int
    target: str
    state: str
    origin: str
    findings: Sequence[Finding] = ()


def put_texts(
    project: EditedProject, document: int, texts: Iterable[NewText], action: str, user: str | None, batch: int | None
) -> tuple[list[int], int]:
    """Write texts into segments and the log; which segments were changed, and the batch that the changes belong to."""
    changed: list[int] = []
    coming = iter(texts)
    while some := list(islice(coming, TOGETHER)):
        with project.documents.writing() as connection:
            for each in some:
                batch = _put(connection, document, each, action, user, batch) or batch
            changed += _write_findings(project, connection, document, some)
    return changed, batch or 0


def _put(
    connection: sqlite3.Connection, document: int, text: NewText, action: str, user: str | None, batch: int | None
) -> int | None:
    """Write one text, unless somebody has changed its segment; the batch of the change."""
    place, time = (document, text.number, text.version), now()
    values = batch or 0, time, user, action, text.target, text.state
    logged = connection.execute(segment_table.LOG_TEXT, (*values, *place))
    if not logged.rowcount:
        return None
    if batch is None:
        batch = int(logged.lastrowid or 0)
        connection.execute("UPDATE changes SET batch = id WHERE id = ?", (batch,))
    connection.execute(segment_table.PUT_TEXT, (text.target, text.state, text.origin, user, time, *place))
    connection.execute(segment_table.UNTAUGHT, (document, text.number))
    return batch


def _write_findings(
    project: EditedProject, connection: sqlite3.Connection, document: int, texts: Sequence[NewText]
) -> list[int]:
    """Replace the findings of segments that now have their new text; their numbers."""
    off, there = project.documents.document(document).off, list[int]()
    for each in texts:
        place = document, each.number
        at = connection.execute(segment_table.VERSION_OF, place).fetchone()
        if at != (each.version + 1,):
            continue
        there.append(each.number)
        connection.execute("DELETE FROM findings WHERE document = ? AND number = ?", place)
        if each.findings:
            segment = project.documents.segment(document, each.number)
            segment_findings.write(connection, segment, each.findings, off)
    return there


def untaught(project: EditedProject, document: int) -> int:
    """How many segments of a document the models have not been taught yet."""
    return int(project.documents.rows("SELECT COUNT(*) FROM untaught WHERE document = ?", (document,))[0][0])


def teach_some(project: EditedProject, document: int, most: int) -> int:
    """Teach the models some segments that were changed together with others; how many there were."""
    query = "SELECT number FROM untaught WHERE document = ? ORDER BY number LIMIT ?"
    numbers = [number for (number,) in project.documents.rows(query, (document, most))]
    for number in numbers:
        _teach(project, project.documents.segment(document, number))
        with project.documents.writing() as connection:
            connection.execute("DELETE FROM untaught WHERE document = ? AND number = ?", (document, number))
    return len(numbers)


def _teach(project: EditedProject, segment: Segment) -> None:
    """Let the models know what a segment has now; its version stays, since nothing of its text changes."""
    engine, old = project.engine, segment.correction if segment_edits.in_force(project, segment) else None
    wanted = segment.state == "confirmed" and segment_edits.is_learnable(project, segment.source, segment.target)
    new: int | None = None
    try:
        if wanted and old is not None and engine.correction(old).target == segment.target:
            return
        if wanted:
            project.documents.intend(segment, segment.target, project.revision)
        if wanted and old is not None:
            new = engine.revise(old, segment.target, user=segment.user, force=True)
        elif wanted:
            new = engine.learn(segment.source, segment.target, user=segment.user, force=True)
        elif old is not None:
            engine.forget(old, user=segment.user)
    except (BadInputError, FlaggedError):
        return  # it stays as it was learned before
    with project.documents.writing() as connection:
        connection.execute(segment_table.REFER, (new, segment.document, segment.number))
