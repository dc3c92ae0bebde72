"""Terms with a prescribed translation, among the options of a sentence.

The span of a term has one option, the prescribed translation, with the features of a phrase pair that was seen once
and never with another translation; it may be longer than any phrase. Longer phrases around the term are kept if they
contain this translation; no other option overlaps with the span. If there is a prefix, which may have expressed part of
the term in other words, the single words of the term also keep their own options, at the SURCHARGEs of a given word.
Over another engine, a term knows which words of that engine it stands for, if the alignment tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from dragoman.search.options_kernels import GIVEN, NOWHERE, OPTION, STRANGE, TERM
from dragoman.search.spelling import Spelling
from dragoman.types import Term

Ids = NDArray[np.int64]


class OptionTable(NamedTuple):
    """Options of a sentence in order of spans, of which only words and counts are known so far; see SpanOptions."""

    first: Ids  # [J, longest + 1]
    row: NDArray[np.void]  # [n] OPTION
    words: Ids
    counts: Ids  # [n, 3]
    turns: Ids  # [n, 2, 3] orientation counts


Locate = Callable[[int, int], tuple[int, Ids] | None]  # place and words of another engine's answer for a source span


def settle(
    found: OptionTable, terms: Sequence[Term], spelling: Spelling, *, lenient: bool, locate: Locate | None = None
) -> OptionTable:
    """The options with each term in force; terms must not overlap. If lenient, single words inside them stay too."""
    words, row = found.words, found.row.copy()
    keep = np.ones(row.size, np.bool_)
    added = np.zeros(len(terms), OPTION)
    for option, term in zip(added, terms, strict=True):
        prescribed = spelling.ids(term.words)
        touching = np.flatnonzero((row["end"] > term.start) & (row["start"] < term.end))
        single = touching[row["end"][touching] - row["start"][touching] == 1]
        keep[touching] &= [_agrees(row[n], words, term, prescribed) for n in touching]
        if lenient:
            keep[single] = True
            row["path"][single] = row["pair"][single] = GIVEN
            row["surcharges"][single] = STRANGE
        option["start"], option["end"], option["path"], option["pair"] = term.start, term.end, TERM, TERM
        option["begin"], option["factor"] = words.size, 1.0
        option["place"] = option["reach"] = NOWHERE
        answer = locate(term.start, term.end) if locate else None
        if answer:
            option["place"], option["reach"] = answer[0], answer[0] + answer[1].size
            option["taken"] = LCSseq.similarity(prescribed.tolist(), answer[1].tolist())
        words = np.concatenate([words, prescribed])
        option["stop"] = words.size
    counts = np.concatenate([found.counts[keep], np.ones((added.size, 3), np.int64)])
    turns = np.concatenate([found.turns[keep], np.zeros((added.size, 2, 3), np.int64)])
    spans = max(found.first.shape[1], *(term.end - term.start + 1 for term in terms))
    return in_order(OptionTable(found.first, np.concatenate([row[keep], added]), words, counts, turns), spans)


def _agrees(option: np.void, words: Ids, term: Term, own: Ids) -> bool:
    """Whether an option that overlaps with a term may stay beside its prescribed translation."""
    start, end = int(option["start"]), int(option["end"])
    if (start, end) == (term.start, term.end) or start > term.start or end < term.end:
        return False
    target = words[option["begin"] : option["stop"]]
    return any(np.array_equal(target[n : n + own.size], own) for n in range(target.size - own.size + 1))


def in_order(found: OptionTable, spans: int) -> OptionTable:
    """The same options, in order of spans again, of up to spans − 1 words."""
    first, row, words, counts, turns = found
    J = first.shape[0]
    place = row["start"].astype(np.int64) * (spans - 1) + (row["end"] - row["start"] - 1)
    order = np.argsort(place, kind="stable")
    bounds = np.arange(J)[:, np.newaxis] * (spans - 1) + np.arange(spans)
    first = np.searchsorted(place[order], bounds)
    return OptionTable(first, row[order], words, counts[order], turns[order])
