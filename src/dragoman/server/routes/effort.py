"""Numbers that people use: effort, the learning curve, and a document against the translation memory."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from dragoman.editor import effort_report, messages
from dragoman.server import schemas
from dragoman.server.context import CanRead, ProjectContext
from dragoman.server.jobs import Job

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES, tags=["numbers"])
STEP = 20  # segments compared before other requests get their turn
CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}, "description": "a table"}}


@router.get("/effort")
async def show_effort(context: CanRead) -> messages.EffortGiven:
    """Effort by person and document, over all documents."""
    return await context.run("effort", partial(effort_report.effort, context.project.documents))


@router.get("/effort.csv", response_class=Response, responses=CSV)
async def effort_table(context: CanRead) -> Response:
    """Effort by person and document as a table."""
    return await _table(context, None)


@router.get("/documents/{document}/effort")
async def show_document_effort(document: schemas.DocumentId, context: CanRead) -> messages.EffortGiven:
    """Effort on a document, by person."""
    return await context.run("effort", partial(effort_report.effort, context.project.documents, document))


@router.get("/documents/{document}/effort.csv", response_class=Response, responses=CSV)
async def document_effort_table(document: schemas.DocumentId, context: CanRead) -> Response:
    """Effort on a document as a table."""
    return await _table(context, document)


@router.get("/curve")
async def curve(
    context: CanRead,
    document: Annotated[int | None, Query(ge=1, le=schemas.LARGEST)] = None,
    points: Annotated[int, Query(ge=1, le=500)] = 40,
) -> messages.Curve:
    """How much was changed and typed, over the segments in the order in which they were confirmed."""
    return await context.run("effort", partial(effort_report.curve, context.project.documents, document, points))


@router.post("/documents/{document}/analysis", status_code=202)
async def analyse(document: schemas.DocumentId, context: CanRead) -> schemas.JobGiven:
    """Compare a document with the translation memory."""
    await context.run("documents", partial(context.project.documents.document, document))  # there is one, or an error
    job = Job("analysis", context.project.name, document)
    return schemas.JobGiven.model_validate(context.start_job(job, partial(_analyse, context)))


@router.get("/documents/{document}/analysis")
async def show_analysis(document: schemas.DocumentId, context: CanRead) -> messages.Analysis:
    """The last analysis: segments and words that repeat others, match corrections, or are new."""
    return await context.run("analysis", partial(effort_report.analysis, context.project.documents, document))


@router.get("/documents/{document}/analysis.csv", response_class=Response, responses=CSV)
async def analysis_table(document: schemas.DocumentId, context: CanRead) -> Response:
    """The last analysis as a table."""
    found = await context.run("analysis", partial(effort_report.analysis, context.project.documents, document))
    return Response(effort_report.write_rows(row.model_dump() for row in found.rows), media_type="text/csv")


async def _analyse(context: ProjectContext, job: Job) -> None:
    documents, document = context.project.documents, job.document or 0
    job.total = sum((await context.run("analysis", partial(documents.document, document))).states.values())
    analysis, done, last = effort_report.MemoryAnalysis(context.project), 0, 0
    while some := await context.run("analysis", partial(documents.segments, document, after=last, limit=STEP)):
        await context.run("analysis", partial(analysis.add, some))
        done, last = done + len(some), some[-1].number
        job.step(done)
    await context.run("analysis", partial(analysis.save, document))


async def _table(context: ProjectContext, document: int | None) -> Response:
    def write() -> bytes:
        found = effort_report.effort(context.project.documents, document)
        people = ({"by": "person", **row.model_dump()} for row in found.by_person)
        documents = ({"by": "document", **row.model_dump()} for row in found.by_document)
        return effort_report.write_rows([*people, *documents, {"by": "all", **found.total.model_dump()}])

    return Response(await context.run("effort", write), media_type="text/csv")
