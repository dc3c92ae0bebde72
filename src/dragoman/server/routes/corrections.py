"""Corrections: learn, revise, forget, list, look up."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from dragoman.editor import segment_edits
from dragoman.server import schemas
from dragoman.server.concordance import MOST, Found, search
from dragoman.server.context import CanLearn, CanRead, ProjectContext
from dragoman.server.registry import ServedProject
from dragoman.server.serialise import history_row
from dragoman.store import Row

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES)


@router.post("/corrections", status_code=201, tags=["learning"])
async def learn(correction: schemas.Correction, context: CanLearn) -> schemas.Learned:
    """Learn a correction; once this answers, it is safe on disk. One that looks like a mistake is recorded but refused.

    If unsure whether a correction was saved, resend it with `once`: it is not learned twice.
    """
    user = context.user(correction.user)
    learn = partial(
        context.project.engine.learn, correction.source, correction.target, user=user, force=correction.force
    )
    number = await context.run_exclusive("learn", partial(learn, once=correction.once))
    return schemas.Learned(id=number, revision=number)


@router.get("/corrections", tags=["learning"], response_model=schemas.History)
async def history(
    context: CanRead,
    limit: schemas.PageSize = 50,
    search: Annotated[str | None, Query(max_length=1000, description="only those that contain this text")] = None,
) -> Response:
    """Corrections, newest first: learned, flagged or forgotten."""

    def find() -> schemas.History:
        rows = context.project.engine.history(limit, search=search)
        return schemas.History(revision=context.project.revision, corrections=[history_row(row) for row in rows])

    return await context.respond("history", find)


@router.get("/corrections/{number}", tags=["learning"])
async def show_correction(number: schemas.CorrectionId, context: CanRead) -> schemas.CorrectionDetails:
    """One correction, and where it was made."""
    return await context.run("history", partial(_details, context.project, number))


@router.put("/corrections/{number}", tags=["learning"])
async def revise(number: schemas.CorrectionId, revision: schemas.Revision, context: CanLearn) -> schemas.Learned:
    """Replace the target of a correction, which gets a new id."""
    user = context.user(revision.user)
    revise = partial(segment_edits.revise, context.project, number, revision.target, user, force=revision.force)
    new = await context.run_exclusive("revise", revise)
    await _publish(context, new)
    return schemas.Learned(id=new, revision=new)


@router.delete("/corrections/{number}", tags=["learning"])
async def forget(number: schemas.CorrectionId, context: CanLearn) -> schemas.Learned:
    """Take back exactly what a correction has taught."""
    forget = partial(segment_edits.forget, context.project, number, context.user(None))
    places = await context.run("segments", partial(context.project.documents.places, number))
    revision = await context.run_exclusive("forget", forget)
    _tell(context, places)
    return schemas.Learned(id=number, revision=revision)


@router.get("/concordance", tags=["looking"], response_model=schemas.Concordance)
async def concordance(
    context: CanRead,
    text: Annotated[str, Query(min_length=1, max_length=1000, examples=["button"])],
    limit: schemas.PageSize = 50,
) -> Response:
    """Corrections in force that contain a text in their source or target, newest first, and where it occurs.

    Case and accents do not matter. `*` stands for any letters of a word, `?` for one.
    """

    def find() -> schemas.Concordance:
        engine = context.project.engine
        found, total = search(engine.memory_texts(), text, limit)
        rows = [(engine.correction(each.id), each) for each in found]
        exact = total < MOST
        hits = [_hit(row, each) for row, each in rows]
        return schemas.Concordance(revision=context.project.revision, hits=hits, total=total, total_is_exact=exact)

    return await context.respond("concordance", find)


async def _publish(context: ProjectContext, number: int) -> None:
    """Tell everybody who has a segment open that came from a correction."""
    _tell(context, await context.run("segments", partial(context.project.documents.places, number)))


def _tell(context: ProjectContext, places: list[tuple[int, int]]) -> None:
    for document, number in places:
        event = {"event": "segments", "numbers": [number], "by": context.identity.name, "why": "history"}
        context.publish(document, event)


def _details(project: ServedProject, number: int) -> schemas.CorrectionDetails:
    row = segment_edits.correction(project, number)
    place = project.documents.taught(number)
    name = project.documents.document(place.document).name if place else None
    return schemas.CorrectionDetails(
        **history_row(row).model_dump(),
        document=place.document if place else None,
        segment=place.number if place else None,
        name=name,
    )


def _hit(row: Row, found: Found) -> schemas.Hit:
    return schemas.Hit(
        id=row.id,
        source=found.source,
        target=found.target,
        time=row.time.isoformat(),
        user=row.user,
        in_source=found.in_source,
        in_target=found.in_target,
    )
