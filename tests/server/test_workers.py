"""Threads of a server: what may take long gives way to what somebody is waiting for."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priorities of their own")
def test_completions_and_corrections_go_before_translations_files_and_openings() -> None:
    lanes: tuple[Lane, ...] = ("quick", "learning", "batch", "files", "opening")
    assert [niceness_in(lane) for lane in lanes] == [0, 0, NICENESS, NICENESS, NICENESS]
