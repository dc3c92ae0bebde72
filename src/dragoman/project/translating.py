"""From a source sentence to translations: by searching, or from the translation memory.

Functions that take the state need the engine's lock. `listed` does not: it makes an n-best list from a finished search
alone, so nobody has to wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates
from dragoman.errors import BadInputError
from dragoman.project.state import State
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Beam, Decoder, Search
from dragoman.search.hypotheses import Hypothesis, NBest
from dragoman.search.searching import Links
from dragoman.types import Match, Phrase, Sentence, Term, Translation

MAX_LIST_WORDS = 100_000  # words of the source times translations of an n-best list
MAX_TERM_CHARACTERS = 400_000  # of what the terms in one text prescribe


def decoder(state: State, beam: Beam | str = "best") -> Decoder:
    """A decoder with the current models, weights and factors."""
    adapted = state.adaptation if state.adaptation and state.adaptation.live else None
    factors = adapted.factors if adapted and adapted.wants_factors else None
    models, slots = state.knowledge.models, state.knowledge.target.slots
    return Decoder(models, state.weights_in_use, beam, state.estimates, factors, slots)


def search(state: State, source: Sentence) -> Search:
    """Search for translations of a sentence; kept for an adapter, which needs it again for the correction."""
    key = state.revision, source.text
    latest = state.latest  # read once, because other threads translate meanwhile
    if latest and latest[0] == key:
        return latest[1]
    found = search_behind(state, source, Prefix(()), "best")
    if state.adaptation:
        state.latest = key, found
    return found


def search_behind(state: State, source: Sentence, prefix: Prefix, beam: Beam | str) -> Search:
    """Search for translations that begin with a prefix, using the terms of the glossary."""
    words = state.knowledge.source.model_words(source)
    terms = find_terms(state, words, source.placeable)
    return decoder(state, beam).search(words, source.placeable, prefix=prefix, terms=terms)


def find_terms(state: State, words: tuple[str, ...], placeable: tuple[bool, ...]) -> list[Term]:
    """The terms of the glossary in a sentence; refused if they make the translation too long."""
    terms = state.glossary.find(words, placeable)
    characters = sum(len(word) + 1 for term in terms for word in term.words)
    if characters > MAX_TERM_CHARACTERS:
        what = f"the terms of the glossary make the translation of this text {characters:,} characters long"
        raise BadInputError(what, remedy="translate a shorter text, or shorten the translations of its terms")
    return terms


class Lists(NamedTuple):
    """The n best translations of a search, and the list that an adapter chooses from, if it reranks."""

    best: NBest | list[Hypothesis]
    choices: NBest | None = None
    offered: Candidates | None = None


def is_quick(adaptation: Adaptation | None, n: int) -> bool:
    """Whether only the best translation is needed, without an adapter that reranks a list."""
    return n == 1 and not (adaptation and adaptation.reranks)


def listed(found: Search, adaptation: Adaptation | None, n: int) -> Lists:
    """The n best translations of a search; needs no lock."""
    if adaptation is None or not adaptation.reranks:
        return Lists(found.nbest(n, distinct=True) if n > 1 else [found.best])
    choices = found.nbest(min(adaptation.adapter.nbest, most_listed(found)), distinct=True)
    best = choices if n <= len(choices) else found.nbest(n, distinct=True)
    return Lists(best, choices, candidates(found, choices, factors=adaptation.wants_factors))


def most_listed(found: Search) -> int:
    """How many translations a list may have; fewer if they are very long."""
    return max(1, MAX_LIST_WORDS // len(found.source))


def ranked(adaptation: Adaptation | None, lists: Lists, n: int) -> list[Hypothesis]:
    """The n best translations, with the adapter's choice first."""
    best = [lists.best[k] for k in range(min(n, len(lists.best)))]
    if adaptation is None or lists.choices is None or lists.offered is None:
        return best
    chosen = adaptation.choose(lists.offered)
    return [lists.choices[chosen], *(each for k, each in enumerate(best) if k != chosen)][:n]


def best(state: State, source: Sentence, found: Search, n: int) -> list[Translation]:
    """The n best translations of a search as text."""
    hypotheses = ranked(state.adaptation, listed(found, state.adaptation, n), n)
    known: Links = {}
    return [written(state, source, found, hypothesis, known) for hypothesis in hypotheses]


def written(
    state: State, source: Sentence, found: Search, hypothesis: Hypothesis, known: Links | None = None
) -> Translation:
    """A hypothesis as text; for `known` see `Search.alignment`."""
    fixed = {word for word, placeable in zip(found.source, source.placeable, strict=True) if placeable}
    marks = [word in fixed for word in hypothesis.words]
    target = state.knowledge.target.write(hypothesis.words, source, marks)
    return _translation(source, target, found, hypothesis, tuple(_phrases(found.source, hypothesis)), known=known)


def recall(state: State, source: Sentence, match: Match) -> Translation:
    """The target of a correction as a translation, with score and alignment from the models."""
    target = state.knowledge.target.read(match.target)
    words = state.knowledge.source.model_words(source), state.knowledge.target.model_words(target)
    whole = Prefix(words[1], whole=True)
    found = decoder(state).search(words[0], source.placeable, prefix=whole)
    phrase = Phrase((0, len(source)), (0, len(target)), *words, "memory")
    return _translation(source, target, found, found.best, (phrase,), match.id)


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
    known: Links | None = None,
) -> Translation:
    """A translation with the same surrounding spaces as the source."""
    target = Sentence(target.words, (source.gaps[0], *target.gaps[1:-1], source.gaps[-1]), target.placeable)
    links = found.alignment(hypothesis, known)
    return Translation(
        target.text, hypothesis.score, hypothesis.features, links, source, target, phrases, memory=memory
    )
