"""What all WebSockets have in common: who may open one, how many at a time, and how it is accepted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import WebSocket

from dragoman.server.context import ServerContext

POLICY_VIOLATION = 1008  # close code of a WebSocket


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
