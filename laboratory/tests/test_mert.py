"""MERT of the papers that no product needs: on the last sentences of a stream, and on two sets at once."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.measure import Wer
from dragoman.tune import Pool
from dragoman_laboratory.mert200 import Mert200
from dragoman_laboratory.mert_plus import mert_plus
from tests.tune.support import MEASURES, random_pool

pytestmark = pytest.mark.kernels

START = np.array([1.0, 0.5, -0.5])


def test_mert_plus_is_no_worse_on_both_sets_together() -> None:
    one, other = (random_pool(MEASURES["ter"], seed) for seed in (1, 2))
    found = mert_plus(one, other, START, seed=1)
    joined = one.joined(other)
    assert joined.quality(found) >= joined.quality(START)


def test_mert200_runs_on_the_last_sentences_only() -> None:
    used = []

    def remember(pool: Pool, weights: np.ndarray, *, seed: int = 1) -> np.ndarray:
        used.append((len(pool), seed, [float(rows[0, 0]) for rows in pool.features]))
        return weights + 1

    stream = Mert200(Wer(), every=3, method=remember)
    weights = np.zeros(1)
    for number in range(7):
        weights = stream.update(weights, np.full((1, 1), float(number)), np.ones((1, 2)))
    assert used == [(3, 2, [0, 1, 2]), (3, 3, [3, 4, 5])]
    assert weights.tolist() == [2]
