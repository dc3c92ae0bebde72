"""Terms with a prescribed translation, among the options of a sentence.

The span of a term has one option, the prescribed translation, with the features of a phrase pair that was seen once
and never with another translation; it may be longer than any phrase. Longer phrases around the term are kept if they
contain this translation; no other option overlaps with the span. If there is a prefix, which may have expressed part of
the term in other words, the single words of the term also keep their own options, at the SURCHARGEs of a given word.
Over another engine, a term knows which words of that engine it stands for, if the alignment tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from dragoman.records import Term
from dragoman.search.options_kernels import GIVEN, NOWHERE, OPTION, STRANGE, TERM
from dragoman.tables import Ids
from dragoman.text.vocabulary import Spelling


class OptionTable(NamedTuple):
    """Options of a sentence of which only words and counts are known so far; see SpanOptions.

    What is added comes last; `SentenceOptions` puts all in order of spans again, once.
    """

    first: Ids  # [J, longest + 1] where the options of each span begin, before anything was added
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
    return OptionTable(found.first, np.concatenate([row[keep], added]), words, counts, turns)


def _agrees(option: np.void, words: Ids, term: Term, own: Ids) -> bool:
    """Whether an option that overlaps with a term may stay beside its prescribed translation."""
    start, end = int(option["start"]), int(option["end"])
    if (start, end) == (term.start, term.end) or start > term.start or end < term.end:
        return False
    target = words[option["begin"] : option["stop"]]
    return any(np.array_equal(target[n : n + own.size], own) for n in range(target.size - own.size + 1))


def used_terms(terms: Sequence[Term], answer: Sequence[str]) -> Iterator[tuple[Term, int]]:
    """The terms that another engine's translation uses itself, each with its first word there; no word counts twice.

    >>> list(used_terms([Term(1, 3, ("drip", "tray"))], ("the", "Drip", "tray")))
    [(Term(start=1, end=3, words=('drip', 'tray'), as_written=False), 1)]
    """
    words, taken = [word.casefold() for word in answer], set[int]()
    for term in terms:
        wanted = [word.casefold() for word in term.words]
        for at in range(len(words) - len(wanted) + 1):
            if words[at : at + len(wanted)] == wanted and taken.isdisjoint(range(at, at + len(wanted))):
                taken.update(range(at, at + len(wanted)))
                yield term, at
                break
