"""Checks of a document: of one segment while it is typed, as a list to switch off, and as a report before delivery."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query

from dragoman.editor import messages, segment_findings
from dragoman.editor.delivery_report import check_open, report
from dragoman.quality import CHECKS
from dragoman.server import schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.context import CanLearn, CanRead, CanTranslate, ProjectContext
from dragoman.server.jobs import Job
from dragoman.server.registry import ServedProject

router = APIRouter(
    prefix="/api/v1/projects/{project}/documents/{document}", responses=schemas.ERROR_RESPONSES, tags=["checks"]
)
STEP = 200  # segments checked before other requests get their turn


@router.post("/segments/{number}/check")
async def check_segment(
    document: schemas.DocumentId, number: schemas.SegmentNumber, draft: messages.Draft, context: CanRead
) -> messages.Findings:
    """What the checks say of a target; nothing is saved."""

    def check() -> messages.Findings:
        documents = context.project.documents
        segment, off = documents.segment(document, number), documents.document(document).off
        found = [each for each in context.project.checks.check(segment, draft.target) if each.check not in off]
        return _findings(segment_findings.with_acceptance(documents, segment, found))

    return await context.run("check", check, lane="files")


@router.get("/checks")
async def list_checks(document: schemas.DocumentId, context: CanRead) -> messages.Checks:
    """The checks, whether each is on, and how many segments have open findings."""
    return await context.run("check", partial(_checks, context.project, document))


@router.put("/checks")
async def switch_checks(
    document: schemas.DocumentId, change: messages.ChecksChange, context: CanLearn
) -> messages.Checks:
    """Switch checks off, and all others on; what the file cannot hold is always checked."""
    unknown = [each for each in change.off if each not in CHECKS or CHECKS[each].severity == "error"]
    if unknown:
        what = f"the check {unknown[0]!r} cannot be switched off"
        raise ApiError(422, what, f"choose from {', '.join(name for name in CHECKS if name != 'file')}", field="off")

    def switch() -> messages.Checks:
        documents = context.project.documents
        off = documents.change_document(document, settings={"off": change.off}).off
        with documents.writing() as connection:
            segment_findings.count(connection, document, off)
        return _checks(context.project, document)

    found = await context.run_exclusive("check", switch)
    context.publish(document, {"event": "document"})
    return found


@router.post("/check", status_code=202)
async def check_document(document: schemas.DocumentId, context: CanRead) -> schemas.JobGiven:
    """Check all segments again, for example because the glossary has changed."""
    await context.run("documents", partial(context.project.documents.document, document))  # there is one, or an error
    job = Job("check", context.project.name, document)
    return schemas.JobGiven.model_validate(context.start_job(job, partial(_check_all, context)))


@router.put("/segments/{number}/accepted")
async def accept(
    document: schemas.DocumentId, number: schemas.SegmentNumber, accepted: messages.Accept, context: CanTranslate
) -> messages.Findings:
    """Accept the findings of a check in a segment, with a reason."""

    def change() -> messages.Findings:
        documents, segment = context.project.documents, context.project.documents.segment(document, number)
        found = [each.finding for each in segment_findings.read(documents, document, number)]
        some = [each for each in found if each.check == accepted.check and each.severity != "error"]
        segment_findings.accept(documents, segment, some, accepted.reason, context.user(None))
        return _findings(segment_findings.read(documents, document, number))

    found = await context.run_exclusive("check", change)
    await context.publish_segment(document, number)
    return found


@router.put("/accepted")
async def accept_everywhere(
    document: schemas.DocumentId, accepted: messages.Accept, context: CanLearn
) -> messages.Checks:
    """Accept all that a check has found in a document, with one reason."""

    def change() -> messages.Checks:
        documents = context.project.documents
        documents.document(document)  # there is one, or an error
        segment_findings.accept_everywhere(documents, document, accepted.check, accepted.reason, context.user(None))
        return _checks(context.project, document)

    found = await context.run_exclusive("check", change)
    context.publish(document, {"event": "document"})
    return found


@router.delete("/segments/{number}/accepted")
async def take_back(
    document: schemas.DocumentId,
    number: schemas.SegmentNumber,
    context: CanTranslate,
    check: Annotated[str, Query(max_length=40, examples=["numbers"])],
) -> messages.Findings:
    """Accept the findings of a check in a segment no longer."""

    def change() -> messages.Findings:
        documents = context.project.documents
        segment_findings.take_back(documents, documents.segment(document, number), check)
        return _findings(segment_findings.read(documents, document, number))

    found = await context.run_exclusive("check", change)
    await context.publish_segment(document, number)
    return found


@router.get("/report")
async def show_report(document: schemas.DocumentId, context: CanRead) -> messages.DeliveryReport:
    """Whether the file can be delivered, what it would lack, and what the checks found."""
    return await context.run("report", partial(report, context.project, document))


async def _check_all(context: ProjectContext, job: Job) -> None:
    documents, document = context.project.documents, job.document or 0
    job.total = sum((await context.run("check", partial(documents.document, document))).states.values())
    done, last = 0, 0
    while some := await context.run("check", partial(documents.segments, document, after=last, limit=STEP)):
        await context.run("check", partial(check_open, context.project, some))
        done, last = done + len(some), some[-1].number
        job.step(done)
    context.publish(document, {"event": "document"})


def _checks(project: ServedProject, document: int) -> messages.Checks:
    off, counts = project.documents.document(document).off, segment_findings.counts(project.documents, document)
    return messages.Checks(
        checks=[
            messages.CheckGiven(
                check=name, about=one.about, severity=one.severity, on=name not in off, count=counts[name]
            )
            for name, one in CHECKS.items()
        ]
    )


def _findings(found: list[segment_findings.SegmentFinding]) -> messages.Findings:
    return messages.Findings(findings=[messages.FindingGiven.of(each) for each in found])
