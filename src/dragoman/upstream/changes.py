"""Changes of another engine's answer: proposed, each weighed on its own evidence, and made or not.

1. `propose` collects them: those that corrections made of the same words, and those in which the best translation of a
   search differs from the answer. If trust in the engine as a whole is low enough, the search's own are *in force*.
2. Each is made if the lower bound of its log odds of helping against harming is above 0 (`change_trust`), the
   surest first; changes never overlap.
3. When the correction comes, `outcomes` tells which of them have helped, used or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from dragoman.models.evidence import AnswerChange, Evidence, find_changes, is_worth_proposing
from dragoman.models.evidence_kernels import BOTH, LONGEST, PIECE, SOURCE, WIDE
from dragoman.models.modelset import ModelSet
from dragoman.models.trust import (
    HARMED,
    HELPED,
    NEITHER,
    ChangeOutcome,
    ChangeTrust,
    Kind,
    bin_of,
    features,
    operation_of,
)
from dragoman.models.trust import score_of as score_features
from dragoman.search.hypotheses import Hypothesis, Step
from dragoman.search.sentence_search import Links, SearchResult
from dragoman.text.tokens import is_slot

SURE = 2000  # score, at least, of a change that was always made in the same context: more than enough, until it harms
MOST_WEIGHED = 200  # changes of one answer

Words = tuple[str, ...]


class Proposal(NamedTuple):
    """A change that is proposed: words[begin:stop] of an answer may become `instead`."""

    begin: int
    stop: int
    instead: Words
    kind: Kind
    counts: NDArray[np.int64]  # [CONTEXTS, 3] times that the piece was replaced so, otherwise, or kept
    age: int | None  # corrections since it was last made, if it ever was
    score: int  # log odds of helping against harming, by the shipped weights
    probability: float  # of helping, if it makes a difference, in this project
    bound: float  # of the log odds, from below
    used: bool = False

    @property
    def place(self) -> tuple[int, int, Words]:
        """Where something else is said, and what."""
        return self.begin, self.stop, self.instead

    @property
    def operation(self) -> int:
        """What it does with words."""
        return operation_of(range(self.begin, self.stop), self.instead)

    @property
    def times(self) -> tuple[int, int]:
        """How often the piece was replaced so, of how often it was seen: in the closest context that is known."""
        known = (row for row in (self.counts[BOTH], self.counts[SOURCE], self.counts[PIECE]) if row[0])
        row = next(known, self.counts[PIECE])
        return int(row[0]), int(row.sum())


class Weighed(NamedTuple):
    """All changes proposed for an answer."""

    answer: Words
    searched: Words | None  # the translation in force, if one is
    proposals: list[Proposal]

    @property
    def words(self) -> Words:
        """The answer with the changes that are used."""
        return apply(self.answer, (each for each in self.proposals if each.used))


def propose(
    evidence: Evidence,
    trust: ChangeTrust,
    models: ModelSet,
    found: SearchResult,
    hypothesis: Hypothesis,
    *,
    in_force: bool,
    refused: Collection[tuple[Words, ...]] = (),
    now: int = 0,
) -> Weighed:
    """Weigh the changes that are proposed for the answer that a search was given, `now` in rows of the journal."""
    answer: Words = found.upstream.words if found.upstream else ()
    ids, source, linked = models.target.ids(answer), models.source.ids(found.source), found.linked
    searched = {(each.begin, each.stop, tuple(each.words)) for each in find_changes(answer, hypothesis.words)}
    learned = [(each.begin, each.stop, tuple(models.target.words(each.words))) for each in evidence.propose(ids)]
    places = list(dict.fromkeys([*sorted(searched), *learned]))[:MOST_WEIGHED]
    if not places:
        return Weighed(answer, hypothesis.words if in_force else None, [])
    changes = [AnswerChange(begin, stop, tuple(models.target.ids(words).tolist())) for begin, stop, words in places]
    counts = evidence.find(source, ids, linked, changes)
    ages = [evidence.age(ids, change, now) for change in changes]
    known, kept = set(learned), set(found.source)
    proposals = []
    for place, row, age in zip(places, counts, ages, strict=True):
        begin, stop, instead = place
        is_learned = place in known and is_worth_proposing(row)
        if not keeps_slots(answer[begin:stop], instead, kept):
            continue
        if place not in searched and not (is_learned and is_safe(answer[begin:stop], instead, kept)):
            continue
        kind = _kind(place in searched, is_learned, in_force=in_force)
        score = score_features(features(row, answer[begin:stop], instead, kind, age))
        if is_sure(row, stop - begin) and not kind.is_in_force:
            kind, score = Kind.SURE, max(score, SURE)
        group = kind, operation_of(answer[begin:stop], instead)
        likely = trust.probability(*group, score), trust.bound(*group, score)
        proposals.append(Proposal(*place, kind, row, age, score, *likely))
    return Weighed(answer, hypothesis.words if in_force else None, decide(proposals, answer, refused))


def _kind(searched: bool, learned: bool, *, in_force: bool) -> Kind:
    if searched and in_force:
        return Kind.BOTH_IN_FORCE if learned else Kind.IN_FORCE
    return Kind.LEARNED if not searched else Kind.BOTH if learned else Kind.SEARCHED


def decide(proposals: Sequence[Proposal], answer: Words, refused: Collection[tuple[Words, ...]] = ()) -> list[Proposal]:
    """The proposals with those marked that are used."""
    order = sorted(proposals, key=lambda each: (not each.kind.is_in_force, -each.bound, each.place))
    used: list[Proposal] = []
    for each in order:
        if refused and (folded(answer[each.begin : each.stop]), folded(each.instead)) in refused:
            continue
        if each.bound > 0 and not any(_meet(each, other) for other in used):
            used.append(each)
    chosen = {each.place for each in used}
    return [each._replace(used=each.place in chosen) for each in proposals]


def _meet(one: Proposal, other: Proposal) -> bool:
    """Whether two changes overlap, or something would be put in beside a piece that changes."""
    if one.begin == one.stop or other.begin == other.stop:
        return one.begin <= other.stop and other.begin <= one.stop
    return one.begin < other.stop and other.begin < one.stop


def folded(words: Iterable[str]) -> Words:
    """Words without their letter case, for comparison."""
    return tuple(word.casefold() for word in words)


def is_sure(counts: NDArray[np.int64], size: int) -> bool:
    """Whether a short piece was always replaced so, with the same two words on each side, and never kept at all."""
    always = size + 4 <= LONGEST and counts[WIDE, 0] and not counts[WIDE, 1:].any()
    return bool(always and counts[PIECE, 0] and not counts[PIECE, 1:].any())


def is_safe(answer: Words, instead: Words, source: Collection[str]) -> bool:
    """Whether a change brings no number that comes from another text.

    >>> is_safe(("página", "5"), ("hoja", "5"), ()), is_safe(("página",), ("hoja", "5"), ())
    (True, False)
    """
    known = {*answer, *source}
    return all(word in known for word in instead if any(map(str.isnumeric, word)))


def keeps_slots(answer: Words, instead: Words, source: Collection[str]) -> bool:
    """Whether a change neither brings in a tag or placeholder that the source lacks, nor takes away one that it has.

    >>> keeps_slots(("$pcmg",), ("$pcmac",), {"$pcmag"}), keeps_slots(("$pcmg",), ("$pcmag",), {"$pcmag"})
    (False, True)
    """
    before, after = Counter(filter(is_slot, answer)), Counter(filter(is_slot, instead))
    return all(word in source for word in after - before) and not any(word in source for word in before - after)


def apply(answer: Words, changes: Iterable[Proposal]) -> Words:
    """An answer with some changes made."""
    words = list(answer)
    for each in sorted(changes, key=lambda each: (each.begin, each.stop), reverse=True):
        words[each.begin : each.stop] = each.instead
    return tuple(words)


def composed(weighed: Weighed, found: SearchResult, hypothesis: Hypothesis) -> tuple[Hypothesis, Links]:
    """The answer with the changes that are used as a hypothesis, and the links within its steps."""
    steps, links = list[Step](), Links()
    at = 0
    for each in sorted((each for each in weighed.proposals if each.used), key=lambda each: each.place):
        _add_step(steps, links, found, (at, each.begin), weighed.answer[at : each.begin], kept=True)
        _add_step(steps, links, found, (each.begin, each.stop), each.instead, kept=False)
        at = each.stop
    _add_step(steps, links, found, (at, len(weighed.answer)), weighed.answer[at:], kept=True)
    return Hypothesis.made_of(tuple(steps), hypothesis.score, hypothesis.features, 0), links


def _add_step(
    steps: list[Step], links: Links, found: SearchResult, place: tuple[int, int], words: Words, *, kept: bool
) -> None:
    """Add a step that says some words in the place of those of the answer, or those themselves."""
    if not words:
        return
    linked = [(j, i) for j, i in np.argwhere(found.linked[:, slice(*place)]).tolist()]
    begin = min((j for j, _ in linked), default=min(steps[-1].source[1] if steps else 0, len(found.source) - 1))
    end = max((j + 1 for j, _ in linked), default=begin + 1)
    kind = "upstream" if kept else "phrase"
    step = Step((begin, end), words, kind, -1, place if kept else None, None if kept or place[0] == place[1] else place)
    steps.append(step)
    beside = linked if kept else [(j, i) for j in sorted({j for j, _ in linked}) for i in range(len(words))]
    links[step] = sorted((j - begin, i) for j, i in beside)


def outcomes(weighed: Weighed, correction: Sequence[str]) -> list[ChangeOutcome]:
    """What a correction says of each proposed change.

    A change helps if making it alone leaves fewer word edits; one that is in force, if taking it back leaves more.
    """
    in_force = [each for each in weighed.proposals if each.kind.is_in_force]
    before = Levenshtein.distance(weighed.answer, correction)
    after = Levenshtein.distance(apply(weighed.answer, in_force), correction) if in_force else before
    found = []
    for each in weighed.proposals:
        if each.kind.is_in_force:
            rest = apply(weighed.answer, (other for other in in_force if other is not each))
            saved = Levenshtein.distance(rest, correction) - after
        else:
            saved = before - Levenshtein.distance(apply(weighed.answer, [each]), correction)
        result = HELPED if saved > 0 else HARMED if saved < 0 else NEITHER
        found.append(ChangeOutcome(int(each.kind), each.operation, bin_of(each.score), result))
    return found
