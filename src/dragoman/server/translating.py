"""A translation in the form in which it goes out."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from statistics import fmean

from dragoman.engine import Engine
from dragoman.project.provenance import Origin
from dragoman.server.schemas import Alternative, MatchFound, PhrasePair, Texts, Token, TranslationGiven
from dragoman.types import Sentence, Translation

LEAST = -1e9  # JSON has no infinity


def translate(engine: Engine, text: str, wanted: Texts) -> TranslationGiven:
    """Translate a text, line by line, with all that is wanted of it."""
    found = engine.translate_text(text, n=wanted.n, memory=wanted.memory)
    matches = found.matches
    origins = engine.provenance(found) if wanted.provenance else None
    words = engine.confidences(found) if wanted.confidence else None
    return TranslationGiven(
        text=found.text,
        score=finite(found.score),
        memory=found.memory,
        source_tokens=list(tokens_of(found.source)),
        target_tokens=list(tokens_of(found.target)),
        alignment=found.alignment,
        phrases=list(_phrases(found, origins)),
        matches=[MatchFound(**match._asdict()) for match in matches],
        nbest=[
            Alternative(text=one.text, score=finite(one.score), features=_finite(one.features)) for one in found.nbest
        ],
        confidence=fmean(words) if words else None,
        word_confidences=words,
    )


def finite(score: float) -> float:
    """A score that JSON can hold."""
    return score if isfinite(score) else LEAST


def _finite(features: dict[str, float]) -> dict[str, float]:
    return {name: finite(value) for name, value in features.items()}


def tokens_of(sentence: Sentence) -> Iterator[Token]:
    """The tokens of a sentence, by their characters."""
    for (start, end), placeable in zip(sentence.spans, sentence.placeable, strict=True):
        yield Token(start=start, end=end, placeable=placeable)


def _phrases(found: Translation, origins: list[Origin] | None) -> Iterator[PhrasePair]:
    for n, phrase in enumerate(found.phrases):
        pair = PhrasePair(source=phrase.source, target=phrase.target, kind=phrase.kind)
        if origins is not None:
            origin = origins[n]
            pair.learned, pair.base, pair.corrections = origin.learned, origin.base, list(origin.corrections)
        yield pair
