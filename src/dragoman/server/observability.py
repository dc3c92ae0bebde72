"""Metrics for Prometheus, and the outermost layer: every request is timed and logged, every error is answered.

Logs with one JSON object per line. They never contain what people write: no text, no query, no error message.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
GONE = 499  # recorded, never sent: the client disconnected before there was an answer
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "WEBSOCKET"}

ByProject = Callable[[], Mapping[str, float]]  # a number for each project, taken when somebody looks


class Metrics(Collector):
    """Everything that a server counts, in a registry of its own: a process may run several servers."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._gauges: dict[str, tuple[str, ByProject]] = {}
        self._registry.register(self)
        self.http = Histogram(
            "dragoman_http_seconds",
            "Time to answer a request.",
            ("method", "route", "status"),
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.operations = Histogram(
            "dragoman_operation_seconds",
            "Time of an operation, including the wait for a thread.",
            ("operation",),
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.refused = Counter(
            "dragoman_refused_total", "Requests rejected, by reason.", ("reason",), registry=self._registry
        )
        self.stale = Counter(
            "dragoman_stale_total", "Prefixes skipped because a newer one had arrived.", registry=self._registry
        )
        self.projects_open = Gauge("dragoman_projects_open", "Projects that are open.", registry=self._registry)
        self.live_sessions = Gauge("dragoman_live_sessions", "Live sessions that are open.", registry=self._registry)

    def add_gauge(self, name: str, about: str, values: ByProject) -> None:
        """Export a number for each project."""
        self._gauges[name] = about, values

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The numbers of all projects, as they are now."""
        for name, (about, values) in self._gauges.items():
            family = GaugeMetricFamily(name, about, labels=["project"])
            for project, value in values().items():
                family.add_metric([project], value)
            yield family

    def text(self) -> str:
        """Everything, in the text format of Prometheus."""
        return generate_latest(self._registry).decode()


class ObservabilityMiddleware:
    """Times and logs every request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and record how it went."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        started, status, method = perf_counter(), 0, scope.get("method", "WEBSOCKET")

        async def recording(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = 101
            elif message["type"] == "websocket.close" and not status:
                status = 403
            await send(message)

        try:
            await self._app(scope, receive, recording)
        except Exception as error:
            log_failure("failed", error)
            if scope["type"] == "http" and not status:
                from dragoman.server.api_errors import ApiError, respond  # which logs what it cannot tell

                await respond(ApiError.internal(), scope)(scope, receive, recording)
        finally:
            status = status or GONE
            self._record(scope, method, status, perf_counter() - started)

    def _record(self, scope: Scope, method: str, status: int, seconds: float) -> None:
        """The endpoint is named, never the path: that may contain what people wrote."""
        method = method if method in METHODS else "OTHER"
        endpoint = scope.get("endpoint")
        route = f"{endpoint.__module__.rpartition('.')[2]}.{endpoint.__name__}" if endpoint else "none"
        if scope["type"] == "http":  # live sessions last as long as people work
            self._metrics.http.labels(method, route, str(status)).observe(seconds)
        key = scope.get("state", {}).get("key")
        log("request", method=method, route=route, status=status, ms=round(1e3 * seconds, 1), key=key)


PLACES = re.compile(
    r"""["'](?>[^"'/\\]*[/\\])[^"']*+["']|(?<![\w.])/[\w.+-]+(/[\w.+-]+)+|(?<=server at )"[^"]*"(, port \d+)?"""
)
LOGGER = logging.getLogger("dragoman.server")


def log(event: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event."""
    LOGGER.log(level, event, extra={"fields": fields})


def log_failure(event: str, error: BaseException, **fields: Any) -> None:
    """Log an unexpected error: its type and where it was raised, but not its message, which may quote a text."""
    places = [
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    LOGGER.error(event, extra={"fields": {**fields, "error": type(error).__name__, "places": places[-8:]}})


def without_places(message: str) -> str:
    """A message of the system or a database without the paths and hosts in it, which are nobody else's business.

    >>> without_places('cannot write: connection to server on socket "/run/pg/.s.PGSQL.5432" failed')
    'cannot write: connection to server on socket … failed'
    """
    return PLACES.sub("…", message)


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; of an exception, only its type."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": record.levelname.lower(), "event": record.getMessage()}
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line | getattr(record, "fields", {}), ensure_ascii=False)


def set_up(level: int = logging.INFO) -> None:
    """Send our log and uvicorn's to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name in ("dragoman.server", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level if name != "uvicorn" else max(level, logging.WARNING))
