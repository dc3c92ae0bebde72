"""PRO (Hopkins and May, 2011): learn to rank sampled pairs of hypotheses by logistic regression."""

from __future__ import annotations

import numpy as np

from dragoman.extras import load
from dragoman.tune.mert import line_search
from dragoman.tune.pool import Pool, Vector, rescaled, settled

SAMPLED, KEPT = 5000, 50  # pairs of each sentence
LEAST = 5.0  # points of the sentence's measure by which a pair must differ


def pro(pool: Pool, weights: Vector, *, seed: int = 1) -> Vector:
    """Weights that rank pairs of hypotheses of the pool as their quality does, interpolated with the old ones.

    How much of the new ones goes in is found by line search (in the paper it is a tenth, and there are 30 rounds).
    """
    learned = _learned(pool, np.random.default_rng(seed), weights.size)
    towards = rescaled(learned, weights) - weights
    share = line_search(pool, weights, towards, 0.0, 1.0).x
    return settled(pool, weights + share * towards, weights)


def _learned(pool: Pool, random: np.random.Generator, size: int) -> Vector:
    """Weights [M] by logistic regression alone; all 0 if no two hypotheses differ enough."""
    regression = load("sklearn.linear_model", extra="tune").LogisticRegression(fit_intercept=False, max_iter=1000)
    rows = np.concatenate([np.empty((0, size)), *(_pairs(pool, s, random) for s in range(len(pool)))])
    if not len(rows):
        return np.zeros(size)
    both, labels = np.concatenate([rows, -rows]), np.repeat([1, 0], len(rows))
    return np.asarray(regression.fit(both, labels).coef_[0], np.float64)


def _pairs(pool: Pool, s: int, random: np.random.Generator) -> Vector:
    """Feature differences, the better hypothesis first, of the pairs of one sentence that differ most in quality."""
    features = pool.features[s]
    quality = pool.measure.sentence_scores(pool.statistics[s]) * pool.sign
    a, b = random.integers(0, len(features), (2, SAMPLED))
    gap = quality[a] - quality[b]
    far = np.flatnonzero(np.abs(gap) >= LEAST)
    best = far[np.argsort(-np.abs(gap[far]), kind="stable")][:KEPT]
    rows: Vector = (features[a[best]] - features[b[best]]) * np.sign(gap[best])[:, None]
    return rows
