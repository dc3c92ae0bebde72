"""The outermost layer: every request is timed and gets a line in the log, and no error gets past it unanswered."""

from __future__ import annotations

from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.answers import RefusedError, respond
from dragoman.server.logs import log, log_failure
from dragoman.server.metrics import Metrics

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "WEBSOCKET"}


class Observer:
    """Times and logs what passes through."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note how it went."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        started, status, method = perf_counter(), 0, scope.get("method", "WEBSOCKET")

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = 101
            elif message["type"] == "websocket.close" and not status:
                status = 403
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as error:
            log_failure("failed", error)
            if scope["type"] == "http" and not status:
                refusal = RefusedError(500, "something went wrong inside the server", "see its log")
                await respond(refusal, scope)(scope, receive, noting)
        finally:
            self._note(scope, method, status, perf_counter() - started)

    def _note(self, scope: Scope, method: str, status: int, seconds: float) -> None:
        """What answered is named, never the path: what people write may be in it."""
        method = method if method in METHODS else "OTHER"
        endpoint = scope.get("endpoint")
        route = f"{endpoint.__module__.rpartition('.')[2]}.{endpoint.__name__}" if endpoint else "none"
        if scope["type"] == "http":  # live sessions last as long as people work
            self._metrics.http.observe(seconds, method, route, str(status))
        visitor = scope.get("state", {}).get("visitor")
        log("request", method=method, route=route, status=status, ms=round(1e3 * seconds, 1), key=visitor)
