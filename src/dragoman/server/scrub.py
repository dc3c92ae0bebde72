"""The scrub: now and then everything of each project is read through, so that damage is known before it is needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import anyio.to_thread

from dragoman.editor.document_repair import check_documents
from dragoman.server.logs import log, log_failure
from dragoman.server.registry import ProjectRegistry, ServedProject
from dragoman.store.integrity import Damage, check_store

FIRST = 600.0  # seconds after the start: first everybody is served
EVERY = 24 * 3600.0  # seconds between two scrubs


def check(path: Path) -> list[Damage]:
    """What is damaged in a project."""
    return [*check_store(path), *check_documents(path)]


class Scrub:
    """Reads the projects through, one after the other, and notes how much of each is damaged."""

    def __init__(self, projects: ProjectRegistry, look: Callable[[Path], list[Damage]] = check) -> None:
        self._projects, self._look = projects, look
        self._alone = anyio.CapacityLimiter(1)  # a thread of its own: nobody waits for it

    async def run(self, first: float = FIRST, every: float = EVERY) -> None:
        """Scrub until cancelled."""
        await asyncio.sleep(first)
        while True:
            for project in list(self._projects.opened()):
                await self.look_at(project)
            await asyncio.sleep(every)

    async def look_at(self, project: ServedProject) -> None:
        """Read a project through, unless it has been deleted or renamed meanwhile: then there is nothing to read."""
        try:
            path = project.engine.path
            found = await anyio.to_thread.run_sync(self._look, path, limiter=self._alone, abandon_on_cancel=True)
        except Exception as error:
            if project in self._projects.opened():
                log_failure("not read through", error, project=project.name)
            return
        project.damaged = len(found)
        if found and project in self._projects.opened():
            log("damaged", logging.ERROR, project=project.name, count=len(found))
