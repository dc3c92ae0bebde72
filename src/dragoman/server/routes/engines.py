"""The engines that are installed on the server's machine."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from dragoman.server import schemas
from dragoman.server.auth import require_role
from dragoman.server.context import Server
from dragoman.server.keys import Identity
from dragoman.upstream import installed

router = APIRouter(prefix="/api/v1/engines", responses=schemas.ERROR_RESPONSES, tags=["projects"])


@router.get("")
async def list_engines(
    identity: Annotated[Identity, require_role("admin")], server: Server
) -> list[schemas.EngineGiven]:
    """The engines that are installed on the server's machine: new projects can build on them."""

    def describe() -> list[schemas.EngineGiven]:
        return [
            schemas.EngineGiven(
                name=f"engine:{each.name}",
                source=each.source,
                target=each.target,
                licence=each.licence,
                bytes=each.size,
            )
            for each in installed.installed()
        ]

    return await server.workers.run("engines", describe, client=identity.client, lane="quick")
