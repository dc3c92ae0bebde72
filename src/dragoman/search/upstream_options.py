"""Another engine's translation among the options of a sentence (SPEC §8.1).

The source f and the other engine's translation m are aligned with the project's own models, the phrase pairs that the
links allow are extracted, and offered to the search beside those that were learned: as if (f, m) had been learned, with
a count of `Trust.count` and for this sentence only. Monotone blocks of any length are among them, so that m itself can
always be said. A learned phrase for the same source words knows its place in m too: after it, m goes on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import LCSseq

from dragoman.models import alignment_kernels, extraction_kernels, lattice_kernels, symmetry_kernels
from dragoman.models.modelset import ModelSet
from dragoman.models.phrases_options_kernels import LEAST, SHARED
from dragoman.models.replacements import Replacements
from dragoman.models.replacements_kernels import LENGTHS
from dragoman.models.symmetry import KINDS
from dragoman.search.options_kernels import HEARD, OPTION, WINDOW, Heard
from dragoman.search.spelling import Spelling
from dragoman.search.terms import Found, in_order
from dragoman.types import Sentence

LIKE = 60.0  # percent of common characters, below which spelling says nothing about two words
KEPT, PRIOR = 0.7, 4  # rate of pieces of m that are kept, before anything is known, and how many pieces it is worth
RAREST = 1e-4  # p(ẽ | f̃, m̃), at least
COGNATE = 0.5  # p(f|e) of two words that are spelled alike, at least

Ids = NDArray[np.int64]
Block = tuple[int, int, int, int]  # first source word, one past the last; first word of m, one past the last


@dataclass(frozen=True)
class Trust:
    """How far what the other engine says is believed, besides the weights of the features."""

    count: float = 0.05  # of a phrase pair of (f, m), beside those of corrections
    certainty: float = 0.5  # p(f|e) of two words that are linked in (f, m), at least
    share: float = 0.02  # of m's next word in what the language model expects
    doubt: float = 0.5  # counts that the general rate of keeping pieces of m has beside those of one piece


@dataclass(frozen=True)
class Suggestion:
    """What another engine says of a sentence, as words, and what is known of that engine."""

    words: tuple[str, ...]
    sentence: Sentence | None = None  # as it was written
    bonus: float = 0.0  # for each word taken from it, added to the weight of the feature
    trust: Trust = field(default_factory=Trust)
    replacements: Replacements = field(default_factory=Replacements)
    parts: tuple[Block, ...] = ()  # of a long source: its pieces with the words that stand for them

    def part(self, begin: int, stop: int) -> Suggestion:
        """Some of the words, for a piece of the source."""
        return replace(self, words=self.words[begin:stop], sentence=None, parts=())


class Aligned(NamedTuple):
    """The other engine's translation beside the source."""

    upstream: Suggestion

    heard: Heard
    pairs: list[Block]  # phrase pairs that the links allow
    blocks: list[Block]  # monotone ones, which together are the whole


NOTHING_HEARD = Heard(np.zeros(0, np.int64), np.zeros((0, 0), np.bool_), np.zeros(1, np.int64), 0.0, 0.0)


def align(models: ModelSet, source: Ids, words: tuple[str, ...], spelling: Spelling, upstream: Suggestion) -> Aligned:
    """Find out which words of another engine's translation stand for which words of the source."""
    target = spelling.ids(upstream.words)
    linked = link(models, source, target, alike(words, upstream.words))
    trust = upstream.trust
    heard = Heard(target, linked, _aligned_from(linked), trust.certainty, trust.share)
    links = np.argwhere(linked).astype(np.int32)
    J, I = linked.shape
    room = np.empty((64, 6), np.int32)
    found, n = extraction_kernels.extract(links, J, I, models.phrases.longest, room, 0)
    return Aligned(upstream, heard, [(s, e, a, b) for s, e, a, b in found[:n, :4].tolist()], blocks(linked))


def can_be_said(models: ModelSet, words: tuple[str, ...], upstream: Suggestion) -> bool:
    """Whether the search can go through all of another engine's translation: no block may be beyond its window."""
    if len(words) <= WINDOW:
        return True
    aligned = align(models, models.source.ids(words), words, Spelling(models.target), upstream)
    return all(end - start <= WINDOW for start, end, _, _ in aligned.blocks)


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


def link(models: ModelSet, source: Ids, target: Ids, least: NDArray[np.float64]) -> NDArray[np.bool_]:
    """[J, I] links of a sentence pair: Viterbi alignments of both directions with p(f|e) of at least `least`."""
    emission, transition = alignment_kernels.lattice(models.inverse.view, source, target)
    np.maximum(emission[:, 1:], least, out=emission[:, 1:])
    one = lattice_kernels.best_path(emission, transition)
    emission, transition = alignment_kernels.lattice(models.direct.view, target, source)
    np.maximum(emission[:, 1:], least.T, out=emission[:, 1:])
    other = lattice_kernels.best_path(emission, transition)
    matrix: NDArray[np.bool_] = symmetry_kernels.symmetrise(one, other, KINDS[models.symmetrisation])
    return matrix


def _aligned_from(linked: NDArray[np.bool_]) -> Ids:
    """[I + 1] the first linked word of m from each place on, or I."""
    I = linked.shape[1]
    first = np.where(linked.any(axis=0), np.arange(I), I)
    return np.append(np.minimum.accumulate(first[::-1])[::-1], I).astype(np.int64)


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


def offer(
    found: Found,
    aligned: Aligned,
    models: ModelSet,
    source: Ids,
    fixed: tuple[Ids, NDArray[np.bool_]],
) -> Found:
    """The options with those of the other engine's translation among them."""
    said = aligned.heard.words.tolist()
    places = _by_span(aligned)
    row, counts = found.row.copy(), found.counts.copy()
    known = _recognise(row, found.words.tolist(), said, places)
    fresh = [block for block in sorted({*aligned.pairs, *aligned.blocks}) if block not in known]
    fresh = _keeping(fresh, aligned.heard.words, *fixed)
    added = np.zeros(len(fresh), OPTION)
    for option, (s, e, a, b) in zip(added, fresh, strict=True):
        option["start"], option["end"], option["place"], option["reach"], option["taken"] = s, e, a, b, b - a
        option["begin"], option["stop"] = found.words.size + a, found.words.size + b
    added["path"] = added["pair"] = HEARD
    added["factor"] = 1.0
    words = np.concatenate([found.words, aligned.heard.words])
    all_rows = np.concatenate([row, added])
    all_counts = np.concatenate([counts, np.zeros((added.size, 3), np.int64)])
    seen = np.divide(all_counts[:, 0], np.maximum(all_counts[:, 1], 1))  # p(ẽ | f̃) of corrections
    _weigh(all_rows, seen, words, aligned, source)
    _count(all_rows, all_counts, words, said, aligned, models)
    turns = np.concatenate([found.turns, np.zeros((added.size, 2, 3), np.int64)])
    longest = max(found.first.shape[1], *(e - s + 1 for s, e, _, _ in aligned.blocks))
    return in_order(Found(found.first, all_rows, words, all_counts, turns), longest)


def _weigh(
    row: NDArray[np.void],
    seen: NDArray[np.float64],
    words: Ids,
    aligned: Aligned,
    source: Ids,
) -> None:
    """Fill in log p(ẽ | f̃, m̃): by what became of this piece of m, and of others of its length."""
    trust, replacements = aligned.upstream.trust, aligned.upstream.replacements
    all_pieces, kept = replacements.rates()
    rates = (kept + PRIOR * KEPT) / (all_pieces + PRIOR)
    length = np.minimum(row["end"] - row["start"], LENGTHS - 1)
    same = (row["taken"] == row["reach"] - row["place"]) & (row["taken"] == row["stop"] - row["begin"])
    same &= row["place"] >= 0
    rate = np.where(same, rates[length], (1 - rates[length]) * seen)
    counts = replacements.counts(source, aligned.heard.words, words, row)
    weight = np.where(row["path"] >= 0, 1.0, row["path"] == HEARD)
    p = (counts[:, 1] + trust.doubt * rate) / (counts[:, 0] + trust.doubt)
    row["evidence"] = weight * np.log(np.maximum(p, RAREST))


def find_place(aligned: Aligned, start: int, end: int) -> tuple[int, Ids] | None:
    """Where m says some source words, and with which of its words; None if those stand for other words too."""
    linked = aligned.heard.linked
    places = np.flatnonzero(linked[start:end].any(axis=0))
    if not places.size:
        return None
    first, last = int(places[0]), int(places[-1]) + 1
    if linked[:start, first:last].any() or linked[end:, first:last].any():
        return None
    return first, aligned.heard.words[first:last]


def _by_span(aligned: Aligned) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Where the translations of each source span stand in m, the shortest first."""
    places: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for s, e, a, b in aligned.pairs:
        places.setdefault((s, e), []).append((a, b))
    return {span: sorted(each, key=lambda place: (place[1] - place[0], place)) for span, each in places.items()}


def _recognise(
    row: NDArray[np.void], words: list[int], said: list[int], places: dict[tuple[int, int], list[tuple[int, int]]]
) -> set[Block]:
    """Give learned options their places in m; those that say just what m says are returned."""
    known: set[Block] = set()
    for n, (start, end, begin, stop) in enumerate(row[["start", "end", "begin", "stop"]].tolist()):
        each = places.get((start, end))
        if not each:
            continue
        own = words[begin:stop]
        same = next(((a, b) for a, b in each if said[a:b] == own), None)
        a, b = same or each[0]
        row["place"][n], row["reach"][n] = a, b
        row["taken"][n] = b - a if same else LCSseq.similarity(own, said[a:b])
        if same:
            known.add((start, end, a, b))
    return known


def _keeping(found: list[Block], said: Ids, copies: Ids, fixed: NDArray[np.bool_]) -> list[Block]:
    """The blocks in which each word that must be kept stands among the target words just as often as in the span."""
    for word in np.unique(copies[fixed]).tolist():
        before = [np.append(0, np.cumsum(words == word)) for words in (copies, said)]  # how often, up to each place
        source, target = (each.tolist() for each in before)
        found = [(s, e, a, b) for s, e, a, b in found if source[e] - source[s] == target[b] - target[a]]
    return found


def _count(
    row: NDArray[np.void],
    counts: Ids,
    words: Ids,
    said: list[int],
    aligned: Aligned,
    models: ModelSet,
) -> None:
    """Relative frequencies as if the pairs of (f, m) had been counted too, in the form that shares have."""
    trust = aligned.upstream.trust
    of_span = Counter((s, e) for s, e, _, _ in aligned.pairs)
    of_words = Counter(tuple(said[a:b]) for _, _, a, b in aligned.pairs)
    learned: dict[tuple[int, int], int] = {}
    for start, end, total in zip(row["start"].tolist(), row["end"].tolist(), counts[:, 1].tolist(), strict=True):
        if total:
            learned[start, end] = total
    text = words.tolist()
    begins, stops = row["begin"].astype(np.int64), row["stop"].astype(np.int64)
    totals = models.phrases.target_counts(words, begins, stops).tolist()
    for n, (start, end, begin, stop, path, taken, place, reach) in enumerate(
        row[["start", "end", "begin", "stop", "path", "taken", "place", "reach"]].tolist()
    ):
        if path < 0 and path != HEARD:
            continue
        own = tuple(text[begin:stop])
        heard = trust.count * (place >= 0 and taken == reach - place == stop - begin)
        count, of_source, of_target = counts[n].tolist()
        if not count:
            of_source = learned.get((start, end), 0)
            of_target = totals[n]
        direct = (count + heard) / (of_source + trust.count * of_span[start, end] or trust.count)
        inverse = (count + heard) / (of_target + trust.count * of_words[own] or trust.count)
        counts[n] = SHARED, int(SHARED / max(direct, LEAST)), int(SHARED / max(inverse, LEAST))
