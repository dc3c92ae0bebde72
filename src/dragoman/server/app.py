"""The application: middleware outside, routes inside, the projects behind them."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from typing import Any

import anyio.to_thread
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from dragoman import __version__
from dragoman.editor.bounds import use_bounds
from dragoman.editor.refusal import Refusal
from dragoman.errors import DragomanError
from dragoman.server.api_errors import Formats, handle
from dragoman.server.auth import Authenticator
from dragoman.server.bodies import Bodies, Need, needs_of
from dragoman.server.compatible import apertium, chat, deepl, libretranslate, modernmt, moses, opus_cat
from dragoman.server.config import Settings
from dragoman.server.context import ServerContext
from dragoman.server.jobs import Jobs
from dragoman.server.middleware import LimitsMiddleware, MethodOverride, OwnRedirects
from dragoman.server.observability import Metrics, ObservabilityMiddleware, log, log_failure
from dragoman.server.registry import ProjectRegistry, ServedProject
from dragoman.server.routes import (
    bilingual,
    checks,
    corrections,
    documents,
    effort,
    engines,
    events,
    exchange,
    glossaries,
    health,
    hooks,
    identity,
    live,
    memories,
    merges,
    preview,
    progress,
    projects,
    segments,
    statistics,
    team,
    translations,
    workbench,
)
from dragoman.server.routes import (
    settings as project_settings,
)
from dragoman.server.session_memory import SessionMemory
from dragoman.server.startup import Startup
from dragoman.server.workers import Workers

ROUTES = (
    *(identity, projects, project_settings, translations, corrections, glossaries, statistics, documents, segments),
    *(checks, team, merges, effort, engines, progress, exchange, bilingual, memories, preview, live, events),
    *(hooks, workbench, moses),
)
COMPATIBLE = (libretranslate, modernmt, apertium, deepl, chat, opus_cat)
LEAVING = 4.0  # seconds for jobs and projects to end in, after requests have had theirs
CONFIRMING = 5.0  # seconds between checks whether another server has taken over
ABOUT = """Translates, learns from corrections at once, and completes what people type.

Errors are answered with `{"error": {"what": …, "remedy": …}}`. Live sessions, over a WebSocket at
`/api/v1/projects/{project}/live`, are described in docs/use/live.md. The APIs of LibreTranslate, ModernMT, DeepL,
Apertium APy, mosesserver, OPUS-CAT and OpenAI's chats are for programs that already speak them."""


class DragomanApp(FastAPI):
    """FastAPI with our limits in its OpenAPI schema."""

    def openapi(self) -> dict[str, Any]:
        """The schema, with the limits of this app."""
        context: ServerContext = self.state.context
        with use_bounds(context.settings.limits):
            return super().openapi()


def create_app(settings: Settings, registry: ProjectRegistry | None = None, startup: Startup | None = None) -> FastAPI:
    """The application; the projects of the settings are opened when it starts, unless a registry is given."""
    metrics = Metrics()
    context = ServerContext(
        settings=settings,
        projects=registry or ProjectRegistry(settings.paths, settings.follow),
        auth=Authenticator(settings),
        metrics=metrics,
        workers=Workers(metrics, settings.limits),
        jobs=Jobs(settings.limits),
        session_memory=SessionMemory(settings.limits),
        startup=startup or Startup(),
    )
    app = DragomanApp(
        title="dragoman",
        version=__version__,
        description=ABOUT,
        lifespan=_lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # the page would load its scripts from another site
        redoc_url=None,
    )
    app.state.context, app.state.error_formats = context, _error_formats(settings)
    _add_gauges(context)
    _add_error_handlers(app)
    needs = _add_routes(app, settings)
    app.add_middleware(MethodOverride, prefix="/" if settings.root == "modernmt" else "/modernmt")
    app.add_middleware(OwnRedirects)
    bodies = Bodies(settings.limits, context.auth, context.jobs.files, needs)
    app.add_middleware(LimitsMiddleware, limits=settings.limits, auth=context.auth, metrics=metrics, bodies=bodies)
    app.add_middleware(ObservabilityMiddleware, metrics=metrics)
    return app


def _add_routes(app: FastAPI, settings: Settings) -> list[Need]:
    """All APIs under their prefixes, and one of the compatible ones at the root if the settings say so."""
    mounted: list[tuple[str, APIRouter]] = []

    def include(router: APIRouter, prefix: str = "", *, shown: bool = True) -> None:
        app.include_router(router, prefix=prefix, include_in_schema=shown)
        mounted.append((prefix, router))

    for each in ROUTES:
        include(each.router)
    for module in COMPATIBLE:
        include(module.router, f"/{module.NAME}{module.VERSION}")
        if module is not modernmt:  # which has memories to choose a project by
            include(module.router, f"/{module.NAME}/{{project}}{module.VERSION}", shown=False)
        if module.VERSION or settings.root == module.NAME:
            include(module.router, module.VERSION, shown=False)
    for prefix in ("/v3", "/deepl/v3", "/deepl/{project}/v3"):
        include(deepl.newer, prefix, shown=prefix == "/deepl/v3")
    include(health.router)
    return needs_of(mounted)


def _error_formats(settings: Settings) -> Formats:
    """How errors are written by the compatible APIs."""
    formats: Formats = [(re.compile("/v3(/|$)"), deepl.write_error)]
    for module in COMPATIBLE:
        formats.append((re.compile(f"/{module.NAME}(/|$)"), module.write_error))
        if module.VERSION:
            formats.append((re.compile(f"{module.VERSION}(/|$)"), module.write_error))
        elif settings.root == module.NAME:
            formats += [(compile_path(route.path)[0], module.write_error) for route in module.router.routes]
    return formats


def leave_in_time() -> None:
    """End this process soon, whatever is still running in it: what was acknowledged is on disk."""
    watchdog = threading.Timer(LEAVING, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open projects and compile while already listening; on stopping, finish what is being learned, then close."""
    context: ServerContext = app.state.context
    threading.Thread(target=_warm_up, args=(app, context), daemon=True).start()
    await anyio.to_thread.run_sync(context.jobs.files.sweep)
    log("started", projects=len(context.projects.names()))
    looking_after = asyncio.create_task(_look_after(context))
    yield
    if context.owns_process:
        leave_in_time()
    looking_after.cancel()
    context.startup.warming.stop()
    context.readers.stop()
    await context.jobs.stop()
    await anyio.to_thread.run_sync(context.projects.close)
    context.workers.stop()
    log("stopped")


async def _look_after(context: ServerContext) -> None:
    """Notice when another server has taken over, which else only the next write would tell; remove old results."""
    while True:
        await asyncio.sleep(CONFIRMING)
        await anyio.to_thread.run_sync(context.jobs.files.expire)
        for project in context.projects.opened():
            with suppress(DragomanError, Refusal):  # the database is unreachable; the next write will report it
                await context.workers.watch(project.engine.confirm)


def _warm_up(app: FastAPI, context: ServerContext) -> None:
    try:
        context.startup.until_usable()
        context.problems = context.projects.open_all()
        context.startup.until_ready()
        for route in app.router.routes:  # FastAPI builds what a route needs when it first looks at it
            route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})
        app.openapi()  # half a second for which everybody would wait when somebody first tries a wrong method
        gc.collect()
        if context.owns_process:
            gc.freeze()  # what is left stays, and nobody waits while it is looked through again
        context.state = "ready"
        log("ready", problems=len(context.problems))
    except Exception as error:
        context.state = "failed"
        log_failure("not ready", error)
    finally:
        context.startup.usable = True  # after a failure, too: requests then say what is wrong


def _add_gauges(context: ServerContext) -> None:
    context.metrics.projects_open.set_function(lambda: len(list(context.projects.opened())))
    gauges: dict[str, tuple[str, Callable[[ServedProject], float]]] = {
        "dragoman_corrections": ("Corrections in force.", lambda project: project.engine.correction_count),
        "dragoman_writer": ("1 for a writer, 0 for a replica.", lambda project: project.engine.role == "writer"),
        "dragoman_revision": ("The last revision that is known.", lambda project: project.revision),
        "dragoman_behind_rows": ("Rows of the journal not yet known.", _rows_behind),
        "dragoman_behind_seconds": ("Time since last up to date.", lambda project: project.engine.seconds_behind),
    }
    for name, (about, measure) in gauges.items():
        context.metrics.add_gauge(name, about, partial(_by_project, context, measure))


def _rows_behind(project: ServedProject) -> float:
    return 0 if project.engine.role == "writer" else project.engine.rows_behind


def _by_project(context: ServerContext, measure: Callable[[ServedProject], float]) -> dict[str, float]:
    """A number for each open project, except those that are being closed or whose database does not answer."""
    found = {}
    for project in context.projects.opened():
        with suppress(DragomanError):
            found[project.name] = float(measure(project))
    return found


def _add_error_handlers(app: FastAPI) -> None:
    for kind in (Refusal, DragomanError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, handle)
    app.add_exception_handler(405, _handle_method)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """The pattern of a path, made once."""
    return compile_path(template)[0]


def _handle_method(request: Request, error: Exception) -> Response:
    """An unknown method is answered with all that are allowed, not only those of the route that came nearest."""
    response = handle(request, error)
    for template, operations in request.app.openapi()["paths"].items():
        if _pattern(template).match(request.url.path):
            response.headers["Allow"] = ", ".join(sorted(operations)).upper()
    return response
