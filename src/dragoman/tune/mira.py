"""k-best batch MIRA (Cherry and Foster, 2012): large-margin steps from tempting to good hypotheses, averaged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dragoman.tune.pool import Pool, Vector

EPOCHS = 30
STEP = 0.01  # C, the largest step
DECAY = 0.999  # of the background statistics, per sentence


def mira(pool: Pool, weights: Vector, *, epochs: int = EPOCHS, step: float = STEP, seed: int = 1) -> Vector:
    """Weights that rank good hypotheses of the pool above tempting ones; the best of the averages after each epoch."""
    random = np.random.default_rng(seed)
    current, best, quality = weights.copy(), weights.copy(), pool.quality(weights)
    background = np.mean([counts[0] for counts in pool.statistics], axis=0)
    for _ in range(epochs):
        total = np.zeros_like(current)
        for s in random.permutation(len(pool)):
            current, chosen = _learn(pool, int(s), current, background, step)
            background = DECAY * background + chosen
            total += current
        average = total / len(pool)
        if (reached := pool.quality(average)) > quality:
            best, quality = average, reached
    return best


def _learn(pool: Pool, s: int, weights: Vector, background: Vector, step: float) -> tuple[Vector, Vector]:
    """One step on one sentence: the weights after it, and the statistics of the hypothesis they preferred before."""
    features, counts = pool.features[s], pool.statistics[s]
    gains = _gains(pool, counts, background)
    scores = features @ weights
    hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
    direction = features[hope] - features[fear]
    loss = (gains[hope] - gains[fear]) - direction @ weights
    length = direction @ direction
    if loss > 0 and length > 0:
        weights = weights + min(step, loss / length) * direction
    return weights, counts[int(np.argmax(scores))]


def _gains(pool: Pool, counts: Vector, background: Vector) -> NDArray[np.float64]:
    """[N] what each hypothesis would add to the quality of the sentences seen lately, scaled to one sentence."""
    size = max(float(background.sum() / counts[0].sum()), 1.0)
    before = pool.score(background)
    return size * np.array([pool.score(background + row) - before for row in counts])
