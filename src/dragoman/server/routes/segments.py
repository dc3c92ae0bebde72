"""The segments of a document: list, show, change, confirm."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from dragoman.editor import message, messages, segment_edits
from dragoman.editor.message import LARGEST
from dragoman.editor.segment_filter import Filter
from dragoman.editor.segment_log import last_change
from dragoman.server import schemas
from dragoman.server.context import CanRead, CanTranslate

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
    state: Annotated[message.State | None, Query(description="only those in this state")] = None,
    stage: Annotated[message.Stage | None, Query(description="only those at this stage")] = None,
    search: Annotated[str | None, Query(max_length=1000, description="only those that contain this text")] = None,
    warnings: Warnings = None,
    assigned: Annotated[
        str | None, Query(max_length=200, description="only those of this person; -: of nobody")
    ] = None,
) -> Filter:
    return Filter(state, stage, warnings, assigned, search)


Wanted = Annotated[Filter, Depends(_filter)]


@router.get("/segments", response_model=messages.Segments)
async def list_segments(
    document: schemas.DocumentId,
    context: CanRead,
    wanted: Wanted,
    after: Annotated[int, Query(ge=0, le=LARGEST, description="only those after this number")] = 0,
    before: Annotated[int | None, Query(ge=1, le=LARGEST, description="the last ones before this")] = None,
    around: Annotated[int | None, Query(ge=1, le=LARGEST, description="those nearest to this number")] = None,
    only: Annotated[
        str | None, Query(max_length=3000, pattern=r"^\d+(,\d+)*$", description="these numbers, whatever else is asked")
    ] = None,
    limit: schemas.PageSize = 100,
) -> Response:
    """Segments of a document, in order."""

    def find() -> messages.Segments:
        documents = context.project.documents
        if only is not None:
            numbers = sorted({number for each in only.split(",") if (number := int(each)) <= LARGEST})[:limit]
            found, more = documents.segments_of(document, numbers), False
        elif before is not None:
            found, more = documents.segments_before(document, wanted, before, limit), False
        else:
            first = [] if around is None else documents.segments_before(document, wanted, around, limit // 2)
            start = after if around is None else around - 1
            rest = documents.segments(document, wanted, after=start, limit=limit - len(first) + 1)
            more = len(first) + len(rest) > limit
            found = [*first, *rest][:limit]
        about = documents.document(document)
        return messages.Segments.model_validate({"document": about, "segments": found, "more": more})

    return await context.respond("segments", find)


@router.get("/overview", response_model=messages.Overview)
async def overview(document: schemas.DocumentId, context: CanRead) -> Response:
    """The states of all segments, a letter each."""

    def find() -> messages.Overview:
        documents = context.project.documents
        held, warned = (documents.numbers(document, Filter(warnings=each)) for each in ("held", "any"))
        states, change = documents.letters(document), last_change(documents, document)
        order = documents.order(document) if documents.document(document).regrouped else None
        count = len(states)
        return messages.Overview(segments=count, states=states, held=held, warned=warned, change=change, order=order)

    return await context.respond("segments", find)


@router.get("/numbers", response_model=messages.NumbersFound)
async def numbers(document: schemas.DocumentId, context: CanRead, wanted: Wanted) -> Response:
    """The numbers of all segments that are wanted."""

    def find() -> messages.NumbersFound:
        return messages.NumbersFound(numbers=context.project.documents.numbers(document, wanted))

    return await context.respond("segments", find)


@router.get("/segments/{number}")
async def show_segment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, context: CanRead
) -> messages.SegmentGiven:
    """One segment."""
    found = await context.run("segments", partial(context.project.documents.segment, document, number))
    return messages.SegmentGiven.model_validate(found)


@router.put("/segments/{number}")
async def change_segment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, change: messages.SegmentChange, context: CanTranslate
) -> messages.SegmentChanged:
    """Save a draft, or confirm a segment, which teaches it; confirming twice learns once.

    A segment without words, or with more than can be learned, is confirmed without learning; `unlearned` says why. What
    a key with the role *translate* confirms is learned once a reviewer has approved it.
    """
    teaches = context.identity.has_role("learn", context.project.name)
    by = segment_edits.Author(context.user(change.user), teaches=teaches)
    edit = partial(segment_edits.change_segment, context.project, document, number, change, by)
    changed = await context.run_exclusive("confirm" if change.state == "confirmed" else "translated", edit)
    context.publish_edit(document, changed.segment, changed.filled, by.user)
    return _changed(changed)


def _changed(edit: segment_edits.SegmentEdit) -> messages.SegmentChanged:
    given = messages.SegmentChanged.model_validate(edit.segment)
    given.findings = [messages.FindingGiven.of(each) for each in edit.findings]
    given.filled, given.filled_count = edit.filled[:FILLED], len(edit.filled)
    given.change = edit.batch or None
    return given
