"""Bodies of requests: admitted by the head, bounded in sum, and on disk if they are large.

Before anything of a body is read, the head says who sends it and what the route demands of them. What all bodies take
together is bounded, what those of one key or address take is bounded further, and those whose sender is not known yet,
because the key is in the body, may only be small. A body of more than a buffer goes to a file, which is removed with
its request unless a job takes it over.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar
from uuid import uuid4

import anyio.to_thread
from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import compile_path
from starlette.types import Message, Receive, Scope

from dragoman.server.api_errors import ApiError
from dragoman.server.auth import Authenticator, check_role, key_of
from dragoman.server.job_files import JobFiles
from dragoman.server.limits import Limits

PIECE = 1 << 18  # bytes of a body that are parsed at a time
STATE = "body"  # its name in the state of a request
OWN = "/api/v1/"
KNOWN, UNKNOWN = "known", "unknown"
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
FILE_BODY = {  # how a route whose body is a file is described
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class BodyBudget:
    """How many bytes all clients, and each of them, may have here at a time."""

    def __init__(self, most: int, each: int) -> None:
        self._most, self._each = most, each
        self._taken: Counter[str] = Counter()

    def take(self, client: str, count: int) -> None:
        """Count bytes, if there is room for them."""
        if self._taken[client] + count > self._each:
            self._refuse(429, "what this client is sending at the same time is too large")
        others = self._taken.total() - self._taken[client]
        left = (self._most - others) / 2 if others else self._most  # some is left for whoever comes next
        if self._taken[client] + count > left:
            self._refuse(503, "the server is receiving too much at the moment")
        self._taken[client] += count

    def give(self, client: str, count: int) -> None:
        """Give bytes back."""
        self._taken[client] -= count
        if self._taken[client] <= 0:
            del self._taken[client]

    def _refuse(self, status: int, what: str) -> None:
        raise ApiError(status, what, "send it again in a moment", headers={"Retry-After": "2", "Connection": "close"})


@dataclass
class Admission:
    """What the head of a request allows."""

    client: str
    most: int  # bytes of the body
    is_known: bool  # whose request this is, is known


@dataclass
class Body:
    """A body as it arrived: in memory, or in a file if it is large."""

    budget: BodyBudget
    client: str
    counted: int = 0
    size: int = 0
    data: bytearray = field(default_factory=bytearray)
    file: Path | None = None
    _writing: IO[bytes] | None = None

    def count(self, size: int) -> None:
        """Count this many bytes against the budget, if that has not been done."""
        if size > self.counted:
            self.budget.take(self.client, size - self.counted)
            self.counted = size

    async def add(self, piece: bytes, buffer: int, files: JobFiles) -> None:
        """Add a piece that has arrived."""
        self.size += len(piece)
        self.count(self.size)
        self.data += piece
        if len(self.data) > buffer:
            await anyio.to_thread.run_sync(self._spill, files)

    async def finish(self) -> None:
        """Nothing more will arrive."""
        if self._writing is not None:
            await anyio.to_thread.run_sync(self._write)
            self._writing.close()

    def _spill(self, files: JobFiles) -> None:
        if self._writing is None:
            self.file = files.folder() / f"body-{uuid4().hex}"
            self._writing = self.file.open("wb")
        self._write()

    def _write(self) -> None:
        if self._writing is not None:
            self._writing.write(self.data)
            self.data = bytearray()

    def close(self) -> None:
        """Forget it, and its file unless somebody has taken that over."""
        if self._writing is not None:
            self._writing.close()
        if self.file is not None:
            self.file.unlink(missing_ok=True)
        self.data = bytearray()
        self.budget.give(self.client, self.counted)
        self.counted = 0

    def replay(self, gone: asyncio.Event) -> Receive:
        """A `receive` that delivers the body, in pieces between which others get their turn; then the client's end."""
        at: int | None = 0

        async def replay() -> Message:
            nonlocal at
            if at is None:
                await gone.wait()
                return {"type": "http.disconnect"}
            await asyncio.sleep(0)
            piece, after = await self._piece(at), at + PIECE
            at = after if after < self.size else None
            return {"type": "http.request", "body": piece, "more_body": at is not None}

        return replay

    async def _piece(self, at: int) -> bytes:
        if self.file is None:
            return bytes(self.data[at : at + PIECE])
        return await anyio.to_thread.run_sync(_read_piece, self.file, at)


def _read_piece(file: Path, at: int) -> bytes:
    with file.open("rb") as reading:
        reading.seek(at)
        return reading.read(PIECE)


class Bodies:
    """All bodies that a server is receiving or working on."""

    def __init__(self, limits: Limits, auth: Authenticator, files: JobFiles, needs: list[Need]) -> None:
        self._limits, self._auth, self._files, self._needs = limits, auth, files, needs
        self._budgets = {
            KNOWN: BodyBudget(limits.body_bytes, limits.body_bytes_each),
            UNKNOWN: BodyBudget(limits.anonymous_bytes, limits.anonymous_bytes_each),
        }

    def admit(self, scope: Scope) -> Admission:
        """What may be sent, by the head of a request; an error if nothing may."""
        here = (each for each in self._needs if scope["method"] in each.methods and each.path.match(scope["path"]))
        need, client = next(here, None), self._auth.client(scope)
        most = self._limits.upload if need is not None and need.takes_upload(scope) else self._limits.body
        if scope["path"].startswith(OWN) or key_of(scope):
            identity = self._auth.identify(scope)
            if need is not None and need.role is not None and (found := need.path.match(scope["path"])):
                check_role(identity, need.role, found["project"])
            return Admission(client, most, True)
        with suppress(ApiError):
            self._auth.identify(scope)
            return Admission(client, most, True)
        signed = "webhook-signature" in Headers(scope=scope)
        return Admission(client, self._limits.body if signed else self._limits.anonymous_body, False)

    def begin(self, admission: Admission) -> Body:
        """A body that is about to arrive."""
        return Body(self._budgets[KNOWN if admission.is_known else UNKNOWN], admission.client)

    async def read(self, body: Body, receive: Receive, most: int) -> bool:
        """Receive a body, unless it turns out to be larger than allowed."""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ApiError(400, "the connection closed before everything had arrived", "send it again")
            piece = message.get("body", b"")
            if body.size + len(piece) > most:
                return False
            await body.add(piece, self._limits.buffer, self._files)
            if not message.get("more_body"):
                await body.finish()
                return True


class Need(NamedTuple):
    """What a route demands of whoever sends it a body, and how large that may be."""

    path: re.Pattern[str]
    methods: frozenset[str]
    role: str | None  # of whoever sends it, in the project that the path names
    takes: str  # "file" for a body that is a file, "form" for a form with one, else empty

    def takes_upload(self, scope: Scope) -> bool:
        """Whether the body of a request is a file, which may be larger than others."""
        form = Headers(scope=scope).get("content-type", "").startswith("multipart/form-data")
        return self.takes == "file" or (self.takes == "form" and form)


def takes_file(endpoint: Endpoint) -> Endpoint:
    """Marks a route whose body is a file."""
    endpoint.takes = "file"  # type: ignore[attr-defined]
    return endpoint


def takes_form(endpoint: Endpoint) -> Endpoint:
    """Marks a route whose body may be a form with a file in it."""
    endpoint.takes = "form"  # type: ignore[attr-defined]
    return endpoint


def needs_of(mounted: Iterable[tuple[str, APIRouter]]) -> list[Need]:
    """What the routes of some routers, with the prefix of each, demand."""
    found = []
    for prefix, router in mounted:
        for route in router.routes:
            if isinstance(route, APIRoute):
                path = prefix + route.path
                roles = (getattr(each.call, "role", None) for each in route.dependant.dependencies)
                role = next(filter(None, roles), None) if path.startswith(OWN) else None
                takes = getattr(route.endpoint, "takes", "")
                found.append(Need(compile_path(path)[0], frozenset(route.methods or ()), role, takes))
    return found


async def spool(request: Request, files: JobFiles, owner: str) -> Path:
    """What a request has sent, as a file for a job."""
    body: Body = request.scope["state"][STATE]
    if not body.size:
        raise ApiError(400, "the file is empty", "send it as the body of the request")
    if body.file is not None:
        return await anyio.to_thread.run_sync(files.adopt, body.file, owner)
    return await anyio.to_thread.run_sync(files.spool, bytes(body.data), owner)
