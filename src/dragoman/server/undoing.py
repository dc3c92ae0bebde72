"""Taking back one's own last confirmation or replacement, with all that came with it; never what others did."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from dragoman.server import edits, segment_findings, segment_log
from dragoman.server.api_errors import ApiError
from dragoman.server.document_store import Segment, now
from dragoman.server.registry import ServedProject
from dragoman.server.segment_log import UNDONE, Change

SHOWN = 80  # characters of a text that are quoted


class Undone(NamedTuple):
    """What was taken back."""

    what: str
    segments: list[int]
    segment: Segment | None


def describe(changes: list[Change], *, done: bool) -> str:
    """What is taken back, in words."""
    own = [change for change in changes if change.action in UNDONE]
    text = own[0].target if len(own[0].target) <= SHOWN else f"{own[0].target[: SHOWN - 1]}…"
    verb = "Took back" if done else "Take back"
    if own[0].action == "replacement":
        return f"{verb} your replacement in {_segments(len(own))}"
    rest = f", and the {_segments(len(changes) - 1)} filled with it" if len(changes) > 1 else ""
    return f"{verb} your confirmation of segment {own[0].number}: “{text}”{rest}"


def _segments(count: int) -> str:
    return f"{count} segment" if count == 1 else f"{count} segments"


def undo(project: ServedProject, document: int, user: str | None, batch: int | None = None) -> Undone:
    """Take back what somebody did last in a document, or one thing that they did; the request holds the write lock."""
    project.documents.document(document)  # there is one, or an error
    changes = segment_log.undoable(project.documents, document, user, batch)
    if not changes and batch is not None:
        what = "this was taken back already, or changed again since"
        raise ApiError(409, what, "undo the later change first", code="nothing-to-undo")
    if not changes:
        raise ApiError(409, "there is nothing of yours to take back in this document", code="nothing-to-undo")
    touched, last = [], None
    for change in reversed(changes):
        if change.action in UNDONE:
            segment = project.documents.segment(document, change.number)
            if segment.version == change.version:
                last = _restore(project, segment, change, user)
                touched.append(change.number)
        elif segment_log.put_back(project.documents, document, change):
            touched.append(change.number)
    segment_log.mark_undone(project.documents, document, changes[0].batch)
    return Undone(describe(changes, done=True), sorted(touched), last)


def _restore(project: ServedProject, segment: Segment, change: Change, user: str | None) -> Segment:
    """Give a segment its earlier target and state back, and the models what they knew."""
    learned = None
    if change.old_state == "confirmed" and edits.is_learnable(project, segment.source, change.old_target):
        learned = edits.teach(project, segment, change.old_target, user, force=True)
    elif edits.in_force(project, segment):
        edits.forget(project, int(segment.correction or 0), user)
    off = project.documents.document(segment.document).off

    def log(connection: sqlite3.Connection, new: Segment) -> None:
        segment_findings.write(connection, new, project.checks.check(new), off)
        segment_log.record(connection, segment, new, "undo", user)

    return project.documents.change(
        project.documents.segment(segment.document, segment.number),
        then=log,
        target=change.old_target,
        state=change.old_state,
        correction=learned,
        user=user,
        changed=now(),
        reviewer=None,
        origin="person" if change.old_target else "",
        edits=None,
    )
