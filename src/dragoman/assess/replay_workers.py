"""Several replays at once, in processes of their own.

A process ends by itself when the one that started it was killed, so whoever resumes finds nobody at work.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dragoman.assess.replay import POLL, ReplayedSegment, ReplayPlan, count_outcomes, is_done, replay
from dragoman.errors import DragomanError
from dragoman.parallel import end_with
from dragoman.progress import Progress

Report = Callable[[int, int], None]  # amount done, total amount


class _Work(NamedTuple):
    """A plan, and the directory in which it is worked out."""

    plan: ReplayPlan
    place: Path


def replay_all(
    plans: Sequence[ReplayPlan],
    directory: Path,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[list[ReplayedSegment]]:
    """The outcomes of several plans, each in a directory of its own below this one."""
    report: Report = partial(progress, "replaying") if progress else lambda *_: None
    works = [_Work(plan, directory / plan.digest[:16]) for plan in plans]
    missing = _missing(works)
    workers = min(jobs or os.cpu_count() or 1, len(missing))
    if workers > 1:
        _replay_in_processes(missing, workers, report)
    return _replay_here(works, report)


def _missing(works: Sequence[_Work]) -> list[_Work]:
    return [each for each in works if not is_done(*each)]


def _replay_here(works: Sequence[_Work], report: Report) -> list[list[ReplayedSegment]]:
    """What is missing is worked out in this process; the rest is read."""
    total, found = sum(len(plan.wanted) for plan, _ in works), list[list[ReplayedSegment]]()
    for plan, place in works:
        before = sum(map(len, found))
        found.append(replay(plan, place, lambda n, before=before: report(before + n, total)))  # type: ignore[misc]
    return found


def _replay_in_processes(works: Sequence[_Work], workers: int, report: Report) -> None:
    total = sum(len(plan.wanted) for plan, _ in works)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(_replay_there, *each, os.getpid()) for each in works}
        while waiting:
            done, waiting = wait(waiting, timeout=POLL)
            for each in done:
                _check_done(each)
            report(sum(count_outcomes(place) for _, place in works), total)


def _check_done(work: Future[None]) -> None:
    try:
        work.result()
    except BrokenProcessPool as error:
        what = "a worker process was killed, perhaps because memory ran out"
        raise DragomanError(what, remedy="run the same command again to resume, with --jobs 1 to need less") from error


def _replay_there(plan: ReplayPlan, place: Path, parent: int) -> None:
    end_with(parent)
    replay(plan, place)
