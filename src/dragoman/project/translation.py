"""Translations as text: of what a search has found, of a correction, or of another engine's answer.

1. `best` are the n best translations of a search; over another engine's answer, that answer with those changes that are
   trusted comes first, each change on its own evidence (`decided`).
2. `recall` is the translation that a correction gave, `repeated` another engine's answer as it is.

Functions that take a request need the project's lock. `listed` does not: it makes an n-best list from a finished search
alone, so nobody has to wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates
from dragoman.project.request import Request, new_decoder
from dragoman.project.state import State
from dragoman.records import Match, Phrase, ProposedChange, Sentence, Translation
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import SearchResult
from dragoman.search.hypotheses import Hypothesis, NBest
from dragoman.search.sentence_search import Links
from dragoman.text.casing import find_starts
from dragoman.upstream.changes import Proposal, Weighed, composed, propose

MOST_AVOIDING = 100  # translations among which one without banned words is looked for
MAX_LIST_WORDS = 100_000  # words of the source times translations of an n-best list


class RankedLists(NamedTuple):
    """The n best translations of a search, and the list that an adapter chooses from, if it reranks."""

    best: NBest | list[Hypothesis]
    choices: NBest | None = None
    offered: Candidates | None = None


def is_quick(adaptation: Adaptation | None, n: int) -> bool:
    """Whether only the best translation is needed, without an adapter that reranks a list."""
    return n == 1 and not (adaptation and adaptation.reranks)


def listed(found: SearchResult, adaptation: Adaptation | None, n: int) -> RankedLists:
    """The n best translations of a search; needs no lock."""
    if adaptation is None or not adaptation.reranks:
        return RankedLists(found.nbest(n, distinct=True) if n > 1 else [found.best])
    choices = found.nbest(min(adaptation.adapter.nbest, most_listed(found)), distinct=True)
    best = choices if n <= len(choices) else found.nbest(n, distinct=True)
    return RankedLists(best, choices, candidates(found, choices, factors=adaptation.wants_factors))


def most_listed(found: SearchResult) -> int:
    """How many translations a list may have; fewer if they are very long."""
    return max(1, MAX_LIST_WORDS // len(found.source))


def ranked(adaptation: Adaptation | None, lists: RankedLists, n: int) -> list[Hypothesis]:
    """The n best translations, with the adapter's choice first."""
    best = [lists.best[k] for k in range(min(n, len(lists.best)))]
    if adaptation is None or lists.choices is None or lists.offered is None:
        return best
    chosen = adaptation.choose(lists.offered)
    return [lists.choices[chosen], *(each for k, each in enumerate(best) if k != chosen)][:n]


def avoiding(request: Request, found: SearchResult, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses with those last that say banned words; if all do, the best of many that does not comes first.

    Most options that say them are left out of the search; what is left is what only two of them say together.
    """
    bad = [each for each in hypotheses if request.has_banned(each.words)]
    if not bad:
        return hypotheses
    good = [each for each in hypotheses if each not in bad]
    if not good:
        more = found.nbest(min(MOST_AVOIDING, most_listed(found)), distinct=True)
        rest = (more[k] for k in range(len(more)))
        good = [each for each in rest if not request.has_banned(each.words)][:1]
    return [*good, *bad][: len(hypotheses)]


def best(request: Request, found: SearchResult, n: int) -> list[Translation]:
    """The n best translations of a search as text; over another engine's answer, what is made of that comes first."""
    adaptation = request.state.adaptation_of(found.upstream is not None)
    lists = listed(found, adaptation, n)
    hypotheses = avoiding(request, found, ranked(adaptation, lists, n))
    known: Links = {}
    first = decided(request, found, hypotheses[0], known)
    return [first, *(written(request, found, each, known) for each in hypotheses[1:])]


def decided(request: Request, found: SearchResult, hypothesis: Hypothesis, known: Links | None = None) -> Translation:
    """A hypothesis as text; over another engine's answer, that answer with the changes that are trusted."""
    state, answer = request.state, found.upstream.sentence if found.upstream else None
    if answer is None or not request.accepts(answer):
        return written(request, found, hypothesis, known)
    if not state.weigh_changes:
        if state.confidence.bonus is None:
            return repeated(request)
        return written(request, found, hypothesis, known)
    weighed = weigh(state, found, hypothesis)
    made = _made(request, found, hypothesis, weighed, known)
    return replace(made, changes=tuple(_shown(answer, each) for each in weighed.proposals))


def weigh(state: State, found: SearchResult, hypothesis: Hypothesis) -> Weighed:
    """The changes proposed for the answer that a search was given, the hypothesis being the best one found.

    They are kept for the correction, which needs the same.
    """
    key = state.revision, found, hypothesis.words
    if kept := state.find_weighed(key):
        return kept
    given = state.evidence, state.change_trust, state.knowledge.models, found, hypothesis
    in_force, refused = state.confidence.has_paid, state.refused_changes
    weighed = propose(*given, in_force=in_force, refused=refused, now=state.revision)
    state.keep_weighed(key, weighed)
    return weighed


def _made(
    request: Request, found: SearchResult, hypothesis: Hypothesis, weighed: Weighed, known: Links | None
) -> Translation:
    """The answer with the changes that are used as text; terms and bans of the project come first."""
    if weighed.words == weighed.searched:
        return written(request, found, hypothesis, known)
    if weighed.words != weighed.answer:
        changed, links = composed(weighed, found, hypothesis)
        made = written(request, found, changed, links)
        if request.accepts(made.target):
            return made
    return repeated(request)


def _shown(answer: Sentence, proposal: Proposal) -> ProposedChange:
    place = proposal.begin, proposal.stop
    return ProposedChange(
        place, answer.cut(*place), proposal.instead, proposal.used, round(proposal.probability, 3), *proposal.times
    )


def written(request: Request, found: SearchResult, hypothesis: Hypothesis, known: Links | None = None) -> Translation:
    """A hypothesis as text, to the byte as the source if nothing of it is known; see `alignment` for `known`."""
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
    source: Sentence,
    target: Sentence,
    found: SearchResult,
    hypothesis: Hypothesis,
    known: Links | None,
    *,
    keep_case: bool,
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
    text = _blended(target, answer, hypothesis, keep_case=keep_case)
    made = _translation(source, text, found, hypothesis, phrases, known=known)
    return replace(made, upstream=answer.text)


def recall(request: Request, match: Match) -> Translation:
    """The target of a correction as a translation, with score and alignment from the models."""
    state, source = request.state, request.source
    target = state.knowledge.target.read(match.target)
    words = request.words, state.knowledge.target.model_words(target)
    whole = Prefix(words[1], whole=True)
    found = new_decoder(state).search(words[0], source.placeable, prefix=whole)
    phrase = Phrase((0, len(source)), (0, len(target)), *words, "memory")
    return _translation(source, target, found, found.best, (phrase,), match.id)


def _blended(written: Sentence, answer: Sentence, hypothesis: Hypothesis, *, keep_case: bool = True) -> Sentence:
    """The words of a hypothesis as they were `written`, but those of the other engine in its own casing and spacing.

    `answer` is the other engine's translation. A word that begins a sentence in only one of the two keeps the case that
    it was written in; so do all words unless the engine's case is to be kept.
    """
    words, gaps = list(written.words), list(written.gaps)
    starts = {start.at for start in find_starts(words, written.placeable)}
    own_starts = {start.at for start in find_starts(answer.words, answer.placeable)}
    at, before = 0, 0  # in the words written; in those said, one past the last word taken, if it is the word before
    for step in hypothesis.steps:
        if step.upstream is None:
            at, before = at + len(step.words), -1
            continue
        for place in range(*step.upstream):
            if keep_case and (at in starts) == (place in own_starts):
                words[at] = answer.words[place]
            if place == before and place > 0:
                gaps[at] = answer.gaps[place]
            at, before = at + 1, place + 1
    return Sentence(tuple(words), tuple(gaps), written.placeable)


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
    found: SearchResult,
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
