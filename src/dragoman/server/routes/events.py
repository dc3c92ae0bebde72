"""Push: whoever has a document open is told what others do in it, and who they are, over a WebSocket.

    ←  {"event": "hello", "you": "5f2b", "people": [{"id": "5f2b", "user": "ana", "segment": null}]}
    →  {"segment": 5}                                        I am at this segment now
    ←  {"event": "people", "people": […]}                    to everybody, whenever somebody comes, goes or moves
    ←  {"event": "segment", "segment": {…}, "by": "bo"}      a segment was changed

If the key is revoked or the project deleted, the session is closed at the next event.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from typing import Annotated

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import Field, ValidationError

from dragoman.editor.document_feed import DocumentViewer
from dragoman.editor.message import LARGEST, Sent, User
from dragoman.editor.refusal import Refusal
from dragoman.errors import DragomanError
from dragoman.server.context import ProjectContext, server_context
from dragoman.server.middleware import TokenBucket
from dragoman.server.sockets import POLICY_VIOLATION, accepted, receive

router = APIRouter()


class Presence(Sent):
    """Where somebody is; without keys, also who they are."""

    segment: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    user: User | None = None


@router.websocket("/api/v1/projects/{project}/documents/{document}/events")
async def events(socket: WebSocket, project: str, document: int) -> None:
    """The events of a document, as described at the head of this file."""
    server = server_context(socket)
    try:
        identity = server.auth.identify(socket.scope)
        context = await server.open_project(project, identity, "read")
        await context.run("documents", partial(context.project.documents.document, document), lane="quick")
    except (DragomanError, Refusal):
        await socket.close(POLICY_VIOLATION)  # before it was accepted, so that the client sees status 403
        return
    async with accepted(socket, server) as may_listen:
        if may_listen:
            with server.feed.listening(project, document, identity.name) as listener:
                await _run(socket, context, document, listener)


async def _run(socket: WebSocket, context: ProjectContext, document: int, listener: DocumentViewer) -> None:
    """Listen and tell, until the client disconnects or may no longer listen."""
    both = [
        asyncio.create_task(_listen(socket, context, document, listener)),
        asyncio.create_task(_tell(socket, context, listener)),
    ]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in both:
            task.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await task
        with suppress(WebSocketDisconnect, RuntimeError):  # it is closed already
            await socket.close(POLICY_VIOLATION)


async def _listen(socket: WebSocket, context: ProjectContext, document: int, listener: DocumentViewer) -> None:
    limits = context.server.settings.limits
    budget = TokenBucket(limits.messages, limits.message_burst)
    while True:
        message = await receive(socket, context.server)
        if message["type"] == "websocket.disconnect" or not budget.take():
            return
        try:
            said = Presence.model_validate_json(message.get("text") or message.get("bytes") or b"")
        except ValidationError:
            listener.tell({"event": "error", "what": "not understood", "remedy": "send where you are: a segment"})
            continue
        listener.segment = said.segment
        listener.user = context.user(said.user or listener.user)
        context.server.feed.show_people(context.project.name, document)


async def _tell(socket: WebSocket, context: ProjectContext, listener: DocumentViewer) -> None:
    while True:
        event = await listener.events.get()
        try:
            identity = context.server.auth.identify(socket.scope)
            await context.server.open_project(context.project.name, identity, "read")
        except (DragomanError, Refusal):
            return
        await socket.send_text(json.dumps(event, ensure_ascii=False))
        if event["event"] == "deleted":
            return
