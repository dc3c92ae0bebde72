"""The loops of Bayesian predictive adaptation: every entry of an n-best list under every sample of the weights."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import kernel


@kernel
def log_probabilities(features, samples):
    """Log p(y|x,λ_s) [S, N]: a softmax over the entries [N, M] for each of the samples [S, M]."""
    S, N = samples.shape[0], features.shape[0]
    logs = np.empty((S, N))
    for s in range(S):
        row = logs[s]
        top = -np.inf
        for n in range(N):
            score = 0.0
            for m in range(samples.shape[1]):
                score += samples[s, m] * features[n, m]
            row[n] = score
            top = max(top, score)
        total = 0.0
        for n in range(N):
            total += math.exp(row[n] - top)
        total = top + math.log(total)
        for n in range(N):
            row[n] -= total
    return logs


@kernel
def predictive(logs, credible, delta):
    """Log Σ_s exp(logs[s, n] / δ + credible[s]) [N]: how probable all samples together find each entry."""
    S, N = logs.shape
    top, total = np.full(N, -np.inf), np.zeros(N)
    for s in range(S):
        for n in range(N):
            top[n] = max(top[n], logs[s, n] / delta + credible[s])
    for s in range(S):
        for n in range(N):
            total[n] += math.exp(logs[s, n] / delta + credible[s] - top[n])
    return top + np.log(total)
