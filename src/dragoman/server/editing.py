"""What people do to a project, and what that means for the segments it came from.

Each function is called in a thread, by whoever has the project's turn.
"""

from __future__ import annotations

from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from dragoman.errors import BadInputError
from dragoman.server.answers import RefusedError
from dragoman.server.documents import ChangedError, Segment
from dragoman.server.projects import Opened
from dragoman.server.schemas import SegmentChange
from dragoman.store import Row


def correction(project: Opened, number: int) -> Row:
    """The row of a correction; an id that none has is refused."""
    try:
        row = project.engine.correction(number)
    except BadInputError as error:
        raise RefusedError(404, error.what, error.remedy) from None
    if row.source is None:
        raise RefusedError(404, f"{number} is no correction", "see the ids in the history")
    return row


def check_correction(project: Opened, number: int) -> None:
    """Refuse an id that no correction has, or one that is forgotten."""
    if correction(project, number).forgotten:
        raise RefusedError(409, f"correction {number} is forgotten already", "see the history")


def forget(project: Opened, number: int, user: str | None) -> int:
    """Forget a correction; the segments it came from are drafts again. Returns the revision."""
    check_correction(project, number)
    project.engine.forget(number, user=user)
    project.documents.forgotten(number)
    return project.revision


def revise(project: Opened, number: int, target: str, user: str | None, *, force: bool = False) -> int:
    """Replace the target of a correction; returns the new id."""
    check_correction(project, number)
    new = project.engine.revise(number, target, user=user, force=force)
    project.documents.revised(number, new, target)
    return new


def change_segment(project: Opened, document: int, number: int, change: SegmentChange, user: str | None) -> Segment:
    """Put a segment into another state; confirming it again with the same target changes nothing.

    So a client that got no answer may simply send the same again. What the models cannot learn is confirmed all the
    same, lest a document with such a segment is never finished.
    """
    old = project.documents.segment(document, number)
    why = _unlearnable(project, old.source, change.target) if change.state == "confirmed" else None
    if old.state == change.state == "confirmed" and old.target == change.target and (why or _in_force(project, old)):
        return replace(old, unlearned=why)
    if old.state == "locked":
        raise RefusedError(409, f"segment {number} is locked in its file", "leave it as it is")
    if change.version not in (None, old.version):
        raise ChangedError(old)
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


def _unlearnable(project: Opened, source: str, target: str) -> str | None:
    """Why the models cannot learn a pair, however right it is: it has no words, or too many."""
    if source.strip() and not target.strip():
        raise RefusedError(400, "the target has 0 words", "translate the segment first")
    return project.engine.check(source, target).unlearnable


def teach(project: Opened, segment: Segment, target: str, user: str | None, *, force: bool = False) -> int:
    """Learn a target of a segment, in the place of what was learned from it before.

    Returns the correction, which the segment has to refer to from then on.
    """
    number = int(segment.correction or 0) if _in_force(project, segment) else None
    if number is not None and project.engine.correction(number).target == target:
        return number
    project.documents.intend(segment, target, project.revision)
    if number is None:
        return project.engine.learn(segment.source, target, user=user, force=force)
    return revise(project, number, target, user, force=force)


def _recovered(project: Opened, segment: Segment) -> Segment:
    """A segment that refers to what was learned from it, even if the disk was full then, or the server was killed.

    All learning takes turns, so what was intended at a revision can only be the first that was learned after it.
    """
    if (intent := project.documents.intended(segment)) is None:
        return segment
    target, revision = intent
    rows = project.engine.changes(after=revision)
    row = next((row for row in rows if row.kind == "learn"), None)
    if row is None or row.forgotten or (row.source, row.target) != (segment.source, target):
        return segment
    if project.documents.taught(row.id):  # of the same text elsewhere
        return segment
    return project.documents.change(segment, correction=row.id)


def _in_force(project: Opened, segment: Segment) -> bool:
    return segment.correction is not None and not project.engine.correction(segment.correction).forgotten
