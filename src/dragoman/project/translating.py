"""From a source sentence to translations: by searching, or from the translation memory.

Functions that take the state need the engine's lock. `listed` does not: it makes an n-best list from a finished search
alone, so nobody has to wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates
from dragoman.cancelling import checkpoint
from dragoman.project.glossary import has_extra_terms
from dragoman.project.memory import SAME, have_same_figures
from dragoman.project.preparing import PreparedSource, decoder, find_terms, hear
from dragoman.project.state import Latest, State
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Beam, Search
from dragoman.search.hypotheses import Hypothesis, NBest
from dragoman.search.pieces import MAX_UNCUT_WORDS, Pieces
from dragoman.search.searching import Links
from dragoman.text.vocabulary import UNKNOWN
from dragoman.types import Match, Phrase, Sentence, Translation
from dragoman.upstream.contract import Answer
from dragoman.upstream.fusion import blended

Reading = Callable[[], AbstractContextManager[State]]  # the state, for a `with` block during which nobody changes it

MOST_AVOIDING = 100  # translations among which one without banned words is looked for
MAX_LIST_WORDS = 100_000  # words of the source times translations of an n-best list


def search(state: State, source: Sentence, upstream: Answer | None = None) -> Search:
    """Search for translations of a sentence; kept for an adapter, which needs it again for the correction."""
    if has_extra_terms():
        return search_behind(state, source, Prefix(()), "best", upstream)
    if latest := find_latest(state, source.text, upstream):
        return latest.search
    found = search_behind(state, source, Prefix(()), "best", upstream)
    if state.adaptation or found.upstream:
        state.latest = Latest(state.revision, source, upstream.text if upstream else None, found)
    return found


def find_latest(state: State, source: str, upstream: Answer | None) -> Latest | None:
    """The last search, if it was for this source and the models have not changed since."""
    latest = state.latest  # read once, because other threads translate meanwhile
    wanted = state.revision, source, upstream.text if upstream else None
    return latest if latest and (latest.revision, latest.source.text, latest.upstream) == wanted else None


def search_in_pieces(
    reading: Reading, source: Sentence, beam: Beam | str = "best", upstream: Answer | None = None
) -> Search | None:
    """Search a long sentence with the lock released between its pieces; None if it is short enough not to be cut.

    Each piece is searched with the models as they are at that moment.
    """
    if len(source) <= MAX_UNCUT_WORDS:
        return None
    with reading() as state:
        words, last = state.knowledge.source.model_words(source), state.revision
        said = hear(state, words, upstream)
        pieces = Pieces(words, source.placeable, find_terms(state, words, source.placeable), said)
    while not pieces.found:
        checkpoint()
        with reading() as state:
            plan = decoder(state, beam, said, state.term_rules.banned(words, source.placeable)).plan
            pieces.search_next(plan, changed=state.revision != last)
            last = state.revision
    return pieces.found


def search_behind(
    state: State,
    source: Sentence,
    prefix: Prefix,
    beam: Beam | str,
    upstream: Answer | None = None,
    prepared: PreparedSource | None = None,
) -> Search:
    """Search for translations that begin with a prefix, using the terms of the glossary.

    `upstream` is what another engine says of the source: its words are on offer too, if they can be used. With
    `prepared`, options are collected once for all prefixes.
    """
    beam = Beam.of(beam)
    known = (prepared or PreparedSource()).at(state, source, beam, upstream, behind=bool(prefix.words))
    banned = state.term_rules.banned(known.words, source.placeable) if known.offers is None else ()
    return decoder(state, beam, known.said, banned).search(
        known.words,
        source.placeable,
        prefix=prefix,
        terms=known.terms,
        upstream=known.said,
        offers=known.offers,
    )


def knows(state: State, source: Sentence) -> bool:
    """Whether at least half of the words of a text have been seen: else anything that another engine says is better."""
    if state.is_untaught:
        return False
    ids = state.knowledge.models.source.ids(state.knowledge.source.model_words(source))
    return 2 * int((ids != UNKNOWN).sum()) >= len(source)


def is_final(state: State, source: Sentence, upstream: Answer) -> bool:
    """Whether what another engine says is to be taken as it is.

    So it is where nothing was learned, where the two cannot be joined, or where doing so has not paid; but never
    against the glossary, nor if it has words that must not be used.
    """
    said = state.knowledge.target.read(upstream.text)
    if not len(said):
        return False
    words = state.knowledge.source.model_words(source)
    if state.glossary.find(words, source.placeable):
        return False
    if any(_has(said.words, banned) for banned in state.term_rules.banned(words, source.placeable)):
        return False
    return state.is_untaught or state.confidence.bonus is None or hear(state, words, upstream) is None


def _has(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether some words stand in a row among others, whatever the case."""
    lowered, size = tuple(word.lower() for word in words), len(wanted)
    return any(lowered[at : at + size] == wanted for at in range(len(lowered) - size + 1))


def repeated(state: State, source: Sentence, upstream: str) -> Translation:
    """What another engine says as a translation: to the byte, but for its letter case if that is often wrong."""
    said = state.knowledge.target.read(upstream)
    words = state.knowledge.source.model_words(source), state.knowledge.target.model_words(said)
    phrase = Phrase((0, len(source)), (0, len(said)), *words, "upstream")
    features = dict.fromkeys(state.fused_weights, 0.0)
    written = said if state.confidence.keeps_case else recased(state, words[1], source, said)
    return Translation(written.text, 0.0, features, [], source, written, (phrase,), upstream=upstream)


def recased(state: State, words: tuple[str, ...], source: Sentence, said: Sentence) -> Sentence:
    """What another engine says, spaced as it is, but in the letter case that dragoman would have written it in."""
    target = state.knowledge.target
    if target.mode == "words":
        return said
    return replace(said, words=tuple(target.casing.recase(words, source, said.placeable)))


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
    adaptation = state.adaptation_of(found.upstream is not None)
    hypotheses = avoiding(state, source, found, ranked(adaptation, listed(found, adaptation, n), n))
    known: Links = {}
    return [written(state, source, found, hypothesis, known) for hypothesis in hypotheses]


def avoiding(state: State, source: Sentence, found: Search, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses with those last that say banned words; if all do, the best of many that does not comes first.

    Most options that say them are left out of the search; what is left is what only two of them say together.
    """
    banned = state.term_rules.banned(found.source, source.placeable)
    bad = [each for each in hypotheses if any(_has(each.words, words) for words in banned)]
    if not bad:
        return hypotheses
    good = [each for each in hypotheses if each not in bad]
    if not good:
        more = found.nbest(min(MOST_AVOIDING, most_listed(found)), distinct=True)
        rest = (more[k] for k in range(len(more)))
        good = [each for each in rest if not any(_has(each.words, words) for words in banned)][:1]
    return [*good, *bad][: len(hypotheses)]


def written(
    state: State, source: Sentence, found: Search, hypothesis: Hypothesis, known: Links | None = None
) -> Translation:
    """A hypothesis as text; for `known` see `Search.alignment`."""
    fixed = {word for word, placeable in zip(found.source, source.placeable, strict=True) if placeable}
    marks = [word in fixed for word in hypothesis.words]
    for begin, end in _as_written(state, source, found, hypothesis):
        marks[begin:end] = [True] * (end - begin)
    target = state.knowledge.target.write(hypothesis.words, source, marks)
    return _fused(source, target, found, hypothesis, known, keep_case=state.confidence.keeps_case)


def _as_written(state: State, source: Sentence, found: Search, hypothesis: Hypothesis) -> Iterator[tuple[int, int]]:
    """Where a hypothesis has translations of terms whose capitals stay as they are."""
    if not state.glossary.cases:
        return
    spans = {(term.start, term.end) for term in state.glossary.find(found.source, source.placeable) if term.as_written}
    at = 0
    for step in hypothesis.steps:
        if step.kind == "term" and tuple(step.source) in spans:
            yield at, at + len(step.words)
        at += len(step.words)


def _fused(
    source: Sentence, target: Sentence, found: Search, hypothesis: Hypothesis, known: Links | None, *, keep_case: bool
) -> Translation:
    """A hypothesis as a translation; pieces of another engine's translation are written as they are there."""
    upstream = found.upstream
    if upstream is None or upstream.sentence is None:
        return _translation(source, target, found, hypothesis, tuple(_phrases(found.source, hypothesis)), known=known)
    said = upstream.sentence
    phrases = tuple(_phrases(found.source, hypothesis, said))
    if keep_case and hypothesis.words == upstream.words:
        made = _translation(source, said, found, hypothesis, phrases, known=known)
        return replace(made, text=said.text, target=said, upstream=said.text)
    text = blended(target, said, hypothesis, keep_case=keep_case)
    made = _translation(source, text, found, hypothesis, phrases, known=known)
    return replace(made, upstream=said.text)


def first_match(state: State, source: Sentence, matches: Sequence[Match]) -> Match | None:
    """The correction that is taken as it is, if there is one; `matches` are those of the source, the best first.

    It is a correction of the same text, or, as the project is set, of one that is similar enough and has the same
    numbers and placeholders; terms of the glossary are left to the search.
    """
    if not matches or matches[0].similarity < state.memory_threshold:
        return None
    best = matches[0]
    if best.similarity == SAME:
        return best
    if not have_same_figures(source, state.knowledge.source.read(best.source)):
        return None
    return None if find_terms(state, state.knowledge.source.model_words(source), source.placeable) else best


def find_first(state: State, source: Sentence) -> Match | None:
    """The same, looked up."""
    if state.memory_threshold == SAME:
        return state.memory.exact(source.text)
    return first_match(state, source, state.memory.similar(source.text, state.memory_threshold, 1))


def recall(state: State, source: Sentence, match: Match) -> Translation:
    """The target of a correction as a translation, with score and alignment from the models."""
    target = state.knowledge.target.read(match.target)
    words = state.knowledge.source.model_words(source), state.knowledge.target.model_words(target)
    whole = Prefix(words[1], whole=True)
    found = decoder(state).search(words[0], source.placeable, prefix=whole)
    phrase = Phrase((0, len(source)), (0, len(target)), *words, "memory")
    return _translation(source, target, found, found.best, (phrase,), match.id)


def _phrases(words: tuple[str, ...], hypothesis: Hypothesis, said: Sentence | None = None) -> Iterator[Phrase]:
    """The phrases of a hypothesis; `said` is another engine's translation, which some of them replace."""
    at = 0
    for step in hypothesis.steps:
        target = at, at + len(step.words)
        replaced = said.cut(*step.replaces) if said and step.replaces else ""
        yield Phrase(
            step.source, target, words[slice(*step.source)], step.words, step.kind, replaced, step.guessed_from
        )
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
