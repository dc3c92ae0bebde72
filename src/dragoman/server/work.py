"""Where the work is done: in threads, so that the server goes on listening. Kernels let others run meanwhile.

Completions of what somebody is typing have threads of their own, and do not wait behind whole translations.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from dragoman.server.answers import RefusedError
from dragoman.server.metrics import Metrics

T = TypeVar("T")


class Workers:
    """Threads for quick things and threads for slow ones, with an end to how many may wait."""

    def __init__(self, metrics: Metrics, waiting: int) -> None:
        cores = os.cpu_count() or 2
        self._metrics = metrics
        self._most = waiting
        self._waiting = 0
        self._slow = anyio.CapacityLimiter(max(2, cores))
        self._quick = anyio.CapacityLimiter(max(2, cores))

    async def run(self, operation: str, function: Callable[[], T], *, quick: bool = False) -> T:
        """The result of a function, computed in a thread; what was begun is finished, whoever goes away meanwhile."""
        if self._waiting >= self._most:
            raise RefusedError(
                503, "the server has too much to do", "try again in a moment", headers={"Retry-After": "1"}
            )
        self._waiting += 1
        try:
            with self._metrics.work.timing(operation):
                return await anyio.to_thread.run_sync(function, limiter=self._quick if quick else self._slow)
        finally:
            self._waiting -= 1
