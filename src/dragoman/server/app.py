"""The server, put together: limits and observation outside, the interfaces inside, the projects behind them."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from dragoman import __version__, kernels
from dragoman.errors import DragomanError, StorageError
from dragoman.server import apertium, api, libretranslate, live, modernmt, papers, workbench, xmlrpc
from dragoman.server.access import Doorkeeper, needs
from dragoman.server.answers import RefusedError, Shapes, answer
from dragoman.server.jobs import Jobs
from dragoman.server.limits import Gate
from dragoman.server.logs import log, log_failure
from dragoman.server.metrics import Metrics
from dragoman.server.observing import Observer
from dragoman.server.projects import Opened, Projects
from dragoman.server.rooms import House, TheHouse
from dragoman.server.settings import Settings
from dragoman.server.work import Workers

COMPATIBLE = {"libretranslate": libretranslate, "modernmt": modernmt, "apertium": apertium}
CONFIRMING = 5.0  # seconds between looks whether another server has taken over
ABOUT = """Translates, learns from corrections at once, and completes what people type.

Errors are answered with `{"error": {"what": …, "remedy": …}}`. Live sessions, over a WebSocket at
`/api/v1/projects/{project}/live`, are described in docs/server.md. The interfaces of LibreTranslate, ModernMT, Apertium
APy and mosesserver are for programs that speak these already."""


def create_app(settings: Settings, projects: Projects | None = None) -> FastAPI:
    """The application; the projects of the settings are opened when it starts, unless they are given."""
    metrics = Metrics()
    house = House(
        settings=settings,
        projects=projects or Projects(settings.paths, settings.follow),
        doorkeeper=Doorkeeper(settings),
        metrics=metrics,
        workers=Workers(metrics, settings.limits.waiting),
        jobs=Jobs(settings.limits.jobs),
    )
    app = FastAPI(
        title="dragoman",
        version=__version__,
        description=ABOUT,
        lifespan=_lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # the page that it would show loads its scripts from elsewhere
        redoc_url=None,
    )
    app.state.house, app.state.doorkeeper, app.state.shapes = house, house.doorkeeper, _shapes(settings)
    _measure(house)
    _answer_errors(app)
    _connect(app, settings)
    app.add_middleware(modernmt.Override, prefix="/" if settings.root == "modernmt" else "/modernmt")
    app.add_middleware(Gate, limits=settings.limits, doorkeeper=house.doorkeeper, metrics=metrics)
    app.add_middleware(Observer, metrics=metrics)
    return app


def _connect(app: FastAPI, settings: Settings) -> None:
    """All interfaces under their prefixes, and one of them at the root if that is wanted."""
    for each in (api, papers, live, workbench, xmlrpc):
        app.include_router(each.router)
    for name, module in COMPATIBLE.items():
        app.include_router(module.router, prefix=f"/{name}")
        if module is not modernmt:  # there, memories are named
            app.include_router(module.router, prefix=f"/{name}/{{project}}", include_in_schema=False)
    if settings.root:
        app.include_router(COMPATIBLE[settings.root].router, include_in_schema=False)
    app.add_api_route("/health", _health, tags=["server"])
    app.add_api_route("/ready", _ready, tags=["server"], responses={503: {"description": "not yet"}})
    for path, ask in (("/health", _health), ("/ready", _ready), ("/", workbench.page)):  # monitors want no body
        app.add_api_route(path, ask, methods=["HEAD"], include_in_schema=False)
    metrics = app.get("/metrics", tags=["server"], response_class=PlainTextResponse, dependencies=[needs("read")])
    metrics(_metrics)


def _shapes(settings: Settings) -> Shapes:
    """What errors look like where the interface is not our own."""
    shapes: Shapes = [(re.compile(f"/{name}(/|$)"), module.shape) for name, module in COMPATIBLE.items()]
    if settings.root:
        module = COMPATIBLE[settings.root]
        shapes += [(compile_path(route.path)[0], module.shape) for route in module.router.routes]
    return shapes


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open projects and compile while listening already; on stopping, finish what is being learned, then close."""
    house: House = app.state.house
    threading.Thread(target=_warm, args=(app, house), daemon=True).start()
    log("started", projects=len(house.projects.names()))
    confirming = asyncio.create_task(_confirm(house))
    yield
    confirming.cancel()
    await house.jobs.stop()
    await anyio.to_thread.run_sync(house.projects.close)
    log("stopped")


async def _confirm(house: House) -> None:
    """Notice when another server has taken over from this one, which does not learn that by itself until it appends."""
    while True:
        await asyncio.sleep(CONFIRMING)
        for project in house.projects.opened():
            with suppress(DragomanError, RefusedError):  # the database is away; whoever learns will be told
                await house.workers.run("confirm", project.engine.confirm, quick=True)


def _warm(app: FastAPI, house: House) -> None:
    try:
        house.problems = house.projects.open_all()
        kernels.warm()
        for route in app.router.routes:  # FastAPI makes what it needs of a route when it first looks at it
            route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})
        house.state = "ready"
        log("ready", problems=len(house.problems))
    except Exception as error:
        house.state = "failed"
        log_failure("not ready", error)


async def _health(house: TheHouse) -> dict[str, str | float]:
    """Whether the server is there, which part it has, and how long ago it last knew all that is learned elsewhere."""
    engines = [each.engine for each in house.projects.opened()]
    roles = {engine.role for engine in engines}
    behind = max((engine.seconds_behind for engine in engines), default=0.0)
    role = roles.pop() if len(roles) == 1 else "mixed" if roles else house.settings.follow or "writer"
    return {"status": "ok", "version": __version__, "role": role, "seconds_behind": round(behind, 3)}


async def _ready(house: TheHouse) -> Response:
    """Whether all projects are open and all kernels compiled, so that answers come quickly."""
    lost = sum(each.engine.problem is not None for each in house.projects.opened())  # replicas that cannot follow
    state = {"state": house.state, "problems": len(house.problems) + lost}
    return JSONResponse(state, 200 if house.state == "ready" else 503)


async def _metrics(house: TheHouse) -> str:
    """Counters and histograms, as Prometheus reads them."""
    return await house.workers.run("metrics", house.metrics.text, quick=True)


def _measure(house: House) -> None:
    house.metrics.gauges["dragoman_projects_open"] = lambda: {"": len(list(house.projects.opened()))}
    house.metrics.gauges["dragoman_live_sessions"] = lambda: {"": sum(house.live.values())}
    measures: dict[str, Callable[[Opened], float]] = {
        "dragoman_corrections": lambda project: project.engine.correction_count,
        "dragoman_writer": lambda project: project.engine.role == "writer",
        "dragoman_revision": lambda project: project.revision,
        "dragoman_behind_rows": lambda project: project.rows_behind,
        "dragoman_behind_seconds": lambda project: project.engine.seconds_behind,
    }
    for name, measure in measures.items():
        house.metrics.gauges[name] = partial(_measured, house, measure)


def _measured(house: House, measure: Callable[[Opened], float]) -> dict[str, float]:
    """A number for each open project; none for those whose database does not answer."""
    found = {}
    for project in house.projects.opened():
        with suppress(StorageError):
            found[project.name] = measure(project)
    return found


def _answer_errors(app: FastAPI) -> None:
    for kind in (RefusedError, DragomanError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, answer)
    app.add_exception_handler(405, _answer_method)


def _answer_method(request: Request, error: Exception) -> Response:
    """A method that is not there is answered with all that are, not only those of the route that came nearest."""
    response = answer(request, error)
    for template, operations in request.app.openapi()["paths"].items():
        if compile_path(template)[0].match(request.url.path):
            response.headers["Allow"] = ", ".join(sorted(operations)).upper()
    return response
