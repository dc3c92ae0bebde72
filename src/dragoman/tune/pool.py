"""The n-best lists that tuners learn from, collected over rounds of decoding: features and sufficient statistics.

A tuner takes a pool and weights and returns better weights; all of them share this pool and only sum statistics.

>>> from dragoman.measure import Wer
>>> pool = Pool(Wer())
>>> pool.add([np.array([[1.0, 0.0], [0.0, 1.0]])], [np.array([[3, 4], [1, 4]])])  # edits, reference words
2
>>> pool.quality(np.array([1.0, 0.5])), pool.quality(np.array([0.5, 1.0]))
(-75.0, -25.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.measure import Measure
from dragoman.tables import Ids
from dragoman.tune import pool_kernels as kernels

SAME = 9  # decimals in which the features of two hypotheses must agree to be taken for one

Vector = NDArray[np.float64]


class Tuner(Protocol):
    """A method of finding weights: from a pool, initial weights and a seed to weights that are no worse on the pool."""

    def __call__(self, pool: Pool, weights: Vector, *, seed: int = 1) -> Vector:
        """The new weights [M], with the absolute sum of those given: only their direction affects a choice."""


class Pool:
    """For each sentence of the development set, the distinct hypotheses seen so far."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.features: list[Vector] = []  # a sentence: [N, M]
        self.statistics: list[Vector] = []  # a sentence: [N, k]

    def add(self, features: Sequence[NDArray[Any]], statistics: Sequence[NDArray[Any]]) -> int:
        """Add one n-best list per sentence, in order; returns how many hypotheses were new."""
        self._check(features, statistics)
        if not self.features:
            self.features = [np.empty((0, rows.shape[1])) for rows in features]
            self.statistics = [np.empty((0, rows.shape[1])) for rows in statistics]
        before = self.size
        for s, (rows, counts) in enumerate(zip(features, statistics, strict=True)):
            joined = np.concatenate([self.features[s], rows])
            _, first = np.unique(joined.round(SAME), axis=0, return_index=True)
            keep = np.sort(first)
            self.features[s] = joined[keep]
            self.statistics[s] = np.concatenate([self.statistics[s], counts])[keep]
        self.__dict__.pop("_flat", None)
        return self.size - before

    def _check(self, features: Sequence[NDArray[Any]], statistics: Sequence[NDArray[Any]]) -> None:
        if not features or len(features) != len(statistics) or len(features) != (len(self) or len(features)):
            raise BadInputError(
                f"{len(features)} n-best lists with {len(statistics)} of statistics for a pool of {len(self)} sentences"
            )
        for s, (rows, counts) in enumerate(zip(features, statistics, strict=True), start=1):
            if not len(rows) or len(rows) != len(counts):
                raise BadInputError(f"the n-best list of sentence {s} has {len(rows)} features, {len(counts)} counts")
            if not np.isfinite(rows).all():
                raise BadInputError(f"the n-best list of sentence {s} has features that are not finite")

    def __len__(self) -> int:
        return len(self.features)

    @property
    def size(self) -> int:
        """The number of hypotheses of all sentences."""
        return sum(map(len, self.features))

    @cached_property
    def _flat(self) -> tuple[Vector, Vector, Ids]:
        starts = np.zeros(len(self) + 1, np.int64)
        np.cumsum([len(rows) for rows in self.features], out=starts[1:])
        return np.concatenate(self.features), np.concatenate(self.statistics), starts

    @property
    def flat(self) -> tuple[Vector, Vector, Ids]:
        """Features [size, M] and statistics [size, k] of all sentences, and where each begins [sentences + 1]."""
        if not self.features:
            raise BadInputError("the pool is empty", remedy="add n-best lists first")
        return self._flat

    def choose(self, weights: Vector) -> Ids:
        """The hypothesis of each sentence that the weights prefer, the earlier of equals."""
        features, _, starts = self.flat
        chosen: Ids = kernels.preferred(kernels.project(features, weights), starts) - starts[:-1]
        return chosen

    def quality(self, weights: Vector) -> float:
        """The measure of the hypotheses that the weights prefer."""
        _, statistics, starts = self.flat
        return float(self.qualities(statistics[starts[:-1] + self.choose(weights)].sum(0)[None])[0])

    def qualities(self, totals: NDArray[Any]) -> Vector:
        """[n] the measure of summed statistics [n, k], in percent, negated if it counts errors: higher is better."""
        return self.measure.scores(totals) * self.sign

    @property
    def sign(self) -> int:
        """1, or −1 for a measure that counts errors."""
        return 1 if self.measure.higher_is_better else -1

    def joined(self, other: Pool) -> Pool:
        """A pool with the sentences of both."""
        both = Pool(self.measure)
        both.features, both.statistics = self.features + other.features, self.statistics + other.statistics
        return both


def rescaled(weights: Vector, like: Vector) -> Vector:
    """The weights, rescaled to the absolute sum of others, so that the beam keeps its width; 0 stays 0.

    >>> rescaled(np.array([3.0, -1.0]), like=np.array([1.0, 1.0])).tolist()
    [1.5, -0.5]
    """
    size, wanted = np.abs(weights).sum(), np.abs(like).sum()
    return weights * (wanted / size) if size > 0 and wanted > 0 else weights.copy()


def better(pool: Pool, candidates: Sequence[Vector]) -> Vector:
    """The candidate with the highest quality on the pool, the earlier of equals."""
    qualities = [pool.quality(weights) for weights in candidates]
    return candidates[int(np.argmax(qualities))]


def settled(pool: Pool, found: Vector, weights: Vector) -> Vector:
    """What a tuner has found, rescaled to the weights it was given, or these if they are no worse.

    Where hypotheses score the same, rounding decides, and even rescaling may change that.
    """
    return better(pool, [weights.copy(), rescaled(found, weights)])


@exercise
def _exercise() -> None:
    from dragoman.measure import Wer

    pool = Pool(Wer())
    pool.add([np.zeros((1, 1))], [np.ones((1, 2))])
    pool.quality(np.zeros(1))
