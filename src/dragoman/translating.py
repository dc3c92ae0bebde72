"""From a source sentence to translations: by searching, or from the memory."""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Decoder, Search
from dragoman.search.explain import Explanation, explain
from dragoman.search.hypotheses import Hypothesis
from dragoman.state import State
from dragoman.types import Match, Phrase, Sentence, Translation


def search(state: State, source: Sentence, n: int) -> list[Translation]:
    """The n best translations that the models find, or as many as there are."""
    found = _searched(state, source)
    hypotheses = found.nbest(n, distinct=True) if n > 1 else [found.best]
    return [_written(state, source, found, hypothesis) for hypothesis in hypotheses]


def explanation(state: State, source: Sentence) -> Explanation:
    """Why the models translate a sentence the way they do."""
    return explain(_searched(state, source))


def _searched(state: State, source: Sentence) -> Search:
    words = state.knowledge.source.model_words(source)
    terms = state.glossary.find(words, source.placeable)
    return Decoder(state.knowledge.models, state.weights).search(words, source.placeable, terms=terms)


def recall(state: State, source: Sentence, match: Match) -> Translation:
    """The target of a correction as a translation, with the score and the links that the models give it."""
    target = state.knowledge.target.read(match.target)
    words = state.knowledge.source.model_words(source), state.knowledge.target.model_words(target)
    whole = Prefix(words[1], whole=True)
    found = Decoder(state.knowledge.models, state.weights).search(words[0], source.placeable, prefix=whole)
    phrase = Phrase((0, len(source)), (0, len(target)), *words, "memory")
    return _translation(source, target, found, found.best, (phrase,), match.id)


def _written(state: State, source: Sentence, found: Search, hypothesis: Hypothesis) -> Translation:
    """A hypothesis as text."""
    fixed = {word for word, placeable in zip(source.words, source.placeable, strict=True) if placeable}
    marks = [word in fixed for word in hypothesis.words]
    target = state.knowledge.target.write(hypothesis.words, source, marks)
    return _translation(source, target, found, hypothesis, tuple(_phrases(found.source, hypothesis)))


def _phrases(words: tuple[str, ...], hypothesis: Hypothesis) -> Iterator[Phrase]:
    at = 0
    for step in hypothesis.steps:
        target = at, at + len(step.words)
        yield Phrase(step.source, target, words[slice(*step.source)], step.words, step.kind)
        at = target[1]


def _translation(
    source: Sentence,
    target: Sentence,
    found: Search,
    hypothesis: Hypothesis,
    phrases: tuple[Phrase, ...],
    memory: int | None = None,
) -> Translation:
    """A translation with the same spaces around it as the source has."""
    target = Sentence(target.words, (source.gaps[0], *target.gaps[1:-1], source.gaps[-1]), target.placeable)
    links = found.alignment(hypothesis)
    return Translation(
        target.text, hypothesis.score, hypothesis.features, links, source, target, phrases, memory=memory
    )
