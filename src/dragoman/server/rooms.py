"""What a request works with: the server's parts, the project it names, and who sent it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Depends, Path
from starlette.requests import HTTPConnection

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
    problems: list[str] = field(default_factory=list)  # projects that could not be opened
    live: dict[str, int] = field(default_factory=dict)  # live sessions by visitor

    async def enter(self, name: str, visitor: Visitor, role: str) -> Room:
        """A project for a visitor, if they have a role in it."""
        check_role(visitor, role, name)
        if self.projects.is_open(name):
            return Room(self, self.projects.get(name), visitor)
        return Room(self, await self.workers.run("open", partial(self.projects.get, name)), visitor)


@dataclass(frozen=True)
class Room:
    """A project, and a visitor in it."""

    house: House
    project: Opened
    visitor: Visitor

    async def look(self, operation: str, function: Callable[[], T], *, quick: bool = False) -> T:
        """The result of something that changes nothing."""
        return await self.house.workers.run(operation, function, quick=quick)

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
            return await self.house.workers.run(operation, function)

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
    ) -> Room:
        return await house.enter(project, visitor, role)

    return Depends(room)


Reading = Annotated[Room, within("read")]
Translating = Annotated[Room, within("translate")]
Learning = Annotated[Room, within("learn")]
