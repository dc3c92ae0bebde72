"""N-best lists as learners see them: features of every entry, which phrase pairs it is made of, how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dragoman.adapt.protocol import Matrix, Vector
from dragoman.measure import Measure
from dragoman.search.hypotheses import NBest
from dragoman.search.searching import Search

Ids = NDArray[np.int64]
Words = tuple[str, ...]


@dataclass(frozen=True)
class Candidates:
    """The translations that can be chosen from."""

    features: Matrix  # [N, M] h(x, y)
    words: Sequence[Words]  # [N]
    pairs: Ids  # [K] keys of the phrase pairs that occur
    scores: Matrix  # [N, K] g(x, y): what the translation models say of each pair, times how often it is used

    def __len__(self) -> int:
        return len(self.features)

    def with_first(self, chosen: int) -> Candidates:
        """The same list with another entry before all others."""
        if chosen == 0:
            return self
        order = np.r_[chosen, np.delete(np.arange(len(self)), chosen)]
        words = [self.words[n] for n in order]
        return replace(self, features=self.features[order], words=words, scores=self.scores[order])


def candidates(found: Search, nbest: NBest, *, factors: bool) -> Candidates:
    """An n-best list of a search; with `factors`, also the phrase pairs of each entry.

    Sentences that were cut into pieces have lists of which the phrase pairs are not known.
    """
    pairs, scores = _pair_scores(found, nbest) if factors else (np.zeros(0, np.int64), np.zeros((len(nbest), 0)))
    return Candidates(nbest.features, nbest.words, pairs, scores)


def _pair_scores(found: Search, nbest: NBest) -> tuple[Ids, Matrix]:
    rows = np.concatenate([piece.options.row for piece in found.pieces])
    known, first = np.unique(rows["pair"], return_index=True)
    value = rows["translation"][first]  # [·] g of each pair, which is the same wherever it stands
    entry, pair = uses(nbest)
    pairs, column = np.unique(pair, return_inverse=True)
    scores = np.zeros((len(nbest), pairs.size))
    np.add.at(scores, (entry, column), value[np.searchsorted(known, pairs)][column])
    return pairs, scores


def uses(nbest: NBest) -> tuple[Ids, Ids]:
    """Entry and key of each phrase pair that a list uses, entry by entry."""
    ways = nbest._ways  # an entry at a time would take as long as the search
    arcs, places = np.unique(np.concatenate(ways), return_inverse=True)
    steps = [nbest._step(arc) for arc in arcs.tolist()]
    pair = np.array([step.pair if step else -1 for step in steps])[places]
    entry = np.repeat(np.arange(len(ways)), [way.size for way in ways])
    return entry[pair >= 0], pair[pair >= 0]


def losses(measure: Measure, words: Sequence[Words], reference: Sequence[str]) -> Vector:
    """[N] how far each entry is from the correction, of 1; all of them in one call of the measure."""
    ids: dict[str, int] = {}
    numbered = [np.array([ids.setdefault(word, len(ids)) for word in each], np.int64) for each in (reference, *words)]
    return measure.losses(numbered[1:], numbered[0]) / 100
