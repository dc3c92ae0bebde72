"""The scores of hypotheses under some weights, and which of each sentence is preferred.

NumPy's own product would go to several threads at every call, for less work than it takes to wake them.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel


@kernel
def project(features, weights):
    """[rows] the weighted sum of the features [rows, M] of each."""
    scores = np.empty(features.shape[0])
    for row in range(scores.size):
        score = 0.0
        for m in range(weights.size):
            score += weights[m] * features[row, m]
        scores[row] = score
    return scores


@kernel
def preferred(scores, starts):
    """Row [sentences] of the highest of the scores [rows] of each sentence, the first among equals.

    Sentence s has the rows starts[s] to starts[s + 1].
    """
    rows = np.empty(starts.size - 1, np.int64)
    for s in range(rows.size):
        best = starts[s]
        for row in range(starts[s] + 1, starts[s + 1]):
            if scores[row] > scores[best]:
                best = row
        rows[s] = best
    return rows
