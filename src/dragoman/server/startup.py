"""Starting: the server listens at once, and says how far it has come; requests wait until it can answer them.

1. Worker processes compile what the kernel cache lacks, beginning with what the first suggestion needs.
2. These kernels are loaded, and what the caller wants prepared (a sample project) is prepared.
3. Requests are answered, while projects are opened and the workers compile the rest.
4. The rest is loaded: the server is ready.

So nothing is compiled in the server itself, where it would be in the way of requests and keep the compiler's memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dragoman.kernels.warm_up import FIRST, Warming, load_kernels
from dragoman.server.api_errors import ApiError

PATIENCE = 60.0  # seconds for which a request waits
PAUSE = 0.05  # between two looks
# What a server does not compute: kernels for training, tuning, measuring, and files of other toolkits
UNUSED = tuple(f"dragoman.{each}" for each in ("cluster", "tune", "measure.bleu", "measure.repetition"))
Tell = Callable[[int, int], None]  # how much is done, and of how much
Preparation = Callable[[Tell], object]


class Startup:
    """How far a server has come on its way to being ready."""

    def __init__(self, prepare: Preparation | None = None) -> None:
        self.usable = False  # requests are answered
        self.warming = Warming()
        self._prepare = prepare
        self._learned: tuple[int, int] | None = None

    def until_usable(self) -> None:
        """Get the kernels that the first requests need, and prepare what there is to prepare."""
        self.warming.start()
        self.warming.first.wait()
        if self.warming.stopped:
            return
        with suppress(OSError):  # there is no room for temporary files: requests load what they need
            load_kernels(only=FIRST[-1:])
        if self._prepare:
            self._prepare(self._tell)
        self.usable = True

    def until_ready(self) -> None:
        """Get all other kernels."""
        self.warming.finished.wait()
        if not self.warming.stopped:
            load_kernels(without=(*UNUSED, *FIRST))

    def _tell(self, done: int, total: int) -> None:
        self._learned = done, total

    def status(self) -> dict[str, Any]:
        """What is being done, and how far it has come; times are estimates, in seconds."""
        if self._learned and not self.usable:
            done, total = self._learned
            return {"doing": "learning the sample", "done": done, "total": total, "usable": False}
        status = self.warming.status()
        if status.done == status.total:
            return {"doing": "loading", "usable": self.usable}
        left = None if status.seconds_left is None else round(status.seconds_left)
        about = {"done": status.done, "total": status.total, "seconds_left": left}
        return {"doing": "compiling", **about, "usable": self.usable}

    async def wait(self) -> None:
        """Wait until requests can be answered; if that takes too long, they are refused for now."""
        patience = PATIENCE
        while not self.usable:
            if patience <= 0:
                what = "the server is still compiling its kernels, as it does once after it was installed"
                raise ApiError(503, what, "try again in a moment, and see /ready", headers={"Retry-After": "5"})
            await asyncio.sleep(PAUSE)
            patience -= PAUSE
