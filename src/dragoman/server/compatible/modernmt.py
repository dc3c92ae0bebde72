"""The API of ModernMT. A memory is a project: adding to it learns, replacing in it revises.

ModernMT's memories have no languages; ours get theirs with the first pair, and until then are only a reserved name.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.languages import same_language
from dragoman.server import edits
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity, check_role, current_identity, lacks_role
from dragoman.server.compatible import modernmt_glossaries, parameters
from dragoman.server.compatible.modernmt_glossaries import (
    about,
    answer,
    check_may_create,
    delete,
    find_memory,
    terms_of,
)
from dragoman.server.compatible.parameters import Given, Parameters, may_use, text_of, texts_of, unlist, visible
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.detection import detect
from dragoman.server.document_files import import_document
from dragoman.server.jobs import Job
from dragoman.server.keys import Identity
from dragoman.server.limits import DEFAULTS
from dragoman.server.registry import ServedProject, number_of
from dragoman.store import Row

SINGLE = "00000000-0000-0000-0000-"  # the id of a job that is a single pair begins like this
TYPES = {400: "InvalidParameterException", 401: "AuthException", 403: "ForbiddenException", 404: "NotFoundException"}
PROBE = ("test", "en", "de")  # what Weblate tries a service with, whatever languages it has
MYMEMORY = "x_mm-"  # ids of memories that MateCat has elsewhere begin like this
router = APIRouter(tags=["ModernMT"])
router.routes.extend(modernmt_glossaries.router.routes)


def write_error(error: ApiError) -> Response:
    """An error in the format that its clients expect."""
    about = {"type": TYPES.get(error.status, "UnexpectedException"), "message": error.message}
    return JSONResponse({"status": error.status, "error": about}, error.status, headers=error.headers)


class MethodOverride:
    """Lets a POST stand for another method, as ModernMT's clients expect."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app, self._prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace the method by the one that is meant."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"].startswith(self._prefix):
            wanted = dict(scope["headers"]).get(b"x-http-method-override", b"POST").decode("latin-1").upper()
            if wanted in ("GET", "PUT", "DELETE"):
                scope["method"] = wanted
        await self._app(scope, receive, send)


# ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/translate")
async def translate(given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Translate a text or a list of texts, preferably with the memory that `hints` or `context_vector` names."""
    texts, was_list = texts_of(given, "q", server)
    target, hinted = text_of(given, "target"), _hinted(server, identity, given)
    known = [each.source for each in visible(server, identity) if same_language(each.target, target)]
    source = given.get("source") or detect(texts[0] if texts else "", known)[0]
    try:
        context = await _choose(server, identity, str(source), target, hinted)
    except ApiError:
        if (texts, source, target) == ([PROBE[0]], *PROBE[1:]):
            return answer(unlist([{"translation": texts[0], "characters": len(texts[0])}], was_list))
        raise
    terms = terms_of(server, identity, given, str(source), target)
    wanted = parameters.number_of(given, "alt_translations", server.settings.limits.nbest - 1)
    common = {"billedCharacters": 0, "contextVector": given.get("context_vector")}
    if not given.get("source"):
        common["detectedLanguage"] = source
    answers = []
    translated = await parameters.translate_texts(context, texts, 1 + wanted, terms)
    for text, found in zip(texts, translated, strict=True):
        answers.append({"translation": found.text, "characters": len(text)} | common)
        if wanted:
            answers[-1]["altTranslations"] = parameters.alternatives(found, wanted)
    return answer(unlist(answers, was_list))


def _hinted(server: ServerContext, identity: Identity, given: Parameters) -> list[ServedProject]:
    """The memories that are named: ids separated by commas, or `id:score` in a context vector."""
    named = f"{given.get('hints') or ''},{given.get('context_vector') or ''}".split(",")
    ids = [each.partition(":")[0].strip() for each in named if each.strip()]
    return [
        project for each in ids for project in visible(server, identity) if each in (project.name, str(project.number))
    ]


async def _choose(
    server: ServerContext, identity: Identity, source: str, target: str, hinted: list[ServedProject]
) -> ProjectContext:
    for project in hinted:
        if same_language(project.source, source) and same_language(project.target, target):
            return ProjectContext(server, project, identity)
    return await parameters.find_project(server, identity, source, target, "translate")


@router.get("/languages")
async def pairs(identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The source languages, each with its target languages."""
    found: dict[str, list[str]] = {}
    for project in visible(server, identity, "read"):
        if project.target not in found.setdefault(project.source, []):
            found[project.source].append(project.target)
    return answer(found)


@router.get("/translate/languages")
async def languages(identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """All languages, whether source or target."""
    projects = visible(server, identity, "read")
    return answer(sorted({code for each in projects for code in (each.source, each.target)}))


@router.get("/translate/detect")
async def detect_language(given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Guess the language of a text or of each text of a list."""
    texts, was_list = texts_of(given, "q", server)
    known = [code for each in visible(server, identity, "read") for code in (each.source, each.target)]
    found = [{"detectedLanguage": detect(text, known)[0], "billedCharacters": 0} for text in texts]
    return answer(unlist(found, was_list))


@router.get("/context-vector")
async def context_vector(given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The memories for each of some target languages, all with the same weight: their content is not compared."""
    source, targets = text_of(given, "source"), given.get("targets")
    listed = targets if isinstance(targets, list) else str(targets or "").split(",")
    vectors = {}
    for target in map(str, listed):
        projects = visible(server, identity)
        fitting = [p for p in projects if same_language(p.source, source) and same_language(p.target, target)]
        if fitting:
            vectors[target] = ",".join(f"{project.number}:{1 / len(fitting):.2f}" for project in fitting)
    return answer({"source": source, "vectors": vectors})


# ── Memories ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/memories")
async def list_memories(identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The memories that this key may read."""
    found = [_memory(project) for project in visible(server, identity, "read")]
    found += [_reserved(name) for name in server.projects.reserved if _may_see(server, identity, name)]
    return answer(found + [about(each) for each in server.glossaries.all() if may_use(server, identity, each)])


@router.post("/memories")
async def create_memory(given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Create a memory, which gets its languages with the first pair or a glossary; the same name is the same memory."""
    check_may_create(server, identity)
    title = text_of(given, "name")
    if known := next((each for each in server.glossaries.all() if each.name == title), None):
        return answer(about(known))
    name = await server.workers.run("create", partial(server.projects.reserve, title))
    return answer(_reserved(name))


@router.post("/memories/connect", dependencies=[Depends(current_identity)])
async def connect_memories(given: Given) -> dict[str, Any]:
    """The memories with some ids of another system; those that are no project share the one for their languages."""
    value = given.get("external_ids")
    named = value if isinstance(value, list) else str(value or "").split(",")
    return answer([_reserved(str(each).strip()) for each in named if str(each).strip()])


@router.post("/memories/content")
async def add_to_memories(given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Learn a pair in several memories, once in each project that they are."""
    value = given.get("memories")
    named = value if isinstance(value, list) else str(value or "").split(",")
    found = [_known_or_shared(server, identity, str(each).strip(), given) for each in named or [""]]
    answers = [await _content(memory, given, identity, server, _learn) for memory in dict.fromkeys(filter(None, found))]
    if not answers:
        raise ApiError(404, "no such memory", "see /memories")
    return answers[0]


def _known_or_shared(server: ServerContext, identity: Identity, memory: str, given: Parameters) -> str | None:
    """A memory, or for the id of another system the first project that learns between these languages."""
    if (name := find_memory(server, memory)) and identity.has_role("learn", name):
        return name
    languages = text_of(given, "source"), text_of(given, "target")
    for project in visible(server, identity, "learn"):
        if same_language(project.source, languages[0]) and same_language(project.target, languages[1]):
            return project.name
    return None


def _may_see(server: ServerContext, identity: Identity, name: str) -> bool:
    return identity.has_role("read", name) or any(identity.has_role("learn", each) for each in server.projects.names())


@router.get("/memories/{memory}")
async def show_memory(memory: str, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """One memory."""
    if (glossary := server.glossaries.find(memory)) and may_use(server, identity, glossary):
        return answer(about(glossary))
    name = _name(server, identity, memory, "read")
    if name in server.projects.reserved:
        return answer(_reserved(name))
    return answer(_memory((await server.open_project(name, identity, "read")).project))


@router.delete("/memories/{memory}")
async def delete_memory(memory: str, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Remove a memory from the server."""
    if glossary := server.glossaries.find(memory):
        return answer(await delete(server, identity, glossary))
    reserved = find_memory(server, memory) in server.projects.reserved and _may_see(server, identity, "")
    if not reserved:
        check_role(identity, "admin")  # on the whole server, as in our own API
    name = _name(server, identity, memory, "read" if reserved else "admin")
    if name in server.projects.reserved:
        await server.workers.run("delete", partial(server.projects.release, name))
        return answer(_reserved(name))
    context = await server.open_project(name, identity, "admin")
    about = _memory(context.project)
    await server.delete_project(context)
    return answer(about)


@router.post("/memories/{memory}/content")
async def add_content(memory: str, given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Learn a pair, which can be replaced later by its `tuid`; or all pairs of a file, `tmx`."""
    if memory.startswith(MYMEMORY):
        memory = _known_or_shared(server, identity, memory, given) or memory
    if "tmx" in given:
        return await _import(memory, _unpacked(given), identity, server)
    return await _content(memory, given, identity, server, _learn)


@router.put("/memories/{memory}/content")
async def replace_content(memory: str, given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Replace the translation of a pair: the one with this `tuid`, or else the newest with the same sentence."""
    if memory.startswith(MYMEMORY):
        memory = _known_or_shared(server, identity, memory, given) or memory
    return await _content(memory, given, identity, server, _replace)


def _unpacked(given: Parameters) -> object:
    """The file `tmx`, which may be compressed with gzip; not to more than an upload may be."""
    data = given["tmx"]
    if not (isinstance(data, bytes) and data.startswith(b"\x1f\x8b")):
        return data
    try:
        inflate = zlib.decompressobj(wbits=31)
        found = inflate.decompress(data, DEFAULTS.upload)
    except zlib.error:
        raise ApiError(400, "the file cannot be decompressed", "send it whole, or uncompressed") from None
    if inflate.unconsumed_tail or not inflate.eof:
        raise ApiError(413, f"the file has more than {DEFAULTS.upload:,} bytes, or is incomplete", "send it in parts")
    return found


async def _import(memory: str, data: object, identity: Identity, server: ServerContext) -> dict[str, Any]:
    name = _name(server, identity, memory, "learn")
    if name in server.projects.reserved:
        raise ApiError(400, "this memory has no languages yet", "add a pair first")
    if not isinstance(data, bytes):
        raise ApiError(400, "parameter 'tmx' must be a file")
    context = await server.open_project(name, identity, "learn")
    file = await context.run("import", partial(server.jobs.files.spool, data))
    work = partial(import_document, context, file, "memory.tmx", learn=True)
    return answer(_import_job(server.jobs.start(Job("import", name), work)))


def _import_job(job: Job) -> dict[str, Any]:
    done = 1.0 if job.state == "done" else job.done / max(job.total, 1)
    return {"id": job.id, "memory": number_of(job.project), "size": job.total, "progress": done}


Edit = Callable[[ProjectContext, str, str, str | None], int]


async def _content(
    memory: str, given: Parameters, identity: Identity, server: ServerContext, edit: Edit
) -> dict[str, Any]:
    name = _name(server, identity, memory, "learn")
    source, target, unit = text_of(given, "source"), text_of(given, "target"), _unit(given)
    if name in server.projects.reserved:
        check_role(identity, "admin")  # it becomes a project now
        await server.workers.run("create", partial(server.projects.create_reserved, name, source, target))
    context = await server.open_project(name, identity, "learn")
    if not (same_language(source, context.project.source) and same_language(target, context.project.target)):
        what = f"this memory translates {context.project.source} to {context.project.target}"
        raise ApiError(400, what, "use these languages, or another memory")
    texts = text_of(given, "sentence"), text_of(given, "translation")
    context.check_length(*texts)
    number = await context.run_exclusive("learn", partial(edit, context, *texts, unit))
    job = {"id": f"{SINGLE}{number:012d}", "memory": context.project.number, "size": 1, "progress": 1.0}
    return answer(job)


def _unit(given: Parameters) -> str | None:
    """The `tuid`, which may be a number; checked before anything is learned, as not every JSON string can be stored."""
    if given.get("tuid") is None:
        return None
    unit = str(given["tuid"])
    try:
        unit.encode()
    except UnicodeEncodeError:
        raise ApiError(400, "parameter 'tuid' is not valid text") from None
    return unit


def _learn(context: ProjectContext, source: str, target: str, unit: str | None) -> int:
    number = context.project.engine.learn(source, target, user=context.user(None))
    if unit is not None:
        context.project.documents.set_unit(unit, number)
    return number


def _replace(context: ProjectContext, source: str, target: str, unit: str | None) -> int:
    row = _find_pair(context, source, unit)
    if row is None:
        return _learn(context, source, target, unit)
    if row.source != source:  # the unit has a different sentence now
        number = _learn(context, source, target, unit)
        edits.forget(context.project, row.id, context.user(None))
        return number
    number = row.id if row.target == target else edits.revise(context.project, row.id, target, context.user(None))
    if unit is not None:
        context.project.documents.set_unit(unit, number)
    return number


def _find_pair(context: ProjectContext, source: str, unit: str | None) -> Row | None:
    """The pair in force that is to be replaced, if there is one."""
    number = context.project.documents.unit(unit) if unit is not None else None
    if number is None:
        same = (match.id for match in context.project.engine.matches(source) if match.source == source)
        number = next(same, None)
    row = context.project.engine.correction(number) if number is not None else None
    return None if row is None or row.forgotten else row


@router.get("/import-jobs/{job}")
async def import_job(job: str, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The progress of an import; single pairs are learned when they are sent, so there is nothing to wait for."""
    if job.startswith(SINGLE):
        return answer({"id": job, "memory": 0, "size": 1, "progress": 1.0})
    found = server.jobs.find(job)
    check_role(identity, "read", found.project)
    if found.failure:
        raise found.failure
    return answer(_import_job(found))


def _name(server: ServerContext, identity: Identity, memory: str, role: str) -> str:
    """The name of a memory, given by name or number, in which an identity has a role."""
    found = find_memory(server, memory)
    if found is not None and (identity.has_role(role, found) or found in server.projects.reserved):
        return found
    if identity.has_role(role):
        raise ApiError(404, "no such memory", "see /memories")
    raise lacks_role(role, "in this memory")  # whether there is one or not


def _memory(project: ServedProject) -> dict[str, Any]:
    about = f"{project.source} to {project.target}"
    created = datetime.fromtimestamp(project.engine.path.stat().st_ctime, UTC)
    return _reserved(project.name) | {"description": about, "creationDate": created.isoformat(timespec="seconds")}


def _reserved(name: str) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"id": number_of(name), "name": name, "description": "no languages yet", "creationDate": now}
