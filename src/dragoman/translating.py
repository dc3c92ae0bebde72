"""From a source sentence to translations: by searching, or from the memory; and from a correction to new weights."""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates, losses
from dragoman.adapt.protocol import MEASURES
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Beam, Decoder, Search
from dragoman.search.explain import Explanation, explain
from dragoman.search.hypotheses import Hypothesis, NBest
from dragoman.state import State
from dragoman.types import Match, Phrase, Sentence, Translation


def search(state: State, source: Sentence, n: int) -> list[Translation]:
    """The n best translations that the models find, or as many as there are."""
    found = searched(state, source)
    return [_written(state, source, found, hypothesis) for hypothesis in _ranked(state, found, n)]


def _ranked(state: State, found: Search, n: int) -> list[Hypothesis]:
    """The best translations; if weights are adapted for choosing from lists, the chosen one before all others."""
    adaptation = state.adaptation
    if adaptation is None or not adaptation.reranks:
        return found.nbest(n, distinct=True)[:] if n > 1 else [found.best]
    nbest, offered = _listed(adaptation, found)
    chosen = adaptation.choose(offered)
    more = nbest if n <= len(nbest) else found.nbest(n, distinct=True)
    return [nbest[chosen], *(more[k] for k in range(min(n, len(more))) if k != chosen)][:n]


def _listed(adaptation: Adaptation, found: Search) -> tuple[NBest, Candidates]:
    """The n-best list that weights are adapted with."""
    nbest = found.nbest(adaptation.adapter.nbest, distinct=True)
    return nbest, candidates(found, nbest, factors=adaptation.wants_factors)


def adapt(state: State, source: str, target: str) -> bytes:
    """Adapt weights and factors to a correction that the models have not learned yet; what the journal has of it."""
    if state.adaptation is None:
        return b""
    _, offered = _listed(state.adaptation, searched(state, state.knowledge.source.read(source)))
    reference = state.knowledge.target.model_words(state.knowledge.target.read(target))
    measure = MEASURES[state.adaptation.adapter.measure]()
    return state.adaptation.learn(offered, losses(measure, offered.words, reference))


def explanation(state: State, source: Sentence) -> Explanation:
    """Why the models translate a sentence the way they do."""
    return explain(searched(state, source))


def decoder(state: State, beam: Beam | str = "best") -> Decoder:
    """A decoder with the models, weights and factors as they are now."""
    adapted = state.adaptation if state.adaptation and state.adaptation.live else None
    factors = adapted.factors if adapted and adapted.wants_factors else None
    models, slots = state.knowledge.models, state.knowledge.target.slots
    return Decoder(models, state.weights_in_use, beam, state.estimates, factors, slots)


def searched(state: State, source: Sentence) -> Search:
    """The search of a sentence, with the terms of the glossary in it."""
    key = state.revision, source.text
    latest = state.latest  # once: others translate meanwhile
    if latest and latest[0] == key:
        return latest[1]
    found = search_behind(state, source, Prefix(()), "best")
    if state.adaptation:
        state.latest = key, found
    return found


def search_behind(state: State, source: Sentence, prefix: Prefix, beam: Beam | str) -> Search:
    """The search of translations that begin with a prefix, with the terms of the glossary in it."""
    words = state.knowledge.source.model_words(source)
    terms = state.glossary.find(words, source.placeable)
    return decoder(state, beam).search(words, source.placeable, prefix=prefix, terms=terms)


def recall(state: State, source: Sentence, match: Match) -> Translation:
    """The target of a correction as a translation, with the score and the links that the models give it."""
    target = state.knowledge.target.read(match.target)
    words = state.knowledge.source.model_words(source), state.knowledge.target.model_words(target)
    whole = Prefix(words[1], whole=True)
    found = decoder(state).search(words[0], source.placeable, prefix=whole)
    phrase = Phrase((0, len(source)), (0, len(target)), *words, "memory")
    return _translation(source, target, found, found.best, (phrase,), match.id)


def _written(state: State, source: Sentence, found: Search, hypothesis: Hypothesis) -> Translation:
    """A hypothesis as text."""
    fixed = {word for word, placeable in zip(found.source, source.placeable, strict=True) if placeable}
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
