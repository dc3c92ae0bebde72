"""Working on a document in a team: undo of one's own work, context of a segment, comments, assigning, reviewing."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query

from dragoman.editor import messages, segment_log, segment_undo, teamwork
from dragoman.server import schemas
from dragoman.server.context import CanLearn, CanRead, CanReview, CanTranslate, ProjectContext
from dragoman.server.replacement_job import PUBLISHED, start_teaching

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES, tags=["team"])
CommentId = Annotated[int, Path(ge=1, le=schemas.LARGEST)]
Who = Annotated[str | None, Query(max_length=200, description="with a key, the key's owner")]
SEGMENT = "/documents/{document}/segments/{number}"


@router.get("/documents/{document}/undo")
async def show_undo(document: schemas.DocumentId, context: CanRead, user: Who = None) -> messages.UndoGiven:
    """What would be taken back."""

    def find() -> messages.UndoGiven:
        documents = context.project.documents
        documents.document(document)  # there is one, or an error
        changes = segment_log.undoable(documents, document, context.user(user))
        if not changes:
            return messages.UndoGiven(what=None, segments=[])
        numbers = sorted(change.number for change in changes)
        return messages.UndoGiven(what=segment_undo.describe(changes, done=False), segments=numbers)

    return await context.run("undo", find)


@router.get("/documents/{document}/steps")
async def show_steps(document: schemas.DocumentId, context: CanRead, user: Who = None) -> messages.UndoSteps:
    """What one has done in a document and can take back, newest first; and what one can do again."""

    def find() -> messages.UndoSteps:
        documents, who = context.project.documents, context.user(user)
        documents.document(document)  # there is one, or an error
        undo, redo = (segment_log.steps(documents, document, who, redo=each) for each in (False, True))
        return messages.UndoSteps(undo=list(map(_step, undo)), redo=list(map(_step, redo)))

    return await context.run("undo", find)


def _step(step: segment_log.LoggedStep) -> messages.UndoStep:
    what = segment_undo.describe_step(step)
    return messages.UndoStep(
        change=step.batch, what=what, time=step.time, segments=step.segments, possible=step.possible
    )


@router.post("/documents/{document}/undo")
async def undo(document: schemas.DocumentId, wanted: messages.UndoWanted, context: CanTranslate) -> messages.UndoGiven:
    """Take back one's own last confirmation, with what it filled, or one's last replacement; never others' work."""
    user = context.user(wanted.user)
    work = partial(segment_undo.undo, context.project, document, user, wanted.change)
    return _taken_back(document, await context.run_exclusive("undo", work), context, user, "undo")


@router.post("/documents/{document}/redo")
async def redo(document: schemas.DocumentId, wanted: messages.UndoWanted, context: CanTranslate) -> messages.UndoGiven:
    """Do again what one has taken back last, or one thing of it, unless one has done something else since."""
    user = context.user(wanted.user)
    work = partial(segment_undo.redo, context.project, document, user, wanted.change)
    return _taken_back(document, await context.run_exclusive("undo", work), context, user, "redo")


def _taken_back(
    document: int, done: segment_undo.Undone, context: ProjectContext, user: str | None, why: str
) -> messages.UndoGiven:
    given = None if done.segment is None else messages.SegmentGiven.model_validate(done.segment)
    event = {"event": "segments", "numbers": done.segments[:PUBLISHED], "by": user, "why": why}
    if done.regrouped:
        event = {"event": "regrouped", "numbers": done.segments}
    context.publish(document, event if len(done.segments) <= PUBLISHED else {"event": "reload"})
    start_teaching(context, document)
    return messages.UndoGiven(what=done.what, segments=done.segments, segment=given, regrouped=done.regrouped)


@router.post(f"{SEGMENT}/versions", status_code=204)
async def keep_version(
    document: schemas.DocumentId, number: schemas.SegmentNumber, typed: messages.TypedTarget, context: CanTranslate
) -> None:
    """Keep a text that is being typed among the versions of a segment; the segment itself stays as it is."""

    def keep() -> None:
        documents = context.project.documents
        segment = documents.segment(document, documents.heir(document, number))
        segment_log.keep_typed(documents, segment, typed.target, context.user(typed.user))

    await context.run("versions", keep)


@router.get(f"{SEGMENT}/about")
async def about(document: schemas.DocumentId, number: schemas.SegmentNumber, context: CanRead) -> messages.About:
    """What the file, people and the translation memory say about a segment."""

    def find() -> messages.About:
        return teamwork.about(context.project, context.project.documents.segment(document, number))

    return await context.run("about", find)


@router.post(f"{SEGMENT}/comments", status_code=201)
async def comment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, new: messages.NewComment, context: CanRead
) -> messages.CommentGiven:
    """Comment on a segment; whoever may read a document may comment on it."""

    def add() -> messages.CommentGiven:
        documents = context.project.documents
        return teamwork.comment(documents, documents.segment(document, number), new.text, context.user(new.user))

    made = await context.run_exclusive("comment", add)
    context.publish(document, {"event": "comment", "segment": number})
    return made


@router.patch(f"{SEGMENT}/comments/{{comment}}")
async def resolve(
    document: schemas.DocumentId,
    number: schemas.SegmentNumber,
    comment: CommentId,
    change: messages.CommentChange,
    context: CanTranslate,
) -> messages.CommentGiven:
    """Mark a comment as resolved, or as open again."""

    def mark() -> messages.CommentGiven:
        documents = context.project.documents
        return teamwork.resolve(documents, documents.segment(document, number), comment, resolved=change.resolved)

    changed = await context.run_exclusive("comment", mark)
    context.publish(document, {"event": "comment", "segment": number})
    return changed


@router.delete(f"{SEGMENT}/comments/{{comment}}", status_code=204)
async def remove_comment(
    document: schemas.DocumentId,
    number: schemas.SegmentNumber,
    comment: CommentId,
    context: CanRead,
    user: Who = None,
) -> None:
    """Remove one's own comment."""

    def remove() -> None:
        documents = context.project.documents
        teamwork.remove_comment(documents, documents.segment(document, number), comment, context.user(user))

    await context.run_exclusive("comment", remove)
    context.publish(document, {"event": "comment", "segment": number})


@router.post("/documents/{document}/assign")
async def assign(document: schemas.DocumentId, wanted: messages.Assign, context: CanLearn) -> messages.Assigned:
    """Assign segments, or the whole document, to somebody, or to nobody."""
    change = partial(teamwork.assign, context.project.documents, document, wanted)
    count = await context.run_exclusive("assign", change)
    context.publish(document, {"event": "document"})
    return messages.Assigned(segments=count)


@router.post("/documents/{document}/review")
async def review(document: schemas.DocumentId, wanted: messages.Review, context: CanReview) -> messages.Reviewed:
    """Approve confirmed segments, or take approval back; nobody approves what they have confirmed themselves.

    What a translator has confirmed whose key does not teach is learned when it is approved.
    """
    user = context.user(wanted.user)
    change = partial(teamwork.review, context.project, document, wanted, user)
    found = [messages.SegmentGiven.model_validate(each) for each in await context.run_exclusive("review", change)]
    numbers = [each.number for each in found]
    context.publish(document, {"event": "segments", "numbers": numbers, "by": user, "why": "review"})
    return messages.Reviewed(segments=found)


@router.get("/people")
async def people(context: CanRead) -> messages.People:
    """Everybody who has worked on the project, or may, or has some of it assigned."""

    def find() -> messages.People:
        owners = context.server.auth.people(context.project.name, "translate")
        return messages.People(people=sorted({*owners, *teamwork.people(context.project.documents)}))

    return await context.run("people", find)
