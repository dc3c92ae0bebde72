"""Importing and exporting files, as jobs: what `dragoman.formats` reads becomes a document, and is written again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dragoman.editor import segment_edits, segment_findings
from dragoman.editor.document_store import ConflictError, Segment
from dragoman.editor.segment_filter import Filter
from dragoman.errors import BadInputError
from dragoman.formats.lines import tsv_fault, write_tsv
from dragoman.formats.segment_groups import Step
from dragoman.project.guard import FlaggedError
from dragoman.server.context import ProjectContext
from dragoman.server.early_answers import start_asking
from dragoman.server.file_process import read_rows
from dragoman.server.file_readers import FileFacts
from dragoman.server.jobs import LISTED, Job
from dragoman.server.registry import ServedProject

STEP = 50  # segments learned before other requests get their turn


def add_file(project: ServedProject, data: bytes, name: str) -> int:
    """Add a file of our own as a document; its id."""
    document = project.read_file(data, name)
    found = ((one.id, one.source, one.target, one.state, one.context, one.note, one.limit) for one in document.segments)
    number = project.documents.add(name, found, data, format=document.format)
    project.files.put((project.name, number), document)
    return number


async def import_document(context: ProjectContext, file: Path, name: str, job: Job, *, learn: bool) -> None:
    """Read a spooled file and add it as a document; with `learn`, learn its confirmed segments."""
    documents = context.project.documents
    number = await _add_spooled(context, file, name, job)
    job.document, job.done, to_learn = number, job.total, 0
    if learn:
        to_learn = (await context.run("import", partial(documents.document, number))).states["confirmed"]
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


async def _add_spooled(context: ProjectContext, file: Path, name: str, job: Job) -> int:
    """Add a spooled file, which another process reads, as a document; its id."""
    project, take = context.project, context.server.jobs.files.take
    async with read_segments(context, file, name) as (facts, segments):
        job.total, job.warnings = facts.segments, facts.warnings

        def add() -> int:
            return project.documents.add(name, segments, take(file), format=facts.format)

        number = await context.run("import", add)
    project.files.expect((project.name, number), facts.memory)
    return number


@asynccontextmanager
async def read_segments(
    context: ProjectContext, file: Path, name: str
) -> AsyncIterator[tuple[FileFacts, Iterator[Any]]]:
    """What another process finds in a file: its segments as rows of id, source, target, state and so on."""
    project, server = context.project, context.server
    async with server.jobs.files.scratch() as listed:
        languages = project.source, project.target
        facts = await server.readers.read(file, name, languages, context.identity.client, listed)
        project.check_languages(*facts.languages)
        yield facts, read_rows(listed)


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
            number = segment_edits.teach(context.project, segment, segment.target, context.user(None))
            context.project.documents.change(segment, correction=number)
        except FlaggedError as error:
            job.skip(segment.number, error.reason)
        except (BadInputError, ConflictError) as error:
            job.skip(segment.number, error.what)


async def export_document(context: ProjectContext, job: Job) -> None:
    """Write a document with its targets filled in; segments whose target would break the file are left unchanged."""
    documents, number = context.project.documents, job.document or 0
    files = context.server.jobs.files

    def begin() -> bytes | None:
        about = documents.document(number)
        job.name, job.total = about.name, sum(about.states.values())
        job.untranslated = documents.numbers(number, Filter(state="new"), LISTED)
        job.unconfirmed = documents.numbers(number, Filter(state="translated"), LISTED)
        return documents.data(number)

    data = await context.run("export", begin)
    if data is None:
        job.name += ".tsv"
        job.result = await context.run(
            "export", lambda: files.keep([write_tsv(_rows(job, documents.each(number)))], job.client)
        )
    else:
        job.result = await _export_elsewhere(context, job, data)
    job.done = job.total


async def _export_elsewhere(context: ProjectContext, job: Job, data: bytes) -> Path:
    """Have another process write a file with its targets filled in."""
    project, files, number = context.project, context.server.jobs.files, job.document or 0

    def prepare(old: Path, targets: Path) -> list[Step]:
        old.write_bytes(data)
        while True:
            steps = project.documents.regroupings(number)
            with targets.open("w", encoding="utf-8") as writing:
                for one in project.documents.each(number):
                    writing.write(f"{json.dumps((one.key, one.target, one.state))}\n")
            if steps == project.documents.regroupings(number):  # otherwise somebody has merged or split segments
                return steps

    async with files.scratch() as old, files.scratch() as targets, files.scratch() as new:
        steps = await context.run("export", partial(prepare, old, targets))
        languages = project.source, project.target
        left_out = await context.server.readers.write(old, job.name, languages, job.client, targets, steps, new)
        if left_out:
            await context.run("export", partial(_hold, project, job, left_out))
        return await context.run("export", partial(files.keep_file, new, job.client))


def _hold(project: ServedProject, job: Job, left_out: dict[str, str]) -> None:
    """List the segments that a file cannot hold, and hold them from then on."""
    for segment in project.documents.each(job.document or 0):
        if why := left_out.get(segment.key):
            job.skip(segment.number, why)
            segment_findings.hold(project.documents, segment, why)


def _rows(job: Job, segments: Iterable[Segment]) -> Iterator[tuple[str, str, str]]:
    for one in segments:
        if fault := tsv_fault(one.source, one.target):
            job.skip(one.number, fault)
        yield str(one.number), one.source, one.target
