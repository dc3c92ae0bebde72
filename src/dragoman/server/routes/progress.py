"""How is a project doing? What people changed in its suggestions, as numbers and as a page."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator

from fastapi import APIRouter, Response
from pydantic import Field

from dragoman.assess.page_parts import style
from dragoman.assess.progress_report import Confirmation, render_progress, summarise
from dragoman.editor import message
from dragoman.editor.document_store import Segment
from dragoman.errors import BadInputError
from dragoman.server import schemas
from dragoman.server.context import CanRead
from dragoman.server.registry import ServedProject

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES, tags=["looking"])
NEWEST = 5_000  # confirmed segments that are looked at
STEP = 1_000  # that are read at a time


class ProgressPoint(message.Given):
    """A stretch of the work."""

    segments: int = Field(description="confirmed segments up to the end of the stretch")
    changed: float = Field(description="percent of the words that were changed")
    engine: float | None = Field(description="the same for the other engine's own words, if it was asked for all")


class BesideEngine(message.Given):
    """The segments for which the other engine was asked; its words were not shown, which favours dragoman's."""

    segments: int
    changed: float = Field(description="percent of the words of dragoman's suggestions that were changed")
    engine: float = Field(description="percent by which the engine's own words differ from the confirmed text")


class DocumentProgress(message.Given):
    """What was changed in a document."""

    name: str
    segments: int
    changed: float


class ProgressGiven(message.Given):
    """What people changed in the suggestions of a project; percentages, and null where there is nothing to count."""

    model_config = message.example(
        segments=250,
        words=3000,
        changed=21.4,
        margin=1.9,
        unchanged=38.0,
        beside={"segments": 250, "changed": 21.4, "engine": 34.2},
        strokes=18.3,
        seconds_per_word=2.1,
        curve=[{"segments": 250, "changed": 21.4, "engine": 34.2}],
        documents=[{"name": "manual.xlf", "segments": 250, "changed": 21.4}],
    )
    segments: int = Field(description="confirmed segments that somebody started from a suggestion")
    words: int
    changed: float | None = Field(description="percent of the words that were changed")
    margin: float | None = Field(description="half of the 95 % interval of that")
    unchanged: float | None = Field(description="percent of the segments that were confirmed as suggested")
    beside: BesideEngine | None
    strokes: float | None = Field(description="keys and mouse actions for each hundred characters")
    seconds_per_word: float | None
    curve: list[ProgressPoint]
    documents: list[DocumentProgress]


@router.get("/progress")
async def progress(context: CanRead) -> ProgressGiven:
    """What people changed in the suggestions of a project, over its newest confirmed segments."""
    found = await context.run("progress", lambda: summarise(confirmations(context.project)))
    return ProgressGiven.model_validate(found)


@router.get(
    "/progress.html",
    response_class=Response,
    responses={200: {"content": {"text/html": {}}, "description": "the page"}},
)
async def progress_page(context: CanRead) -> Response:
    """The same as a page that needs nothing else."""
    project = context.project
    text = await context.run("progress", lambda: render_progress(project.name, summarise(confirmations(project))))
    return Response(text, media_type="text/html", headers=_HEADERS)


def confirmations(project: ServedProject) -> list[Confirmation]:
    """The newest confirmed segments that have a suggestion, oldest first."""
    found: list[tuple[Segment, str]] = []
    for document in project.documents.documents():
        for segment in _confirmed(project, document.id):
            if segment.suggestion is not None:
                found.append((segment, document.name))
                if len(found) > 2 * NEWEST:
                    found = _newest(found)
    return [_confirmation(project, segment, name) for segment, name in _newest(found)]


def _newest(found: list[tuple[Segment, str]]) -> list[tuple[Segment, str]]:
    return sorted(found, key=lambda each: each[0].correction or 0)[-NEWEST:]


def _confirmed(project: ServedProject, document: int) -> Iterator[Segment]:
    """The confirmed segments of a document, of which only some are here at a time: there may be 500,000."""
    last = 0
    while some := project.documents.segments(document, state="confirmed", after=last, limit=STEP):
        yield from some
        last = some[-1].number


def _confirmation(project: ServedProject, segment: Segment, document: str) -> Confirmation:
    strokes = segment.key_strokes + segment.mouse_actions
    engine = _answer_for(project, segment.correction)
    suggestion = segment.suggestion or ""
    return Confirmation(document, suggestion, segment.target, engine, strokes, segment.milliseconds)


def _answer_for(project: ServedProject, correction: int | None) -> str | None:
    """The other engine's answer; nothing if the journal no longer has the correction."""
    try:
        return project.engine.answer_to(correction) if correction else None
    except BadInputError:
        return None


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _policy(),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
