"""Filling the new segments of a document with translations, as drafts: a job."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from dragoman.editor import segment_log
from dragoman.editor.delivery_report import check_open
from dragoman.editor.document_store import ConflictError, Segment, now
from dragoman.errors import BadInputError
from dragoman.formats.filled_document import translate_segment
from dragoman.server.context import ProjectContext
from dragoman.server.jobs import Job
from dragoman.server.registry import ServedProject

STEP = 20  # segments translated before other requests get their turn


class Made(NamedTuple):
    """A draft, and where it comes from."""

    text: str
    origin: str  # machine or memory
    match: float | None


Make = Callable[[Segment], Made | None]


async def pretranslate(context: ProjectContext, least: float | None, job: Job) -> None:
    """Fill new segments; with `least`, only those with a correction at least this similar, with its target."""
    documents, document = context.project.documents, job.document or 0
    job.total = (await context.run("segments", partial(documents.document, document))).states["new"]
    make = await context.run("segments", partial(_maker, context.project, document, least))
    done, last = 0, 0
    while True:
        find = partial(documents.segments, document, state="new", after=last, limit=STEP)
        if not (some := await context.run("segments", find)):
            return
        await context.run("pretranslate", partial(_fill, context.project, job, make, some))
        done, last = done + len(some), some[-1].number
        numbers = [segment.number for segment in some]
        context.publish(document, {"event": "segments", "numbers": numbers, "by": None, "why": "machine"})
        job.step(done)


def _fill(project: ServedProject, job: Job, make: Make, segments: list[Segment]) -> None:
    project.engine.ask_ahead([segment.source for segment in segments])
    for segment in segments:
        try:
            project.documents.check(segment)
            if (made := make(segment)) is not None:
                state = "translated" if made.text else "new"
                project.documents.change(
                    segment,
                    then=partial(_record, segment, made) if made.text else None,
                    target=made.text,
                    suggestion=made.text,
                    state=state,
                    origin=made.origin if made.text else "",
                    match=made.match,
                    changed=now(),
                )
        except (ConflictError, BadInputError) as error:  # a person has changed it; or it is too long, for instance
            job.skip(segment.number, error.what)
    numbers = [each.number for each in segments]
    check_open(project, project.documents.segments_of(segments[0].document, numbers) if segments else [])


def _record(old: Segment, made: Made, connection: sqlite3.Connection, new: Segment) -> None:
    """Keep the draft in the history of the segment, where it can be found again after a person has changed it."""
    segment_log.record(connection, old, new, made.origin, None)


def _maker(project: ServedProject, number: int, least: float | None) -> Make:
    """What makes drafts for the segments of a document; with their tags, if it was a file."""
    engine = project.engine

    def from_memory(segment: Segment) -> Made | None:
        found = engine.matches(segment.source, least=least or 100.0, limit=1)
        return Made(found[0].target, "memory", round(found[0].similarity, 1)) if found else None

    def translate(segment: Segment) -> Made:
        known = engine.exact_match(segment.source) or engine.same_words(segment.source)
        opened = project.open_file(number)  # each time: segments may be merged or split meanwhile
        if opened is not None and segment.key in opened.segments:
            text = translate_segment(engine, opened.document, opened.segments[segment.key])
        else:
            text = engine.translate_text(segment.source).text
        if known is not None and known.target == text:
            return Made(text, "memory", round(known.similarity, 1))
        return Made(text, "machine", None)

    return translate if least is None else from_memory
