"""DeepL's documents: upload a file, ask how far it is, and fetch it translated.

A document is a job. Its id alone opens nothing: whoever uploaded it was given a key for it as well.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from dragoman.formats import Document, DocumentSegment, read_document
from dragoman.formats.filling import translate_segment
from dragoman.project.glossary import Glossary, extra_terms
from dragoman.quality import deliver
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity, check_role
from dragoman.server.compatible.parameters import (
    FILE_NAMES,
    Given,
    Parameters,
    find_project,
    find_terms,
    text_of,
    visible,
)
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.detection import detect
from dragoman.server.jobs import Job
from dragoman.server.keys import Identity

router = APIRouter(tags=["DeepL"])
STEP = 20  # segments translated before other requests get their turn
READ = 50  # segments whose language is guessed
STATES = {"waiting": "queued", "running": "translating", "done": "done", "failed": "error"}
FORM: dict[str, Any] = {
    "requestBody": {
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "source_lang": {"type": "string"},
                        "target_lang": {"type": "string"},
                        "glossary_id": {"type": "string"},
                    },
                }
            }
        }
    }
}
KEY: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "example": {"document_key": "0CB0054F1C132C1625B392EADDA41CB754A742822F6877173029A6C487E7F60A"},
            }
        }
    }
}


@dataclass
class DocumentJob(Job):
    """A document that is translated."""

    key: str = field(default_factory=lambda: secrets.token_hex(32).upper())
    characters: int = 0


@router.post("/document", openapi_extra=FORM)
async def upload(request: Request, given: Given, identity: CurrentIdentity, server: Server) -> dict[str, str]:
    """Start to translate a file; the answer has the id and the key of the document."""
    data, names = given.get("file"), given.get(FILE_NAMES)
    if not isinstance(data, bytes) or not isinstance(names, dict):
        raise ApiError(400, "parameter 'file' must be a file")
    name = PurePosixPath(str(given.get("filename") or names.get("file") or "")).name
    _check_output(given, name)
    target = text_of(given, "target_lang").lower()
    source = str(given.get("source_lang") or "").lower()
    if not source:
        known = [each.source for each in visible(server, identity)]
        source = await server.workers.run("fill", partial(_guess, data, name, known))
    context = await find_project(server, identity, source, target, "translate", request.path_params.get("project"))
    terms = find_terms(server, identity, given, source, target)
    job = DocumentJob("translate", context.project.name, name=name)
    spooled = await context.run("fill", partial(server.jobs.files.spool, data))

    async def work(job: Job) -> None:
        document = await context.run("fill", lambda: _read(context, server.jobs.files.take(spooled), name))
        await _translate(context, job, document, terms)

    started = server.jobs.start(job, work)
    return {"document_id": started.id, "document_key": job.key}


def _check_output(given: Parameters, name: str) -> None:
    wanted = str(given.get("output_format") or "").lstrip(".").lower()
    if wanted and wanted != PurePosixPath(name).suffix.lstrip(".").lower():
        raise ApiError(400, "a document is written in its own format only", "leave out output_format")


def _guess(data: bytes, name: str, known: list[str]) -> str:
    document = read_document(data, name)
    return detect(" ".join(segment.source for segment in document.segments[:READ]), known)[0]


def _read(context: ProjectContext, data: bytes, name: str) -> Document:
    engine = context.project.engine
    return read_document(data, name, source=engine.source, target=engine.target)


async def _translate(context: ProjectContext, job: Job, document: Document, terms: Glossary | None) -> None:
    """Translate what is not translated yet, some segments at a time, and write the file."""
    new = [segment for segment in document.segments if segment.state == "new"]
    job.total = len(new)
    targets: dict[str, tuple[str, Any]] = {}
    for at in range(0, len(new), STEP):
        some = new[at : at + STEP]
        targets |= await context.run("fill", partial(_some, context, document, some, terms))
        job.step(at + len(some))
    if isinstance(job, DocumentJob):
        job.characters = sum(len(segment.source) for segment in new)
    written = await context.run("fill", partial(deliver, document, targets))
    job.result = await context.run("fill", partial(context.server.jobs.files.keep, [written.data]))


def _some(
    context: ProjectContext, document: Document, segments: list[DocumentSegment], terms: Glossary | None
) -> dict[str, tuple[str, Any]]:
    engine = context.project.engine
    with extra_terms(terms):
        return {each.id: (translate_segment(engine, document, each), "translated") for each in segments}


@router.post("/document/{number}", openapi_extra=KEY)
async def status(number: str, given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """How far the translation of a document is."""
    job = _find(server, identity, number, given)
    answer: dict[str, Any] = {"document_id": job.id, "status": STATES[job.state]}
    if job.state == "done":
        answer["billed_characters"] = job.characters
    elif job.failure is not None:
        answer["error_message"] = job.failure.message
    else:
        answer["seconds_remaining"] = max(1, (job.total - job.done) // STEP)
    return answer


@router.post("/document/{number}/result", response_class=Response, openapi_extra=KEY)
async def result(number: str, given: Given, identity: CurrentIdentity, server: Server) -> Response:
    """The translated file, for an hour or so."""
    job = _find(server, identity, number, given)
    if job.state != "done" or job.result is None:
        raise ApiError(503, "this document is not translated yet", "ask for its status")
    try:
        data = await server.workers.run("download", job.result.read_bytes)
    except OSError:
        raise ApiError(404, "no such document", "upload it again: results are removed after a while") from None
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(job.name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


def _find(server: ServerContext, identity: Identity, number: str, given: Parameters) -> DocumentJob:
    """A document, for those who have its key; others are told that there is none."""
    nothing = ApiError(404, "no such document", "check its id and key; documents are lost when the server stops")
    try:
        job = server.jobs.find(number)
    except ApiError:
        raise nothing from None
    key = given.get("document_key")
    if not isinstance(job, DocumentJob) or not isinstance(key, str):
        raise nothing
    if not secrets.compare_digest(key.encode(), job.key.encode()):
        raise nothing
    check_role(identity, "translate", job.project)
    return job
