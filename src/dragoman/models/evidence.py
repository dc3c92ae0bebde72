"""Evidence of changes: how often a piece of another engine's answer was kept, or replaced by what, in which context.

A correction e of an answer m is compared with it by word edits; the maximal stretches where they differ are *changes*.
Each stretch of m is counted as seen, and as kept if the correction has left it alone; each change is counted in all of
its contexts, and remembered as something that may be proposed again.

>>> evidence = Evidence()
>>> source, answer, links = np.array([4, 5]), np.array([7, 8]), np.eye(2, dtype=np.bool_)
>>> evidence.count(source, answer, links, np.array([7, 9]))
>>> [change] = evidence.propose(answer)
>>> change
AnswerChange(begin=1, stop=2, words=(9,))
>>> evidence.find(source, answer, links, [change])[0, 0].tolist()  # replaced by this, by something else, kept
[1, 0, 0]
>>> evidence.count(source, answer, links, np.array([7, 9]), -1)
>>> evidence.propose(answer), len(evidence.table)
([], 0)

What became of the pieces of another engine's translation: kept, or replaced by what, given the source words.

For each piece m̃ that stands for a source phrase f̃, what the correction says for f̃ is counted: so
p(ẽ | f̃, m̃) is known, where the phrase model only knows p(ẽ | f̃). How often pieces are kept at all, by their number of
source words, is the measure of trust in that engine.

>>> replacements = Replacements()
>>> source, answer, corrected = np.array([4, 5]), np.array([7, 8]), np.array([7, 9])
>>> links = np.array([[0, 0], [1, 1]], np.int32)
>>> replacements.count(source, answer, links, corrected, links)
>>> replacements.kept(1)  # of two pieces of one word
(1, 2)
>>> replacements.count(source, answer, links, corrected, links, sign=-1)
>>> len(replacements.table)
0

Which words of another engine's translation stand for which words of the source, and what follows from that.

The project's own alignment models decide, helped by spelling: numbers, names and cognates look alike. Links are always
made from Viterbi alignments: where little was learned, posteriors leave most words without a link, but each word of the
engine needs its place.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from dragoman.arrays import ArrayTree
from dragoman.files import Arrays
from dragoman.kernels import exercise
from dragoman.models import alignment_kernels, extraction_kernels, symmetry_kernels
from dragoman.models import evidence_kernels as kernels
from dragoman.models.contribution import MAX_PHRASE_WORDS
from dragoman.models.evidence_kernels import CONTEXTS, END, LENGTHS, LONGEST, START
from dragoman.models.modelset import ModelSet
from dragoman.models.symmetry import HEURISTIC, KINDS
from dragoman.tables import Ids, Table

Links = NDArray[np.int32]


class Replacements:
    """Counts of pieces by what they were replaced by; keys are hashes of words."""

    def __init__(self, base: Replacements | None = None) -> None:
        self.base = base
        self.table: Table = Table({"count": np.int64}, None if base is None else base.table)

    def count(self, source: Ids, answer: Ids, answer_links: Links, target: Ids, links: Links, sign: int = 1) -> None:
        """Count what became of each piece (sign 1), or take it back (sign −1)."""
        pieces, spans = _spans(answer_links, source.size, answer.size), _spans(links, source.size, target.size)
        self.table.add(kernels.outcomes(source, answer, pieces, target, spans), count=sign)

    def kept(self, length: int) -> tuple[int, int]:
        """How many pieces of so many source words were kept, of how many."""
        length = min(length, LENGTHS - 1)
        seen, kept = self.table.get([length, LENGTHS + length], "count").tolist()
        return kept, seen

    def rates(self) -> NDArray[np.int64]:
        """[2, LENGTHS] pieces seen and kept, by their number of source words."""
        return self.table.get(np.arange(2 * LENGTHS), "count").reshape(2, LENGTHS)

    def counts(self, source: Ids, answer: Ids, words: Ids, row: NDArray[np.void]) -> NDArray[np.int64]:
        """[n, 2] how often what stands in `answer` at the place of each option was seen, and replaced by its words."""
        keys = np.empty((row.size, 2), np.int64)
        kernels.fill_keys(source, answer, words, row, keys)
        return self.table.get(keys.ravel(), "count").reshape(-1, 2)

    def arrays(self) -> Arrays:
        """Everything needed to open this again, the base not counted."""
        return self.table.arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], base: Replacements | None = None) -> Replacements:
        """The counts whose `arrays()` these are."""
        made = cls(base)
        made.table = Table.from_arrays(dict(arrays), None if base is None else base.table)
        return made

    def compact(self) -> None:
        """Put the entries into the order of their keys and give back spare room."""
        self.table.compact()


def _spans(links: Links, J: int, I: int) -> NDArray[np.int32]:
    found, n = extraction_kernels.extract(links, J, I, MAX_PHRASE_WORDS, np.empty((64, 6), np.int32), 0)
    spans: NDArray[np.int32] = found[:n]
    return spans


@exercise
def _exercise_replacements() -> None:
    one, links = np.ones(1, np.int64), np.zeros((1, 2), np.int32)
    Replacements().count(one, one, links, one, links)


LIKE = 60.0  # percent of common characters, below which spelling says nothing about two words
NEVER = 1e-30  # p(f|e) of words that are known not to stand for each other
COGNATE = 0.5  # p(f|e) of two words that are spelled alike, at least

Block = tuple[int, int, int, int]  # first source word, one past the last; first word of m, one past the last


@lru_cache(maxsize=64)  # a correction needs what the translation before it has needed
def alike(source: tuple[str, ...], target: tuple[str, ...]) -> NDArray[np.float64]:
    """[J, I] a probability that two words stand for each other by the look of them; must not be changed."""
    ratio = process.cdist(
        [w.lower() for w in source], [w.lower() for w in target], scorer=fuzz.ratio, score_cutoff=LIKE
    )
    likeness = ratio.astype(np.float64) / 100
    sizes = [np.array([len(word) for word in words]) for words in (source, target)]
    different = np.not_equal.outer(np.array(source, object), np.array(target, object)).astype(np.bool_)
    likeness[(np.minimum.outer(*sizes) < 4) & different] = 0.0
    return np.asarray(COGNATE * likeness**4, np.float64)


def link(
    models: ModelSet, source: Ids, target: Ids, least: NDArray[np.float64], settled: Sequence[Block] = ()
) -> NDArray[np.bool_]:
    """[J, I] links of a sentence pair, from alignments of both directions with p(f|e) of at least `least`.

    They always come from the best alignments: every word of the engine's translation should be tied to what it stands
    for, and the weights over another engine were chosen with such links. Blocks that are `settled`, such as terms that
    both languages have, stand for each other and for nothing else.
    """
    inverse = alignment_kernels.lattice(models.inverse.view, source, target)
    direct = alignment_kernels.lattice(models.direct.view, target, source)
    for (emission, _), likely in ((inverse, least), (direct, least.T)):
        np.maximum(emission[:, 1:], likely, out=emission[:, 1:])
    allowed, certain = _settled(least.shape, settled)
    for (emission, _), may, must in ((inverse, allowed, certain), (direct, allowed.T, certain.T)):
        emission[:, 1:][~may] = NEVER
        emission[:, 1:][must] = 1.0
    matrix: NDArray[np.bool_] = symmetry_kernels.link_lattices(inverse, direct, KINDS[HEURISTIC])
    return matrix & allowed | certain


def _settled(shape: tuple[int, ...], blocks: Sequence[Block]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """[J, I] where links may be, and where they must be."""
    allowed, certain = np.ones(shape, np.bool_), np.zeros(shape, np.bool_)
    for s, e, a, b in blocks:
        allowed[s:e] = allowed[:, a:b] = False
        certain[s:e, a:b] = True
    return allowed | certain, certain


def phrase_pairs(linked: NDArray[np.bool_], longest: int) -> list[Block]:
    """The phrase pairs that the links allow."""
    links = np.argwhere(linked).astype(np.int32)
    found, n = extraction_kernels.extract(links, *linked.shape, longest, np.empty((64, 6), np.int32), 0)
    return [(s, e, a, b) for s, e, a, b in found[:n, :4].tolist()]


def blocks(linked: NDArray[np.bool_]) -> list[Block]:
    """The smallest monotone blocks that no link leaves; unlinked words go with those before them.

    >>> blocks(np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]], bool))
    [(0, 1, 0, 1), (1, 3, 1, 3)]
    """
    J, I = linked.shape
    last = np.where(linked.any(axis=1), I - np.argmax(linked[:, ::-1], axis=1), 0)
    first = np.where(linked.any(axis=1), np.argmax(linked, axis=1), I)
    reach, ahead = np.maximum.accumulate(last), np.minimum.accumulate(first[::-1])[::-1]
    found, start, begin = [], 0, 0
    for j in range(1, J):
        end = int(ahead[j])
        if reach[j - 1] <= end < I and reach[j - 1] > begin and last[j] > 0:
            found.append((start, j, begin, end))
            start, begin = j, end
    return [*found, (start, J, begin, I)]


MOST_REPLACED, MOST_INSTEAD = 4, 6  # words of a piece that can be proposed to change, and of what stands instead
MOST_RULES = 30  # changes proposed for one piece, the most frequent ones
LEAST_SHARE, LEAST_ALONE = 10, 25  # a change is proposed if it was made one in so many times that the piece was seen

Linked = NDArray[np.bool_]  # [J, I] which source word belongs to which word of the answer
Key = tuple[int, ...]
W = TypeVar("W", int, str)  # a word, or its id


class AnswerChange(NamedTuple, Generic[W]):
    """Words of an answer for which there is something else; nothing is replaced where something is put in."""

    begin: int  # first word that is replaced
    stop: int  # one past the last
    words: tuple[W, ...]


class Evidence:
    """Counts of stretches of answers, and of what they were replaced by."""

    def __init__(self) -> None:
        self.table: Table = Table({"seen": np.int64, "kept": np.int64})
        # Words replaced, or START and both neighbours → words instead → when, the newest last
        self._rules: dict[Key, dict[Key, list[int]]] = {}

    def count(self, source: Ids, answer: Ids, linked: Linked, correction: Ids, sign: int = 1, *, when: int = 0) -> None:
        """Count what a correction made of an answer, `when` in rows of the journal, or take it back (sign −1)."""
        words, changes = _framed(answer), find_changes(answer.tolist(), correction.tolist())
        touched, broken = np.zeros(words.size, np.bool_), np.zeros(words.size + 1, np.bool_)
        for begin, stop, _ in changes:
            touched[begin + 1 : stop + 1] = True
            broken[begin + 1] |= begin == stop
        keys, kept = np.empty(2 * LONGEST * words.size, np.int64), np.empty(2 * LONGEST * words.size, np.bool_)
        n = kernels.seen_keys(words, source, linked, touched, broken, keys, kept)
        made = _change_keys(words, source, linked, changes)[:, :, 1].ravel()
        made = made[made >= 0]
        amount = sign * np.concatenate([kept[:n], np.zeros(made.size, np.bool_)])
        self.table.add(np.concatenate([keys[:n], made]), seen=sign, kept=amount)
        for change in changes:
            self._remember(answer.tolist(), change, sign, when)

    def _remember(self, answer: list[int], change: AnswerChange[int], sign: int, when: int) -> None:
        begin, stop, instead = change
        if stop - begin > MOST_REPLACED or len(instead) > MOST_INSTEAD:
            return
        key = _rule_key(answer, begin, stop)
        known = self._rules.setdefault(key, {})
        times = known.setdefault(instead, [])
        if sign > 0:
            insort(times, when)
        else:
            times.remove(when)
        if not times:
            del known[instead]
        if not known:
            del self._rules[key]

    def propose(self, answer: Ids) -> list[AnswerChange[int]]:
        """All changes that corrections made of the same words; of these words, the most frequent ones."""
        words, found = answer.tolist(), []
        for begin in range(len(words) + 1):
            for stop in range(begin, min(len(words), begin + MOST_REPLACED) + 1):
                if known := self._rules.get(_rule_key(words, begin, stop)):
                    best = sorted(known, key=lambda instead: (-len(known[instead]), instead))[:MOST_RULES]
                    found += [AnswerChange(begin, stop, instead) for instead in best]
        return found

    def age(self, answer: Ids, change: AnswerChange[int], now: int) -> int | None:
        """How long ago, in rows of the journal, this change was last made of these words; None if it never was."""
        times = self._rules.get(_rule_key(answer.tolist(), change.begin, change.stop), {}).get(change.words)
        return now - times[-1] if times else None

    def find(self, source: Ids, answer: Ids, linked: Linked, changes: Sequence[AnswerChange[int]]) -> Ids:
        """[changes, CONTEXTS, 3] how often, in each context, the piece was replaced so, otherwise, or kept."""
        keys = _change_keys(_framed(answer), source, linked, changes).reshape(-1, 2)
        absent = keys[:, 0] < 0
        seen = self.table.get(np.where(absent[:, None], 0, keys).ravel(), "seen").reshape(-1, 2)
        kept = self.table.get(np.where(absent, 0, keys[:, 0]), "kept")
        counts = np.stack([seen[:, 1], seen[:, 0] - kept - seen[:, 1], kept], axis=1)
        counts[absent] = 0
        return counts.reshape(len(changes), CONTEXTS, 3)

    def arrays(self) -> ArrayTree:
        """Everything needed to open this again."""
        rules = sorted((key, instead, times) for key, known in self._rules.items() for instead, times in known.items())
        tree = ArrayTree(
            counts=np.array([len(times) for _, _, times in rules], np.int64),
            times=np.array([when for _, _, times in rules for when in times], np.int64),
            ends=np.cumsum([len(part) for rule in rules for part in rule[:2]], dtype=np.int64),  # [2 rules]
            words=np.array([word for rule in rules for part in rule[:2] for word in part], np.int64),
        )
        tree.put("table", self.table.arrays())
        return tree

    @classmethod
    def from_arrays(cls, arrays: ArrayTree) -> Evidence:
        """The evidence whose `arrays()` these are; none if there are none, as in earlier versions."""
        made = cls()
        if "counts" not in arrays:
            return made
        made.table = Table.from_arrays(dict(arrays.under("table")))
        for key, instead, times in _rules_of(arrays):
            made._rules.setdefault(key, {})[instead] = times
        return made


def find_changes(answer: Sequence[W], instead: Sequence[W]) -> list[AnswerChange[W]]:
    """The maximal stretches in which a text differs from an answer, aligned by word edits.

    >>> find_changes([1, 2, 3, 4], [1, 5, 6, 4, 7])
    [AnswerChange(begin=1, stop=3, words=(5, 6)), AnswerChange(begin=4, stop=4, words=(7,))]
    """
    found: list[tuple[int, int, int, int]] = []
    for block in Levenshtein.opcodes(answer, instead):
        if block.tag == "equal":
            continue
        begin, stop, first, last = block.src_start, block.src_end, block.dest_start, block.dest_end
        if found and (found[-1][1], found[-1][3]) == (begin, first):
            begin, _, first, _ = found.pop()
        found.append((begin, stop, first, last))
    return [AnswerChange(begin, stop, tuple(instead[first:last])) for begin, stop, first, last in found]


def is_worth_proposing(counts: NDArray[np.int64]) -> bool:
    """Whether a change is common enough among what became of its piece, by its counts [CONTEXTS, 3]."""
    again, seen = int(counts[kernels.PIECE, 0]), int(counts[kernels.PIECE].sum())
    if counts[kernels.LEFT : kernels.WIDE + 1, 0].any():
        return True
    linked = counts[kernels.SOURCE, 0] > 0 and again * LEAST_ALONE >= seen
    return bool(linked or (again > 0 and again * LEAST_SHARE >= seen))


def _framed(answer: Ids) -> Ids:
    return np.concatenate([[START], answer, [END]]).astype(np.int64)


def _rule_key(answer: Sequence[int], begin: int, stop: int) -> Key:
    if begin < stop:
        return tuple(answer[begin:stop])
    return START, answer[begin - 1] if begin else START, answer[stop] if stop < len(answer) else END


def _change_keys(words: Ids, source: Ids, linked: Linked, changes: Sequence[AnswerChange[int]]) -> Ids:
    begins = np.array([change.begin + 1 for change in changes], np.int64)
    stops = np.array([change.stop + 1 for change in changes], np.int64)
    lasts = np.cumsum([len(change.words) for change in changes], dtype=np.int64)
    firsts = lasts - np.array([len(change.words) for change in changes], np.int64)
    instead = np.array([word for change in changes for word in change.words], np.int64)
    keys = np.empty((len(changes), CONTEXTS, 2), np.int64)
    kernels.change_keys(words, source, linked, begins, stops, instead, firsts, lasts, keys)
    return keys


def _rules_of(arrays: Mapping[str, np.ndarray]) -> Iterator[tuple[Key, Key, list[int]]]:
    words, made = arrays["words"].tolist(), arrays["times"].tolist()
    ends = np.cumsum(arrays["counts"]).tolist()
    times = [made[begin:end] for begin, end in pairwise([0, *ends])]
    parts = [tuple(words[begin:end]) for begin, end in pairwise([0, *arrays["ends"].tolist()])]
    yield from zip(parts[::2], parts[1::2], times, strict=True)


@exercise
def _exercise() -> None:
    one, linked = np.ones(1, np.int64), np.ones((1, 1), np.bool_)
    Evidence().count(one, one, linked, np.zeros(1, np.int64))
