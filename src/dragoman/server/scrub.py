"""The scrub: now and then everything of each project is read through, so that damage is known before it is needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import anyio.to_thread

from dragoman.editor.document_repair import check_documents
from dragoman.server.logs import log
from dragoman.server.registry import ProjectRegistry
from dragoman.store.integrity import Damage, check_store

FIRST = 600.0  # seconds after the start: first everybody is served
EVERY = 24 * 3600.0  # seconds between two scrubs


def check(path: Path) -> list[Damage]:
    """What is damaged in a project."""
    return [*check_store(path), *check_documents(path)]


class Scrub:
    """Reads the projects through, one after the other, and remembers how much of each is damaged."""

    def __init__(self, projects: ProjectRegistry, look: Callable[[Path], list[Damage]] = check) -> None:
        self._projects, self._look = projects, look
        self._alone = anyio.CapacityLimiter(1)  # a thread of its own: nobody waits for it
        self.damaged: dict[str, int] = {}  # by project, as of the last scrub

    async def run(self, first: float = FIRST, every: float = EVERY) -> None:
        """Scrub until cancelled."""
        await asyncio.sleep(first)
        while True:
            for project in list(self._projects.opened()):
                await self.look_at(project.name, project.engine.path)
            await asyncio.sleep(every)

    async def look_at(self, name: str, path: Path) -> None:
        """Read a project through."""
        found = await anyio.to_thread.run_sync(self._look, path, limiter=self._alone, abandon_on_cancel=True)
        self.damaged = {each: count for each, count in self.damaged.items() if each != name}
        if found:
            self.damaged[name] = len(found)
            log("damaged", logging.ERROR, project=name, count=len(found))
