"""Replacing in a whole document, as a job with progress that can be cancelled; and teaching what was replaced."""

from __future__ import annotations

from functools import partial

from dragoman.editor import messages, replacement, segment_batches
from dragoman.editor.segment_batches import TOGETHER
from dragoman.server.context import ProjectContext
from dragoman.server.jobs import Job

TAUGHT = 10  # segments that are taught before other requests get their turn
PUBLISHED = 1000  # numbers of changed segments that are told; of more, everything is to be loaded again


async def replace(context: ProjectContext, wanted: messages.ReplacementWanted, user: str | None, job: Job) -> None:
    """Replace in the targets of a document; when it is cancelled, what was replaced until then stays."""
    project, document = context.project, job.document or 0
    places = await context.run("replace", lambda: list(replacement.find(project, document, wanted)))
    job.total = len(places)
    if len(places) <= replacement.FEW:
        done = await context.run_exclusive("replace", partial(replacement.replace_all, project, document, wanted, user))
        job.count, job.change = done.count, done.change
        for each in done.segments:
            if each.problem:
                job.skip(each.number, each.problem)
    else:
        work = await context.run("replace", partial(replacement.Replacing, project, document, user))
        for at in range(0, len(places), TOGETHER):
            if job.cancelled:
                break
            await context.run_exclusive("replace", partial(work.replace, places[at : at + TOGETHER]))
            job.step(at + TOGETHER)
            job.count, job.change = work.count, work.batch or None
        for each in work.listed:
            if each.problem:
                job.skip(each.number, each.problem)
    context.publish(document, {"event": "reload"})
    start_teaching(context, document)


def start_teaching(context: ProjectContext, document: int) -> None:
    """Teach the models in the background what many segments have got at once, unless that is being done already."""
    jobs = context.server.jobs.of(context.project.name)
    if any(job.kind == "teach" and job.document == document and job.state in ("waiting", "running") for job in jobs):
        return
    if segment_batches.untaught(context.project, document):
        job = Job("teach", context.project.name, document, only_waits=True)
        context.server.jobs.start(job, partial(_teach, context), always=True)


async def _teach(context: ProjectContext, job: Job) -> None:
    project, document = context.project, job.document or 0
    job.total = await context.run("teach", partial(segment_batches.untaught, project, document))
    done = 0
    while some := await context.run_exclusive("teach", partial(segment_batches.teach_some, project, document, TAUGHT)):
        done += some
        job.total = max(job.total, done)
        job.step(done)
