"""What stands before all interfaces: size and speed of bodies, requests a second, and no requests from other sites.

The body of a request is read here, whole, before anything else happens; so no interface can be held up by a slow one.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from contextlib import suppress
from time import monotonic

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.access import Doorkeeper, is_foreign
from dragoman.server.answers import RefusedError, respond
from dragoman.server.metrics import Metrics
from dragoman.server.settings import Limits

UPLOAD = re.compile(r"/api/v1/projects/[^/]+/imports")
MEMORY = re.compile(r"(/modernmt)?/memories/[^/]+/content")  # ModernMT's, where a file is part of a form
DRAINED, DRAINING_SECONDS = 16 << 20, 2.0  # how much of a refused body is still read, so that the refusal is heard
KNOWN = 10_000  # visitors whose budgets are remembered


class Budget:
    """How much one visitor may still do: it fills up at a steady rate, up to a limit.

    >>> budget = Budget(rate=1, most=2)
    >>> [budget.take(now=10.0), budget.take(now=10.0), budget.take(now=10.0), budget.take(now=11.0)]
    [True, True, False, True]
    """

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._left, self._at = most, -1.0

    def take(self, now: float | None = None) -> bool:
        """Take one, if there is one."""
        now = monotonic() if now is None else now
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Budgets:
    """The budgets of many visitors; those not seen for longest are forgotten."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._budgets: OrderedDict[str, Budget] = OrderedDict()

    def take(self, who: str) -> bool:
        """Take one from somebody's budget."""
        budget = self._budgets.pop(who, None) or Budget(self._rate, self._most)
        self._budgets[who] = budget
        while len(self._budgets) > KNOWN:
            self._budgets.popitem(last=False)
        return budget.take()


class Gate:
    """Lets through what is within the limits."""

    def __init__(self, app: ASGIApp, limits: Limits, doorkeeper: Doorkeeper, metrics: Metrics) -> None:
        self._app, self._limits, self._doorkeeper, self._metrics = app, limits, doorkeeper, metrics
        self._budgets = Budgets(limits.requests, limits.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at a request, then pass it on with its body, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
            if scope["type"] == "http":
                receive = await self._read(scope, receive)
        except RefusedError as refusal:
            self._metrics.refused.add(str(refusal.status))
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await respond(refusal, scope)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        if is_foreign(scope):
            raise RefusedError(403, "this request comes from a page of another site", "open the page from this server")
        if not self._budgets.take(self._doorkeeper.who(scope)):
            raise RefusedError(429, "too many requests", "wait a second", headers={"Retry-After": "1"})

    async def _read(self, scope: Scope, receive: Receive) -> Receive:
        """The whole body, ready to be received at once; afterwards only the end of the connection is."""
        most = self._most(scope)
        try:
            if int(dict(scope["headers"]).get(b"content-length", b"0")) > most:
                await _drain(receive)
                raise RefusedError(413, f"the body is larger than {most:,} bytes", "send less at once")
        except ValueError:
            raise RefusedError(400, "the content-length is no number") from None
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await _whole(receive, most)
        except TimeoutError:
            raise RefusedError(
                408, "the body took too long to arrive", "try again", headers={"Connection": "close"}
            ) from None
        if body is None:
            await _drain(receive)
            raise RefusedError(413, f"the body is larger than {most:,} bytes", "send less at once")
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        return replay

    def _most(self, scope: Scope) -> int:
        """Documents may be larger, but only from those who may come in."""
        form = Headers(scope=scope).get("content-type", "").startswith("multipart/form-data")
        if UPLOAD.fullmatch(scope["path"]) or (form and MEMORY.fullmatch(scope["path"])):
            self._doorkeeper.visitor(scope)
            return self._limits.upload
        return self._limits.body


async def _whole(receive: Receive, most: int) -> bytes | None:
    """The whole body, None if it is too large; one that was cut off is refused, lest half a sentence is learned."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "the connection ended before the body", "send it again")
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return bytes(body)


async def _drain(receive: Receive) -> None:
    """Read on for a while: whoever is cut off while sending does not read the answer."""
    with suppress(TimeoutError, RefusedError):
        async with asyncio.timeout(DRAINING_SECONDS):
            await _whole(receive, DRAINED)
