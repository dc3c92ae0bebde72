"""Who a key belongs to, what it may do, and which files can be translated."""

from __future__ import annotations

from fastapi import APIRouter, Request

from dragoman.formats.file_types import by_ending
from dragoman.server import schemas
from dragoman.server.auth import CurrentIdentity, key_of
from dragoman.server.context import Server

router = APIRouter(prefix="/api/v1", responses=schemas.ERROR_RESPONSES, tags=["projects"])


@router.get("/me")
async def me(request: Request, identity: CurrentIdentity, server: Server) -> schemas.Me:
    """Who sent this request, and what they may do; an unknown key is answered with 401 and the code `key-unknown`."""
    roles = {name: identity.role(name) for name in server.projects.names()}
    return schemas.Me(
        name=identity.name,
        signed_in=True,
        key=identity.name is not None and key_of(request.scope) is not None,
        projects={name: role for name, role in roles.items() if role},
        may_create=identity.has_role("admin"),
    )


@router.get("/formats")
async def formats(_: CurrentIdentity) -> schemas.FileFormats:
    """The endings of the files that can be uploaded."""
    return schemas.FileFormats(endings=list(by_ending()))
