"""Threads of a server: what may take long gives way to what somebody is waiting for."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import anyio.to_thread
import pytest

from dragoman.server.limits import Limits
from dragoman.server.observability import Metrics
from dragoman.server.workers import NICENESS, Lane, Workers


def niceness_in(lane: Lane) -> int:
    """The niceness of a thread of a lane, beyond that of this process."""
    workers = Workers(Metrics(), Limits())
    try:
        return asyncio.run(workers.run("test", niceness, lane=lane)) - niceness()
    finally:
        workers.stop()


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def test_a_slow_engine_takes_the_threads_of_its_own_project_only() -> None:
    async def ask_for_ever() -> tuple[int, int]:
        workers, answered = Workers(Metrics(), Limits()), threading.Event()
        waiting = [asyncio.create_task(workers.ask(answered.wait, "over")) for _ in range(100)]
        try:
            await asyncio.sleep(0.1)
            async with asyncio.timeout(10):
                return await workers.ask(lambda: 1, "other"), await anyio.to_thread.run_sync(lambda: 2)
        finally:
            answered.set()
            await asyncio.gather(*waiting)
            workers.stop()

    assert asyncio.run(ask_for_ever()) == (1, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priorities of their own")
def test_completions_and_corrections_go_before_translations_files_and_openings() -> None:
    lanes: tuple[Lane, ...] = ("quick", "learning", "batch", "files", "opening")
    assert [niceness_in(lane) for lane in lanes] == [0, 0, NICENESS, NICENESS, NICENESS]
