"""Requests that wait for a replica to catch up: any number of them, with one waiting thread per project."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Protocol

from dragoman.store import BehindError

PATIENCE = 0.5  # seconds that a thread waits at a time: then other projects may have it

RunInThread = Callable[[Callable[[], None]], Awaitable[None]]


class Follows(Protocol):
    """What is watched: an engine."""

    @property
    def revision(self) -> int:
        """The last revision that is known."""

    def wait_for(self, revision: int, timeout: float) -> None:
        """Block until a revision is known; `BehindError` if that takes too long."""


class RevisionWatch:
    """Wakes up requests as soon as the revision that each is waiting for is known."""

    def __init__(self, engine: Follows) -> None:
        self._engine = engine
        self._waiting: dict[asyncio.Future[None], int] = {}  # revisions that requests are waiting for
        self._watching: asyncio.Task[None] | None = None

    async def wait(self, revision: int, seconds: float, run: RunInThread) -> bool:
        """Whether a revision is known, now or within some seconds; `run` runs a function in a thread."""
        if seconds > 0 and self._engine.revision < revision:
            arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting[arrived] = revision
            if self._watching is None or self._watching.done():
                self._watching = asyncio.create_task(self._watch(run))
            with suppress(TimeoutError):
                await asyncio.wait_for(arrived, seconds)
            self._waiting.pop(arrived, None)
        return self._engine.revision >= revision

    async def _watch(self, run: RunInThread) -> None:
        while self._waiting:
            known = self._engine.revision
            for arrived, revision in self._waiting.items():
                if revision <= known and not arrived.done():
                    arrived.set_result(None)
            await asyncio.sleep(0)  # those that were woken up stop waiting
            if not self._waiting:
                return
            try:
                await run(partial(self._wait_for, known + 1))
            except Exception as error:
                for arrived in self._waiting:
                    if not arrived.done():
                        arrived.set_exception(error)
                return

    def _wait_for(self, revision: int) -> None:
        with suppress(BehindError):
            self._engine.wait_for(revision, PATIENCE)
