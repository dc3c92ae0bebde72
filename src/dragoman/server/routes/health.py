"""What monitoring asks for: is the server alive, is it ready, and its metrics."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from dragoman import __version__
from dragoman.server.auth import require_role
from dragoman.server.context import Server

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
async def ready(server: Server) -> Response:
    """Whether all projects are open and all kernels compiled, so that answers come quickly."""
    stuck = sum(each.engine.problem is not None for each in server.projects.opened())  # replicas that cannot follow
    state = {"state": server.state, "problems": len(server.problems) + stuck}
    return JSONResponse(state, 200 if server.state == "ready" else 503)


@router.get("/metrics", response_class=PlainTextResponse, dependencies=[require_role("read")])
async def metrics(server: Server) -> str:
    """Metrics in the text format of Prometheus."""
    return await server.workers.run("metrics", server.metrics.text, lane="quick")
