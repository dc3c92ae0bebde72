"""Find and replace; the translation memory and the glossary as files, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from dragoman.editor import messages, replacement
from dragoman.errors import BadInputError
from dragoman.formats.glossaries import read_glossary, write_glossary
from dragoman.formats.glossary_terms import from_settings, plan_import
from dragoman.formats.lines import write_tsv
from dragoman.formats.tmx import TmxEntry, write_tmx
from dragoman.server import replacement_job, schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.bodies import FILE_BODY, takes_file
from dragoman.server.context import CanLearn, CanRead, ProjectContext
from dragoman.server.document_files import read_segments
from dragoman.server.jobs import Job
from dragoman.server.registry import ServedProject

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES, tags=["exchange"])
STEP = 50  # pairs learned before other requests get their turn
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}, "description": "the file"}}
Name = Annotated[str, Query(min_length=1, max_length=255, description="name of the file; its ending is its format")]


@router.post("/documents/{document}/replacements")
async def replace(
    document: schemas.DocumentId, wanted: messages.ReplacementWanted, context: CanLearn
) -> messages.ReplacementsGiven:
    """Find and replace in targets; a preview unless `preview` is false. One undo takes all of it back."""
    if wanted.preview:
        return await context.run("replace", partial(replacement.preview, context.project, document, wanted))
    user = context.user(wanted.user)
    change = partial(replacement.replace_all, context.project, document, wanted, user)
    done = await context.run_exclusive("replace", change)
    numbers = [each.number for each in done.segments if each.problem is None]
    event = {"event": "segments", "numbers": numbers, "by": user, "why": "replacement"}
    context.publish(document, event if done.count == len(numbers) else {"event": "reload"})
    replacement_job.start_teaching(context, document)
    return done


@router.post("/documents/{document}/replacements/job", status_code=202)
async def start_replacing(
    document: schemas.DocumentId, wanted: messages.ReplacementWanted, context: CanLearn
) -> schemas.JobGiven:
    """Replace as a job with progress, which can be cancelled; the models are taught in the background afterwards."""
    await context.run("documents", partial(context.project.documents.document, document))  # there is one, or an error
    user = context.user(wanted.user)
    job = Job("replace", context.project.name, document)
    work = partial(replacement_job.replace, context, wanted, user)
    return schemas.JobGiven.model_validate(context.start_job(job, work))


@router.get("/memory.{kind}", response_class=Response, responses=FILE)
async def export_memory(kind: Annotated[Literal["tmx", "tsv"], Path()], context: CanRead) -> Response:
    """All corrections in force, as TMX or TSV."""

    def write() -> bytes:
        engine = context.project.engine
        rows = engine.corrections()
        if kind == "tsv":
            return write_tsv((str(row.id), row.source or "", row.target or "") for row in rows)
        entries = (TmxEntry(str(row.id), row.source or "", row.target or "", row.time, row.user) for row in rows)
        return write_tmx(entries, engine.source, engine.target)

    return _file(await context.run("export", write), f"{context.project.name}.{kind}")


@router.post("/memory", status_code=202, openapi_extra=FILE_BODY)
@takes_file
async def import_memory(request: Request, context: CanLearn, name: Name) -> schemas.JobGiven:
    """Learn the confirmed pairs of a file (TMX, TSV, XLIFF, PO …), without making it a document."""
    file = await context.spool(request)
    job = Job("memory", context.project.name, spooled=file, size=file.stat().st_size)

    async def work(job: Job) -> None:
        async with read_segments(context, file, name) as (_, segments):
            pairs = await context.run("import", partial(_confirmed, segments))
        job.total = len(pairs)
        for at in range(0, len(pairs), STEP):
            some = list(enumerate(pairs[at : at + STEP], start=at + 1))
            await context.run_exclusive("import", partial(_learn, context, job, some))
            job.step(at + len(some))

    return schemas.JobGiven.model_validate(context.start_job(job, work))


@router.get("/glossary.{kind}", response_class=Response, responses=FILE)
async def export_glossary(kind: Annotated[Literal["tbx", "tsv", "csv"], Path()], context: CanRead) -> Response:
    """All terms of the glossary, as TBX or CSV with all that is said of them, or as TSV."""

    def write() -> bytes:
        engine = context.project.engine
        terms = from_settings(engine.glossary, engine.term_rules)
        if kind == "tsv":
            used = (("", term.source, term.target) for term in terms if term.status == "preferred")
            return write_tsv([("", "source", "target"), *used])
        return write_glossary(terms, f"terms.{kind}", engine.source, engine.target)

    return _file(await context.run("export", write), f"{context.project.name}.{kind}")


@router.post("/glossary", openapi_extra=FILE_BODY)
@takes_file
async def import_glossary(request: Request, context: CanLearn, name: Name) -> schemas.TermsImported:
    """Add the terms of a file (TBX, CSV or TSV with named columns); known ones get the translation of the file."""
    data = await _body(request)
    await context.examine(data, name, "glossary")
    done = await context.run_exclusive("term", partial(_add_terms, context.project, data, name))
    context.publish(None, {"event": "glossary", "source": None, "target": None})
    return done


def _confirmed(segments: Iterable[Sequence[Any]]) -> list[tuple[str, str]]:
    """The pairs that somebody has confirmed, of segments as `read_segments` has them."""
    return [(source, target) for _, source, target, state, *_ in segments if state in ("confirmed", "locked")]


async def _body(request: Request) -> bytes:
    data = await request.body()
    if not data:
        raise ApiError(400, "the file is empty", "choose another file")
    return data


def _learn(context: ProjectContext, job: Job, pairs: list[tuple[int, tuple[str, str]]]) -> None:
    for number, (source, target) in pairs:
        try:
            context.project.engine.learn(source, target, user=context.user(None), once=True)
        except BadInputError as error:
            job.skip(number, error.what)


def _add_terms(project: ServedProject, data: bytes, name: str) -> schemas.TermsImported:
    engine = project.engine
    old = {*engine.glossary, *engine.term_rules}
    plan = plan_import(engine, read_glossary(data, name, engine.source, engine.target))
    if plan.terms or plan.rules:
        engine.change_terms(plan.terms, plan.rules)
    changed = {*plan.terms, *plan.rules}
    skipped: list[dict[str, object]] = [{"source": source, "what": what} for source, what in plan.left_out.items()]
    return schemas.TermsImported(
        added=len(changed - old), changed=len(changed & old), known=plan.known, skipped=skipped[:1000]
    )


def _file(data: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)
