"""The likelihood of a whole adaptation set, which a Markov chain asks for at each of its steps."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.adapt.bayes_kernels import score
from dragoman.kernels import kernel


@kernel
def log_likelihoods_of_all(blocks, ends, best, samples):
    """Σ_a log p(y*_a|x_a,λ_s) [S] of lists: the features [M, N] of each in turn, where it ends, its best entry.

    A list stays in the cache for all samples; with a loop over samples outside it takes five times as long.
    """
    M = samples.shape[1]
    longest, begin = 0, 0
    for end in ends:
        longest, begin = max(longest, end - begin), end
    scores, values, totals, begin = np.empty(longest), np.empty(longest), np.zeros(samples.shape[0]), 0
    for a in range(ends.size):
        N = ends[a] - begin
        columns = blocks[M * begin : M * ends[a]].reshape((M, N))
        for s in range(totals.size):
            whole = score(columns, samples[s], scores[:N], values[:N])
            totals[s] += scores[best[a]] - whole
        begin = ends[a]
    return totals
