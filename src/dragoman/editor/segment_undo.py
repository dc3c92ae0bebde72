"""Taking back what one did, step by step, and doing it again; with all that came with it, and never what others did."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from dragoman.editor import merges_and_splits, segment_edits, segment_findings, segment_log
from dragoman.editor.document_store import Segment, now
from dragoman.editor.edited_project import EditedProject
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_batches import NewText, put_texts, teach_some
from dragoman.editor.segment_log import REGROUPED, UNDONE, LoggedChange, LoggedStep

FEW = 20  # changes that are taken back one by one, each known to the models at once
SHOWN = 80  # characters of a text that are quoted
REGROUPINGS = {"merged": "the merging", "split": "the splitting"}


class Undone(NamedTuple):
    """What was taken back."""

    what: str
    segments: list[int]
    segment: Segment | None
    regrouped: bool = False  # whether there are other segments now


def describe(changes: list[LoggedChange], *, done: bool, verb: str = "") -> str:
    """What is taken back, or done again, in words."""
    own = [change for change in changes if change.action in UNDONE]
    text = own[0].target if len(own[0].target) <= SHOWN else f"{own[0].target[: SHOWN - 1]}…"
    verb = verb or ("Took back" if done else "Take back")
    if own[0].action == "replacement":
        return f"{verb} your replacement in {_segments(len(own))}"
    if own[0].action in REGROUPED:
        return f"{verb} {REGROUPINGS[own[0].action]} of segment {own[0].number}"
    rest = f", and the {_segments(len(changes) - 1)} filled with it" if len(changes) > 1 else ""
    return f"{verb} your confirmation of segment {own[0].number}: “{text}”{rest}"


def describe_step(step: LoggedStep) -> str:
    """What somebody has done, in words."""
    text = step.target if len(step.target) <= SHOWN else f"{step.target[: SHOWN - 1]}…"
    if step.action == "replacement":
        return f"Replaced in {_segments(step.segments)}"
    if step.action in REGROUPED:
        return (
            f"Merged segment {step.number} with the next" if step.action == "merged" else f"Split segment {step.number}"
        )
    return f"Confirmed segment {step.number}: “{text}”"


def _segments(count: int) -> str:
    return f"{count} segment" if count == 1 else f"{count} segments"


def undo(project: EditedProject, document: int, user: str | None, batch: int | None = None) -> Undone:
    """Take back what somebody did last in a document, or one thing that they did; the request holds the write lock."""
    project.documents.document(document)  # there is one, or an error
    changes = segment_log.undoable(project.documents, document, user, batch)
    if not changes and batch is not None:
        what = "this was taken back already, or changed again since"
        raise Refusal(409, what, "undo the later change first", code="nothing-to-undo")
    if not changes:
        raise Refusal(409, "there is nothing of yours to take back in this document", code="nothing-to-undo")
    if changes[0].action in REGROUPED:
        whole = merges_and_splits.take_back(project, document, changes, user)
        segment_log.mark_undone(project.documents, document, changes)
        return Undone(describe(changes, done=True), [whole.number], whole, regrouped=True)
    if len(changes) > FEW:
        texts = [
            NewText(each.number, each.version, each.old_target, each.old_state, "person" if each.old_target else "")
            for each in changes
        ]
        touched, _ = put_texts(project, document, texts, "undo", user, None)
        last = None
    else:
        touched, last = _undo_each(project, document, changes, user)
    done = set(touched)
    segment_log.mark_undone(project.documents, document, [each for each in changes if each.number in done])
    return Undone(describe(changes, done=True), sorted(touched), last)


def _undo_each(
    project: EditedProject, document: int, changes: list[LoggedChange], user: str | None
) -> tuple[list[int], Segment | None]:
    """Take back changes one by one, so that the models know it at once."""
    touched, last = [], None
    for change in reversed(changes):
        if change.action in UNDONE:
            segment = project.documents.segment(document, change.number)
            if segment.version == change.version:
                last = _restore(project, segment, change, user)
                touched.append(change.number)
        elif segment_log.put_back(project.documents, document, change):
            touched.append(change.number)
    return touched, last


def redo(project: EditedProject, document: int, user: str | None, batch: int | None = None) -> Undone:
    """Do again what somebody took back last in a document, or one thing of it; the request holds the write lock."""
    documents = project.documents
    documents.document(document)  # there is one, or an error
    changes = segment_log.redoable(documents, document, user, batch)
    if not changes:
        raise Refusal(409, "there is nothing of yours to do again in this document", code="nothing-to-redo")
    if changes[0].action in REGROUPED:
        segment = merges_and_splits.do_again(project, document, changes, user)
        segment_log.mark_redone(documents, document, changes)
        return Undone(describe(changes, done=True, verb="Did again"), [segment.number], segment, regrouped=True)
    now_at = {each.number: documents.segment(document, each.number).version for each in changes}
    origins = {"repetition": "repetition", "replacement": "replacement"}
    texts = [
        NewText(each.number, now_at[each.number], each.target, each.state, origins.get(each.action, "person"))
        for each in changes
        if each.restored == now_at[each.number]
    ]
    touched, _ = put_texts(project, document, texts, "redo", user, None)
    done = set(touched)
    segment_log.mark_redone(documents, document, [each for each in changes if each.number in done])
    if len(changes) <= FEW:
        teach_some(project, document, FEW)
    last = documents.segment(document, changes[0].number) if len(changes) <= FEW else None
    return Undone(describe(changes, done=True, verb="Did again"), sorted(touched), last)


def _restore(project: EditedProject, segment: Segment, change: LoggedChange, user: str | None) -> Segment:
    """Give a segment its earlier target and state back, and the models what they knew."""
    learned = None
    if change.old_state == "confirmed" and segment_edits.is_learnable(project, segment.source, change.old_target):
        learned = segment_edits.teach(project, segment, change.old_target, user, force=True)
    elif segment_edits.in_force(project, segment):
        segment_edits.forget(project, int(segment.correction or 0), user)
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
