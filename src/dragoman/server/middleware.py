"""What every request passes first: no requests from other sites, a rate for each client, bodies of bounded size.

The body of a request is read here, whole, before anything else happens; so no route can be held up by a slow one.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from contextlib import suppress
from time import monotonic

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.api_errors import ApiError, respond
from dragoman.server.auth import Authenticator, is_cross_site
from dragoman.server.limits import Limits, use_limits
from dragoman.server.observability import Metrics

UPLOAD = re.compile(r"/api/v1/projects/[^/]+/(imports|memory|glossary)|/hooks/file/[^/]+")
MEMORY = re.compile(r"(/modernmt)?/memories/[^/]+/content")  # ModernMT's, where a file is part of a form
# Those of LibreTranslate, where the key may be, too, and of DeepL
FILE = re.compile(r"(/libretranslate(/[^/]+)?)?/translate_file|(/deepl(/[^/]+)?)?/v2/document")
PIECE = 1 << 18  # bytes of a body that are parsed at a time
DRAINED, DRAINING_SECONDS = 16 << 20, 2.0  # how much of a rejected body is still read, so that the answer is seen
REMEMBERED = 10_000  # clients whose budgets are remembered


class Budget:
    """A token bucket: it fills up at a steady rate, up to a limit.

    >>> budget = Budget(rate=1, most=2)
    >>> [budget.take(now=10.0), budget.take(now=10.0), budget.take(now=10.0), budget.take(now=11.0)]
    [True, True, False, True]
    """

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._left, self._at = most, -1.0

    def take(self, now: float | None = None) -> bool:
        """Take one token, if there is one."""
        now = monotonic() if now is None else now
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Budgets:
    """The budgets of many clients; those not seen for longest are dropped."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._budgets: OrderedDict[str, Budget] = OrderedDict()

    def take(self, client: str) -> bool:
        """Take one token from a client's budget."""
        budget = self._budgets.pop(client, None) or Budget(self._rate, self._most)
        self._budgets[client] = budget
        while len(self._budgets) > REMEMBERED:
            self._budgets.popitem(last=False)
        return budget.take()


class LimitsMiddleware:
    """Passes on requests that are within the limits."""

    def __init__(self, app: ASGIApp, limits: Limits, auth: Authenticator, metrics: Metrics) -> None:
        self._app, self._limits, self._auth, self._metrics = app, limits, auth, metrics
        self._budgets = Budgets(limits.requests, limits.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then pass it on with its body, or reject it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
            body = await self._read(scope, receive) if scope["type"] == "http" else b""
        except ApiError as error:
            self._metrics.refused.labels(str(error.status)).inc()
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await respond(error, scope)(scope, receive, send)
            return
        with use_limits(self._limits):
            if scope["type"] == "http":
                await _while_connected(self._app, scope, body, receive, send)
            else:
                await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        if is_cross_site(scope):
            raise ApiError(403, "this request comes from a page of another site", "open the page from this server")
        if not self._budgets.take(self._auth.client(scope)):
            raise ApiError(429, "too many requests", "wait a second", headers={"Retry-After": "1"})

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body."""
        most = self._most(scope)
        too_large = ApiError(413, f"what was sent is larger than {most:,} bytes", "send less at once")
        try:
            if int(dict(scope["headers"]).get(b"content-length", b"0")) > most:
                await _drain(receive)
                raise too_large
        except ValueError:
            raise ApiError(400, "Content-Length is not a number") from None
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await _whole(receive, most)
        except TimeoutError:
            close = {"Connection": "close"}
            raise ApiError(408, "what was sent took too long to arrive", "try again", headers=close) from None
        if body is None:
            await _drain(receive)
            raise too_large
        return body

    def _most(self, scope: Scope) -> int:
        """Documents may be larger, but only from clients that are allowed in."""
        form = Headers(scope=scope).get("content-type", "").startswith("multipart/form-data")
        if UPLOAD.fullmatch(scope["path"]) or (form and MEMORY.fullmatch(scope["path"])):
            self._auth.identify(scope)
            return self._limits.upload
        if form and FILE.fullmatch(scope["path"]):
            with suppress(ApiError):
                self._auth.identify(scope)
                return self._limits.upload
        return self._limits.body


async def _whole(receive: Receive, most: int) -> bytes | None:
    """The whole body, None if it is too large; a truncated one is rejected, so that no half sentence is learned."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ApiError(400, "the connection closed before everything had arrived", "send it again")
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return bytes(body)


async def _while_connected(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Handle a request until its client disconnects: then what is waiting is not begun; what changes is finished."""
    gone, answered = asyncio.Event(), False

    async def answering(message: Message) -> None:
        nonlocal answered
        answered = message["type"] == "http.response.body" and not message.get("more_body")
        await send(message)

    working = asyncio.ensure_future(app(scope, _replay(body, gone), answering))
    watching = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
        if not working.done() and not answered:
            gone.set()
            working.cancel()
        with suppress(asyncio.CancelledError):
            await working
    finally:
        watching.cancel()
        working.cancel()


def _replay(body: bytes, gone: asyncio.Event) -> Receive:
    """A `receive` that delivers a body, in pieces between which others get their turn; then that the client is gone."""
    first: int | None = 0

    async def replay() -> Message:
        nonlocal first
        if first is None:
            await gone.wait()
            return {"type": "http.disconnect"}
        await asyncio.sleep(0)
        piece, after = body[first : first + PIECE], first + PIECE
        first = after if after < len(body) else None
        return {"type": "http.request", "body": piece, "more_body": first is not None}

    return replay


async def _disconnected(receive: Receive) -> None:
    """Return when the client has disconnected, which is all that can come after the body."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _drain(receive: Receive) -> None:
    """Read on for a while: a client that is cut off while sending does not read the answer."""
    with suppress(TimeoutError, ApiError):
        async with asyncio.timeout(DRAINING_SECONDS):
            await _whole(receive, DRAINED)
