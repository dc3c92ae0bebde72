"""Translations of texts, and alignments of texts with their translations."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Response

from dragoman.engine import Engine
from dragoman.server import schemas
from dragoman.server.batches import translate_batch
from dragoman.server.context import CanTranslate
from dragoman.server.serialise import finite, tokens_of, translate

SHORT = 2000  # characters of a pair that is aligned in a moment
router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES)


@router.post("/translations", tags=["translating"], response_model=schemas.Translations)
async def translate_texts(wanted: schemas.TranslationWanted, context: CanTranslate) -> Response:
    """Translate texts; this changes nothing."""
    context.check_work(wanted.texts, wanted.n)
    revision = context.project.revision
    work = [partial(translate, context.project.engine, text, wanted) for text in wanted.texts]
    found = await translate_batch(context, work, lenient=True)  # `upstream` tells the engine's answer, if anything
    return await context.respond(
        "serialise", partial(schemas.Translations.model_construct, revision=revision, translations=found)
    )


@router.post("/alignments", tags=["looking"])
async def align(pair: schemas.AlignmentWanted, context: CanTranslate) -> schemas.Aligned:
    """Which words of two texts correspond, according to the models; either may be unfinished, or empty."""
    short = len(pair.source) + len(pair.target) <= SHORT
    align = partial(_aligned, context.project.engine, pair)
    return await context.run("align", align, lane="quick" if short else "batch")


@router.post("/word-graphs", tags=["translating"], response_model=schemas.GraphGiven)
async def find_word_graph(wanted: schemas.GraphWanted, context: CanTranslate) -> Response:
    """Translations of a text as a graph of phrases, with words, scores and confidences; this changes nothing."""
    context.check_work([wanted.text], 1)
    return await context.respond("graph", partial(_graph_given, context.project.engine, wanted))


def _graph_given(engine: Engine, wanted: schemas.GraphWanted) -> schemas.GraphGiven:
    found = engine.word_graph(wanted.text, arcs=wanted.arcs)
    arcs = [schemas.GraphArc(**arc._replace(score=finite(arc.score))._asdict()) for arc in found.arcs]
    tokens = tokens_of(found.source)
    return schemas.GraphGiven(
        revision=found.revision, source_tokens=tokens, states=found.states, arcs=arcs, upstream=found.upstream
    )


def _aligned(engine: Engine, pair: schemas.AlignmentWanted) -> schemas.Aligned:
    found = engine.align(pair.source, pair.target)
    source, target = tokens_of(found.source), tokens_of(found.target)
    return schemas.Aligned(source_tokens=source, target_tokens=target, alignment=found.links)
