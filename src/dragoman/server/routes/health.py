"""What monitoring asks for: is the server alive, is it ready, and its metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from dragoman import __version__
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import require_role
from dragoman.server.context import Server, ServerContext
from dragoman.server.registry import ServedProject

router = APIRouter(tags=["server"])


@router.head("/health", include_in_schema=False)
@router.get("/health")
async def health(server: Server) -> dict[str, str | float]:
    """Whether the server is alive, its role, and how long ago it was last up to date with what is learned elsewhere."""
    engines = [each.engine for each in server.projects.opened()]
    roles = {engine.role for engine in engines}
    behind = max((engine.seconds_behind for engine in engines), default=0.0)
    role = roles.pop() if len(roles) == 1 else "mixed" if roles else server.settings.follow or "writer"
    return {"status": "ok", "version": __version__, "role": role, "seconds_behind": round(behind, 3)}


@router.head("/ready", include_in_schema=False)
@router.get("/ready", responses={503: {"description": "not yet"}})
async def ready(request: Request, server: Server) -> Response:
    """Whether all projects are open and all kernels compiled, so that answers come quickly.

    Projects that cannot serve are counted, and named to those who may read them. Until the server is ready, the answer
    says what it is doing (`done` of `total`), and whether requests are answered already (`usable`).
    """
    stuck = {each.name for each in server.projects.opened() if _has_problem(each)}
    stuck |= {name for name in server.projects.names() if name in server.problems and not server.projects.is_open(name)}
    state = {"state": server.state, "problems": len(stuck), "projects": sorted(_readable(server, request, stuck))}
    if server.state == "starting":
        return JSONResponse(state | server.startup.status(), 503)
    return JSONResponse(state, 200 if server.state == "ready" else 503)


def _has_problem(project: ServedProject) -> bool:
    found = project.engine.problem, project.documents_problem, project.write_problem
    return any(each is not None for each in found)


def _readable(server: ServerContext, request: Request, names: set[str]) -> set[str]:
    """Those of some projects that whoever asks may read; monitoring without a key is told only how many there are."""
    try:
        identity = server.auth.identify(request.scope)
    except ApiError:
        return set()
    return {name for name in names if identity.has_role("read", name)}


@router.get("/metrics", response_class=PlainTextResponse, dependencies=[require_role("read")])
async def metrics(server: Server) -> str:
    """Metrics in the text format of Prometheus."""
    return await server.workers.run("metrics", server.metrics.text, lane="quick")
