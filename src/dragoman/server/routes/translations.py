"""Translations of texts, and alignments of texts with their translations."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter

from dragoman.engine import Engine
from dragoman.server import schemas
from dragoman.server.context import CanTranslate
from dragoman.server.serialise import tokens_of, translate

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES)


@router.post("/translations", tags=["translating"])
async def translate_texts(wanted: schemas.Texts, context: CanTranslate) -> schemas.Translations:
    """Translate texts; this changes nothing."""
    revision = context.project.revision
    work = [partial(translate, context.project.engine, text, wanted) for text in wanted.texts]
    return schemas.Translations(revision=revision, translations=await context.run_all("translate", work))


@router.post("/alignments", tags=["looking"])
async def align(pair: schemas.Pair, context: CanTranslate) -> schemas.Aligned:
    """Which words of two texts correspond, according to the models; either may be unfinished, or empty."""
    return await context.run("align", partial(_aligned, context.project.engine, pair), quick=True)


def _aligned(engine: Engine, pair: schemas.Pair) -> schemas.Aligned:
    found = engine.align(pair.source, pair.target)
    source, target = tokens_of(found.source), tokens_of(found.target)
    return schemas.Aligned(source_tokens=source, target_tokens=target, alignment=found.links)
