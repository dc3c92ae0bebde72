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

from dragoman.editor import segment_edits
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import check_role, lacks_role
from dragoman.server.bodies import takes_form
from dragoman.server.compatible import modernmt_batches, modernmt_glossaries, modernmt_translations
from dragoman.server.compatible.call import Call, CurrentCall, Parameters, error_writer, fits, look_up, usable
from dragoman.server.compatible.modernmt_glossaries import (
    about,
    answer,
    check_may_create,
    delete,
    find_memory,
    own_reserved,
)
from dragoman.server.context import ProjectContext
from dragoman.server.document_files import import_document
from dragoman.server.jobs import Job
from dragoman.server.limits import DEFAULTS
from dragoman.server.registry import ServedProject, number_of
from dragoman.store import Row

SINGLE = "00000000-0000-0000-0000-"  # the id of a job that is a single pair begins like this
LONGEST_UNIT = 1000  # characters of a `tuid`
MYMEMORY = "x_mm-"  # ids of memories that MateCat has elsewhere begin like this
NAME, VERSION = "modernmt", ""
router = APIRouter(tags=["ModernMT"])
for part in (modernmt_translations, modernmt_batches, modernmt_glossaries):
    router.routes.extend(part.router.routes)
write_error = error_writer(modernmt_batches.error_content)


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
    return answer(_reserved(await call.run("create", reserve)))


@router.post("/memories/connect")
async def connect_memories(call: CurrentCall) -> dict[str, Any]:
    """The memories with some ids of another system; those that are no project share the one for their languages."""
    return answer([_reserved(each) for each in call.names("external_ids")])


@router.post("/memories/content")
@takes_form
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
        await call.run("delete", partial(server.projects.release, name))
        return answer(_reserved(name))
    context = await server.open_project(name, call.identity, "admin")
    about = _memory(context.project)
    await server.delete_project(context)
    return answer(about)


@router.post("/memories/{memory}/content")
@takes_form
async def add_content(memory: str, call: CurrentCall) -> dict[str, Any]:
    """Learn a pair, which can be replaced later by its `tuid`; or all pairs of a file, `tmx`."""
    memory = _own_id(call, memory)
    if "tmx" in call.given:
        return await _import(call, memory, await call.run("import", partial(_unpacked, call.given)))
    return await _content(call, memory, _learn)


@router.put("/memories/{memory}/content")
@takes_form
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
    return answer(import_status(context.start_job(Job("import", name, spooled=file, size=len(data)), work)))


def import_status(job: Job) -> dict[str, Any]:
    """How far an import is, as ModernMT says it."""
    done = 1.0 if job.state == "done" else min(0.99, job.done / max(job.total, 1))  # read, but not all learned
    return {"id": job.id, "memory": number_of(job.project), "size": job.total, "progress": done}


Edit = Callable[[ProjectContext, str, str, str | None], int]


async def _content(call: Call, memory: str, edit: Edit) -> dict[str, Any]:
    server, name = call.server, _name(call, memory, "learn")
    source, target, unit = call.text("source"), call.text("target"), _unit(call.given)
    if name in server.projects.reserved:
        check_role(call.identity, "admin")  # it becomes a project now
        await call.run("create", partial(server.projects.create_reserved, name, source, target))
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
    if len(unit) > LONGEST_UNIT:
        raise ApiError(400, f"parameter 'tuid' has more than {LONGEST_UNIT} characters", "choose a shorter one")
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
    return answer(import_status(found))


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
