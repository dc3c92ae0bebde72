"""Edits of corrections and segments, which keep the two consistent.

Each function runs in a thread, while the request holds the project's write lock.

A segment is confirmed only if it will be in the delivered file: what the file cannot hold is *held*, and what is
doubtful is asked about. In both cases the text is kept as a draft, unless that would undo an earlier confirmation.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

from dragoman.editor import segment_findings, segment_log
from dragoman.editor.document_store import ConflictError, Segment, now
from dragoman.editor.messages import FindingGiven, SegmentChange, SegmentGiven
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_findings import SegmentFinding
from dragoman.errors import BadInputError
from dragoman.quality import Finding
from dragoman.store import Row
from dragoman.text.tokens import split

if TYPE_CHECKING:
    from dragoman.editor.edited_project import EditedProject

AWAITS_REVIEW = "it is learned when a reviewer has approved it"


@dataclass(frozen=True)
class SegmentEdit:
    """A segment after a change, what the checks found, and which segments with the same source were filled."""

    segment: Segment
    findings: list[SegmentFinding] = field(default_factory=list)
    filled: list[int] = field(default_factory=list)
    batch: int = 0  # of this change in the log


@dataclass(frozen=True)
class Author:
    """Who changes a segment, how that is recorded, and with which other changes it belongs."""

    user: str | None
    action: str | None = None  # None: confirmed or draft, as the new state is
    batch: int | None = None
    teaches: bool = True  # whether what they confirm is learned at once; otherwise when it is approved


def correction(project: EditedProject, number: int) -> Row:
    """The journal row of a correction; 404 for any other id."""
    try:
        return project.engine.correction(number)
    except BadInputError as error:
        raise Refusal(404, error.what, error.remedy) from None


def check_correction(project: EditedProject, number: int) -> None:
    """Reject an id that is not that of a correction in force."""
    if correction(project, number).forgotten:
        raise Refusal(409, f"correction {number} was already forgotten", "see the history")


def forget(project: EditedProject, number: int, user: str | None) -> int:
    """Forget a correction; the segments it came from become drafts again. Returns the revision."""
    check_correction(project, number)
    project.engine.forget(number, user=user)
    project.documents.detach(number)
    return project.revision


def revise(project: EditedProject, number: int, target: str, user: str | None, *, force: bool = False) -> int:
    """Replace the target of a correction; returns the new id."""
    check_correction(project, number)
    new = project.engine.revise(number, target, user=user, force=force)
    project.documents.redirect(number, new, target)
    return new


def change_segment(
    project: EditedProject, document: int, number: int, change: SegmentChange, by: Author
) -> SegmentEdit:
    """Change the target and state of a segment; sending a confirmation or a draft a second time changes nothing.

    So a client that got no answer may simply send the same again. What the models cannot learn is confirmed anyway,
    or a document with such a segment could never be finished.
    """
    heir = project.documents.heir(document, number)
    if heir != number:  # what somebody has typed there is not lost
        segment_log.keep_typed(project.documents, project.documents.segment(document, heir), change.target, by.user)
    old = project.documents.segment(document, number)
    why = _unlearnable(project, old.source, change.target) if change.state == "confirmed" else None
    why = why or (AWAITS_REVIEW if change.state == "confirmed" and not by.teaches else None)
    if old.state == change.state == "confirmed" and old.target == change.target and (why or in_force(project, old)):
        found = segment_findings.read(project.documents, document, number)
        return SegmentEdit(
            replace(old, unlearned=why), found, batch=segment_log.made_by(project.documents, old, by.user)
        )
    if old.state == change.state == "translated" and old.target == change.target and change.version != old.version:
        return SegmentEdit(old, segment_findings.read(project.documents, document, number))
    if old.state == "locked":
        raise Refusal(409, f"segment {number} is locked in its file", "leave it unchanged", code="locked")
    found = segment_findings.with_acceptance(project.documents, old, project.checks.check(old, change.target))
    if change.state == "confirmed":
        found = _admit(project, old, change, found, by)
    _check_version(project, old, change, by)
    return _changed(project, old, change, found, by, why)


def _is_meant(found: list[SegmentFinding], off: Collection[str]) -> bool:
    """Whether a person was asked about placeholders and has accepted what was found, or does not want to be asked."""
    return "placeholders" in off or any(each.accepted and each.finding.check == "placeholders" for each in found)


def _check_version(project: EditedProject, old: Segment, change: SegmentChange, by: Author) -> None:
    """Refuse a change of a text that somebody else has changed; what was sent is kept among the segment's versions.

    A draft that was only filled in, because another segment with the same source was confirmed, never replaces what a
    person has written, and gives way to what somebody was typing there meanwhile.
    """
    filled = old.origin == "repetition" and old.state == "translated"
    if change.version not in (None, old.version) and not filled:
        segment_log.keep_typed(project.documents, old, change.target, by.user)
        raise ConflictError(old)


def _changed(
    project: EditedProject,
    old: Segment,
    change: SegmentChange,
    found: list[SegmentFinding],
    by: Author,
    why: str | None,
) -> SegmentEdit:
    """Teach or forget a segment as its new state wants, then save it."""
    recovered, learned = _recovered(project, old), None
    if change.state == "confirmed" and why is None:
        off = project.documents.document(old.document).off
        learned = teach(project, recovered, change.target, by.user, force=change.force or _is_meant(found, off))
    elif in_force(project, recovered):
        forget(project, int(recovered.correction or 0), by.user)
    new, batch = _save(project, old, change, found, by, learned)
    filled: list[int] = []
    how = project.documents.document(old.document).propagation
    wanted = how != "off" if change.fill is None else change.fill
    if change.state == "confirmed" and wanted and change.target:
        sure = _fitting(project, new) if how == "confirm" else ()
        filled = segment_log.fill_repetitions(project.documents, new, by.user, batch, sure)
    return SegmentEdit(replace(new, unlearned=why), found, filled, batch)


def _fitting(project: EditedProject, confirmed: Segment) -> set[int]:
    """The other segments with the same source in which the same target can be confirmed without a question."""
    numbers = segment_log.repetitions_of(project.documents, confirmed)
    others = project.documents.segments_of(confirmed.document, numbers)
    found = {each.number: project.checks.check(each, confirmed.target) for each in others}
    return {number for number, some in found.items() if all(each.severity == "warning" for each in some)}


def _save(
    project: EditedProject,
    old: Segment,
    change: SegmentChange,
    found: Iterable[SegmentFinding],
    by: Author,
    learned: int | None,
) -> tuple[Segment, int]:
    """The segment with its new target, and the number of this change in the log."""
    batch = 0
    off = project.documents.document(old.document).off
    state = "new" if change.state == "translated" and not change.target else change.state
    action = by.action or ("confirmed" if state == "confirmed" else "draft")

    def log(connection: sqlite3.Connection, new: Segment) -> None:
        nonlocal batch
        segment_findings.write(connection, new, [each.finding for each in found], off)
        batch = segment_log.record(connection, old, new, action, by.user, by.batch)

    suggestion = old.suggestion if change.suggestion is None else change.suggestion
    same = old.target == change.target
    new = project.documents.change(
        project.documents.segment(old.document, old.number),
        then=log,
        target=change.target,
        state=state,
        correction=learned,
        suggestion=suggestion,
        key_strokes=old.key_strokes + change.key_strokes,
        mouse_actions=old.mouse_actions + change.mouse_actions,
        milliseconds=old.milliseconds + change.milliseconds,
        edits=None if suggestion is None else Levenshtein.distance(suggestion.split(), change.target.split()),
        user=by.user,
        changed=now(),
        reviewer=None,
        origin=(old.origin or "person") if same else _origin(change, by),
        match=old.match if same else None,
    )
    return new, batch


def _origin(change: SegmentChange, by: Author) -> str:
    if not change.target:
        return ""
    return by.action if by.action == "replacement" else "person"


def _admit(
    project: EditedProject, old: Segment, change: SegmentChange, found: list[SegmentFinding], by: Author
) -> list[SegmentFinding]:
    """Accept what the client accepts; refuse to confirm what cannot be delivered, or what is still to be answered."""
    off = project.documents.document(old.document).off
    held = [each for each in found if each.finding.severity == "error"]
    reasons = {each.check: each.reason for each in change.accept}
    asked = [
        each
        for each in found
        if each.finding.severity == "question"
        and each.accepted is None
        and each.finding.check not in off
        and not _is_typed(each.finding, old, change)
    ]
    open_ = [each for each in asked if each.finding.check not in reasons]
    if held or open_:
        raise _refusal(old if old.state == "confirmed" else _keep(project, old, change, found, by), held, open_)
    _check_version(project, old, change, by)
    for check, reason in reasons.items():
        some = [each.finding for each in asked if each.finding.check == check]
        segment_findings.accept(project.documents, old, some, reason, by.user)
    return segment_findings.with_acceptance(project.documents, old, [each.finding for each in found])


def _is_typed(finding: Finding, old: Segment, change: SegmentChange) -> bool:
    """Whether a copied word was typed by the person, who then means it, and not suggested."""
    suggestion = old.suggestion if change.suggestion is None else change.suggestion
    if finding.check != "untranslated" or suggestion is None:
        return False
    return change.target[finding.start : finding.end] not in split(suggestion).words


def _keep(
    project: EditedProject, old: Segment, change: SegmentChange, found: list[SegmentFinding], by: Author
) -> Segment:
    """Save what could not be confirmed as a draft; its effort counts when it is confirmed."""
    if (old.target, old.state) == (change.target, "translated"):
        return old
    _check_version(project, old, change, by)
    draft = SegmentChange(target=change.target, state="translated", suggestion=change.suggestion)
    return _save(project, old, draft, found, Author(by.user), None)[0]


def _refusal(segment: Segment, held: list[SegmentFinding], asked: list[SegmentFinding]) -> Refusal:
    findings = [FindingGiven.of(each).model_dump() for each in (held or asked)]
    given = SegmentGiven.model_validate(segment).model_dump()
    what = "; ".join(each.finding.what for each in (held or asked))
    if held:
        text, remedy = f"not confirmed, because the file cannot hold it: {what}", "correct the segment"
        return Refusal(409, text, remedy, code="held", findings=findings, segment=given)
    text, remedy = f"not confirmed: {what}", "correct the segment, or accept what was found"
    return Refusal(409, text, remedy, code="questions", findings=findings, segment=given)


def _unlearnable(project: EditedProject, source: str, target: str) -> str | None:
    """Why the models cannot learn a pair, even if it is correct: it has no words, or too many."""
    if source.strip() and not target.strip():
        raise Refusal(400, "the target is empty", "translate the segment first")
    return project.engine.check(source, target).unlearnable


def teach(project: EditedProject, segment: Segment, target: str, user: str | None, *, force: bool = False) -> int:
    """Learn the target of a segment, replacing what was learned from it before.

    Returns the id of the correction that the segment has to refer to from then on.
    """
    number = int(segment.correction or 0) if in_force(project, segment) else None
    if number is not None and project.engine.correction(number).target == target:
        return number
    project.documents.intend(segment, target, project.revision)
    if number is None:
        return project.engine.learn(segment.source, target, user=user, force=force)
    return revise(project, number, target, user, force=force)


def _recovered(project: EditedProject, segment: Segment) -> Segment:
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


def finish_intents(project: EditedProject) -> None:
    """Finish what was interrupted between the journal and the documents: what was learned from a segment is its text.

    Called when a project is opened, before anybody can change anything.
    """
    for segment, target, revision in project.documents.intents():
        row = next((row for row in project.engine.changes(after=revision) if row.kind == "learn"), None)
        learned = row is not None and not row.forgotten and (row.source, row.target) == (segment.source, target)
        if row is None or not learned or project.documents.taught(row.id) not in (None, segment):
            project.documents.forget_intent(segment)
        else:
            project.documents.change(segment, target=target, state="confirmed", correction=row.id)


def is_learnable(project: EditedProject, source: str, target: str) -> bool:
    """Whether the models can learn a pair."""
    return bool(target.strip()) and project.engine.check(source, target).unlearnable is None


def in_force(project: EditedProject, segment: Segment) -> bool:
    """Whether the correction that a segment refers to is in force."""
    return segment.correction is not None and not project.engine.correction(segment.correction).forgotten
