"""Words that a translation must not have, taken out of the options of a sentence.

An option that says them goes, learned or from another engine's answer; a translation that a term prescribes stays.
If a source word would be left without any option of its own, it keeps what it has: a translation that has to be mended
is better than none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dragoman.search.options_kernels import TERM
from dragoman.search.terms import OptionTable
from dragoman.text.vocabulary import Spelling


def leave_out(found: OptionTable, banned: Sequence[tuple[str, ...]], spelling: Spelling) -> OptionTable:
    """The options without those that say any of these words in a row."""
    row = found.row
    bad = np.zeros(row.size, np.bool_)
    for words in banned:
        bad |= _says(found, spelling.ids(words))
    bad &= row["path"] != TERM
    if not bad.any():
        return found
    single = row["end"] - row["start"] == 1
    left = np.unique(row["start"][single & ~bad])
    covered = {*left.tolist(), *_within_terms(row)}
    keep = ~bad | (single & ~np.isin(row["start"], list(covered)))
    return OptionTable(found.first, row[keep], found.words, found.counts[keep], found.turns[keep])


def _says(found: OptionTable, words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which options have these words in a row."""
    size, begin, stop = words.size, found.row["begin"], found.row["stop"]
    if not 0 < size <= found.words.size:
        return np.zeros(found.row.size, np.bool_)
    windows = np.lib.stride_tricks.sliding_window_view(found.words, size)
    places = np.flatnonzero((windows == words).all(axis=1))
    if not places.size:
        return np.zeros(found.row.size, np.bool_)
    first = np.searchsorted(places, begin)
    there = np.append(places, found.words.size)[first]
    return np.asarray(there + size <= stop)


def _within_terms(row: NDArray[np.void]) -> list[int]:
    """The source words that a term prescribes the translation of."""
    terms = row[row["path"] == TERM]
    return [word for each in terms for word in range(int(each["start"]), int(each["end"]))]
