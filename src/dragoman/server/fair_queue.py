"""Places that clients take in turn: whoever has used them least goes next, whatever the others have sent.

A client is charged the time for which it holds a place. One that was idle gets no credit for that: it starts level with
whoever was served last. No client may hold all places, so that there is always one for somebody else, and only so many
may wait. What stops waiting, because its client is gone, leaves no trace.
"""

from __future__ import annotations

import asyncio
from bisect import insort
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from operator import attrgetter
from time import perf_counter
from typing import NamedTuple

from dragoman.server.api_errors import ApiError

REMEMBERED = 1000  # clients whose use is remembered while they have nothing here
BUSY = {"Retry-After": "1"}


class _Waiting(NamedTuple):
    """Somebody who waits for a place."""

    size: int
    called: asyncio.Future[None]
    group: str


class FairQueue:
    """A number of places, of which each client may hold some, and the clients that wait for one."""

    def __init__(self, places: int, each: int, waiting: int, waiting_each: int, group: int | None = None) -> None:
        self._free, self._each, self._group = places, each, each if group is None else group
        self._most, self._most_each = waiting, waiting_each
        self._queues: dict[str, list[_Waiting]] = {}
        self._waiting = 0
        self._held: Counter[str] = Counter()
        self._grouped: Counter[str] = Counter()
        self._used: dict[str, float] = {}  # seconds by client
        self._level = 0.0  # what the client served last had used by then

    @asynccontextmanager
    async def turn(self, client: str, size: int = 0) -> AsyncIterator[None]:
        """Hold a place inside the block."""
        await self.enter(client, size)
        started = perf_counter()
        try:
            yield
        finally:
            self.leave(client, perf_counter() - started)

    async def enter(self, client: str, size: int = 0, group: str = "") -> None:
        """Wait for a place; whoever has one has to `leave` it. Of what one client wants, the smallest is first.

        Neither may a group, what all clients do in one project, hold all places.
        """
        queue = self._queues.get(client, ())
        if self._waiting >= self._most:
            raise ApiError(503, "the server is busy", "try again in a moment", headers=BUSY)
        if len(queue) >= self._most_each:
            raise ApiError(429, "too many requests of this key are waiting", "wait for some answers", headers=BUSY)
        if not queue and not self._held[client]:
            self._used[client] = max(self._used.get(client, 0.0), self._level)
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        insort(self._queues.setdefault(client, []), _Waiting(size, called, group), key=attrgetter("size"))
        self._waiting += 1
        self._call()
        try:
            await called
        except asyncio.CancelledError:
            self._give_up(client, called, group)
            raise

    def leave(self, client: str, seconds: float, group: str = "") -> None:
        """Give a place back after some time."""
        self._release(client, group)
        self._used[client] = self._used.get(client, 0.0) + seconds
        self._forget()
        self._call()

    def _give_up(self, client: str, called: asyncio.Future[None], group: str) -> None:
        if called.done() and not called.cancelled():  # it was called in the same moment
            self._release(client, group)
        else:
            self._remove(client, called)
        self._call()

    def _call(self) -> None:
        """Give free places to those who have used least."""
        while self._free:
            able = [client for client in self._queues if self._may_enter(client)]
            if not able:
                return
            client = min(able, key=lambda each: self._used.get(each, 0.0))
            self._level = max(self._level, self._used.get(client, 0.0))
            _, called, group = self._queues[client][0]
            self._remove(client, called)
            if not called.done():
                self._free -= 1
                self._held[client] += 1
                self._grouped[group] += bool(group)
                called.set_result(None)

    def _may_enter(self, client: str) -> bool:
        group = self._queues[client][0].group
        return self._held[client] < self._each and (not group or self._grouped[group] < self._group)

    def _remove(self, client: str, called: asyncio.Future[None]) -> None:
        queue = self._queues.get(client)
        place = next((n for n, (_, each, _) in enumerate(queue or ()) if each is called), None)
        if queue and place is not None:
            del queue[place]
            self._waiting -= 1
            if not queue:
                del self._queues[client]

    def _release(self, client: str, group: str) -> None:
        self._free += 1
        self._grouped[group] -= bool(group)
        if not self._grouped[group]:
            del self._grouped[group]
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]

    def _forget(self) -> None:
        if len(self._used) > REMEMBERED:
            self._used = {each: used for each, used in self._used.items() if each in self._held or each in self._queues}
