"""The loops of Bayesian predictive adaptation: every entry of an n-best list under every sample of the weights.

For 500 entries and 100 samples that is 50,000 exponentials. So the innermost loops are over entries, without branches
and with few calls: then the compiler computes several at once, by the same sums as one by one.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import kernel, lean


@lean
def score(columns, weights, scores, values):
    """Fill scores [N] of the entries, features [M, N], and return the log of the sum of their exponentials.

    `values` [N] is room to work in.
    """
    scores[:] = 0
    for m in range(weights.size):
        weight, column = weights[m], columns[m]
        for n in range(scores.size):
            scores[n] += weight * column[n]
    for n in range(scores.size):
        values[n] = scores[n]
    top = greatest(values)
    for n in range(scores.size):
        values[n] = math.exp(scores[n] - top)
    return top + math.log(sum_of(values))


@lean
def greatest(values):
    """The greatest of some values, which are overwritten: one half is laid over the other, until one value is left."""
    size = values.size
    while size > 1:
        half = (size + 1) >> 1
        for n in range(size - half):
            values[n] = values[n] if values[n] > values[n + half] else values[n + half]
        size = half
    return values[0]


@lean
def sum_of(values):
    """The sum of some values, which are overwritten likewise."""
    size = values.size
    while size > 1:
        half = (size + 1) >> 1
        for n in range(size - half):
            values[n] += values[n + half]
        size = half
    return values[0]


@kernel
def log_probabilities(features, samples):
    """Log p(y|x,λ_s) [S, N]: a softmax over the entries [N, M] for each of the samples [S, M]."""
    S, N = samples.shape[0], features.shape[0]
    columns, values, logs = features.T.copy(), np.empty(N), np.empty((S, N))
    for s in range(S):
        row = logs[s]
        total = score(columns, samples[s], row, values)
        for n in range(N):
            row[n] -= total
    return logs


@kernel
def log_likelihoods(features, samples, entry):
    """Log p(y|x,λ_s) [S] of one entry."""
    S, N = samples.shape[0], features.shape[0]
    columns, values, scores, logs = features.T.copy(), np.empty(N), np.empty(N), np.empty(S)
    for s in range(S):
        total = score(columns, samples[s], scores, values)
        logs[s] = scores[entry] - total
    return logs


@kernel
def predictive(logs, credible, delta):
    """Log Σ_s exp(logs[s, n] / δ + credible[s]) [N]: how probable all samples together find each entry."""
    S, N = logs.shape
    scale = 1 / delta
    top, total = np.full(N, -np.inf), np.zeros(N)
    for s in range(S):
        for n in range(N):
            value = logs[s, n] * scale + credible[s]
            top[n] = value if value > top[n] else top[n]
    for s in range(S):
        for n in range(N):
            total[n] += math.exp(logs[s, n] * scale + credible[s] - top[n])
    return top + np.log(total)
