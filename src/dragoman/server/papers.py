"""Documents in our own interface: upload, segments with their states, jobs, download."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response

from dragoman.formats.filling import translate_segment
from dragoman.server import editing, schemas
from dragoman.server.answers import RefusedError
from dragoman.server.api import PROBLEMS, Most
from dragoman.server.documents import ChangedError, Document, Segment
from dragoman.server.exchange import export_document, import_document, read
from dragoman.server.jobs import Job
from dragoman.server.projects import Opened
from dragoman.server.rooms import Learning, Reading, Room

router = APIRouter(prefix="/api/v1/projects/{project}", responses=PROBLEMS, tags=["documents"])
DocumentId = Annotated[int, Path(ge=1, le=2**53 - 1, description="id of the document")]
SegmentNumber = Annotated[int, Path(ge=1, le=2**53 - 1, description="number of the segment, from 1")]
STEP = 20  # segments translated before others may have their turn


@router.get("/documents")
async def list_documents(room: Reading) -> list[schemas.DocumentGiven]:
    """The documents of a project and how far each is."""
    found = await room.look("documents", room.project.documents.documents)
    return [_given(each) for each in found]


@router.post("/documents", status_code=201)
async def add_document(wanted: schemas.NewDocument, room: Learning) -> schemas.DocumentGiven:
    """Enter a document that is given by its segments."""

    def add() -> Document:
        numbered = enumerate(wanted.segments, start=1)
        rows = [
            (one.key or str(n), one.source, one.target, "translated" if one.target else "new") for n, one in numbered
        ]
        return room.project.documents.document(room.project.documents.add(wanted.name, rows))

    return _given(await room.look("documents", add))


@router.post(
    "/imports",
    status_code=202,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def import_file(
    request: Request,
    room: Learning,
    name: Annotated[
        str,
        Query(
            min_length=1, max_length=255, description="of the file; its ending tells the format", examples=["page.xlf"]
        ),
    ],
    learn: Annotated[bool, Query(description="learn what is confirmed in it, as from a memory")] = False,
) -> schemas.JobGiven:
    """Upload a file (XLIFF, TMX, PO, TSV, plain text): the body is the file. It becomes a document."""
    data = await request.body()
    if not data:
        raise RefusedError(400, "the file is empty", "send it as the body of the request")
    job = Job("import", room.project.name)
    work = partial(import_document, room, data, name, learn=learn)
    return _job(room.house.jobs.start(job, work))


@router.get("/documents/{document}")
async def show_document(document: DocumentId, room: Reading) -> schemas.DocumentGiven:
    """One document and how far it is."""
    return _given(await room.look("documents", partial(room.project.documents.document, document)))


@router.delete("/documents/{document}", status_code=204)
async def delete_document(document: DocumentId, room: Learning) -> None:
    """Delete a document; what was learned from it stays learned."""
    await room.change("documents", partial(room.project.documents.remove, document))


@router.get("/documents/{document}/segments")
async def list_segments(
    document: DocumentId,
    room: Reading,
    state: Annotated[schemas.State | None, Query(description="only those in this state")] = None,
    search: Annotated[str | None, Query(max_length=1000, description="only those with this text")] = None,
    after: Annotated[int, Query(ge=0, le=2**53 - 1, description="only those after this number")] = 0,
    limit: Most = 100,
) -> schemas.Segments:
    """Segments of a document, in its order."""

    def look() -> schemas.Segments:
        segments = room.project.documents.segments(document, state=state, search=search, after=after, limit=limit)
        about = _given(room.project.documents.document(document))
        return schemas.Segments(document=about, segments=[_segment(each) for each in segments])

    return await room.look("segments", look)


@router.get("/documents/{document}/segments/{number}")
async def show_segment(document: DocumentId, number: SegmentNumber, room: Reading) -> schemas.SegmentGiven:
    """One segment."""
    return _segment(await room.look("segments", partial(room.project.documents.segment, document, number)))


@router.put("/documents/{document}/segments/{number}")
async def change_segment(
    document: DocumentId, number: SegmentNumber, change: schemas.SegmentChange, room: Learning
) -> schemas.SegmentChanged:
    """Save a draft, or confirm a segment, which teaches it; confirming twice learns once.

    One without words, or with more than can be learned, is confirmed without; `unlearned` says why.
    """
    room.check_text(change.target)
    user = room.user(change.user)
    edit = partial(editing.change_segment, room.project, document, number, change, user)
    changed = await room.change("confirm" if change.state == "confirmed" else "translated", edit)
    return schemas.SegmentChanged.model_validate(changed)


@router.post("/documents/{document}/translate", status_code=202)
async def translate_document(document: DocumentId, room: Learning) -> schemas.JobGiven:
    """Fill all new segments with translations, as drafts."""
    await room.look("documents", partial(room.project.documents.data, document))
    return _job(room.house.jobs.start(Job("translate", room.project.name, document), partial(_translate_all, room)))


@router.post("/documents/{document}/export", status_code=202)
async def export_file(document: DocumentId, room: Reading) -> schemas.JobGiven:
    """Write a document's file with its targets filled in; fetch the result when the job is done."""
    await room.look("documents", partial(room.project.documents.document, document))  # there is one, or an error
    return _job(room.house.jobs.start(Job("export", room.project.name, document), partial(export_document, room)))


@router.get("/jobs")
async def list_jobs(room: Reading) -> list[schemas.JobGiven]:
    """The jobs of a project since the server was started, the oldest first."""
    return [_job(job) for job in room.house.jobs.of(room.project.name)]


@router.get("/jobs/{job}")
async def show_job(job: Annotated[str, Path(max_length=100)], room: Reading) -> schemas.JobGiven:
    """How far a job is."""
    return _job(room.house.jobs.get(room.project.name, job))


@router.get(
    "/jobs/{job}/result",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "the file"}},
)
async def fetch_result(job: Annotated[str, Path(max_length=100)], room: Reading) -> Response:
    """The file that an export has made."""
    found = room.house.jobs.get(room.project.name, job)
    if found.result is None:
        raise RefusedError(409, f"this job has no result: it is {found.state}", "ask for the job until it is done")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}"}
    return Response(found.result, media_type="application/octet-stream", headers=headers)


async def _translate_all(room: Room, job: Job) -> None:
    documents, document = room.project.documents, job.document or 0
    waiting = await room.look("segments", partial(documents.segments, document, state="new"))
    translated = await room.look("segments", partial(_translator, room.project, document))
    job.total = len(waiting)

    def translate(some: list[Segment]) -> None:
        for segment in some:
            try:
                documents.check(segment)
                text = translated(segment)
                documents.change(segment, target=text, suggestion=text, state="translated" if text else "new")
            except ChangedError as error:  # by a person, who knows better
                job.left_out.append({"segment": segment.number, "what": error.what})

    for first in range(0, len(waiting), STEP):
        await room.look("pretranslate", partial(translate, waiting[first : first + STEP]))
        job.step(first + STEP)


def _translator(project: Opened, number: int) -> Callable[[Segment], str]:
    """What translates the segments of a document; with their tags, if it was a file."""
    data = project.documents.data(number)
    if data is None:
        return lambda segment: project.engine.translate_text(segment.source).text
    document = read(project, data, project.documents.document(number).name)
    known = {one.id: one for one in document.segments}
    return lambda segment: translate_segment(project.engine, document, known[segment.key])


def _given(document: Document) -> schemas.DocumentGiven:
    return schemas.DocumentGiven.model_validate(document)


def _segment(segment: Segment) -> schemas.SegmentGiven:
    return schemas.SegmentGiven.model_validate(segment)


def _job(job: Job) -> schemas.JobGiven:
    return schemas.JobGiven.model_validate(job)
