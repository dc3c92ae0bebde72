"""From a source sentence to translations: by searching, or from the translation memory.

Functions that take a request need the project's lock. `listed` does not: it makes an n-best list from a finished search
alone, so nobody has to wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates
from dragoman.cancellation import checkpoint
from dragoman.project.glossary import has_extra_terms
from dragoman.project.memory import SAME, have_same_figures
from dragoman.project.repeats import ANSWER, MAJORITY, majority
from dragoman.project.request import Request, new_decoder
from dragoman.project.state import Latest, State
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Beam, Search
from dragoman.search.hypotheses import Hypothesis, NBest
from dragoman.search.pieces import Pieces
from dragoman.search.sentence_search import Links
from dragoman.search.upstream_links import used_terms
from dragoman.types import Match, Phrase, Sentence, Term, Translation
from dragoman.upstream.contract import Answer
from dragoman.upstream.fusion import blended

Reading = Callable[[], AbstractContextManager[State]]  # the state, for a `with` block during which nobody changes it

MOST_AVOIDING = 100  # translations among which one without banned words is looked for
MAX_LIST_WORDS = 100_000  # words of the source times translations of an n-best list


def search(request: Request) -> Search:
    """Search for translations of a text; kept for an adapter, which needs it again for the correction."""
    if has_extra_terms():
        return request.search()
    state = request.state
    if latest := find_latest(state, request.source.text, request.answer):
        return latest.search
    found = request.search()
    if state.adaptation or found.upstream:
        state.latest = Latest(state.revision, request.source, request.answer.text if request.answer else None, found)
    return found


def find_latest(state: State, source: str, answer: Answer | None) -> Latest | None:
    """The last search, if it was for this source and the models have not changed since."""
    latest = state.latest  # read once, because other threads translate meanwhile
    wanted = state.revision, source, answer.text if answer else None
    return latest if latest and (latest.revision, latest.source.text, latest.upstream) == wanted else None


def search_in_pieces(reading: Reading, request: Request, beam: Beam | str = "best") -> Search | None:
    """Search a long text with the lock released between its pieces; None if it is short enough not to be cut.

    Each piece is searched with the models as they are at that moment.
    """
    if not request.is_long:
        return None
    beam, marks = Beam.of(beam), request.source.placeable
    with reading() as state:
        request = request.at(state)
        pieces = Pieces(request.words, marks, request.check_terms(), request.upstream)
        decoder, last = request.decoder(beam), (state, state.revision)
    while not pieces.found:
        checkpoint()
        with reading() as state:
            if changed := (state, state.revision) != last:
                banned = state.term_rules.banned(request.words, marks)
                decoder, last = new_decoder(state, beam, request.upstream, banned), (state, state.revision)
            pieces.search_next(decoder, changed=changed)
    return pieces.found


def is_final(request: Request) -> bool:
    """Whether another engine's answer is to be taken as it is.

    So it is where nothing was learned, and where the two cannot be joined; but never against the glossary, nor if it
    has words that must not be used. What failed a check is joined with nothing.
    """
    sentence, state = request.answer_sentence, request.state
    if not len(sentence) or (request.answer and request.answer.flaw):
        return bool(len(sentence))
    return is_acceptable(request, sentence) and (state.is_untaught or request.upstream is None)


def is_acceptable(request: Request, sentence: Sentence) -> bool:
    """Whether a translation has every term of the glossary, and no words that must not be used."""
    if not _uses_all(sentence, request.terms):
        return False
    return not any(_has(sentence.words, banned) for banned in request.bans)


def _uses_all(answer: Sentence, terms: Sequence[Term]) -> bool:
    """Whether another engine's translation has every term of the glossary, as often as the source has it."""
    places = list(used_terms(terms, answer.words))
    as_written = (answer.words[at : at + len(term.words)] == term.words for term, at in places if term.as_written)
    return len(places) == len(terms) and all(as_written)


def _has(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether some words stand in a row among others, whatever the case."""
    lowered, size = tuple(word.lower() for word in words), len(wanted)
    return any(lowered[at : at + size] == wanted for at in range(len(lowered) - size + 1))


def repeated(request: Request) -> Translation:
    """Another engine's answer as a translation: to the byte, but for its letter case if that is often wrong."""
    state, source, answer = request.state, request.source, request.answer_sentence
    words = request.words, state.knowledge.target.model_words(answer)
    phrase = Phrase((0, len(source)), (0, len(answer)), *words, "upstream")
    features = dict.fromkeys(state.fused_weights, 0.0)
    written = answer if state.confidence.keeps_case else recased(state, words[1], source, answer)
    return Translation(written.text, 0.0, features, [], source, written, (phrase,), upstream=answer.text)


def recased(state: State, words: tuple[str, ...], source: Sentence, answer: Sentence) -> Sentence:
    """Another engine's answer, spaced as it is, but in the letter case that dragoman would have written it in."""
    target = state.knowledge.target
    if target.mode == "words":
        return answer
    return replace(answer, words=tuple(target.casing.recase(words, source, answer.placeable)))


class RankedLists(NamedTuple):
    """The n best translations of a search, and the list that an adapter chooses from, if it reranks."""

    best: NBest | list[Hypothesis]
    choices: NBest | None = None
    offered: Candidates | None = None


def is_quick(adaptation: Adaptation | None, n: int) -> bool:
    """Whether only the best translation is needed, without an adapter that reranks a list."""
    return n == 1 and not (adaptation and adaptation.reranks)


def listed(found: Search, adaptation: Adaptation | None, n: int) -> RankedLists:
    """The n best translations of a search; needs no lock."""
    if adaptation is None or not adaptation.reranks:
        return RankedLists(found.nbest(n, distinct=True) if n > 1 else [found.best])
    choices = found.nbest(min(adaptation.adapter.nbest, most_listed(found)), distinct=True)
    best = choices if n <= len(choices) else found.nbest(n, distinct=True)
    return RankedLists(best, choices, candidates(found, choices, factors=adaptation.wants_factors))


def most_listed(found: Search) -> int:
    """How many translations a list may have; fewer if they are very long."""
    return max(1, MAX_LIST_WORDS // len(found.source))


def ranked(adaptation: Adaptation | None, lists: RankedLists, n: int) -> list[Hypothesis]:
    """The n best translations, with the adapter's choice first."""
    best = [lists.best[k] for k in range(min(n, len(lists.best)))]
    if adaptation is None or lists.choices is None or lists.offered is None:
        return best
    chosen = adaptation.choose(lists.offered)
    return [lists.choices[chosen], *(each for k, each in enumerate(best) if k != chosen)][:n]


def avoiding(request: Request, found: Search, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses with those last that say banned words; if all do, the best of many that does not comes first.

    Most options that say them are left out of the search; what is left is what only two of them say together.
    """
    bad = [each for each in hypotheses if any(_has(each.words, words) for words in request.bans)]
    if not bad:
        return hypotheses
    good = [each for each in hypotheses if each not in bad]
    if not good:
        more = found.nbest(min(MOST_AVOIDING, most_listed(found)), distinct=True)
        rest = (more[k] for k in range(len(more)))
        good = [each for each in rest if not any(_has(each.words, words) for words in request.bans)][:1]
    return [*good, *bad][: len(hypotheses)]


def written(request: Request, found: Search, hypothesis: Hypothesis, known: Links | None = None) -> Translation:
    """A hypothesis as text, to the byte as the source if nothing of it is known; for `known` see `Search.alignment`."""
    source, state = request.source, request.state
    if hypothesis.words == found.source and all(step.kind == "copy" for step in hypothesis.steps):
        return _fused(source, source, found, hypothesis, known, keep_case=state.confidence.keeps_case)
    fixed = {word for word, placeable in zip(found.source, source.placeable, strict=True) if placeable}
    marks = [word in fixed for word in hypothesis.words]
    for begin, end in _as_written(request, hypothesis):
        marks[begin:end] = [True] * (end - begin)
    target = state.knowledge.target.write(hypothesis.words, source, marks)
    return _fused(source, target, found, hypothesis, known, keep_case=state.confidence.keeps_case)


def _as_written(request: Request, hypothesis: Hypothesis) -> Iterator[tuple[int, int]]:
    """Where a hypothesis has translations of terms whose capitals stay as they are."""
    spans = {(term.start, term.end) for term in request.terms if term.as_written}
    at = 0
    for step in hypothesis.steps if spans else ():
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
    answer = upstream.sentence
    phrases = tuple(_phrases(found.source, hypothesis, answer))
    if keep_case and hypothesis.words == upstream.words:
        made = _translation(source, answer, found, hypothesis, phrases, known=known)
        return replace(made, text=answer.text, target=answer, upstream=answer.text)
    text = blended(target, answer, hypothesis, keep_case=keep_case)
    made = _translation(source, text, found, hypothesis, phrases, known=known)
    return replace(made, upstream=answer.text)


def first_match(request: Request, matches: Sequence[Match]) -> Match | None:
    """The correction that is taken as it is, if there is one; `matches` are those of the source, the best first.

    It is a correction of the same text, or, as the project is set, of one that is similar enough and has the same
    numbers and placeholders; terms of the glossary are left to the search.
    """
    state = request.state
    if not matches or matches[0].similarity < state.memory_threshold:
        return None
    best = matches[0]
    if best.similarity == SAME:
        return choose_repeat(state, request.source.text, best) if request.answer else best
    if not have_same_figures(request.source, state.knowledge.source.read(best.source)):
        return None
    return None if request.check_terms() else best


def choose_repeat(state: State, source: str, newest: Match) -> Match | None:
    """The correction of the same text that is most often right; None if another engine's answer is."""
    known = [] if state.newest_first else state.memory.corrections(source)
    if not known:  # it has other codes, perhaps
        return newest
    targets = [match.target for match in known]
    choice = state.repeats.choose(targets)
    if choice == ANSWER:
        return None
    return known[majority(targets)] if choice == MAJORITY else newest


def find_first(request: Request) -> Match | None:
    """The same, looked up."""
    state, text = request.state, request.source.text
    if state.memory_threshold == SAME:
        known = state.memory.exact(text)
        return choose_repeat(state, text, known) if known and request.answer else known
    return first_match(request, state.memory.similar(text, state.memory_threshold, 1))


def recall(request: Request, match: Match) -> Translation:
    """The target of a correction as a translation, with score and alignment from the models."""
    state, source = request.state, request.source
    target = state.knowledge.target.read(match.target)
    words = request.words, state.knowledge.target.model_words(target)
    whole = Prefix(words[1], whole=True)
    found = new_decoder(state).search(words[0], source.placeable, prefix=whole)
    phrase = Phrase((0, len(source)), (0, len(target)), *words, "memory")
    return _translation(source, target, found, found.best, (phrase,), match.id)


def _phrases(words: tuple[str, ...], hypothesis: Hypothesis, answer: Sentence | None = None) -> Iterator[Phrase]:
    """The phrases of a hypothesis; `answer` is another engine's translation, which some of them replace."""
    at = 0
    for step in hypothesis.steps:
        target = at, at + len(step.words)
        replaced = answer.cut(*step.replaces) if answer and step.replaces else ""
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
