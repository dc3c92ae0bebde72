"""When a document arrives, the engine that its project builds on is asked for all of it, in batches, as a job.

By the time that somebody opens a segment its answer is there. A document can be used meanwhile, and if the engine is
silent nothing is lost: it is asked again for each segment that is opened.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from dragoman.server.api_errors import ApiError
from dragoman.server.context import ProjectContext
from dragoman.server.jobs import Job

STEP = 64  # segments asked for at once


def start_asking(context: ProjectContext, document: int) -> None:
    """Start the job for a new document, if the project builds on an engine; not if too many jobs are running."""
    if context.project.engine.upstream is None:
        return
    with suppress(ApiError):
        job = Job("ask", context.project.name, document, only_waits=True)
        context.start_job(job, partial(_ask, context))


async def _ask(context: ProjectContext, job: Job) -> None:
    documents, number = context.project.documents, job.document or 0
    job.total = (await context.run("segments", partial(documents.document, number))).states["new"]
    done, last = 0, 0
    while True:
        find = partial(documents.segments, number, state="new", after=last, limit=STEP)
        if not (some := await context.run("segments", find)):
            return
        await context.ask(partial(context.project.engine.ask_ahead, [segment.source for segment in some]))
        done, last = done + len(some), some[-1].number
        job.step(done)
