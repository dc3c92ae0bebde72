"""The segments of a document: list, show, change, confirm."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from dragoman.server import edits, schemas
from dragoman.server.context import CanLearn, CanRead

router = APIRouter(
    prefix="/api/v1/projects/{project}/documents/{document}/segments",
    responses=schemas.ERROR_RESPONSES,
    tags=["documents"],
)
FILLED = 1000  # segments listed that were filled


@router.get("", response_model=schemas.Segments)
async def list_segments(
    document: schemas.DocumentId,
    context: CanRead,
    state: Annotated[schemas.State | None, Query(description="only those in this state")] = None,
    search: Annotated[str | None, Query(max_length=1000, description="only those that contain this text")] = None,
    after: Annotated[int, Query(ge=0, le=schemas.LARGEST, description="only those after this number")] = 0,
    limit: schemas.PageSize = 100,
) -> Response:
    """Segments of a document, in order."""

    def find() -> schemas.Segments:
        documents = context.project.documents
        segments = documents.segments(document, state=state, search=search, after=after, limit=limit)
        return schemas.Segments.model_validate({"document": documents.document(document), "segments": segments})

    return await context.respond("segments", find)


@router.get("/{number}")
async def show_segment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, context: CanRead
) -> schemas.SegmentGiven:
    """One segment."""
    found = await context.run("segments", partial(context.project.documents.segment, document, number))
    return schemas.SegmentGiven.model_validate(found)


@router.put("/{number}")
async def change_segment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, change: schemas.SegmentChange, context: CanLearn
) -> schemas.SegmentChanged:
    """Save a draft, or confirm a segment, which teaches it; confirming twice learns once.

    A segment without words, or with more than can be learned, is confirmed without learning; `unlearned` says why.
    """
    edit = partial(edits.change_segment, context.project, document, number, change, context.user(change.user))
    changed = await context.run_exclusive("confirm" if change.state == "confirmed" else "translated", edit)
    return _changed(changed)


def _changed(edit: edits.Edit) -> schemas.SegmentChanged:
    given = schemas.SegmentChanged.model_validate(edit.segment)
    given.findings = [schemas.FindingGiven.of(each) for each in edit.findings]
    given.filled, given.filled_count = edit.filled[:FILLED], len(edit.filled)
    return given
