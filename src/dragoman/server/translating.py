"""A translation in the form in which it goes out."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from statistics import fmean

from dragoman.engine import Engine
from dragoman.formats.filling import lines_to_translate
from dragoman.formats.whole import whole
from dragoman.provenance import Origin
from dragoman.server.schemas import Alternative, MatchFound, PhrasePair, Texts, Token, TranslationGiven
from dragoman.types import Match, Sentence, Translation

LEAST = -1e9  # JSON has no infinity


def translate(engine: Engine, text: str, wanted: Texts) -> TranslationGiven:
    """Translate a text, line by line, with all that is wanted of it."""
    parts = lines_to_translate(engine, text, memory=wanted.memory)
    lines = [engine.translate(part, n=wanted.n, memory=wanted.memory) for part in parts]
    found = whole(lines)
    matches = found.matches if len(lines) == 1 else _matches(engine, text) if wanted.memory else []
    origins = [origin for line in lines for origin in engine.provenance(line)] if wanted.provenance else None
    words = [sure for line in lines for sure in confidences(engine, line)] if wanted.confidence else None
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


def _matches(engine: Engine, text: str) -> list[Match]:
    """Corrections of texts like one that is translated line by line."""
    with engine.reading() as state:
        return state.memory.similar(text)


def confidences(engine: Engine, found: Translation) -> list[float]:
    """How sure the models are of each token of a translation; what a person has corrected is certain.

    A token that the models would not say themselves at this place has no support: 0.
    """
    if found.memory is not None or not len(found.source):
        return [1.0] * len(found.target)
    with engine.interact(found.source.text, memory=False) as session:
        suggestion = session.suggest()
    sure = {(word.begin, word.text): word.confidence for word in suggestion.words}
    places = zip(found.target.spans, found.target.words, strict=True)
    return [round(sure.get((begin, word), 0.0), 3) for (begin, _), word in places]


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
