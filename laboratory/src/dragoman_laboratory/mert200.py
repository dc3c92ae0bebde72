"""MERT200 ([M] §5): weights that follow a stream of sentences, by MERT every 200 of them on the last 200.

>>> import numpy as np
>>> from dragoman.measure import Wer
>>> stream = Mert200(Wer(), every=2)
>>> weights = np.array([1.0, 0.5])
>>> features, statistics = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[3, 4], [1, 4]])
>>> after_one = stream.update(weights, features, statistics)
>>> after_two = stream.update(after_one, features, statistics)
>>> after_one.tolist(), int(np.argmax(features @ after_two))
([1.0, 0.5], 1)
"""

from __future__ import annotations

from collections import deque
from typing import Any

from numpy.typing import NDArray

from dragoman.measure import Measure
from dragoman.tune.mert import mert
from dragoman.tune.pool import Pool, Tuner, Vector

EVERY = 200


class Mert200:
    """Keeps the n-best lists of the last sentences, and runs a tuner on them after every so many."""

    def __init__(self, measure: Measure, *, every: int = EVERY, method: Tuner = mert, seed: int = 1) -> None:
        self.measure, self.every, self.method, self.seed = measure, every, method, seed
        self._last: deque[tuple[NDArray[Any], NDArray[Any]]] = deque(maxlen=every)
        self._seen = 0

    def update(self, weights: Vector, features: NDArray[Any], statistics: NDArray[Any]) -> Vector:
        """The weights after one more sentence, given its n-best list: features [N, M] and statistics [N, k]."""
        self._last.append((features, statistics))
        self._seen += 1
        if self._seen % self.every:
            return weights.copy()
        pool = Pool(self.measure)
        pool.add(*map(list, zip(*self._last, strict=True)))
        return self.method(pool, weights, seed=self.seed + self._seen // self.every)
