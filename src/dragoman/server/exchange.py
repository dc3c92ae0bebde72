"""Files in and out, as jobs: what `dragoman.formats` reads becomes a document, and its file is written again."""

from __future__ import annotations

from functools import partial
from typing import Any

from dragoman.errors import BadInputError
from dragoman.formats import Document, read_document
from dragoman.formats.lines import tsv_fault, write_tsv
from dragoman.languages import same_language
from dragoman.project.guard import FlaggedError
from dragoman.server import editing
from dragoman.server.answers import RefusedError
from dragoman.server.documents import ChangedError, Segment
from dragoman.server.jobs import Job
from dragoman.server.projects import Opened
from dragoman.server.rooms import Room

STEP = 50  # segments learned before others may have their turn


def read(project: Opened, data: bytes, name: str) -> Document:
    """The document in a file, which must be in the languages of the project."""
    document = read_document(data, name, source=project.source, target=project.target)
    said = document.source_language or project.source, document.target_language or project.target
    if not (same_language(said[0], project.source) and same_language(said[1], project.target)):
        what = f"the file is from {said[0]} to {said[1]}"
        raise RefusedError(400, what, f"send one from {project.source} to {project.target}")
    return document


def enter(project: Opened, data: bytes, name: str) -> int:
    """Enter a file as a document; its id."""
    found = [(one.id, one.source, one.target, one.state) for one in read(project, data, name).segments]
    return project.documents.add(name, found, data)


async def import_document(room: Room, data: bytes, name: str, job: Job, *, learn: bool) -> None:
    """Read a file and enter it as a document; with `learn`, learn what is confirmed in it."""
    project = room.project

    def begin() -> list[Segment]:
        job.document = enter(project, data, name)
        return project.documents.segments(job.document, state="confirmed") if learn else []

    segments = await room.look("import", begin)
    job.total = len(segments)
    for first in range(0, len(segments), STEP):
        left_out = await room.change("import", partial(_learn, room, segments[first : first + STEP]))
        job.left_out += left_out
        job.step(first + STEP)


def _learn(room: Room, segments: list[Segment]) -> list[dict[str, object]]:
    """Learn segments; those that look wrong are kept aside in the journal, and named like those that were changed."""
    left_out: list[dict[str, object]] = []
    for segment in segments:
        try:
            room.project.documents.check(segment)
            number = editing.teach(room.project, segment, segment.target, room.user(None))
            room.project.documents.change(segment, correction=number)
        except FlaggedError as error:
            left_out.append({"segment": segment.number, "what": error.reason})
        except (BadInputError, ChangedError) as error:
            left_out.append({"segment": segment.number, "what": error.what})
    return left_out


async def export_document(room: Room, job: Job) -> None:
    """Write a document with its targets filled in; segments whose target would break the file are left as they were."""
    documents, number = room.project.documents, job.document or 0
    about = await room.look("export", partial(documents.document, number))
    segments = await room.look("export", partial(documents.segments, number))
    data = await room.look("export", partial(documents.data, number))
    job.total = len(segments)
    if data is None:
        job.name = f"{about.name}.tsv"
        job.result = write_tsv((str(one.number), one.source, one.target) for one in segments)
        faults = ((one.number, tsv_fault(one.source, one.target)) for one in segments)
        job.left_out += [{"segment": number, "what": fault} for number, fault in faults if fault]
    else:
        job.name = about.name
        job.result = await room.look("export", partial(_fill, room, job, data, segments))
    job.done = job.total


def _fill(room: Room, job: Job, data: bytes, segments: list[Segment]) -> bytes:
    document = read(room.project, data, job.name)
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
