"""The text around a segment, as readers of the document will see it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from dragoman.editor.document_store import DocumentStore, Segment
from dragoman.editor.segment_filter import Filter
from dragoman.formats.preview import AFTER, BEFORE, look_at
from dragoman.formats.preview_blocks import Block, Place, PreviewExcerpt, PreviewRun, TagLook, renumbered
from dragoman.server import schemas
from dragoman.server.context import CanRead
from dragoman.server.preview_schemas import PreviewGiven
from dragoman.server.registry import ServedProject

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

    return await context.respond("preview", find, lane="files")


def _excerpt(project: ServedProject, document: int, segment: int, before: int, after: int) -> PreviewExcerpt:
    """The excerpt of a file; of a document that came from no file, the neighbouring segments."""
    opened, documents = project.open_file(document), project.documents
    if opened is not None and opened.steps:
        at = opened.positions[documents.segment(document, segment).key]
        found = opened.preview.around(at, before, after)
        keys = {number: opened.document.segments[number - 1].id for block in found.blocks for number in block.looks}
        numbers = documents.numbers_by_key(document, list(keys.values()))
        return renumbered(found, {number: numbers.get(key, 0) for number, key in keys.items()})
    if opened is not None and segment <= len(opened.document.segments):
        return opened.preview.around(segment, before, after)
    some = documents.segments_before(document, Filter(), segment, before)
    some += documents.segments(document, after=segment - 1, limit=after + 1)
    blocks = [
        Block(
            Place("string", label="" if each.key.isdigit() else each.key),
            [PreviewRun("segment", segment=each.number)],
            each.note,
            each.limit,
            looks={each.number: look_at(each.source)},
        )
        for each in some
    ]
    more = bool(documents.segments(document, after=some[-1].number, limit=1))
    return PreviewExcerpt("", blocks, some[0].number > 1, more)


def _segments(documents: DocumentStore, document: int, looks: dict[int, list[TagLook]]) -> list[Segment]:
    if not looks:
        return []
    return documents.segments_of(document, sorted(looks))


def _describe(segment: Segment, looks: list[TagLook]) -> dict[str, object]:
    fields = {name: getattr(segment, name) for name in ("number", "source", "target", "state", "version")}
    return {**fields, "looks": looks}


def _fields(excerpt: PreviewExcerpt) -> dict[str, object]:
    return {name: getattr(excerpt, name) for name in ("part", "blocks", "more_before", "more_after")}
