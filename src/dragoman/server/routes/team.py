"""Working on a document in a team: undo of one's own work, context of a segment, comments, assigning, reviewing."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query

from dragoman.server import desk_schemas, schemas, segment_log, teamwork, undoing
from dragoman.server.context import CanLearn, CanRead

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES, tags=["team"])
CommentId = Annotated[int, Path(ge=1, le=schemas.LARGEST)]
Who = Annotated[str | None, Query(max_length=200, description="with a key, the key's owner")]
SEGMENT = "/documents/{document}/segments/{number}"


@router.get("/documents/{document}/undo")
async def show_undo(document: schemas.DocumentId, context: CanRead, user: Who = None) -> desk_schemas.Undo:
    """What would be taken back."""

    def find() -> desk_schemas.Undo:
        changes = segment_log.undoable(context.project.documents, document, context.user(user))
        if not changes:
            return desk_schemas.Undo(what=None, segments=[])
        numbers = sorted(change.number for change in changes)
        return desk_schemas.Undo(what=undoing.describe(changes, done=False), segments=numbers)

    return await context.run("undo", find)


@router.post("/documents/{document}/undo")
async def undo(document: schemas.DocumentId, wanted: desk_schemas.UndoWanted, context: CanLearn) -> desk_schemas.Undo:
    """Take back one's own last confirmation, with what it filled, or one's last replacement; never others' work."""
    user = context.user(wanted.user)
    work = partial(undoing.undo, context.project, document, user, wanted.change)
    done = await context.run_exclusive("undo", work)
    given = None if done.segment is None else schemas.SegmentGiven.model_validate(done.segment)
    context.publish(document, {"event": "segments", "numbers": done.segments, "by": user, "why": "undo"})
    return desk_schemas.Undo(what=done.what, segments=done.segments, segment=given)


@router.get(f"{SEGMENT}/about")
async def about(document: schemas.DocumentId, number: schemas.SegmentNumber, context: CanRead) -> desk_schemas.About:
    """What the file, people and the translation memory say about a segment."""

    def find() -> desk_schemas.About:
        return teamwork.about(context.project, context.project.documents.segment(document, number))

    return await context.run("about", find)


@router.post(f"{SEGMENT}/comments", status_code=201)
async def comment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, new: desk_schemas.NewComment, context: CanRead
) -> desk_schemas.CommentGiven:
    """Comment on a segment; whoever may read a document may comment on it."""

    def add() -> teamwork.Comment:
        documents = context.project.documents
        return teamwork.comment(documents, documents.segment(document, number), new.text, context.user(new.user))

    made = await context.run_exclusive("comment", add)
    context.publish(document, {"event": "comment", "segment": number})
    return desk_schemas.CommentGiven.model_validate(made)


@router.patch(f"{SEGMENT}/comments/{{comment}}")
async def resolve(
    document: schemas.DocumentId,
    number: schemas.SegmentNumber,
    comment: CommentId,
    change: desk_schemas.CommentChange,
    context: CanLearn,
) -> desk_schemas.CommentGiven:
    """Mark a comment as resolved, or as open again."""

    def mark() -> teamwork.Comment:
        documents = context.project.documents
        return teamwork.resolve(documents, documents.segment(document, number), comment, resolved=change.resolved)

    changed = await context.run_exclusive("comment", mark)
    context.publish(document, {"event": "comment", "segment": number})
    return desk_schemas.CommentGiven.model_validate(changed)


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
async def assign(document: schemas.DocumentId, wanted: desk_schemas.Assign, context: CanLearn) -> desk_schemas.Assigned:
    """Assign segments, or the whole document, to somebody, or to nobody."""
    change = partial(teamwork.assign, context.project.documents, document, wanted)
    count = await context.run_exclusive("assign", change)
    context.publish(document, {"event": "document"})
    return desk_schemas.Assigned(segments=count)


@router.post("/documents/{document}/review")
async def review(document: schemas.DocumentId, wanted: desk_schemas.Review, context: CanLearn) -> desk_schemas.Reviewed:
    """Approve confirmed segments, or take approval back."""
    user = context.user(wanted.user)
    change = partial(teamwork.review, context.project.documents, document, wanted, user)
    found = [schemas.SegmentGiven.model_validate(each) for each in await context.run_exclusive("review", change)]
    numbers = [each.number for each in found]
    context.publish(document, {"event": "segments", "numbers": numbers, "by": user, "why": "review"})
    return desk_schemas.Reviewed(segments=found)


@router.get("/people")
async def people(context: CanRead) -> desk_schemas.People:
    """Everybody who has worked on the project, or may, or has some of it assigned."""

    def find() -> desk_schemas.People:
        owners = context.server.auth.people(context.project.name, "learn")
        return desk_schemas.People(people=sorted({*owners, *teamwork.people(context.project.documents)}))

    return await context.run("people", find)
