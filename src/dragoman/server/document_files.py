"""Importing and exporting files, as jobs: what `dragoman.formats` reads becomes a document, and is written again."""

from __future__ import annotations

from functools import partial
from typing import Any

from dragoman.errors import BadInputError
from dragoman.formats import Document, read_document
from dragoman.formats.lines import tsv_fault, write_tsv
from dragoman.languages import same_language
from dragoman.project.guard import FlaggedError
from dragoman.server import edits
from dragoman.server.api_errors import ApiError
from dragoman.server.context import ProjectContext
from dragoman.server.document_store import ConflictError, Segment
from dragoman.server.jobs import Job
from dragoman.server.registry import ServedProject

STEP = 50  # segments learned before other requests get their turn


def read(project: ServedProject, data: bytes, name: str) -> Document:
    """The document in a file, which must be in the languages of the project."""
    document = read_document(data, name, source=project.source, target=project.target)
    found = document.source_language or project.source, document.target_language or project.target
    if not (same_language(found[0], project.source) and same_language(found[1], project.target)):
        what = f"the file is {found[0]} to {found[1]}"
        raise ApiError(400, what, f"send one that is {project.source} to {project.target}")
    return document


def add_file(project: ServedProject, data: bytes, name: str) -> int:
    """Add a file as a document; its id."""
    found = [(one.id, one.source, one.target, one.state) for one in read(project, data, name).segments]
    return project.documents.add(name, found, data)


async def import_document(context: ProjectContext, data: bytes, name: str, job: Job, *, learn: bool) -> None:
    """Read a file and add it as a document; with `learn`, learn its confirmed segments."""
    project = context.project

    def begin() -> list[Segment]:
        job.document = add_file(project, data, name)
        return project.documents.segments(job.document, state="confirmed") if learn else []

    segments = await context.run("import", begin)
    job.total = len(segments)
    for first in range(0, len(segments), STEP):
        left_out = await context.run_exclusive("import", partial(_learn, context, segments[first : first + STEP]))
        job.left_out += left_out
        job.step(first + STEP)


def _learn(context: ProjectContext, segments: list[Segment]) -> list[dict[str, object]]:
    """Learn segments; returns those that look wrong, cannot be learned, or were changed meanwhile, and why."""
    left_out: list[dict[str, object]] = []
    for segment in segments:
        try:
            context.project.documents.check(segment)
            number = edits.teach(context.project, segment, segment.target, context.user(None))
            context.project.documents.change(segment, correction=number)
        except FlaggedError as error:
            left_out.append({"segment": segment.number, "what": error.reason})
        except (BadInputError, ConflictError) as error:
            left_out.append({"segment": segment.number, "what": error.what})
    return left_out


async def export_document(context: ProjectContext, job: Job) -> None:
    """Write a document with its targets filled in; segments whose target would break the file are left unchanged."""
    documents, number = context.project.documents, job.document or 0
    about = await context.run("export", partial(documents.document, number))
    segments = await context.run("export", partial(documents.segments, number))
    data = await context.run("export", partial(documents.data, number))
    job.total = len(segments)
    if data is None:
        job.name = f"{about.name}.tsv"
        job.result = write_tsv((str(one.number), one.source, one.target) for one in segments)
        faults = ((one.number, tsv_fault(one.source, one.target)) for one in segments)
        job.left_out += [{"segment": number, "what": fault} for number, fault in faults if fault]
    else:
        job.name = about.name
        job.result = await context.run("export", partial(_fill, context, job, data, segments))
    job.done = job.total


def _fill(context: ProjectContext, job: Job, data: bytes, segments: list[Segment]) -> bytes:
    document = read(context.project, data, job.name)
    known = {one.id: one for one in document.segments}
    targets: dict[str, Any] = {}
    for segment in segments:
        old = known[segment.key]
        if old.state == "locked" or (segment.target, segment.state) == (old.target, old.state):
            continue
        try:
            document.check(old, segment.target)
        except BadInputError as error:
            job.left_out.append({"segment": segment.number, "what": error.what})
        else:
            targets[segment.key] = segment.target, segment.state
    return document.fill(targets)
