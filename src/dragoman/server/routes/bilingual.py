"""A document as a bilingual file for review outside, and what comes back."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response

from dragoman.editor import bilingual, segment_edits
from dragoman.editor.messages import SegmentChange
from dragoman.editor.refusal import Refusal
from dragoman.errors import BadInputError
from dragoman.project.guard import FlaggedError
from dragoman.server import schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.bodies import FILE_BODY, takes_file
from dragoman.server.context import CanLearn, CanRead, ProjectContext
from dragoman.server.jobs import Job
from dragoman.upstream.contract import Languages

router = APIRouter(
    prefix="/api/v1/projects/{project}/documents/{document}", responses=schemas.ERROR_RESPONSES, tags=["exchange"]
)
MOST_ROWS = 30_000  # of a table as DOCX
STEP = 20  # segments that are changed before other requests get their turn


@router.get("/bilingual.{kind}", response_class=Response)
async def export_bilingual(
    document: schemas.DocumentId, kind: Annotated[Literal["xlf", "html", "docx"], Path()], context: CanRead
) -> Response:
    """The document with source and translation side by side: XLIFF, or a table as DOCX or HTML."""

    def write() -> tuple[str, bytes]:
        project = context.project
        about = project.documents.document(document)
        _check_size(kind, sum(about.states.values()))
        languages = Languages(project.source, project.target)
        return about.name, bilingual.write(kind, about.name, languages, project.documents.in_order(document))

    name, data = await context.run("export", write)
    disposition = f"attachment; filename*=UTF-8''{quote(f'{name}.{kind}', safe='')}"
    headers = {"Content-Disposition": disposition, "Content-Security-Policy": "default-src 'none'"}
    return Response(data, media_type="application/octet-stream", headers=headers)


def _check_size(kind: str, segments: int) -> None:
    """Refuse a table that would take too much memory while it is written: one of Word takes 3 kB for each row."""
    if kind == "docx" and segments > MOST_ROWS:
        what = f"the document has {segments:,} segments, and a table as DOCX holds at most {MOST_ROWS:,}"
        raise ApiError(413, what, "take it as XLIFF or HTML")


@router.post("/bilingual", status_code=202, openapi_extra=FILE_BODY)
@takes_file
async def read_back(
    request: Request,
    document: schemas.DocumentId,
    context: CanLearn,
    name: Annotated[str, Query(min_length=1, max_length=255, description="name of the file; its ending is its format")],
) -> schemas.JobGiven:
    """Take over translations that were changed in a bilingual file; confirmed ones stay confirmed, and are learned."""
    data = await request.body()
    await context.examine(data, name, "bilingual")
    rows = await context.run("import", partial(bilingual.read, data, name))
    await context.run("documents", partial(context.project.documents.document, document))  # there is one, or an error
    job = Job("review", context.project.name, document, total=len(rows))
    work = partial(_take_over, context, rows)
    return schemas.JobGiven.model_validate(context.start_job(job, work))


async def _take_over(context: ProjectContext, rows: list[bilingual.BilingualRow], job: Job) -> None:
    for at in range(0, len(rows), STEP):
        await context.run_exclusive("import", partial(_change, context, rows[at : at + STEP], job))
        job.step(at + STEP)
    context.publish(job.document, {"event": "reload"})


def _change(context: ProjectContext, rows: list[bilingual.BilingualRow], job: Job) -> None:
    project, document = context.project, job.document or 0
    by = segment_edits.Author(context.user(None), batch=job.change)
    for row in rows:
        try:
            segment = project.documents.segment(document, row.number)
            if segment.target == row.target or segment.state == "locked":
                continue
            if segment.source.split() != row.source.split():
                raise Refusal(409, "its source is another one in the file")
            state: Literal["confirmed", "translated"] = "confirmed" if segment.state == "confirmed" else "translated"
            change = SegmentChange(target=row.target, state=state, fill=False)
            segment_edits.change_segment(project, document, row.number, change, by)
            job.count += 1
        except (Refusal, FlaggedError, BadInputError) as error:
            job.skip(row.number, error.what)
