"""Worker threads, so that the event loop goes on listening; kernels release Python's lock while they run.

Completions of what somebody is typing have threads of their own, and do not queue behind whole translations.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from dragoman.server.api_errors import ApiError
from dragoman.server.observability import Metrics

T = TypeVar("T")
WATCHERS = 4  # threads that wait until replicas have caught up: each serves all requests of a project


class Workers:
    """Threads for quick, for slow and for waiting operations; only so many requests may queue for them."""

    def __init__(self, metrics: Metrics, waiting: int) -> None:
        cores = os.cpu_count() or 2
        self._metrics = metrics
        self._most = waiting
        self._waiting = 0
        self._slow = anyio.CapacityLimiter(max(2, cores))
        self._quick = anyio.CapacityLimiter(max(2, cores))
        self._watching = anyio.CapacityLimiter(WATCHERS)

    async def run(self, operation: str, function: Callable[[], T], *, quick: bool = False) -> T:
        """The result of a function, computed in a thread; what has begun is finished even if the client disconnects."""
        if self._waiting >= self._most:
            raise ApiError(503, "the server is busy", "try again in a moment", headers={"Retry-After": "1"})
        self._waiting += 1
        try:
            with self._metrics.operations.labels(operation).time():
                return await anyio.to_thread.run_sync(function, limiter=self._quick if quick else self._slow)
        finally:
            self._waiting -= 1

    async def watch(self, function: Callable[[], T]) -> T:
        """The result of a function that mostly waits."""
        return await anyio.to_thread.run_sync(function, limiter=self._watching)
