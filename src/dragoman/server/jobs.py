"""Background jobs with progress: imports, translating whole documents, exports.

A job runs in small steps in the threads that all requests share, so that nobody waits for it. It ends when the server
stops; what it has done by then is kept.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.server.api_errors import ApiError, api_error
from dragoman.server.job_files import JobFiles
from dragoman.server.limits import Limits
from dragoman.server.workers import FairQueue

KEPT = 100  # finished jobs of a project that can still be queried
LISTED = 1000  # skipped segments that a job lists; all are counted


@dataclass
class Job:
    """A job and its progress."""

    kind: str  # import, ask, translate, export, replace or teach
    project: str
    document: int | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = "waiting"  # waiting, running, done or failed
    done: int = 0
    total: int = 0
    failure: ApiError | None = None
    name: str = ""  # file name of the result
    result: Path | None = None  # removed after a while
    left_out: list[dict[str, object]] = field(default_factory=list)  # the first segments that were skipped, and why
    skipped: int = 0  # segments
    untranslated: list[int] = field(default_factory=list)  # the first segments that an export has as their source
    unconfirmed: list[int] = field(default_factory=list)  # the first that it has as drafts
    warnings: list[str] = field(default_factory=list)  # about the file, for people: signatures, macros
    count: int = 0  # segments that a replacement has changed
    change: int | None = None  # what to name in order to take that back
    cancelled: bool = False  # by a person: it ends after its current step
    stopped: bool = False
    only_waits: bool = False  # for another machine: not counted among those that run
    client: str = ""  # who has started it
    spooled: Path | None = None  # the upload that it reads, removed with it
    size: int = 0  # bytes of it, or segments: of the jobs of a client, small ones are first

    def skip(self, segment: int, why: str) -> None:
        """Record that a segment was skipped."""
        self.skipped += 1
        if len(self.left_out) < LISTED:
            self.left_out.append({"segment": segment, "what": why})

    def step(self, done: int) -> None:
        """Record progress; ends the job if the server is stopping."""
        self.done = min(done, self.total)
        if self.stopped:
            raise ApiError(503, "the server was stopped", "start the job again")

    @property
    def error(self) -> dict[str, str | None] | None:
        """Why it failed."""
        return {"what": self.failure.what, "remedy": self.failure.remedy} if self.failure else None


class Jobs:
    """The jobs of all projects."""

    def __init__(self, limits: Limits) -> None:
        self._most, self._most_all = limits.jobs, limits.jobs_project
        places = limits.jobs_running
        self._running = FairQueue(places, max(1, places // 2), limits.waiting, limits.waiting_each)
        self.files = JobFiles(limits.result_bytes, limits.result_seconds, limits.spool_bytes)
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def check(self, project: str, client: str) -> None:
        """Refuse another job of a client in a project, if there are too many; asked before anything is put aside."""
        own = [each for each in self.of(project) if each.state not in ("done", "failed")]
        if len(own) >= self._most_all or sum(each.client == client for each in own) >= self._most:
            what, remedy = "too many jobs are running in this project", "wait until one has finished"
            raise ApiError(429, what, remedy, headers={"Retry-After": "5"})

    def start(self, job: Job, work: Callable[[Job], Awaitable[None]], *, always: bool = False) -> Job:
        """Start a job, unless there are too many already; what it was to read is then removed.

        `always` is for what follows from something that is done: it is not refused.
        """
        try:
            if not always:
                self.check(job.project, job.client)
        except ApiError:
            self._unspool(job)
            raise
        finished = [each for each in self.of(job.project) if each.state in ("done", "failed")]
        for old in finished[: max(0, len(finished) - KEPT)]:
            self._remove(old)
        self._jobs[job.id] = job
        task = asyncio.create_task(self._run(job, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def _run(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> None:
        try:
            async with nullcontext() if job.only_waits else self._running.turn(job.client, job.size):
                job.state = "running"
                await work(job)
                job.state = "done"
        except Exception as error:
            job.state, job.failure = "failed", api_error(error)
        finally:
            self._unspool(job)

    def get(self, project: str, number: str) -> Job:
        """A job of a project."""
        job = self._jobs.get(number)
        if job is None or job.project != project:
            raise ApiError(404, "no such job", "jobs are lost when the server stops")
        return job

    def find(self, number: str) -> Job:
        """A job of any project."""
        return self.get(self._jobs[number].project if number in self._jobs else "", number)

    def of(self, project: str) -> list[Job]:
        """The jobs of a project, the oldest first."""
        return [job for job in self._jobs.values() if job.project == project]

    def drop(self, project: str) -> None:
        """Stop and discard the jobs of a project that was deleted."""
        for job in self.of(project):
            job.stopped = True
            self._remove(job)

    def _unspool(self, job: Job) -> None:
        if job.spooled is not None:
            self.files.discard(job.spooled)

    def _remove(self, job: Job) -> None:
        del self._jobs[job.id]
        if job.result is not None:
            self.files.discard(job.result)

    async def stop(self) -> None:
        """Stop all jobs, each after its current step."""
        for job in self._jobs.values():
            job.stopped = True
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.files.close()
