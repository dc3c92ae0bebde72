"""The n-best lists that tuners learn from, gathered over rounds of decoding: features and sufficient statistics.

A tuner takes a pool and weights and returns better weights; all of them share this pool, and only ever sum statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError

Vector = NDArray[np.float64]
Score = Callable[[Vector], float]  # summed sufficient statistics [k] -> quality, the higher the better


@dataclass
class Pool:
    """For each sentence of the development set, the different hypotheses seen so far."""

    score: Score
    features: list[Vector] = field(default_factory=list)  # a sentence: [N, M]
    statistics: list[Vector] = field(default_factory=list)  # a sentence: [N, k]

    def add(self, features: Sequence[Vector], statistics: Sequence[Vector]) -> int:
        """Add one n-best list a sentence, in order; returns how many hypotheses were new."""
        if self.features and len(features) != len(self.features):
            raise BadInputError(f"{len(features)} n-best lists for a pool of {len(self.features)} sentences")
        if not self.features:
            self.features = [np.empty((0, rows.shape[1])) for rows in features]
            self.statistics = [np.empty((0, rows.shape[1])) for rows in statistics]
        before = sum(map(len, self.features))
        for s, (rows, counts) in enumerate(zip(features, statistics, strict=True)):
            if not np.isfinite(rows).all():
                raise BadInputError(f"the n-best list of sentence {s + 1} has features that are not finite numbers")
            joined = np.concatenate([self.features[s], rows])
            _, first = np.unique(joined.round(9), axis=0, return_index=True)
            keep = np.sort(first)
            self.features[s] = joined[keep]
            self.statistics[s] = np.concatenate([self.statistics[s], counts])[keep]
        return sum(map(len, self.features)) - before

    def __len__(self) -> int:
        return len(self.features)

    def choose(self, weights: Vector) -> list[int]:
        """The hypothesis of each sentence that the weights prefer, the earlier one among equals."""
        return [int(np.argmax(rows @ weights)) for rows in self.features]

    def quality(self, weights: Vector) -> float:
        """The measure of the hypotheses that the weights prefer."""
        chosen = zip(self.statistics, self.choose(weights), strict=True)
        return self.score(np.sum([counts[best] for counts, best in chosen], axis=0))
