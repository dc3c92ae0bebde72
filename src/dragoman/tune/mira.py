"""k-best batch MIRA (Cherry and Foster, 2012): large-margin steps from tempting to good hypotheses, averaged.

The hope is a good hypothesis with a high score, the fear a bad one with a high score. If the
weights separate them by less than their difference in quality, a step is taken, just large enough but at most C.

A step changes each weight in proportion to its feature. So that the weight of a count of phrases, which differs by one
or two, moves as easily as that of a log probability, which differs by ten, features are divided by their spread within
lists.
"""

from __future__ import annotations

import numpy as np

from dragoman.tune.pool import Pool, Vector, settled
from dragoman.tune.pool_kernels import project

EPOCHS = 30
LEAST_STEPS = 3000  # a pool of few sentences is gone through more often
STEP = 0.003  # C, the largest step; 0.01 fits the pool better and other text worse (docs/use/tuning.md)
DECAY = 0.999  # of the background statistics, per sentence
REFERENCE_WORDS = 1  # column of the statistics of BLEU, TER and WER


def mira(
    pool: Pool, weights: Vector, *, seed: int = 1, epochs: int | None = None, step: float = STEP, scale: bool = True
) -> Vector:
    """Weights that rank hopes above fears; the best of the averages after each epoch.

    With `scale`, features are divided by their spread.
    """
    random = np.random.default_rng(seed)
    spread = _spread(pool) if scale else np.ones_like(weights)
    scaled = [features / spread for features in pool.features]
    current, best, quality = weights * spread, weights.copy(), pool.quality(weights)
    background = np.mean([counts[0] for counts in pool.statistics], axis=0)
    for _ in range(epochs or max(EPOCHS, LEAST_STEPS // len(pool))):
        total = np.zeros_like(current)
        for s in random.permutation(len(pool)):
            current, chosen = _learn(pool, scaled[s], pool.statistics[s], current, background, step)
            background = DECAY * background + chosen
            total += current
        average = total / len(pool) / spread
        if (reached := pool.quality(average)) > quality:
            best, quality = average, reached
    return settled(pool, best, weights)


def _spread(pool: Pool) -> Vector:
    """[M] the standard deviation of each feature within lists, relative to the geometric mean of all; 1 if it is 0."""
    squares = sum(((features - features.mean(0)) ** 2).sum(0) for features in pool.features)
    varies = squares > 0
    spread = np.ones(squares.size)
    if varies.any():
        logarithms = np.log(squares[varies]) / 2
        spread[varies] = np.exp(logarithms - logarithms.mean())
    return spread


def _learn(
    pool: Pool, features: Vector, counts: Vector, weights: Vector, background: Vector, step: float
) -> tuple[Vector, Vector]:
    """One step on one sentence: the weights after it, and the statistics of the hypothesis they preferred before."""
    gains = _gains(pool, counts, background)
    scores = project(features, weights)
    hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
    direction = features[hope] - features[fear]
    loss = (gains[hope] - gains[fear]) - direction @ weights
    length = direction @ direction
    if loss > 0 and length > 0:
        weights = weights + min(step, loss / length) * direction
    return weights, counts[int(np.argmax(scores))]


def _gains(pool: Pool, counts: Vector, background: Vector) -> Vector:
    """[N] what each hypothesis adds to the quality of the sentences seen recently, in correct words."""
    totals = background + counts
    gains: Vector = pool.qualities(totals) / 100 * totals[:, REFERENCE_WORDS]
    return gains
