"""PRO (Hopkins and May, 2011): learn to rank sampled pairs of hypotheses by logistic regression."""

from __future__ import annotations

import numpy as np

from dragoman.extras import load
from dragoman.tune.mert import line_search
from dragoman.tune.pool import Pool, Vector, rescaled, settled
from dragoman.tune.pool_kernels import project

SAMPLED, KEPT = 5000, 50  # pairs of each sentence
LEAST = 5.0  # points of the sentence's measure by which a pair must differ


def pro(pool: Pool, weights: Vector, *, seed: int = 1) -> Vector:
    """Weights that rank pairs of hypotheses of the pool as their quality does, interpolated with the old ones.

    The share of the new ones is found by line search (in the paper it is a tenth, with 30 rounds).
    """
    learned = _learned(pool, weights, np.random.default_rng(seed))
    towards = rescaled(learned, weights) - weights
    share = line_search(pool, weights, towards, 0.0, 1.0).x
    return settled(pool, weights + share * towards, weights)


def _learned(pool: Pool, weights: Vector, random: np.random.Generator) -> Vector:
    """Weights [M] by logistic regression alone; all 0 if no two hypotheses differ enough."""
    regression = load("sklearn.linear_model", extra="tune").LogisticRegression(fit_intercept=False, max_iter=1000)
    size, gains = weights.size, _gains(pool, weights)
    every = (_pairs(features, gain, random) for features, gain in zip(pool.features, gains, strict=True))
    rows = np.concatenate([np.empty((0, size)), *every])
    if not len(rows):
        return np.zeros(size)
    both, labels = np.concatenate([rows, -rows]), np.repeat([1, 0], len(rows))
    return np.asarray(regression.fit(both, labels).coef_[0], np.float64)


def _gains(pool: Pool, weights: Vector) -> list[Vector]:
    """[N] for each sentence the quality of its hypotheses, in points: half as a sentence, half as part of the set.

    The latter is the quality of the set with it, all other sentences translated as the weights prefer. Sentence BLEU
    favours short hypotheses (Nakov et al., 2012); that of the set does not, but hardly depends on a single one.
    """
    preferred = [int(np.argmax(project(features, weights))) for features in pool.features]
    own = [counts[n] for counts, n in zip(pool.statistics, preferred, strict=True)]
    total, answer = np.sum(own, axis=0), list[Vector]()
    for counts, mine in zip(pool.statistics, own, strict=True):
        alone = pool.measure.sentence_scores(counts) * pool.sign
        answer.append((alone + len(pool) * pool.qualities(total - mine + counts)) / 2)
    return answer


def _pairs(features: Vector, gains: Vector, random: np.random.Generator) -> Vector:
    """Feature differences, the better hypothesis first, of the pairs of one sentence that differ most in quality."""
    a, b = random.integers(0, len(features), (2, SAMPLED))
    gap = gains[a] - gains[b]
    far = np.flatnonzero(np.abs(gap) >= LEAST)
    best = far[np.argsort(-np.abs(gap[far]), kind="stable")][:KEPT]
    rows: Vector = (features[a[best]] - features[b[best]]) * np.sign(gap[best])[:, None]
    return rows
