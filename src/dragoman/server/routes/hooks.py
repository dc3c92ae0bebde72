"""Where other programs report what people have translated in them."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from dragoman.server.api_errors import ApiError
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.keys import Identity
from dragoman.server.schemas import ERROR_RESPONSES
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
    found = await context.run_exclusive("learn", partial(learn_edits, context.project, event.edits))
    return dict(found)


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
    if message := request.headers.get("webhook-id"):
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
