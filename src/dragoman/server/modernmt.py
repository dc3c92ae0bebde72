"""The interface of ModernMT. A memory is a project: adding to it learns, replacing in it revises.

ModernMT's memories have no languages; ours get theirs with the first pair, and until then are only a name.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.languages import same_language
from dragoman.server import asking, editing
from dragoman.server.access import Coming, check_role
from dragoman.server.answers import RefusedError
from dragoman.server.asking import Parameters, find, parameters, text_of, texts_of, visible
from dragoman.server.exchange import import_document
from dragoman.server.jobs import Job
from dragoman.server.keys import Visitor
from dragoman.server.languages import detect
from dragoman.server.projects import Opened, number_of
from dragoman.server.rooms import House, Room, TheHouse
from dragoman.store import Row

SINGLE = "00000000-0000-0000-0000-"  # so begins the id of a job that is one pair
TYPES = {400: "InvalidParameterException", 401: "AuthException", 403: "ForbiddenException", 404: "NotFoundException"}


def shape(refusal: RefusedError) -> Response:
    """An error as its clients expect it."""
    error = {"type": TYPES.get(refusal.status, "UnexpectedException"), "message": refusal.message}
    return JSONResponse({"status": refusal.status, "error": error}, refusal.status, headers=refusal.headers)


def _answer(data: Any) -> dict[str, Any]:
    return {"status": 200, "data": data}


router = APIRouter(tags=["ModernMT"])
Given = Annotated[Parameters, Depends(parameters)]


class Override:
    """Lets a POST stand for another method, as ModernMT's clients have it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app, self._prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the method in place that is meant."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"].startswith(self._prefix):
            wanted = dict(scope["headers"]).get(b"x-http-method-override", b"POST").decode("latin-1").upper()
            if wanted in ("GET", "PUT", "DELETE"):
                scope["method"] = wanted
        await self._app(scope, receive, send)


# ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/translate")
async def translate(given: Given, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """Translate a text or a list of texts; a memory that `hints` or `context_vector` name is asked first."""
    texts, several = texts_of(given, "q", house)
    target, hinted = text_of(given, "target"), _hinted(house, visitor, given)
    known = [each.source for each in visible(house, visitor) if same_language(each.target, target)]
    source = given.get("source") or detect(texts[0] if texts else "", known)[0]
    room = await _choose(house, visitor, str(source), target, hinted)
    wanted = asking.number_of(given, "alt_translations", house.settings.limits.nbest - 1)
    found = [await asking.translate_lines(room, text, 1 + wanted) for text in texts]
    common = {"billedCharacters": 0, "contextVector": given.get("context_vector")}
    if not given.get("source"):
        common["detectedLanguage"] = source
    answers = []
    for text, lines in zip(texts, found, strict=True):
        answers.append({"translation": asking.whole(lines), "characters": len(text)} | common)
        if wanted:
            answers[-1]["altTranslations"] = asking.alternatives(lines)[:wanted]
    return _answer(answers if several else answers[0])


def _hinted(house: House, visitor: Visitor, given: Parameters) -> list[Opened]:
    """The memories that are named: ids with commas between them, or `id:score` in a context vector."""
    named = f"{given.get('hints') or ''},{given.get('context_vector') or ''}".split(",")
    ids = [each.partition(":")[0].strip() for each in named if each.strip()]
    return [
        project for each in ids for project in visible(house, visitor) if each in (project.name, str(project.number))
    ]


async def _choose(house: House, visitor: Visitor, source: str, target: str, hinted: list[Opened]) -> Room:
    for project in hinted:
        if same_language(project.source, source) and same_language(project.target, target):
            return Room(house, project, visitor)
    return await find(house, visitor, source, target, "translate")


@router.get("/languages")
async def pairs(visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """The languages that are translated from, each with those it is translated into."""
    found: dict[str, list[str]] = {}
    for project in visible(house, visitor, "read"):
        if project.target not in found.setdefault(project.source, []):
            found[project.source].append(project.target)
    return _answer(found)


@router.get("/translate/languages")
async def languages(visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """All languages, without telling which is translated into which."""
    projects = visible(house, visitor, "read")
    return _answer(sorted({code for each in projects for code in (each.source, each.target)}))


@router.get("/translate/detect")
async def detect_language(given: Given, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """Guess the language of a text or of each text of a list."""
    texts, several = texts_of(given, "q", house)
    known = [code for each in visible(house, visitor, "read") for code in (each.source, each.target)]
    found = [{"detectedLanguage": detect(text, known)[0], "billedCharacters": 0} for text in texts]
    return _answer(found if several else found[0])


@router.get("/context-vector")
async def context_vector(given: Given, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """The memories that can translate into each of some languages; they are not told apart by what is in them."""
    source, targets = text_of(given, "source"), given.get("targets")
    listed = targets if isinstance(targets, list) else str(targets or "").split(",")
    vectors = {}
    for target in map(str, listed):
        projects = visible(house, visitor)
        fitting = [p for p in projects if same_language(p.source, source) and same_language(p.target, target)]
        if fitting:
            vectors[target] = ",".join(f"{project.number}:{1 / len(fitting):.2f}" for project in fitting)
    return _answer({"source": source, "vectors": vectors})


# ── Memories ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/memories")
async def list_memories(visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """The memories that the sender may look into."""
    found = [_memory(project) for project in visible(house, visitor, "read")]
    return _answer(found + [_promised(name) for name in house.projects.promised if visitor.may("read", name)])


@router.post("/memories")
async def create_memory(given: Given, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """Make a memory; it gets its languages with the first pair."""
    check_role(visitor, "admin")
    name = await house.workers.run("create", partial(house.projects.promise, text_of(given, "name")))
    return _answer(_promised(name))


@router.get("/memories/{memory}")
async def show_memory(memory: str, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """One memory."""
    name = _name(house, visitor, memory, "read")
    if name in house.projects.promised:
        return _answer(_promised(name))
    return _answer(_memory((await house.enter(name, visitor, "read")).project))


@router.delete("/memories/{memory}")
async def delete_memory(memory: str, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """Take a memory out of the server."""
    check_role(visitor, "admin")  # of the whole server, as in our own interface
    name = _name(house, visitor, memory, "admin")
    if name in house.projects.promised:
        await house.workers.run("delete", partial(house.projects.unpromise, name))
        return _answer(_promised(name))
    room = await house.enter(name, visitor, "admin")
    about = _memory(room.project)
    await house.delete(room)
    return _answer(about)


@router.post("/memories/{memory}/content")
async def add_content(memory: str, given: Given, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """Learn a pair, which with `tuid` can be replaced later; or all pairs of a file, `tmx`."""
    if "tmx" in given:
        return await _import(memory, given["tmx"], visitor, house)
    return await _content(memory, given, visitor, house, _learn)


@router.put("/memories/{memory}/content")
async def replace_content(memory: str, given: Given, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """Replace the translation of a pair: the one with this `tuid`, or else the newest of the same sentence."""
    return await _content(memory, given, visitor, house, _replace)


async def _import(memory: str, data: object, visitor: Visitor, house: House) -> dict[str, Any]:
    name = _name(house, visitor, memory, "learn")
    if name in house.projects.promised:
        raise RefusedError(400, "this memory has no languages yet", "add a pair first")
    if not isinstance(data, bytes):
        raise RefusedError(400, "the parameter 'tmx' is no file")
    room = await house.enter(name, visitor, "learn")
    work = partial(import_document, room, data, "memory.tmx", learn=True)
    return _answer(_import_job(house.jobs.start(Job("import", name), work)))


def _import_job(job: Job) -> dict[str, Any]:
    done = 1.0 if job.state == "done" else job.done / max(job.total, 1)
    return {"id": job.id, "memory": number_of(job.project), "size": job.total, "progress": done}


Edit = Callable[[Room, str, str, str | None], int]


async def _content(memory: str, given: Parameters, visitor: Visitor, house: House, edit: Edit) -> dict[str, Any]:
    name = _name(house, visitor, memory, "learn")
    source, target, unit = text_of(given, "source"), text_of(given, "target"), _unit(given)
    if name in house.projects.promised:
        await house.workers.run("create", partial(house.projects.keep, name, source, target))
    room = await house.enter(name, visitor, "learn")
    if not (same_language(source, room.project.source) and same_language(target, room.project.target)):
        what = f"this memory is for {room.project.source} to {room.project.target}"
        raise RefusedError(400, what, "name these languages, or another memory")
    texts = text_of(given, "sentence"), text_of(given, "translation")
    room.check_text(*texts)
    number = await room.change("learn", partial(edit, room, *texts, unit))
    job = {"id": f"{SINGLE}{number:012d}", "memory": room.project.number, "size": 1, "progress": 1.0}
    return _answer(job)


def _unit(given: Parameters) -> str | None:
    """The `tuid`, which may be a number; before anything is learned, as not every string of JSON can be kept."""
    if given.get("tuid") is None:
        return None
    unit = str(given["tuid"])
    try:
        unit.encode()
    except UnicodeEncodeError:
        raise RefusedError(400, "the parameter 'tuid' is no text") from None
    return unit


def _learn(room: Room, source: str, target: str, unit: str | None) -> int:
    number = room.project.engine.learn(source, target, user=room.user(None))
    if unit is not None:
        room.project.documents.set_unit(unit, number)
    return number


def _replace(room: Room, source: str, target: str, unit: str | None) -> int:
    row = _find_pair(room, source, unit)
    if row is None:
        return _learn(room, source, target, unit)
    if row.source != source:  # the unit has another sentence now
        number = _learn(room, source, target, unit)
        editing.forget(room.project, row.id, room.user(None))
        return number
    number = row.id if row.target == target else editing.revise(room.project, row.id, target, room.user(None))
    if unit is not None:
        room.project.documents.set_unit(unit, number)
    return number


def _find_pair(room: Room, source: str, unit: str | None) -> Row | None:
    """The pair in force that is to be replaced."""
    number = room.project.documents.unit(unit) if unit is not None else None
    if number is None:
        same = (match.id for match in room.project.engine.translate(source).matches if match.source == source)
        number = next(same, None)
    row = room.project.engine.correction(number) if number is not None else None
    return None if row is None or row.forgotten else row


@router.get("/import-jobs/{job}")
async def import_job(job: str, visitor: Coming, house: TheHouse) -> dict[str, Any]:
    """How far a file is; single pairs are learned when they are sent, and there is nothing to wait for."""
    if job.startswith(SINGLE):
        return _answer({"id": job, "memory": 0, "size": 1, "progress": 1.0})
    found = house.jobs.find(job)
    check_role(visitor, "read", found.project)
    if found.refusal:
        raise found.refusal
    return _answer(_import_job(found))


def _name(house: House, visitor: Visitor, memory: str, role: str) -> str:
    """The name of a memory, given by name or number, in which a visitor has a role."""
    names = [*house.projects.names(), *house.projects.promised]
    found = next((name for name in names if memory in (name, str(number_of(name)))), None)
    if found is None and visitor.may(role):
        raise RefusedError(404, "there is no such memory", "see /memories")
    check_role(visitor, role, found or memory)
    return found or memory


def _memory(project: Opened) -> dict[str, Any]:
    about = f"{project.source} to {project.target}"
    created = datetime.fromtimestamp(project.engine.path.stat().st_ctime, UTC)
    return _promised(project.name) | {"description": about, "creationDate": created.isoformat(timespec="seconds")}


def _promised(name: str) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"id": number_of(name), "name": name, "description": "no languages yet", "creationDate": now}
