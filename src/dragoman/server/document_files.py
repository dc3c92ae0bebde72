"""Importing and exporting files, as jobs: what `dragoman.formats` reads becomes a document, and is written again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError
from dragoman.formats.lines import tsv_fault, write_tsv
from dragoman.project.guard import FlaggedError
from dragoman.quality import deliver
from dragoman.server import edits, segment_findings
from dragoman.server.asking_ahead import start_asking
from dragoman.server.context import ProjectContext
from dragoman.server.document_store import ConflictError, Segment
from dragoman.server.jobs import LISTED, Job
from dragoman.server.open_files import OpenFile
from dragoman.server.registry import ServedProject
from dragoman.server.segment_filter import Filter

STEP = 50  # segments learned before other requests get their turn


def add_file(project: ServedProject, data: bytes, name: str, job: Job | None = None) -> int:
    """Add a file as a document; its id."""
    document = project.read_file(data, name)
    if job is not None:
        job.total, job.warnings = len(document.segments), document.warnings
    found = ((one.id, one.source, one.target, one.state, one.context, one.note, one.limit) for one in document.segments)
    number = project.documents.add(name, found, data, format=document.format)
    project.files.put((project.name, number), document)
    return number


async def import_document(context: ProjectContext, file: Path, name: str, job: Job, *, learn: bool) -> None:
    """Read a spooled file and add it as a document; with `learn`, learn its confirmed segments."""
    documents = context.project.documents

    def begin() -> tuple[int, int]:
        number = add_file(context.project, context.server.jobs.files.take(file), name, job)
        return number, documents.document(number).states["confirmed"] if learn else 0

    number, to_learn = await context.run("import", begin)
    job.document, job.done = number, job.total
    if learn:
        job.done, job.total = 0, to_learn
    done, last = 0, 0
    while done < to_learn:
        find = partial(documents.segments, number, state="confirmed", after=last, limit=STEP)
        if not (some := await context.run("import", find)):
            break
        await context.run_exclusive("import", partial(_learn, context, job, some))
        done, last = done + len(some), some[-1].number
        job.step(done)
    start_asking(context, number)


def _learn(context: ProjectContext, job: Job, segments: list[Segment]) -> None:
    """Learn segments; those that look wrong, cannot be learned, or were changed meanwhile are skipped."""
    for segment in segments:
        try:
            if segment.version > 1:  # somebody has worked on it since it was imported
                raise ConflictError(replace(segment, version=1))
            context.project.documents.check(segment)
            known = context.project.engine.exact_match(segment.source)
            if known and (known.source, known.target) == (segment.source, segment.target):  # from the file before
                context.project.documents.change(segment, correction=known.id)
                continue
            number = edits.teach(context.project, segment, segment.target, context.user(None))
            context.project.documents.change(segment, correction=number)
        except FlaggedError as error:
            job.skip(segment.number, error.reason)
        except (BadInputError, ConflictError) as error:
            job.skip(segment.number, error.what)


async def export_document(context: ProjectContext, job: Job) -> None:
    """Write a document with its targets filled in; segments whose target would break the file are left unchanged."""
    await context.run("export", partial(_export, context, job))
    job.done = job.total


def _export(context: ProjectContext, job: Job) -> None:
    documents, number = context.project.documents, job.document or 0
    about = documents.document(number)
    job.total = sum(about.states.values())
    job.untranslated = documents.numbers(number, Filter(state="new"), LISTED)
    job.unconfirmed = documents.numbers(number, Filter(state="translated"), LISTED)
    opened = context.project.open_file(number)
    if opened is None:
        job.name, written = f"{about.name}.tsv", write_tsv(_rows(job, documents.each(number)))
    else:
        job.name, written = about.name, _fill(context.project, job, number, opened)
    job.result = context.server.jobs.files.keep([written])


def _rows(job: Job, segments: Iterable[Segment]) -> Iterator[tuple[str, str, str]]:
    for one in segments:
        if fault := tsv_fault(one.source, one.target):
            job.skip(one.number, fault)
        yield str(one.number), one.source, one.target


def _fill(project: ServedProject, job: Job, number: int, opened: OpenFile) -> bytes:
    """The file with all targets that it can hold; the others are listed, and held from then on."""
    targets: dict[str, tuple[str, Any]] = {}
    places: dict[str, Segment] = {}
    for segment in project.documents.each(number):
        old = opened.segments[segment.key]
        if old.state != "locked" and (segment.target, segment.state) != (old.target, old.state):
            targets[segment.key], places[segment.key] = (segment.target, segment.state), segment
    delivery = deliver(opened.document, targets)
    for key, why in sorted(delivery.left_out.items(), key=lambda each: places[each[0]].number):
        segment = places[key]
        job.skip(segment.number, why)
        segment_findings.hold(project.documents, segment, why)
    return delivery.data
