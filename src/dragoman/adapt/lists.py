"""N-best lists as adapters see them: features, phrase pairs and losses of every entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from dragoman.adapt.protocol import Matrix, Vector
from dragoman.kernels import exercise
from dragoman.measure import Measure
from dragoman.measure.sentences import Sentences, number
from dragoman.search import wordgraph_kernels as graph_kernels
from dragoman.search.hypotheses import NBest
from dragoman.search.sentence_search import SearchResult
from dragoman.tables import Ids

Words = tuple[str, ...]


@dataclass(frozen=True)
class Candidates:
    """The translations to choose from."""

    features: Matrix  # [N, M] h(x, y)
    words: Sequence[Words]  # [N]
    pairs: Ids  # [K] keys of the phrase pairs that occur
    scores: Matrix  # [N, K] g(x, y): what the translation models say of each pair, times how often it is used

    def __len__(self) -> int:
        return len(self.features)


class ListedTranslations(Sequence[Words]):
    """The words of the entries of an n-best list, as tuples or all numbered at once."""

    def __init__(self, nbest: NBest) -> None:
        self._nbest = nbest

    def __len__(self) -> int:
        return len(self._nbest)

    @overload
    def __getitem__(self, place: int) -> Words: ...

    @overload
    def __getitem__(self, place: slice) -> list[Words]: ...

    def __getitem__(self, place: int | slice) -> Words | list[Words]:
        return self._nbest.words[place]

    def numbered(self, ids: dict[str, int]) -> Sentences:
        """The words as numbers, added to `ids` if new; steps are numbered, not entries."""
        ends, places, steps = self._nbest.parts
        said = number([step.words if step else () for step in steps], ids)
        begin, stop = said.starts[:-1][places], said.starts[1:][places]
        starts, words = graph_kernels.gather(begin, stop, said.ids)
        return Sentences(words, np.concatenate([starts[:1], starts[ends]]))


def candidates(found: SearchResult, nbest: NBest, *, factors: bool) -> Candidates:
    """An n-best list of a search; with `factors`, also the phrase pairs of each entry.

    For sentences that were split for the search, the phrase pairs are unknown.
    """
    pairs, scores = _pair_scores(found, nbest) if factors else (np.zeros(0, np.int64), np.zeros((len(nbest), 0)))
    return Candidates(nbest.features, ListedTranslations(nbest), pairs, scores)


def _pair_scores(found: SearchResult, nbest: NBest) -> tuple[Ids, Matrix]:
    entry, column, pairs = _columns(nbest)
    if not pairs.size:
        return pairs, np.zeros((len(nbest), 0))
    each = np.zeros(pairs.size)  # g of each pair, which is the same wherever it stands
    offered = np.ascontiguousarray(found.options.row["pair"])
    place = np.searchsorted(pairs, offered, side="right") - 1  # what comes before all, -1, is not equal to the last
    known = np.flatnonzero(pairs[place] == offered)
    each[place[known]] = found.options.row["translation"][known]
    places = entry * pairs.size + column
    scores = np.asarray(np.bincount(places, each[column], minlength=len(nbest) * pairs.size), np.float64)
    return pairs, scores.reshape(len(nbest), pairs.size)


def _columns(nbest: NBest) -> tuple[Ids, Ids, Ids]:
    """Entry and number of each phrase pair that a list uses, entry by entry, and the key [K] of each number."""
    ends, places, steps = nbest.parts
    keys = np.fromiter((max(step.pair, -1) if step else -1 for step in steps), np.int64, len(steps))
    pairs, place = np.unique(np.append(keys, -1), return_inverse=True)
    column = place[places] - 1  # -1 is what no phrase pair has said
    entry = np.repeat(np.arange(len(nbest)), np.diff(ends, prepend=0))
    used = column >= 0
    return entry[used], column[used], pairs[1:]


def uses(nbest: NBest) -> tuple[Ids, Ids]:
    """Entry and key of each phrase pair that a list uses, entry by entry."""
    entry, column, pairs = _columns(nbest)
    return entry, pairs[column]


def losses(measure: Measure, words: Sequence[Words], reference: Sequence[str]) -> Vector:
    """[N] the distance of each entry from the correction, 1 being the worst; all in one call of the measure."""
    ids: dict[str, int] = {}
    wanted = number([reference], ids).ids
    listed = words.numbered(ids) if isinstance(words, ListedTranslations) else number(words, ids)
    return measure.losses(listed, wanted) / 100


@exercise
def _exercise() -> None:
    none = np.zeros(1, np.int64)
    graph_kernels.gather(none, none, none)
