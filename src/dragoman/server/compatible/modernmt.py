"""The API of ModernMT. A memory is a project: adding to it learns, replacing in it revises.

ModernMT's memories have no languages; ours get theirs with the first pair, and until then are only a reserved name.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fastapi import APIRouter
from rapidfuzz.distance import Levenshtein
from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.editor import segment_edits
from dragoman.languages import same_language
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity, check_role, lacks_role
from dragoman.server.compatible import modernmt_glossaries
from dragoman.server.compatible.call import Call, CallPart, CurrentCall, alternatives, by_part, error_writer, fits
from dragoman.server.compatible.glossary_access import listed_terms, look_up, usable
from dragoman.server.compatible.modernmt_glossaries import (
    about,
    answer,
    check_may_create,
    delete,
    find_memory,
    own_reserved,
)
from dragoman.server.compatible.parameters import Parameters, unlist
from dragoman.server.context import ProjectContext
from dragoman.server.document_files import import_document
from dragoman.server.jobs import Job
from dragoman.server.limits import DEFAULTS
from dragoman.server.registry import ServedProject, number_of
from dragoman.store import Row
from dragoman.text.identification import detect
from dragoman.types import Translation

SINGLE = "00000000-0000-0000-0000-"  # the id of a job that is a single pair begins like this
TYPES = {400: "InvalidParameterException", 401: "AuthException", 403: "ForbiddenException", 404: "NotFoundException"}
MYMEMORY = "x_mm-"  # ids of memories that MateCat has elsewhere begin like this
router = APIRouter(tags=["ModernMT"])
router.routes.extend(modernmt_glossaries.router.routes)


def _error(error: ApiError) -> dict[str, Any]:
    about = {"type": TYPES.get(error.status, "UnexpectedException"), "message": error.message}
    return {"status": error.status, "error": about}


write_error = error_writer(_error)


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
async def translate(call: CurrentCall) -> dict[str, Any]:
    """Translate a text or a list of texts, preferably with the memory that `hints` or `context_vector` names."""
    texts, was_list = call.texts("q")
    source, target = str(call.given.get("source") or ""), call.text("target")
    parts = await _parts(call, texts, source, target)
    if parts is None:
        return answer(unlist([{"translation": text, "characters": len(text)} for text in texts], was_list))
    wanted = call.number("alt_translations", call.server.settings.limits.nbest - 1)
    common = {"billedCharacters": 0, "contextVector": call.given.get("context_vector")}

    async def translated(part: CallPart, some: list[str]) -> list[dict[str, Any]]:
        told = common if source else common | {"detectedLanguage": part.source}
        terms = listed_terms(call, part.source, target)
        made = await call.translate(part.context, some, 1 + wanted, terms)
        return [_translation(text, each, told, wanted) for text, each in zip(some, made, strict=True)]

    return answer(unlist(await by_part(parts, texts, translated), was_list))


def _translation(text: str, found: Translation, about: dict[str, Any], wanted: int) -> dict[str, Any]:
    made = {"translation": found.text, "characters": len(text)} | about
    return made | ({"altTranslations": alternatives(found, wanted)} if wanted else {})


async def _parts(call: Call, texts: list[str], source: str, target: str) -> list[CallPart] | None:
    """The texts by project: in one of the memories that are named, if it fits."""
    hinted = [project for project in _hinted(call) if same_language(project.target, target)]
    guessed = source or (detect(texts[0] if texts else "", [each.source for each in hinted])[0] if hinted else "")
    for project in hinted:
        if guessed and same_language(project.source, guessed):
            return [CallPart(ProjectContext(call.server, project, call.identity), guessed, list(range(len(texts))))]
    return await call.find_parts(texts, guessed, target)


def _hinted(call: Call) -> list[ServedProject]:
    """The memories that are named: ids separated by commas, or `id:score` in a context vector."""
    ids = [each.partition(":")[0].strip() for each in call.names("hints") + call.names("context_vector")]
    return [each for wanted in ids for each in call.visible() if wanted in (each.name, str(each.number))]


@router.get("/languages")
async def pairs(call: CurrentCall) -> dict[str, Any]:
    """The source languages, each with its target languages."""
    found: dict[str, list[str]] = {}
    for project in call.visible("read"):
        if project.target not in found.setdefault(project.source, []):
            found[project.source].append(project.target)
    return answer(found)


@router.get("/translate/languages")
async def languages(call: CurrentCall) -> dict[str, Any]:
    """All languages, whether source or target."""
    return answer(sorted({code for each in call.visible("read") for code in (each.source, each.target)}))


@router.get("/translate/detect")
async def detect_language(call: CurrentCall) -> dict[str, Any]:
    """Guess the language of a text or of each text of a list."""
    texts, was_list = call.texts("q")
    known = [code for each in call.visible("read") for code in (each.source, each.target)]
    found = [{"detectedLanguage": detect(text, known)[0], "billedCharacters": 0} for text in texts]
    return answer(unlist(found, was_list))


@router.get("/translate/qe")
async def quality(call: CurrentCall) -> dict[str, Any]:
    """How good translations are: how near each is, in words, to what would be suggested here, from 0 to 1."""
    sentences, was_list = call.texts("sentence")
    translations, _ = call.texts("translation")
    if len(sentences) != len(translations):
        raise ApiError(400, "there must be as many translations as sentences")
    context = await call.find_project(call.text("source"), call.text("target"))
    found = await call.translate(context, sentences, withhold=False)  # only compared
    scores = [
        Levenshtein.normalized_similarity(one.text.split(), other.split())
        for one, other in zip(found, translations, strict=True)
    ]
    return answer(unlist([{"score": round(score, 3)} for score in scores], was_list))


@router.post("/translate/batch")
async def batch(identity: CurrentIdentity) -> dict[str, Any]:
    """Refused: results are not sent to addresses that a client names, since those may be inside the network."""
    del identity
    raise ApiError(400, "webhooks are not called", "send the texts to /translate as a list: they are asked in batches")


@router.get("/context-vector")
async def context_vector(call: CurrentCall) -> dict[str, Any]:
    """The memories for each of some target languages, all with the same weight: their content is not compared."""
    source, vectors = call.text("source"), {}
    for target in call.names("targets"):
        if fitting := call.fitting(source, target):
            vectors[target] = ",".join(f"{project.number}:{1 / len(fitting):.2f}" for project in fitting)
    return answer({"source": source, "vectors": vectors})


# ── Memories ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/memories")
async def list_memories(call: CurrentCall) -> dict[str, Any]:
    """The memories that this key may read."""
    found = [_memory(project) for project in call.visible("read")]
    found += [_reserved(name) for name in own_reserved(call)]
    return answer(found + [about(each) for each in usable(call)])


@router.post("/memories")
async def create_memory(call: CurrentCall) -> dict[str, Any]:
    """Create a memory, which gets its languages with the first pair or a glossary; the same name is the same memory."""
    check_may_create(call)
    title, server = call.text("name"), call.server
    if known := next((each for each in usable(call) if each.name == title), None):
        return answer(about(known))
    sees_all = call.identity.has_role("admin")
    reserve = partial(server.projects.reserve, title, call.identity.client, sees_all=sees_all)
    return answer(_reserved(await server.workers.run("create", reserve)))


@router.post("/memories/connect")
async def connect_memories(call: CurrentCall) -> dict[str, Any]:
    """The memories with some ids of another system; those that are no project share the one for their languages."""
    return answer([_reserved(each) for each in call.names("external_ids")])


@router.post("/memories/content")
async def add_to_memories(call: CurrentCall) -> dict[str, Any]:
    """Learn a pair in several memories, once in each project that they are."""
    found = [_known_or_shared(call, each) for each in call.names("memories") or [""]]
    answers = [await _content(call, memory, _learn) for memory in dict.fromkeys(filter(None, found))]
    if not answers:
        raise ApiError(404, "no such memory", "see /memories")
    return answers[0]


def _known_or_shared(call: Call, memory: str) -> str | None:
    """A memory, or for the id of another system the first project that learns between these languages."""
    if (name := find_memory(call, memory)) and call.identity.has_role("learn", name):
        return name
    fitting = call.fitting(call.text("source"), call.text("target"), "learn")
    return fitting[0].name if fitting else None


@router.get("/memories/{memory}")
async def show_memory(memory: str, call: CurrentCall) -> dict[str, Any]:
    """One memory."""
    if glossary := look_up(call, memory):
        return answer(about(glossary))
    name = _name(call, memory, "read")
    if name in call.server.projects.reserved:
        return answer(_reserved(name))
    return answer(_memory((await call.server.open_project(name, call.identity, "read")).project))


@router.delete("/memories/{memory}")
async def delete_memory(memory: str, call: CurrentCall) -> dict[str, Any]:
    """Remove a memory from the server."""
    if glossary := look_up(call, memory):
        return answer(await delete(call, glossary))
    server, reserved = call.server, find_memory(call, memory) in call.server.projects.reserved
    if not reserved:
        check_role(call.identity, "admin")  # on the whole server, as in our own API
    name = _name(call, memory, "read" if reserved else "admin")
    if name in server.projects.reserved:
        await server.workers.run("delete", partial(server.projects.release, name))
        return answer(_reserved(name))
    context = await server.open_project(name, call.identity, "admin")
    about = _memory(context.project)
    await server.delete_project(context)
    return answer(about)


@router.post("/memories/{memory}/content")
async def add_content(memory: str, call: CurrentCall) -> dict[str, Any]:
    """Learn a pair, which can be replaced later by its `tuid`; or all pairs of a file, `tmx`."""
    memory = _own_id(call, memory)
    if "tmx" in call.given:
        return await _import(call, memory, _unpacked(call.given))
    return await _content(call, memory, _learn)


@router.put("/memories/{memory}/content")
async def replace_content(memory: str, call: CurrentCall) -> dict[str, Any]:
    """Replace the translation of a pair: the one with this `tuid`, or else the newest with the same sentence."""
    return await _content(call, _own_id(call, memory), _replace)


def _own_id(call: Call, memory: str) -> str:
    """The id of a memory; for one that MateCat has elsewhere, that of the project with its languages."""
    return (_known_or_shared(call, memory) or memory) if memory.startswith(MYMEMORY) else memory


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


async def _import(call: Call, memory: str, data: object) -> dict[str, Any]:
    server, name = call.server, _name(call, memory, "learn")
    if name in server.projects.reserved:
        raise ApiError(400, "this memory has no languages yet", "add a pair first")
    if not isinstance(data, bytes):
        raise ApiError(400, "parameter 'tmx' must be a file")
    context = await server.open_project(name, call.identity, "learn")
    server.jobs.check(name, call.identity.client)
    file = await context.run("import", partial(server.jobs.files.spool, data, call.identity.client))
    work = partial(import_document, context, file, "memory.tmx", learn=True)
    return answer(_import_job(context.start_job(Job("import", name, spooled=file, size=len(data)), work)))


def _import_job(job: Job) -> dict[str, Any]:
    done = 1.0 if job.state == "done" else job.done / max(job.total, 1)
    return {"id": job.id, "memory": number_of(job.project), "size": job.total, "progress": done}


Edit = Callable[[ProjectContext, str, str, str | None], int]


async def _content(call: Call, memory: str, edit: Edit) -> dict[str, Any]:
    server, name = call.server, _name(call, memory, "learn")
    source, target, unit = call.text("source"), call.text("target"), _unit(call.given)
    if name in server.projects.reserved:
        check_role(call.identity, "admin")  # it becomes a project now
        await server.workers.run("create", partial(server.projects.create_reserved, name, source, target))
    context = await server.open_project(name, call.identity, "learn")
    if not fits(context.project, source, target):
        what = f"this memory translates {context.project.source} to {context.project.target}"
        raise ApiError(400, what, "use these languages, or another memory")
    texts = call.text("sentence"), call.text("translation")
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
        segment_edits.forget(context.project, row.id, context.user(None))
        return number
    number = (
        row.id if row.target == target else segment_edits.revise(context.project, row.id, target, context.user(None))
    )
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
async def import_job(job: str, call: CurrentCall) -> dict[str, Any]:
    """The progress of an import; single pairs are learned when they are sent, so there is nothing to wait for."""
    if job.startswith(SINGLE):
        return answer({"id": job, "memory": 0, "size": 1, "progress": 1.0})
    found = call.server.jobs.find(job)
    check_role(call.identity, "read", found.project)
    if found.failure:
        raise found.failure
    return answer(_import_job(found))


def _name(call: Call, memory: str, role: str) -> str:
    """The name of a memory, given by name or number, in which the caller has a role."""
    found = find_memory(call, memory)
    if found is not None and (call.identity.has_role(role, found) or found in call.server.projects.reserved):
        return found
    if call.identity.has_role(role):
        raise ApiError(404, "no such memory", "see /memories")
    raise lacks_role(role, "in this memory")  # whether there is one or not


def _memory(project: ServedProject) -> dict[str, Any]:
    about = f"{project.source} to {project.target}"
    created = datetime.fromtimestamp(project.engine.path.stat().st_ctime, UTC)
    return _reserved(project.name) | {"description": about, "creationDate": created.isoformat(timespec="seconds")}


def _reserved(name: str) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"id": number_of(name), "name": name, "description": "no languages yet", "creationDate": now}
