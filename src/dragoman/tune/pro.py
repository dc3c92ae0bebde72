"""PRO (Hopkins and May, 2011): learn to rank sampled pairs of hypotheses by logistic regression."""

from __future__ import annotations

import numpy as np

from dragoman.tune.pool import Pool, Vector

SAMPLED, KEPT = 5000, 50  # pairs of each sentence
LEAST = 0.05  # difference in quality, of 1, that a pair must have
SHARE = 0.1  # of the new weights in the result (SPEC §5: interpolated with the last ones)


def pro(pool: Pool, weights: Vector, *, share: float = SHARE, seed: int = 1) -> Vector:
    """Weights that rank pairs of hypotheses of the pool as their quality does, interpolated with the old ones."""
    from sklearn.linear_model import LogisticRegression  # the extra `tune`

    random = np.random.default_rng(seed)
    differences = [_pairs(pool, s, random) for s in range(len(pool))]
    rows = np.concatenate([np.empty((0, weights.size)), *differences])
    if not len(rows):
        return weights.copy()
    both, labels = np.concatenate([rows, -rows]), np.repeat([1, 0], len(rows))
    learned = LogisticRegression(fit_intercept=False, C=1.0, max_iter=1000).fit(both, labels).coef_[0]
    size = np.abs(weights).sum() / max(np.abs(learned).sum(), 1e-12)  # only the direction matters
    mixed: Vector = (1 - share) * weights + share * size * learned
    return mixed


def _pairs(pool: Pool, s: int, random: np.random.Generator) -> Vector:
    """Feature differences, the better hypothesis first, of the pairs of one sentence that differ most in quality."""
    features, counts = pool.features[s], pool.statistics[s]
    quality = np.array([pool.score(row) for row in counts])
    a, b = random.integers(0, len(features), (2, SAMPLED))
    gap = quality[a] - quality[b]
    far = np.flatnonzero(np.abs(gap) >= LEAST)
    best = far[np.argsort(-np.abs(gap[far]), kind="stable")][:KEPT]
    rows: Vector = (features[a[best]] - features[b[best]]) * np.sign(gap[best])[:, None]
    return rows
