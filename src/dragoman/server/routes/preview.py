"""The text around a segment, as readers of the document will see it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from dragoman.formats.preview import AFTER, BEFORE, look_at
from dragoman.formats.preview_blocks import Block, Excerpt, Place, Run, TagLook
from dragoman.server import schemas
from dragoman.server.context import CanRead
from dragoman.server.document_store import DocumentStore, Segment
from dragoman.server.preview_schemas import PreviewGiven
from dragoman.server.registry import ServedProject
from dragoman.server.segment_filter import Filter

router = APIRouter(
    prefix="/api/v1/projects/{project}/documents/{document}",
    responses=schemas.ERROR_RESPONSES,
    tags=["documents"],
)
MOST = 100  # blocks on each side
Blocks = Annotated[int, Query(ge=0, le=MOST)]


@router.get("/preview", response_model=PreviewGiven)
async def preview(
    document: schemas.DocumentId,
    context: CanRead,
    segment: Annotated[int, Query(ge=1, le=schemas.LARGEST, description="number of the segment to show")],
    before: Blocks = BEFORE,
    after: Blocks = AFTER,
) -> Response:
    """The blocks around a segment: what is bold, a heading or a table cell, and where the segments are in it.

    At most so many blocks before and after it, and fewer if they are long; of a packed file, only of the same part.
    """

    def find() -> PreviewGiven:
        documents = context.project.documents
        documents.segment(document, segment)  # there is one, or an error
        excerpt = _excerpt(context.project, document, segment, before, after)
        looks = {number: some for block in excerpt.blocks for number, some in block.looks.items()}
        found = [_describe(each, looks[each.number]) for each in _segments(documents, document, looks)]
        return PreviewGiven.model_validate({**_fields(excerpt), "segments": found})

    return await context.respond("preview", find)


def _excerpt(project: ServedProject, document: int, segment: int, before: int, after: int) -> Excerpt:
    """The excerpt of a file; of a document that came from no file, the neighbouring segments."""
    opened = project.open_file(document)
    if opened is not None and segment <= len(opened.document.segments):
        return opened.preview.around(segment, before, after)
    documents = project.documents
    some = documents.segments_before(document, Filter(), segment, before)
    some += documents.segments(document, after=segment - 1, limit=after + 1)
    blocks = [
        Block(
            Place("string", label="" if each.key.isdigit() else each.key),
            [Run("segment", segment=each.number)],
            each.note,
            each.limit,
            looks={each.number: look_at(each.source)},
        )
        for each in some
    ]
    more = bool(documents.segments(document, after=some[-1].number, limit=1))
    return Excerpt("", blocks, some[0].number > 1, more)


def _segments(documents: DocumentStore, document: int, looks: dict[int, list[TagLook]]) -> list[Segment]:
    if not looks:
        return []
    first, last = min(looks), max(looks)
    some = documents.segments(document, after=first - 1, limit=last - first + 1)
    return [each for each in some if each.number in looks]


def _describe(segment: Segment, looks: list[TagLook]) -> dict[str, object]:
    fields = {name: getattr(segment, name) for name in ("number", "source", "target", "state", "version")}
    return {**fields, "looks": looks}


def _fields(excerpt: Excerpt) -> dict[str, object]:
    return {name: getattr(excerpt, name) for name in ("part", "blocks", "more_before", "more_after")}
