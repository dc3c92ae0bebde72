"""Translations of texts, and alignments of texts with their translations."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Response

from dragoman.engine import Engine
from dragoman.server import schemas
from dragoman.server.context import CanTranslate
from dragoman.server.serialise import tokens_of, translate

SHORT = 2000  # characters of a pair that is aligned in a moment
router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES)


@router.post("/translations", tags=["translating"], response_model=schemas.Translations)
async def translate_texts(wanted: schemas.Texts, context: CanTranslate) -> Response:
    """Translate texts; this changes nothing."""
    context.check_work(wanted.texts, wanted.n)
    revision = context.project.revision
    work = [partial(translate, context.project.engine, text, wanted) for text in wanted.texts]
    found = await context.run_all("translate", work)
    return await context.respond(
        "serialise", partial(schemas.Translations.model_construct, revision=revision, translations=found)
    )


@router.post("/alignments", tags=["looking"])
async def align(pair: schemas.Pair, context: CanTranslate) -> schemas.Aligned:
    """Which words of two texts correspond, according to the models; either may be unfinished, or empty."""
    short = len(pair.source) + len(pair.target) <= SHORT
    align = partial(_aligned, context.project.engine, pair)
    return await context.run("align", align, lane="quick" if short else "batch")


def _aligned(engine: Engine, pair: schemas.Pair) -> schemas.Aligned:
    found = engine.align(pair.source, pair.target)
    source, target = tokens_of(found.source), tokens_of(found.target)
    return schemas.Aligned(source_tokens=source, target_tokens=target, alignment=found.links)
