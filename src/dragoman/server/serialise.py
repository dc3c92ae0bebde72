"""Translations, sentences and corrections as the response models of the API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from statistics import fmean

from dragoman.concurrency import checkpoint
from dragoman.engine import Engine
from dragoman.project.provenance import Origin
from dragoman.records import Match, ProposedChange, Sentence, Translation
from dragoman.server.confidence_threshold import is_unsure
from dragoman.server.schemas import (
    Alternative,
    HistoryRow,
    MatchFound,
    PhraseGiven,
    Token,
    TranslationGiven,
    TranslationWanted,
    WeighedChange,
)
from dragoman.store import Row
from dragoman.text.tokens import is_slot

LEAST = -1e9  # stands for minus infinity, which JSON lacks


def translate(engine: Engine, text: str, wanted: TranslationWanted) -> TranslationGiven:
    """Translate a text, line by line, with everything that the request asks for."""
    found = engine.translate_text(text, n=wanted.n, memory=wanted.memory)
    checkpoint()
    origins = engine.provenance(found) if wanted.provenance else None
    found = engine.date_changes(found) if wanted.provenance else found
    checkpoint()
    words = engine.confidences(found) if wanted.confidence or wanted.least_confidence else None
    checkpoint()
    given = _given(found, origins, words)
    if is_unsure(words, wanted.least_confidence):
        empty = {"text": "", "target_tokens": [], "alignment": [], "phrases": [], "changes": [], "nbest": []}
        return given.model_copy(update=empty | {"word_confidences": [], "withheld": True})
    return given


def _given(found: Translation, origins: list[Origin] | None, words: list[float] | None) -> TranslationGiven:
    return TranslationGiven(
        text=found.text,
        score=finite(found.score),
        memory=found.memory,
        upstream=found.upstream,
        upstream_flaw=found.upstream_flaw,
        source_tokens=tokens_of(found.source),
        target_tokens=tokens_of(found.target),
        alignment=found.alignment,
        phrases=list(_phrases(found, origins)),
        changes=[WeighedChange(**change.as_dict()) for change in changes_of(found)],
        matches=matches_of(found.matches),
        nbest=[
            Alternative(text=one.text, score=finite(one.score), features=_finite(one.features)) for one in found.nbest
        ],
        confidence=fmean(words) if words else None,
        word_confidences=words,
    )


def changes_of(found: Translation) -> list[ProposedChange]:
    """The changes weighed for a translation, or for its lines."""
    return [change for line in found.lines or (found,) for change in line.changes]


def finite(score: float) -> float:
    """A score that JSON can represent."""
    return score if isfinite(score) else LEAST


def _finite(features: dict[str, float]) -> dict[str, float]:
    return {name: finite(value) for name, value in features.items()}


def tokens_of(sentence: Sentence) -> list[Token]:
    """The tokens of a sentence, by their characters."""
    words = zip(sentence.words, sentence.spans, sentence.placeable, strict=True)
    return [
        Token(start=start, end=end, placeable=placeable, tag=placeable and is_slot(word))
        for word, (start, end), placeable in words
    ]


def matches_of(matches: Iterable[Match]) -> list[MatchFound]:
    """Matches from the translation memory."""
    return [MatchFound(**match._asdict()) for match in matches]


def _phrases(found: Translation, origins: list[Origin] | None) -> Iterator[PhraseGiven]:
    for n, phrase in enumerate(found.phrases):
        pair = PhraseGiven(source=phrase.source, target=phrase.target, kind=phrase.kind, replaces=phrase.replaces)
        pair.guessed_from = list(phrase.guessed_from)
        if origins is not None:
            origin = origins[n]
            pair.learned, pair.base, pair.corrections = origin.learned, origin.base, list(origin.corrections)
        yield pair


def history_row(row: Row) -> HistoryRow:
    """A correction in the journal."""
    return HistoryRow(
        id=row.id,
        kind=row.kind,
        time=row.time.isoformat(),
        user=row.user,
        source=row.source or "",
        target=row.target or "",
        reason=row.reason,
        refers_to=row.refers_to,
        forgotten=row.forgotten,
    )
