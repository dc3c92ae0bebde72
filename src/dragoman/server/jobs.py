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

KEPT = 100  # finished jobs of a project that can still be queried
LISTED = 1000  # skipped segments that a job lists; all are counted


@dataclass
class Job:
    """A job and its progress."""

    kind: str  # import, ask, translate or export
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
    stopped: bool = False
    only_waits: bool = False  # for another machine: not counted among those that run

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
        self._most = limits.jobs
        self._running = asyncio.Semaphore(limits.jobs_running)
        self.files = JobFiles(limits.result_bytes, limits.result_seconds)
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> Job:
        """Start a job, unless the project has too many already."""
        own = [each for each in self._jobs.values() if each.project == job.project]
        finished = [each for each in own if each.state in ("done", "failed")]
        if len(own) - len(finished) >= self._most:
            headers = {"Retry-After": "5"}
            raise ApiError(
                429, "too many jobs are running in this project", "wait until one has finished", headers=headers
            )
        for old in finished[: max(0, len(finished) - KEPT)]:
            self._remove(old)
        self._jobs[job.id] = job
        task = asyncio.create_task(self._run(job, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def _run(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> None:
        async with nullcontext() if job.only_waits else self._running:
            job.state = "running"
            try:
                await work(job)
                job.state = "done"
            except Exception as error:
                job.state, job.failure = "failed", api_error(error)

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
