"""Worker threads, so that the event loop goes on listening; kernels release Python's lock while they run.

There are lanes, each with threads of its own: completions of what somebody is typing do not queue behind texts that are
being opened, nor these, nor corrections, behind whole translations. What may have to read a large file first has a lane
as well: meanwhile the rows of the document are loaded and searched. In each lane clients take turns (`FairQueue`).
Threads that work for long give way: the system prefers the event loop and completions to them.

Work whose client is gone is not begun, and what has begun ends at its next `checkpoint`.

Whoever has used the places of a lane least goes next, whatever the others have sent. A client is charged the time for
which it holds a place. One that was idle gets no credit for that: it starts level with whoever was served last. No
client may hold all places, so that there is always one for somebody else, and only so many may wait. What stops
waiting, because its client is gone, leaves no trace.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from bisect import insort
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from operator import attrgetter
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import anyio
import anyio.to_thread

from dragoman.concurrency import Cancellation
from dragoman.server.api_errors import ApiError
from dragoman.server.limits import Limits
from dragoman.server.observability import Metrics

T = TypeVar("T")
Lane = Literal["batch", "files", "learning", "opening", "quick"]
SERVER = ""  # the client on whose behalf the server does what nobody in particular has asked for
WAITING = 8  # threads of completions for each core: while a correction is being learned, they wait together
LONG: tuple[Lane, ...] = ("batch", "files", "opening")  # lanes of work that may take long
NICENESS = 5  # of their threads: a third of a core's time if all want it; less, and whoever holds Python's lock stops
ENGINES = 24  # threads of a project that wait for the engine it builds on
WATCHERS = 4  # threads that wait until replicas have caught up: each serves all requests of a project


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """The result of work that changes something: even if the client is gone, it is finished before anything else."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # nobody is there to be told
        raise


def give_way() -> None:
    """Let other threads of this process go before the present one, where a thread has a priority of its own."""
    if sys.platform == "linux":
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


class Workers:
    """The threads of a server, in lanes."""

    def __init__(self, metrics: Metrics, limits: Limits) -> None:
        cores = max(2, os.cpu_count() or 2)
        self._metrics = metrics
        self._seconds: dict[str, float] = {"opening": limits.live_seconds, "quick": limits.live_seconds}
        self._queues: dict[str, FairQueue] = {}
        self._threads: dict[str, ThreadPoolExecutor] = {}
        for lane in get_args(Lane):
            places = WAITING * cores if lane == "quick" else cores + 1
            self._queues[lane] = FairQueue(places, cores, limits.waiting, limits.waiting_each, group=places - 1)
            prepare = give_way if lane in LONG else None
            self._threads[lane] = ThreadPoolExecutor(places, f"dragoman {lane}", prepare)
        self._watching = anyio.CapacityLimiter(WATCHERS)
        self._engines: dict[str, anyio.CapacityLimiter] = {}  # by project

    async def run(
        self,
        operation: str,
        function: Callable[[], T],
        *,
        client: str = SERVER,
        lane: Lane = "batch",
        project: str = "",
    ) -> T:
        """The result of a function, computed in a thread when it is the client's turn.

        No project takes all threads of a lane: if its database hangs, there is one left for the others.
        """
        with self._metrics.operations.labels(operation).time():
            queue, loop = self._queues[lane], asyncio.get_running_loop()
            await queue.enter(client, group=project)
            context, work, started = copy_context(), Cancellation(self._seconds.get(lane)), perf_counter()

            def run() -> T:
                with work:
                    return function()

            try:
                running = loop.run_in_executor(self._threads[lane], context.run, run)
            except BaseException:  # the threads are stopping
                queue.leave(client, 0.0, project)
                raise
            running.add_done_callback(lambda _: queue.leave(client, perf_counter() - started, project))
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                work.cancel()
                running.add_done_callback(_discard)
                raise

    async def watch(self, function: Callable[[], T]) -> T:
        """The result of a function that mostly waits."""
        return await anyio.to_thread.run_sync(function, limiter=self._watching)

    async def ask(self, function: Callable[[], T], project: str) -> T:
        """The result of a function that waits for the engine of a project, in none of the threads of others."""
        limiter = self._engines.setdefault(project, anyio.CapacityLimiter(ENGINES))
        return await anyio.to_thread.run_sync(function, limiter=limiter)

    def stop(self) -> None:
        """Begin nothing more."""
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)


def _discard(running: asyncio.Future[Any]) -> None:
    """Take note of how work ended whose client is gone, so that asyncio does not complain."""
    if not running.cancelled():
        running.exception()


# ── Places that clients take in turn ─────────────────────────────────────────────────────────────────────────────────

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
