"""Documents: upload, list, translate, export, and the jobs that do so."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse

from dragoman.editor import messages
from dragoman.editor.document_store import StoredDocument
from dragoman.server import schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.bodies import FILE_BODY, takes_file
from dragoman.server.context import CanLearn, CanRead
from dragoman.server.document_files import export_document, import_document
from dragoman.server.early_answers import start_asking
from dragoman.server.jobs import Job
from dragoman.server.pretranslation import pretranslate

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES, tags=["documents"])
JobId = Annotated[str, Path(max_length=100)]


@router.get("/documents")
async def list_documents(context: CanRead) -> list[messages.DocumentGiven]:
    """The documents of a project and their progress."""
    found = await context.run("documents", context.project.documents.documents)
    return [_document(each) for each in found]


@router.post("/documents", status_code=201)
async def add_document(wanted: schemas.NewDocument, context: CanLearn) -> messages.DocumentGiven:
    """Add a document given by its segments."""

    def add() -> StoredDocument:
        numbered = enumerate(wanted.segments, start=1)
        rows = [
            (one.key or str(n), one.source, one.target, "translated" if one.target else "new") for n, one in numbered
        ]
        return context.project.documents.document(context.project.documents.add(wanted.name, rows))

    added = await context.run("documents", add)
    start_asking(context, added.id)
    return _document(added)


@router.post("/imports", status_code=202, openapi_extra=FILE_BODY)
@takes_file
async def import_file(
    request: Request,
    context: CanLearn,
    name: Annotated[
        str,
        Query(
            min_length=1,
            max_length=255,
            description="name of the file; its extension tells the format",
            examples=["page.xlf"],
        ),
    ],
    learn: Annotated[bool, Query(description="learn the confirmed segments, as from a translation memory")] = False,
) -> schemas.JobGiven:
    """Upload a file (XLIFF, TMX, PO, TSV, plain text) as the body of the request; it becomes a document."""
    file = await context.spool(request)
    job = Job("import", context.project.name, spooled=file, size=file.stat().st_size)
    return _job(context.start_job(job, partial(import_document, context, file, name, learn=learn)))


@router.get("/documents/{document}")
async def show_document(document: schemas.DocumentId, context: CanRead) -> messages.DocumentGiven:
    """One document and its progress."""
    return _document(await context.run("documents", partial(context.project.documents.document, document)))


@router.patch("/documents/{document}")
async def change_document(
    document: schemas.DocumentId, change: messages.DocumentChange, context: CanLearn
) -> messages.DocumentGiven:
    """Rename a document, assign it to somebody, or say whether repetitions are filled; what is not sent stays."""
    sent = change.model_dump(exclude_unset=True)
    repetitions, propagation = sent.pop("repetitions", None), sent.pop("propagation", None)
    values = {name: value for name, value in sent.items() if name != "name" or value is not None}
    if repetitions is not None:
        values["settings"] = {"propagation": "draft" if repetitions else "off"}
    if propagation is not None:
        values["settings"] = {"propagation": propagation}
    alter = partial(context.project.documents.change_document, document, **values)
    changed = await context.run_exclusive("documents", alter)
    context.publish(document, {"event": "document"})
    return _document(changed)


@router.delete("/documents/{document}", status_code=204)
async def delete_document(document: schemas.DocumentId, context: CanLearn) -> None:
    """Delete a document; what was learned from it stays learned."""
    await context.run_exclusive("documents", partial(context.project.documents.remove, document))
    context.project.files.drop(context.project.name, document)
    context.publish(document, {"event": "deleted"})


@router.post("/documents/{document}/translate", status_code=202)
async def translate_document(
    document: schemas.DocumentId,
    context: CanLearn,
    use: Annotated[
        Literal["both", "memory"], Query(description="memory: only segments with a similar correction")
    ] = "both",
    least: Annotated[float, Query(ge=50, le=100, description="similarity of such corrections, in percent")] = 100,
) -> schemas.JobGiven:
    """Fill all new segments with translations, as drafts."""
    await context.run("documents", partial(context.project.documents.document, document))  # there is one, or an error
    job = Job("translate", context.project.name, document)
    only = least if use == "memory" else None
    return _job(context.start_job(job, partial(pretranslate, context, only)))


@router.post("/documents/{document}/export", status_code=202)
async def export_file(document: schemas.DocumentId, context: CanRead) -> schemas.JobGiven:
    """Write a document's file with its targets filled in; fetch the result when the job is done."""
    await context.run("documents", partial(context.project.documents.document, document))  # there is one, or an error
    job = Job("export", context.project.name, document)
    return _job(context.start_job(job, partial(export_document, context)))


@router.get("/jobs")
async def list_jobs(context: CanRead) -> list[schemas.JobGiven]:
    """The jobs of a project since the server was started, oldest first."""
    return [_job(job) for job in context.server.jobs.of(context.project.name)]


@router.get("/jobs/{job}")
async def show_job(job: JobId, context: CanRead) -> schemas.JobGiven:
    """The progress of a job."""
    return _job(context.server.jobs.get(context.project.name, job))


@router.delete("/jobs/{job}", status_code=204)
async def cancel_job(job: JobId, context: CanLearn) -> None:
    """Cancel a replacement after its current step; what it has done until then stays, and can be taken back."""
    context.server.jobs.get(context.project.name, job).cancelled = True


@router.get(
    "/jobs/{job}/result",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {}}, "description": "the file"},
        410: {"model": schemas.Problem, "description": "it was removed after a while"},
    },
)
async def fetch_result(job: JobId, context: CanRead) -> Response:
    """The file that an export has written."""
    found = context.server.jobs.get(context.project.name, job)
    if found.result is None:
        raise ApiError(409, f"this job has no result: it is {found.state}", "wait until an export is done")
    if not await context.run("result", found.result.exists, lane="quick"):
        raise ApiError(410, "the exported file was removed after a while", "export the document again")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}"}
    return FileResponse(found.result, media_type="application/octet-stream", headers=headers)


def _document(document: StoredDocument) -> messages.DocumentGiven:
    return messages.DocumentGiven.model_validate(document)


def _job(job: Job) -> schemas.JobGiven:
    return schemas.JobGiven.model_validate(job)
