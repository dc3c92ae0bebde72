"""The segments of a document: list, show, change, confirm."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from dragoman.server import desk_schemas, edits, schemas
from dragoman.server.context import CanLearn, CanRead
from dragoman.server.segment_filter import Filter
from dragoman.server.segment_log import last_change

router = APIRouter(
    prefix="/api/v1/projects/{project}/documents/{document}",
    responses=schemas.ERROR_RESPONSES,
    tags=["documents"],
)
FILLED = 1000  # segments listed that were filled


Warnings = Annotated[
    str | None,
    Query(max_length=40, description="only those with open findings: any, held, or the name of a check"),
]


def _filter(
    state: Annotated[schemas.State | None, Query(description="only those in this state")] = None,
    stage: Annotated[schemas.Stage | None, Query(description="only those at this stage")] = None,
    search: Annotated[str | None, Query(max_length=1000, description="only those that contain this text")] = None,
    warnings: Warnings = None,
    assigned: Annotated[
        str | None, Query(max_length=200, description="only those of this person; -: of nobody")
    ] = None,
) -> Filter:
    return Filter(state, stage, warnings, assigned, search)


Wanted = Annotated[Filter, Depends(_filter)]


@router.get("/segments", response_model=schemas.Segments)
async def list_segments(
    document: schemas.DocumentId,
    context: CanRead,
    wanted: Wanted,
    after: Annotated[int, Query(ge=0, le=schemas.LARGEST, description="only those after this number")] = 0,
    before: Annotated[int | None, Query(ge=1, le=schemas.LARGEST, description="the last ones before this")] = None,
    around: Annotated[int | None, Query(ge=1, le=schemas.LARGEST, description="those nearest to this number")] = None,
    limit: schemas.PageSize = 100,
) -> Response:
    """Segments of a document, in order."""

    def find() -> schemas.Segments:
        documents = context.project.documents
        if before is not None:
            found, more = documents.segments_before(document, wanted, before, limit), False
        else:
            first = [] if around is None else documents.segments_before(document, wanted, around, limit // 2)
            start = after if around is None else around - 1
            rest = documents.segments(document, wanted, after=start, limit=limit - len(first) + 1)
            more = len(first) + len(rest) > limit
            found = [*first, *rest][:limit]
        about = documents.document(document)
        return schemas.Segments.model_validate({"document": about, "segments": found, "more": more})

    return await context.respond("segments", find)


@router.get("/overview", response_model=desk_schemas.Overview)
async def overview(document: schemas.DocumentId, context: CanRead) -> Response:
    """The states of all segments, a letter each."""

    def find() -> desk_schemas.Overview:
        documents = context.project.documents
        held, warned = (documents.numbers(document, Filter(warnings=each)) for each in ("held", "any"))
        states, change = documents.letters(document), last_change(documents, document)
        return desk_schemas.Overview(segments=len(states), states=states, held=held, warned=warned, change=change)

    return await context.respond("segments", find)


@router.get("/numbers", response_model=desk_schemas.NumbersFound)
async def numbers(document: schemas.DocumentId, context: CanRead, wanted: Wanted) -> Response:
    """The numbers of all segments that are wanted."""

    def find() -> desk_schemas.NumbersFound:
        return desk_schemas.NumbersFound(numbers=context.project.documents.numbers(document, wanted))

    return await context.respond("segments", find)


@router.get("/segments/{number}")
async def show_segment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, context: CanRead
) -> schemas.SegmentGiven:
    """One segment."""
    found = await context.run("segments", partial(context.project.documents.segment, document, number))
    return schemas.SegmentGiven.model_validate(found)


@router.put("/segments/{number}")
async def change_segment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, change: schemas.SegmentChange, context: CanLearn
) -> schemas.SegmentChanged:
    """Save a draft, or confirm a segment, which teaches it; confirming twice learns once.

    A segment without words, or with more than can be learned, is confirmed without learning; `unlearned` says why.
    """
    by = edits.Author(context.user(change.user))
    edit = partial(edits.change_segment, context.project, document, number, change, by)
    changed = await context.run_exclusive("confirm" if change.state == "confirmed" else "translated", edit)
    context.publish_edit(document, changed.segment, changed.filled, by.user)
    return _changed(changed)


def _changed(edit: edits.Edit) -> schemas.SegmentChanged:
    given = schemas.SegmentChanged.model_validate(edit.segment)
    given.findings = [schemas.FindingGiven.of(each) for each in edit.findings]
    given.filled, given.filled_count = edit.filled[:FILLED], len(edit.filled)
    given.change = edit.batch or None
    return given
