"""What every request passes first: no requests from other sites, a rate for each client, bodies of bounded size.

The head of a request decides whether its body is read at all (`bodies`). Then it is read here, whole, before anything
else happens; so no route can be held up by a slow one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from time import monotonic
from urllib.parse import urlsplit, urlunsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.editor.bounds import use_bounds
from dragoman.server.api_errors import ApiError, respond
from dragoman.server.auth import Authenticator, is_cross_site
from dragoman.server.bodies import STATE, Bodies, Body, BodyBudget
from dragoman.server.limits import Limits
from dragoman.server.observability import Metrics

DRAINING = 8  # rejected bodies that are still read at a time
DRAINED, DRAINING_SECONDS = 16 << 20, 2.0  # how much of a rejected body is still read, so that the answer is seen
MONITORING = ("/health", "/ready")  # which must be answered however busy everybody is
REMEMBERED = 10_000  # clients whose budgets are remembered


class TokenBucket:
    """A token bucket: it fills up at a steady rate, up to a limit.

    >>> budget = TokenBucket(rate=1, most=2)
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
        self._budgets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, client: str) -> bool:
        """Take one token from a client's budget."""
        budget = self._budgets.pop(client, None) or TokenBucket(self._rate, self._most)
        self._budgets[client] = budget
        while len(self._budgets) > REMEMBERED:
            self._budgets.popitem(last=False)
        return budget.take()


class OwnRedirects:
    """Lets redirects, from a path with a slash too many, name no host: anybody can write any Host into a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; of the address that an answer redirects to, only its path is sent."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
                headers = MutableHeaders(scope=message)
                if "location" in headers:
                    parts = urlsplit(headers["location"])
                    headers["location"] = urlunsplit(("", "", f"/{parts.path.lstrip('/')}", parts.query, ""))
            await send(message)

        await self._app(scope, receive, sending if scope["type"] == "http" else send)


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


class LimitsMiddleware:
    """Passes on requests that are within the limits."""

    def __init__(self, app: ASGIApp, limits: Limits, auth: Authenticator, metrics: Metrics, bodies: Bodies) -> None:
        self._app, self._limits, self._auth, self._metrics = app, limits, auth, metrics
        self._budgets = Budgets(limits.requests, limits.burst)
        self._bodies = bodies
        self._draining = 0  # rejected bodies that are still read

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then pass it on with its body, or reject it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
            body = await self._read(scope, receive) if scope["type"] == "http" else None
        except ApiError as error:
            self._metrics.refused.labels(str(error.status)).inc()
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await respond(error, scope)(scope, receive, send)
            return
        with use_bounds(self._limits):
            if body is None:
                await self._app(scope, receive, send)
                return
            scope.setdefault("state", {})[STATE] = body
            try:
                await _while_connected(self._app, scope, body, receive, send)
            finally:
                body.close()

    def _check(self, scope: Scope) -> None:
        if is_cross_site(scope):
            raise ApiError(403, "this request comes from a page of another site", "open the page from this server")
        if scope["path"] not in MONITORING and not self._budgets.take(self._auth.client(scope)):
            raise ApiError(429, "too many requests", "wait a second", headers={"Retry-After": "1"})

    async def _read(self, scope: Scope, receive: Receive) -> Body:
        """The whole body, of somebody who may send it."""
        length = _length(scope)
        if length == 0:
            return Body(BodyBudget(0, 0), "")
        try:
            admission = self._bodies.admit(scope)
        except ApiError:
            await self._drain(receive)
            raise
        body = self._bodies.begin(admission)
        try:
            await self._receive(body, receive, length, admission.most)
        except BaseException:
            body.close()
            raise
        return body

    async def _drain(self, receive: Receive) -> None:
        """Read on for a while: a client that is cut off while sending does not read the answer; but only for a few."""
        if self._draining >= DRAINING:
            return
        left, self._draining = DRAINED, self._draining + 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAINING_SECONDS):
                    while left > 0:
                        message = await receive()
                        left -= len(message.get("body", b"")) or 1
                        if not message.get("more_body"):
                            return
        finally:
            self._draining -= 1

    async def _receive(self, body: Body, receive: Receive, length: int | None, most: int) -> None:
        too_large = ApiError(413, f"what was sent is larger than {most:,} bytes", "send less at once")
        if (length or 0) > most:
            await self._drain(receive)
            raise too_large
        body.count(length or 0)
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                fits = await self._bodies.read(body, receive, most)
        except TimeoutError:
            close = {"Connection": "close"}
            raise ApiError(408, "what was sent took too long to arrive", "try again", headers=close) from None
        if not fits:
            await self._drain(receive)
            raise too_large


def _length(scope: Scope) -> int | None:
    """The length that the head of a request announces; 0 if there is no body, None if it does not say."""
    headers = dict(scope["headers"])
    if b"content-length" not in headers:
        return None if b"transfer-encoding" in headers else 0
    try:
        return int(headers[b"content-length"])
    except ValueError:
        raise ApiError(400, "Content-Length is not a number") from None


async def _while_connected(app: ASGIApp, scope: Scope, body: Body, receive: Receive, send: Send) -> None:
    """Handle a request until its client disconnects: then what is waiting is not begun; what changes is finished."""
    gone, answered = asyncio.Event(), False

    async def answering(message: Message) -> None:
        nonlocal answered
        answered = message["type"] == "http.response.body" and not message.get("more_body")
        await send(message)

    working = asyncio.ensure_future(app(scope, body.replay(gone), answering))
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


async def _disconnected(receive: Receive) -> None:
    """Return when the client has disconnected, which is all that can come after the body."""
    while (await receive())["type"] != "http.disconnect":
        pass
