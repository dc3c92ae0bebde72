"""What all WebSockets have in common: who may open one, how many at a time, how it is accepted, how fast it is read.

Messages of all sockets of a client count against one budget. Beyond it they are read later, which stops nobody's work:
whoever types does not come near it, and whoever sends as much as they can waits, instead of all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import WebSocket
from starlette.types import Message

from dragoman.server.context import ServerContext

POLICY_VIOLATION = 1008  # close code of a WebSocket
PAUSE = 0.1  # seconds after which a client whose budget is spent is looked at again


@asynccontextmanager
async def accepted(socket: WebSocket, server: ServerContext) -> AsyncIterator[bool]:
    """Accept a socket and count it while the block runs; False if its client has as many as it may."""
    client = server.auth.client(socket.scope)
    if server.live.get(client, 0) >= server.settings.limits.sessions:
        await socket.close(POLICY_VIOLATION)  # before it was accepted, so that the client sees status 403
        yield False
        return
    offered = socket.scope.get("subprotocols") or []
    server.live[client] = server.live.get(client, 0) + 1
    try:
        await socket.accept("dragoman" if "dragoman" in offered else None)
        yield True
    finally:
        server.live[client] -= 1
        if not server.live[client]:
            del server.live[client]


async def receive(socket: WebSocket, server: ServerContext) -> Message:
    """The next message, when its client may send one more."""
    message = await socket.receive()
    client = server.auth.client(socket.scope)
    while message["type"] != "websocket.disconnect" and not server.messages.take(client):
        await asyncio.sleep(PAUSE)
    return message
