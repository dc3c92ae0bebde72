"""Edits of corrections and segments, which keep the two consistent.

Each function runs in a thread, while the request holds the project's write lock.
"""

from __future__ import annotations

from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from dragoman.errors import BadInputError
from dragoman.server.api_errors import ApiError
from dragoman.server.document_store import ConflictError, Segment
from dragoman.server.registry import ServedProject
from dragoman.server.schemas import SegmentChange
from dragoman.store import Row


def correction(project: ServedProject, number: int) -> Row:
    """The journal row of a correction; 404 for any other id."""
    try:
        return project.engine.correction(number)
    except BadInputError as error:
        raise ApiError(404, error.what, error.remedy) from None


def check_correction(project: ServedProject, number: int) -> None:
    """Reject an id that is not that of a correction in force."""
    if correction(project, number).forgotten:
        raise ApiError(409, f"correction {number} was already forgotten", "see the history")


def forget(project: ServedProject, number: int, user: str | None) -> int:
    """Forget a correction; the segments it came from become drafts again. Returns the revision."""
    check_correction(project, number)
    project.engine.forget(number, user=user)
    project.documents.detach(number)
    return project.revision


def revise(project: ServedProject, number: int, target: str, user: str | None, *, force: bool = False) -> int:
    """Replace the target of a correction; returns the new id."""
    check_correction(project, number)
    new = project.engine.revise(number, target, user=user, force=force)
    project.documents.redirect(number, new, target)
    return new


def change_segment(
    project: ServedProject, document: int, number: int, change: SegmentChange, user: str | None
) -> Segment:
    """Change the target and state of a segment; confirming it again with the same target changes nothing.

    So a client that got no answer may simply send the same again. What the models cannot learn is confirmed anyway,
    or a document with such a segment could never be finished.
    """
    old = project.documents.segment(document, number)
    why = _unlearnable(project, old.source, change.target) if change.state == "confirmed" else None
    if old.state == change.state == "confirmed" and old.target == change.target and (why or _in_force(project, old)):
        return replace(old, unlearned=why)
    if old.state == "locked":
        raise ApiError(409, f"segment {number} is locked in its file", "leave it unchanged")
    if change.version not in (None, old.version):
        raise ConflictError(old)
    old, correction = _recovered(project, old), None
    if change.state == "confirmed" and why is None:
        correction = teach(project, old, change.target, user, force=change.force)
    elif _in_force(project, old):
        forget(project, int(old.correction or 0), user)
    suggestion = old.suggestion if change.suggestion is None else change.suggestion
    edits = None if suggestion is None else Levenshtein.distance(suggestion.split(), change.target.split())
    new = project.documents.change(
        project.documents.segment(document, number),
        target=change.target,
        state="new" if change.state == "translated" and not change.target else change.state,
        correction=correction,
        suggestion=suggestion,
        key_strokes=old.key_strokes + change.key_strokes,
        mouse_actions=old.mouse_actions + change.mouse_actions,
        milliseconds=old.milliseconds + change.milliseconds,
        edits=edits,
    )
    return replace(new, unlearned=why)


def _unlearnable(project: ServedProject, source: str, target: str) -> str | None:
    """Why the models cannot learn a pair, even if it is correct: it has no words, or too many."""
    if source.strip() and not target.strip():
        raise ApiError(400, "the target is empty", "translate the segment first")
    return project.engine.check(source, target).unlearnable


def teach(project: ServedProject, segment: Segment, target: str, user: str | None, *, force: bool = False) -> int:
    """Learn the target of a segment, replacing what was learned from it before.

    Returns the id of the correction that the segment has to refer to from then on.
    """
    number = int(segment.correction or 0) if _in_force(project, segment) else None
    if number is not None and project.engine.correction(number).target == target:
        return number
    project.documents.intend(segment, target, project.revision)
    if number is None:
        return project.engine.learn(segment.source, target, user=user, force=force)
    return revise(project, number, target, user, force=force)


def _recovered(project: ServedProject, segment: Segment) -> Segment:
    """The segment, referring to what was learned from it even if the disk was full then, or the server was killed.

    Corrections are learned one at a time, so what was intended at a revision can only be the first one after it.
    """
    if (intent := project.documents.intended(segment)) is None:
        return segment
    target, revision = intent
    rows = project.engine.changes(after=revision)
    row = next((row for row in rows if row.kind == "learn"), None)
    if row is None or row.forgotten or (row.source, row.target) != (segment.source, target):
        return segment
    if project.documents.taught(row.id):  # the same text in another segment
        return segment
    return project.documents.change(segment, correction=row.id)


def _in_force(project: ServedProject, segment: Segment) -> bool:
    return segment.correction is not None and not project.engine.correction(segment.correction).forgotten
