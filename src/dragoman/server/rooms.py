"""What a request works with: the server's parts, the project it names, and who sent it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Depends, Header, Path, Response
from starlette.requests import HTTPConnection

from dragoman.errors import DragomanError
from dragoman.server.access import Coming, Doorkeeper, check_role
from dragoman.server.answers import RefusedError
from dragoman.server.jobs import Jobs
from dragoman.server.keys import Visitor
from dragoman.server.metrics import Metrics
from dragoman.server.projects import Opened, Projects
from dragoman.server.settings import Settings
from dragoman.server.work import Workers

T = TypeVar("T")
AT_ONCE = 4  # texts of one request that are translated at the same time
LOOKING = 0.002  # seconds between looks whether a replica has come so far
AtLeast = Annotated[
    str | None,
    Header(
        alias="X-At-Least-Revision",
        pattern="^[0-9]{1,15}$",
        examples=["13"],
        description="a revision that has to be known: a replica waits for it a moment, then answers 503",
    ),
]


@dataclass
class House:
    """The parts of a server."""

    settings: Settings
    projects: Projects
    doorkeeper: Doorkeeper
    metrics: Metrics
    workers: Workers
    jobs: Jobs
    state: Literal["starting", "ready", "failed"] = "starting"
    problems: dict[str, DragomanError | RefusedError] = field(default_factory=dict)  # projects that were not opened
    live: dict[str, int] = field(default_factory=dict)  # live sessions by visitor

    async def enter(self, name: str, visitor: Visitor, role: str) -> Room:
        """A project for a visitor, if they have a role in it."""
        check_role(visitor, role, name)
        if self.projects.is_open(name):
            project = self.projects.get(name)
        else:
            project = await self.workers.run("open", partial(self._open, name))
        if role == "learn" and project.engine.role != "writer":  # documents, too, are changed where the writer is
            await self.workers.run("open", project.engine.check_writable, quick=True)
        return Room(self, project, visitor)

    async def delete(self, room: Room) -> None:
        """Take a project out of the server, and its jobs with it."""
        await room.change("delete", partial(self.projects.delete, room.project.name))
        self.jobs.drop(room.project.name)

    def _open(self, name: str) -> Opened:
        """Open a project; if that fails, whoever asks has done nothing wrong."""
        try:
            return self.projects.get(name)
        except DragomanError as error:
            raise RefusedError(503, f"the project {name!r} cannot be opened: {error.what}", error.remedy) from None


@dataclass(frozen=True)
class Room:
    """A project, and a visitor in it."""

    house: House
    project: Opened
    visitor: Visitor

    async def look(self, operation: str, function: Callable[[], T], *, quick: bool = False) -> T:
        """The result of something that is done in the project, if that is still there."""
        try:
            return await self.house.workers.run(operation, function, quick=quick)
        except DragomanError:
            if self.project.closed:
                what = f"there is no project {self.project.name!r} any more"
                raise RefusedError(404, what, "see /api/v1/projects") from None
            raise

    async def look_all(self, operation: str, functions: Iterable[Callable[[], T]]) -> list[T]:
        """The results of many such things, a few at a time, so that others get their turn between them."""
        few = asyncio.Semaphore(AT_ONCE)

        async def one(function: Callable[[], T]) -> T:
            async with few:
                return await self.look(operation, function)

        return list(await asyncio.gather(*(one(function) for function in functions)))

    async def change(self, operation: str, function: Callable[[], T]) -> T:
        """The result of something that changes the project: one after another."""
        async with self.project.turn:
            return await self.look(operation, function)

    async def reach(self, revision: int | None) -> None:
        """Wait until this revision is known here; refuse if it does not come, and say how far behind we are."""
        engine, limits = self.project.engine, self.house.settings.limits
        end = time.monotonic() + (0 if engine.role == "writer" else limits.behind_seconds)
        while revision is not None and (known := engine.revision) < revision:
            if engine.role == "writer":
                raise RefusedError(409, f"there is no revision {revision} yet, only {known}", "learn something first")
            if time.monotonic() >= end:
                what = f"this replica is at revision {known}, {revision - known} behind {revision}"
                remedy, retry = "try again in a moment, or ask the server that writes", {"Retry-After": "1"}
                raise RefusedError(503, what, remedy, headers=retry, revision=known, behind=revision - known)
            await asyncio.sleep(LOOKING)

    def user(self, claimed: str | None) -> str | None:
        """Who is named in the journal: the key's owner, or without a key whoever they say."""
        return self.visitor.name or claimed

    def check_text(self, *texts: str) -> None:
        """Refuse texts that are too long to be a segment."""
        most = self.house.settings.limits.text
        if any(len(text) > most for text in texts):
            raise RefusedError(413, f"a text has more than {most:,} characters", "send it in pieces")


def house_of(connection: HTTPConnection) -> House:
    """The house that a request came to."""
    house: House = connection.app.state.house
    return house


TheHouse = Annotated[House, Depends(house_of)]


def within(role: str) -> Any:
    """A dependency: the project that the path names, for a visitor with this role in it."""

    async def room(
        project: Annotated[str, Path(description="name of the project", examples=["manual"])],
        visitor: Coming,
        house: TheHouse,
        response: Response,
        at_least: AtLeast = None,
    ) -> Room:
        room = await house.enter(project, visitor, role)
        await room.reach(None if at_least is None else int(at_least))
        response.headers["X-Revision"] = str(room.project.revision)
        return room

    return Depends(room)


Reading = Annotated[Room, within("read")]
Translating = Annotated[Room, within("translate")]
Learning = Annotated[Room, within("learn")]
