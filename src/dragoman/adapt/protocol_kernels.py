"""Choosing from an n-best list: the same on every machine, since sums are always taken in the same order."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel


@kernel
def best_row(features, weights):
    """The row of features [N, M] with the greatest score, the earlier one among equals."""
    best, top = 0, -np.inf
    for n in range(features.shape[0]):
        score = 0.0
        for m in range(weights.size):
            score += features[n, m] * weights[m]
        if score > top:
            best, top = n, score
    return best
