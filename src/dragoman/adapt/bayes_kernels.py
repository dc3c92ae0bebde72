"""The loops of Bayesian predictive adaptation: every entry of an n-best list under every sample of the weights.

For 500 entries and 100 samples that is 50,000 exponentials. So the innermost loops are over entries, without branches
and calls: then the compiler computes several at once, by the same sums as one by one.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean

LEAST = -700.0  # arguments of exponentials; what is less, is as good as this beside the 1 of the best
PER_LOG2 = 1 / math.log(2)
LOG2_HIGH = 6.93147180369123816490e-01  # log 2 in two parts, so that k · log 2 is exact but for the last bits
LOG2_LOW = 1.90821492927058770002e-10
BIAS = 1023  # of the exponents of floating-point numbers
MANTISSA = 52


class Work(NamedTuple):
    """Room for one exponential of each entry."""

    values: np.ndarray  # [N]
    powers: np.ndarray  # [N] powers of two
    bits: np.ndarray  # [N] int64, the same memory


@kernel
def new_work(N):
    """Room for N entries."""
    powers = np.empty(N)
    return Work(np.empty(N), powers, powers.view(np.int64))


@lean
def exponentiate(work):
    """Replace values, none of them above 0, by their exponentials: 2^k · e^r, e^r by its Taylor series."""
    values, powers, bits = work
    for n in range(values.size):
        value = values[n] if values[n] > LEAST else LEAST
        k = math.floor(value * PER_LOG2 + 0.5)
        r = (value - k * LOG2_HIGH) - k * LOG2_LOW  # at most log 2 / 2: the thirteenth term is below rounding
        e = 1 / 39916800 + r / 479001600
        e = 1 / 40320 + r * (1 / 362880 + r * (1 / 3628800 + r * e))
        e = 1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * e))
        values[n] = 1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * e))))
        bits[n] = (np.int64(np.int32(k)) + BIAS) << MANTISSA
    for n in range(values.size):
        values[n] *= powers[n]


@lean
def score(columns, weights, scores, work):
    """Fill scores [N] of the entries, features [M, N], and return the log of the sum of their exponentials."""
    scores[:] = 0
    for m in range(weights.size):
        weight, column = weights[m], columns[m]
        for n in range(scores.size):
            scores[n] += weight * column[n]
    for n in range(scores.size):
        work.values[n] = scores[n]
    top = greatest(work.values)
    for n in range(scores.size):
        work.values[n] = scores[n] - top
    exponentiate(work)
    return top + math.log(sum_of(work.values))


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
    columns, work, logs = features.T.copy(), new_work(N), np.empty((S, N))
    for s in range(S):
        row = logs[s]
        total = score(columns, samples[s], row, work)
        for n in range(N):
            row[n] -= total
    return logs


@kernel
def log_likelihoods(features, samples, entry):
    """Log p(y|x,λ_s) [S] of one entry."""
    S, N = samples.shape[0], features.shape[0]
    columns, work, scores, logs = features.T.copy(), new_work(N), np.empty(N), np.empty(S)
    for s in range(S):
        total = score(columns, samples[s], scores, work)
        logs[s] = scores[entry] - total
    return logs


@kernel
def log_likelihoods_of_all(blocks, ends, best, samples):
    """Σ_a log p(y*_a|x_a,λ_s) [S] of lists: the features [M, N] of each in turn, where it ends, its best entry.

    A list stays in the cache for all samples; with a loop over samples outside it takes five times as long.
    """
    M = samples.shape[1]
    longest, begin = 0, 0
    for end in ends:
        longest, begin = max(longest, end - begin), end
    scores, work, totals, begin = np.empty(longest), new_work(longest), np.zeros(samples.shape[0]), 0
    for a in range(ends.size):
        N = ends[a] - begin
        columns = blocks[M * begin : M * ends[a]].reshape((M, N))
        room = Work(work.values[:N], work.powers[:N], work.bits[:N])
        for s in range(totals.size):
            whole = score(columns, samples[s], scores[:N], room)
            totals[s] += scores[best[a]] - whole
        begin = ends[a]
    return totals


@kernel
def predictive(logs, credible, delta):
    """Log Σ_s exp(logs[s, n] / δ + credible[s]) [N]: how probable all samples together find each entry."""
    S, N = logs.shape
    scale = 1 / delta
    top, total, work = np.full(N, -np.inf), np.zeros(N), new_work(N)
    for s in range(S):
        for n in range(N):
            value = logs[s, n] * scale + credible[s]
            top[n] = value if value > top[n] else top[n]
    for s in range(S):
        for n in range(N):
            work.values[n] = logs[s, n] * scale + credible[s] - top[n]
        exponentiate(work)
        for n in range(N):
            total[n] += work.values[n]
    return top + np.log(total)
