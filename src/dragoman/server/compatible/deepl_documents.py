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

from fastapi import APIRouter, Response

from dragoman.errors import BadInputError
from dragoman.formats import Document, read_document
from dragoman.formats.file_types import find_kind
from dragoman.languages import same_language
from dragoman.project.glossary import Glossary
from dragoman.quality import deliver
from dragoman.server import batches
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import check_role
from dragoman.server.batches import translate_segments
from dragoman.server.bodies import takes_form
from dragoman.server.compatible.call import Call, CurrentCall, Parameters, example_body, find_terms
from dragoman.server.context import ProjectContext
from dragoman.server.jobs import Job
from dragoman.text.identification import detect

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
KEY = example_body(document_key="0CB0054F1C132C1625B392EADDA41CB754A742822F6877173029A6C487E7F60A")


@dataclass
class DocumentJob(Job):
    """A document that is translated."""

    key: str = field(default_factory=lambda: secrets.token_hex(32).upper())
    characters: int = 0


@router.post("/document", openapi_extra=FORM)
@takes_form
async def upload(call: CurrentCall) -> dict[str, str]:
    """Start to translate a file; the answer has the id and the key of the document."""
    server, (data, name) = call.server, call.file()
    _check_output(call.given, name)
    await call.run("fill", partial(_check_kind, data, name))
    target = call.text("target_lang").lower()
    source = str(call.given.get("source_lang") or "").lower()
    if not source:
        known = [each.source for each in call.visible() if same_language(each.target, target)]
        await server.readers.examine(data, name, (None, None), call.identity.client, "read")
        source = await call.run("fill", partial(_guess, data, name, known))
    context = await call.find_project(source, target)
    terms = find_terms(call, source, target)
    server.jobs.check(context.project.name, call.identity.client)
    spooled = await context.run("fill", partial(server.jobs.files.spool, data, call.identity.client))
    job = DocumentJob("translate", context.project.name, name=name, spooled=spooled, size=len(data))

    async def work(job: Job) -> None:
        data = await context.run("fill", partial(server.jobs.files.take, spooled))
        await context.examine(data, name)
        document = await context.run("fill", partial(_read, context, data, name))
        await _translate(context, job, document, terms)

    started = context.start_job(job, work)
    return {"document_id": started.id, "document_key": job.key}


def _check_output(given: Parameters, name: str) -> None:
    wanted = str(given.get("output_format") or "").lstrip(".").lower()
    if wanted and wanted != PurePosixPath(name).suffix.lstrip(".").lower():
        raise ApiError(400, "a document is written in its own format only", "leave out output_format")


def _check_kind(data: bytes, name: str) -> None:
    try:
        find_kind(data, name)
    except BadInputError as error:
        raise ApiError(400, f"Invalid file: {error.what}", error.remedy) from None


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
        made = await translate_segments(context, document, some, batches.JOB_PATIENCE, terms)
        targets |= {each.id: (text, "translated") for each, text in zip(some, made, strict=True)}
        job.step(at + len(some))
    if isinstance(job, DocumentJob):
        job.characters = sum(len(segment.source) for segment in new)
    written = await context.run("fill", partial(deliver, document, targets))
    job.result = await context.run("fill", partial(context.server.jobs.files.keep, [written.data], job.client))


@router.post("/document/{number}", openapi_extra=KEY)
async def status(number: str, call: CurrentCall) -> dict[str, Any]:
    """How far the translation of a document is."""
    job = _find(call, number)
    answer: dict[str, Any] = {"document_id": job.id, "status": STATES[job.state]}
    if job.state == "done":
        answer["billed_characters"] = job.characters
    elif job.failure is not None:
        answer["error_message"] = job.failure.message
    else:
        answer["seconds_remaining"] = max(1, (job.total - job.done) // STEP)
    return answer


@router.post("/document/{number}/result", response_class=Response, openapi_extra=KEY)
async def result(number: str, call: CurrentCall) -> Response:
    """The translated file, for an hour or so."""
    job = _find(call, number)
    if job.state != "done" or job.result is None:
        raise ApiError(503, "this document is not translated yet", "ask for its status")
    try:
        data = await call.run("download", job.result.read_bytes)
    except OSError:
        raise ApiError(404, "no such document", "upload it again: results are removed after a while") from None
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(job.name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


def _find(call: Call, number: str) -> DocumentJob:
    """A document, for those who have its key; others are told that there is none."""
    nothing = ApiError(404, "no such document", "check its id and key; documents are lost when the server stops")
    try:
        job = call.server.jobs.find(number)
    except ApiError:
        raise nothing from None
    key = call.given.get("document_key")
    if not isinstance(job, DocumentJob) or not isinstance(key, str):
        raise nothing
    if not secrets.compare_digest(key.encode(), job.key.encode()):
        raise nothing
    check_role(call.identity, "translate", job.project)
    return job
