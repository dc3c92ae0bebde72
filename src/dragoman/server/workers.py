"""Worker threads, so that the event loop goes on listening; kernels release Python's lock while they run.

There are lanes, each with threads of its own: completions of what somebody is typing do not queue behind texts that are
being opened, nor these, nor corrections, behind whole translations. What may have to read a large file first has a lane
as well: meanwhile the rows of the document are loaded and searched. In each lane clients take turns (`fair_queue`).
Threads that work for long give way: the system prefers the event loop and completions to them.

Work whose client is gone is not begun, and what has begun ends at its next `checkpoint`.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from time import perf_counter
from typing import Any, Literal, TypeVar, get_args

import anyio
import anyio.to_thread

from dragoman.cancellation import Cancellation
from dragoman.server.fair_queue import FairQueue
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
