"""Another engine's translation among the options of a sentence (docs/understand/fusion.md).

The source f and the other engine's translation m are aligned with the project's own models, the phrase pairs that the
links allow are extracted, and offered to the search beside those that were learned: as if (f, m) had been learned, with
a count of `Trust.count` and for this sentence only. Monotone blocks of any length are among them, so that m itself can
always be said. A learned phrase for the same source words knows its place in m too: after it, m goes on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from dragoman.models.evidence import Block, Replacements, alike, blocks, link, phrase_pairs
from dragoman.models.evidence_kernels import LENGTHS
from dragoman.models.modelset import ModelSet
from dragoman.models.phrases_options_kernels import LEAST, SHARED
from dragoman.records import Sentence, Term
from dragoman.search.options_kernels import FROM_ANSWER, NOWHERE, OPTION, WINDOW, AnswerIds
from dragoman.search.terms import OptionTable, used_terms
from dragoman.tables import Ids
from dragoman.text.vocabulary import Spelling

KEPT, PRIOR = 0.7, 4  # rate of pieces of m that are kept, before anything is known, and how many pieces it is worth
RAREST = 1e-4  # p(ẽ | f̃, m̃), at least

Counts = defaultdict[tuple[int, ...], float]
SpanWords = tuple[int, int, tuple[int, ...]]  # first source word, one past the last; target words


@dataclass(frozen=True)
class Trust:
    """How far the other engine's answer is believed, besides the weights of the features."""

    count: float = 0.05  # of a phrase pair of (f, m), beside those of corrections
    certainty: float = 0.5  # p(f|e) of two words that are linked in (f, m), at least
    share: float = 0.02  # of m's next word in what the language model expects
    doubt: float = 0.5  # counts that the general rate of keeping pieces of m has beside those of one piece


class ListedWords(NamedTuple):
    """Another entry of the other engine's n-best list."""

    words: tuple[str, ...]
    weight: float  # from 0 to 1, that of the first entry


@dataclass(frozen=True)
class UpstreamWords:
    """Another engine's answer for a sentence, as words, and what is known of that engine."""

    words: tuple[str, ...]
    sentence: Sentence | None = None  # as it was written
    bonus: float = 0.0  # for each word taken from it, added to the weight of the feature
    trust: Trust = field(default_factory=Trust)
    replacements: Replacements = field(default_factory=Replacements)
    others: tuple[ListedWords, ...] = ()  # of its n-best list: their phrases are on offer too


class AlignedAnswer(NamedTuple):
    """The other engine's translation beside the source."""

    upstream: UpstreamWords

    answer: AnswerIds
    pairs: list[Block]  # phrase pairs that the links allow
    blocks: list[Block]  # monotone ones, which together are the whole
    others: dict[SpanWords, float]  # phrases of the other entries of an n-best list, and their weight


NO_ANSWER = AnswerIds(np.zeros(0, np.int64), np.zeros((0, 0), np.bool_), np.zeros(1, np.int64), 0.0, 0.0)


def align(
    models: ModelSet,
    source: Ids,
    words: tuple[str, ...],
    spelling: Spelling,
    upstream: UpstreamWords,
    terms: Sequence[Term] = (),
) -> AlignedAnswer:
    """Find out which words of another engine's translation stand for which words of the source.

    A term that the other engine uses itself is found there by its words, unless the search could not go through.
    """
    target = spelling.ids(upstream.words)
    likely = alike(words, upstream.words)
    linked = link(models, source, target, likely)
    known = used_terms(terms, upstream.words) if terms else ()
    if settled := [(term.start, term.end, at, at + len(term.words)) for term, at in known]:
        closer = link(models, source, target, likely, settled)
        linked = closer if _is_within_reach(closer) else linked
    trust = upstream.trust
    answer = AnswerIds(target, linked, _aligned_from(linked), trust.certainty, trust.share)
    others: dict[SpanWords, float] = {}
    for each in upstream.others:
        ids = spelling.ids(each.words)
        for s, e, a, b in phrase_pairs(link(models, source, ids, alike(words, each.words)), models.phrases.longest):
            phrase = s, e, tuple(ids[a:b].tolist())
            others[phrase] = min(1.0, others.get(phrase, 0.0) + each.weight)
    return AlignedAnswer(upstream, answer, phrase_pairs(linked, models.phrases.longest), blocks(linked), others)


def is_passable(models: ModelSet, words: tuple[str, ...], upstream: UpstreamWords) -> bool:
    """Whether the search can go through all of another engine's translation: no block may be beyond its window."""
    if len(words) <= WINDOW:
        return True
    aligned = align(models, models.source.ids(words), words, Spelling(models.target), upstream)
    return _is_within_reach(aligned.answer.linked)


def _is_within_reach(linked: NDArray[np.bool_]) -> bool:
    return all(end - start <= WINDOW for start, end, _, _ in blocks(linked))


def _aligned_from(linked: NDArray[np.bool_]) -> Ids:
    """[I + 1] the first linked word of m from each place on, or I."""
    I = linked.shape[1]
    first = np.where(linked.any(axis=0), np.arange(I), I)
    return np.append(np.minimum.accumulate(first[::-1])[::-1], I).astype(np.int64)


def offer(
    found: OptionTable,
    aligned: AlignedAnswer,
    models: ModelSet,
    source: Ids,
    fixed: tuple[Ids, NDArray[np.bool_]],
) -> OptionTable:
    """The options with those of the other engine's translation among them."""
    answer_ids = aligned.answer.words.tolist()
    places = _by_span(aligned)
    if aligned.others:
        found = _with_others(found, aligned, *fixed)
    row, counts = found.row.copy(), found.counts.copy()
    known = _recognise(row, found.words.tolist(), answer_ids, places)
    fresh = [block for block in sorted({*aligned.pairs, *aligned.blocks}) if block not in known]
    fresh = _keeping(fresh, aligned.answer.words, *fixed)
    added = np.zeros(len(fresh), OPTION)
    for option, (s, e, a, b) in zip(added, fresh, strict=True):
        option["start"], option["end"], option["place"], option["reach"], option["taken"] = s, e, a, b, b - a
        option["begin"], option["stop"] = found.words.size + a, found.words.size + b
    added["path"] = added["pair"] = FROM_ANSWER
    added["factor"] = 1.0
    words = np.concatenate([found.words, aligned.answer.words])
    all_rows = np.concatenate([row, added])
    all_counts = np.concatenate([counts, np.zeros((added.size, 3), np.int64)])
    seen = np.divide(all_counts[:, 0], np.maximum(all_counts[:, 1], 1))  # p(ẽ | f̃) of corrections
    if aligned.others:
        np.maximum(seen, _listed(all_rows, words, aligned.others), out=seen)
    _weigh(all_rows, seen, words, aligned, source)
    _count(all_rows, all_counts, words, answer_ids, aligned, models)
    turns = np.concatenate([found.turns, np.zeros((added.size, 2, 3), np.int64)])
    return OptionTable(found.first, all_rows, words, all_counts, turns)


def _with_others(found: OptionTable, aligned: AlignedAnswer, copies: Ids, fixed: NDArray[np.bool_]) -> OptionTable:
    """The options with phrases of the other entries of an n-best list, those that nobody else says."""
    text, answer_ids = found.words.tolist(), aligned.answer.words.tolist()
    known = {(s, e, tuple(text[b:t])) for s, e, b, t in found.row[["start", "end", "begin", "stop"]].tolist()}
    known |= {(s, e, tuple(answer_ids[a:b])) for s, e, a, b in aligned.pairs}
    must = np.unique(copies[fixed]).tolist()
    span = [copies.tolist()[s:e] for s, e, _ in aligned.others]
    fresh = [
        phrase
        for phrase, given in zip(aligned.others, span, strict=True)
        if phrase not in known and all(given.count(word) == phrase[2].count(word) for word in must)
    ]
    added = np.zeros(len(fresh), OPTION)
    added["path"] = added["pair"] = FROM_ANSWER
    added["factor"], added["place"], added["reach"] = 1.0, NOWHERE, NOWHERE
    for option, (s, e, own) in zip(added, fresh, strict=True):
        option["start"], option["end"], option["begin"], option["stop"] = s, e, len(text), len(text) + len(own)
        text += own
    counts, turns = np.zeros((added.size, 3), np.int64), np.zeros((added.size, 2, 3), np.int64)
    rows = np.concatenate([found.row, added])
    more = np.concatenate([found.counts, counts]), np.concatenate([found.turns, turns])
    return OptionTable(found.first, rows, np.array(text, np.int64), *more)


def _listed(row: NDArray[np.void], words: Ids, others: dict[SpanWords, float]) -> NDArray[np.float64]:
    """[n] the share that each option has in the entries of an n-best list but the first."""
    text = words.tolist()
    totals: Counts = defaultdict(float)
    for (s, e, _), weight in others.items():
        totals[s, e] += weight
    found = np.zeros(row.size)
    for n, (s, e, begin, stop) in enumerate(row[["start", "end", "begin", "stop"]].tolist()):
        weight = others.get((s, e, tuple(text[begin:stop])), 0.0)
        found[n] = weight / (1 + totals[s, e])
    return found


def _weigh(
    row: NDArray[np.void],
    seen: NDArray[np.float64],
    words: Ids,
    aligned: AlignedAnswer,
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
    counts = replacements.counts(source, aligned.answer.words, words, row)
    weight = np.where(row["path"] >= 0, 1.0, row["path"] == FROM_ANSWER)
    p = (counts[:, 1] + trust.doubt * rate) / (counts[:, 0] + trust.doubt)
    row["evidence"] = weight * np.log(np.maximum(p, RAREST))


def find_place(aligned: AlignedAnswer, start: int, end: int) -> tuple[int, Ids] | None:
    """Where m says some source words, and with which of its words; None if those stand for other words too."""
    linked = aligned.answer.linked
    places = np.flatnonzero(linked[start:end].any(axis=0))
    if not places.size:
        return None
    first, last = int(places[0]), int(places[-1]) + 1
    if linked[:start, first:last].any() or linked[end:, first:last].any():
        return None
    return first, aligned.answer.words[first:last]


def _by_span(aligned: AlignedAnswer) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Where the translations of each source span stand in m, the shortest first."""
    places: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for s, e, a, b in aligned.pairs:
        places.setdefault((s, e), []).append((a, b))
    return {span: sorted(each, key=lambda place: (place[1] - place[0], place)) for span, each in places.items()}


def _recognise(
    row: NDArray[np.void],
    words: list[int],
    answer_ids: list[int],
    places: dict[tuple[int, int], list[tuple[int, int]]],
) -> set[Block]:
    """Give learned options their places in m; those that say just what m says are returned."""
    known: set[Block] = set()
    for n, (start, end, begin, stop) in enumerate(row[["start", "end", "begin", "stop"]].tolist()):
        each = places.get((start, end))
        if not each:
            continue
        own = words[begin:stop]
        same = next(((a, b) for a, b in each if answer_ids[a:b] == own), None)
        a, b = same or each[0]
        row["place"][n], row["reach"][n] = a, b
        row["taken"][n] = b - a if same else LCSseq.similarity(own, answer_ids[a:b])
        if same:
            known.add((start, end, a, b))
    return known


def _keeping(found: list[Block], answer_ids: Ids, copies: Ids, fixed: NDArray[np.bool_]) -> list[Block]:
    """The blocks in which each word that must be kept stands among the target words just as often as in the span."""
    for word in np.unique(copies[fixed]).tolist():
        before = [
            np.append(0, np.cumsum(words == word)) for words in (copies, answer_ids)
        ]  # how often, up to each place
        source, target = (each.tolist() for each in before)
        found = [(s, e, a, b) for s, e, a, b in found if source[e] - source[s] == target[b] - target[a]]
    return found


def _count(
    row: NDArray[np.void],
    counts: Ids,
    words: Ids,
    answer_ids: list[int],
    aligned: AlignedAnswer,
    models: ModelSet,
) -> None:
    """Relative frequencies as if the pairs of (f, m) had been counted too, in the form that shares have."""
    trust = aligned.upstream.trust
    of_span: Counts = defaultdict(float)
    of_words: Counts = defaultdict(float)
    for s, e, a, b in aligned.pairs:
        of_span[s, e] += 1
        of_words[tuple(answer_ids[a:b])] += 1
    for (s, e, own), weight in aligned.others.items():
        of_span[s, e] += weight
        of_words[own] += weight
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
        if path < 0 and path != FROM_ANSWER:
            continue
        own = tuple(text[begin:stop])
        support = trust.count * (place >= 0 and taken == reach - place == stop - begin)
        support += trust.count * aligned.others.get((start, end, own), 0.0)
        count, of_source, of_target = counts[n].tolist()
        if not count:
            of_source = learned.get((start, end), 0)
            of_target = totals[n]
        direct = (count + support) / (of_source + trust.count * of_span[start, end] or trust.count)
        inverse = (count + support) / (of_target + trust.count * of_words[own] or trust.count)
        counts[n] = SHARED, int(SHARED / max(direct, LEAST)), int(SHARED / max(inverse, LEAST))
