"""Where other programs report what people have translated in them."""

from __future__ import annotations

import json
import time
from collections import Counter
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from dragoman.errors import BadInputError
from dragoman.formats.file_language import check_conflicts, check_language
from dragoman.formats.import_plan import ImportStep, carry_out, learnable, place_of_file, plan
from dragoman.server.api_errors import ApiError
from dragoman.server.bodies import takes_file
from dragoman.server.context import CanLearn, ProjectContext, Server, ServerContext
from dragoman.server.document_files import STEP
from dragoman.server.keys import Identity
from dragoman.server.registry import ServedProject
from dragoman.server.schemas import ERROR_RESPONSES
from dragoman.server.webhooks import LONGEST_ID
from dragoman.server.weblate_edits import Event, choose, learn_edits, read_event

router = APIRouter(prefix="/hooks", tags=["webhooks"], responses=ERROR_RESPONSES)
BODY: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "example": {
                    "change_id": 12,
                    "action": "Translation changed",
                    "source": ["Close the lid."],
                    "target": ["Cierre la tapa."],
                    "translation": "es",
                },
            }
        }
    }
}


FILE_BODY: dict[str, Any] = {
    "requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}


@router.post("/weblate", openapi_extra=BODY)
async def weblate(request: Request, server: Server) -> dict[str, Any]:
    """Learn what was translated in Weblate, in the project for its language: the URL for its Webhook add-on."""
    return await _weblate(request, server, None)


@router.post("/weblate/{project}", openapi_extra=BODY)
async def weblate_project(project: str, request: Request, server: Server) -> dict[str, Any]:
    """Learn what was translated in Weblate, in this project; translations to another language are left out."""
    return await _weblate(request, server, project)


async def _weblate(request: Request, server: ServerContext, name: str | None) -> dict[str, Any]:
    body = await request.body()
    identity = server.auth.identify_webhook(request.scope, body, time.time())
    event = read_event(_read(body), _message(request))
    if event is None or not event.edits:
        return {"ignored": "not a translation that a person has made"}
    context = await _context(server, identity, event, name)
    if context is None:
        return {"ignored": f"no project translates to {event.language}"}
    context.check_length(*(text for edit in event.edits for text in (edit.source, edit.target)))
    edits = [edit._replace(user=_author(server, edit.user, identity.name)) for edit in event.edits]
    found = await context.run_exclusive("learn", partial(learn_edits, context.project, edits))
    return dict(found)


def _author(server: ServerContext, claimed: str | None, sender: str | None) -> str | None:
    """Whom the journal names: nobody passes for the owner of another key by sending their name."""
    if claimed and claimed != sender and server.auth.owns_key(claimed):
        return f"{claimed} (via {sender})"
    return claimed or sender


@router.post("/file/{project}", openapi_extra=FILE_BODY)
@takes_file
async def file(
    context: CanLearn,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=1000, examples=["locale/es.po"])],
    translated: Annotated[bool, Query(description="also learn what nobody has confirmed")] = False,
    forget: Annotated[bool, Query(description="forget what this file has taught and no longer has")] = False,
) -> dict[str, int]:
    """Learn what is new in a file with translations, and revise what has changed since the file was last sent."""
    data = await request.body()
    try:
        check_conflicts(data)  # first: whatever reads the file stumbles over them
    except BadInputError as error:
        raise ApiError(400, error.what, error.remedy) from None
    await context.examine(data, PurePath(name).name)
    read = partial(_pairs, context.project, data, name, translated)
    pairs = await context.run("import", read)
    return await _import(context, name, pairs, forget=forget)


@router.delete("/file/{project}")
async def forget_file(
    context: CanLearn, name: Annotated[str, Query(min_length=1, max_length=1000, examples=["locale/es.po"])]
) -> dict[str, int]:
    """Forget what a file has taught, unless another one has it, too: the file was deleted."""
    return await _import(context, name, [], forget=True)


async def _import(context: ProjectContext, name: str, pairs: list[tuple[str, str]], *, forget: bool) -> dict[str, int]:
    place, engine = place_of_file(name), context.project.engine
    steps, counts, shared = await context.run("import", partial(plan, engine, pairs, place, forget=forget))
    await context.run_exclusive("import", partial(engine.places.note, place, shared))
    for first in range(0, len(steps), STEP):
        work = partial(_carry_out, context, steps[first : first + STEP], place)
        counts += await context.run_exclusive("import", work)
    return dict(counts)


def _pairs(project: ServedProject, data: bytes, name: str, translated: bool) -> list[tuple[str, str]]:
    try:
        document = project.read_file(data, PurePath(name).name)
        check_language(document, data, name.rpartition(":")[2], project.source, project.target)
    except BadInputError as error:
        raise ApiError(400, error.what, error.remedy) from None
    return learnable(document, translated=translated)


def _carry_out(context: ProjectContext, steps: list[ImportStep], place: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for step in steps:
        counts[carry_out(context.project.engine, step, place, context.user(None))] += 1
        if step.replaces is not None and not step.stays:  # segments that were confirmed with it become drafts
            context.project.documents.detach(step.replaces)
    return counts


def _read(body: bytes) -> dict[str, Any]:
    try:
        sent = json.loads(body)
        json.dumps(sent, ensure_ascii=False).encode()  # fails for half a surrogate pair, which JSON can contain
    except (ValueError, RecursionError):
        raise ApiError(400, "the body is not JSON", "send JSON in UTF-8") from None
    if not isinstance(sent, dict):
        raise ApiError(400, "the body is not a JSON object")
    return sent


def _message(request: Request) -> str:
    """The id of a delivery: it is the same when the delivery is repeated, unlike its time and signature."""
    message = request.headers.get("webhook-id", "")
    if len(message) > LONGEST_ID:
        raise ApiError(400, f"the header webhook-id has more than {LONGEST_ID} characters", "send a shorter one")
    if message:
        return f"weblate {message}"
    raise ApiError(400, "the header webhook-id is missing", "send webhooks as Standard Webhooks says")


async def _context(server: ServerContext, identity: Identity, event: Event, name: str | None) -> ProjectContext | None:
    if name:
        opened = [(await server.open_project(name, identity, "learn")).project]
    else:
        if server.state != "ready":
            raise ApiError(503, "the server is not ready yet", "try again in a moment", headers={"Retry-After": "1"})
        opened = [each for each in server.projects.opened() if identity.has_role("learn", each.name)]
    project = choose(event, opened)
    return None if project is None else await server.open_project(project.name, identity, "learn")
