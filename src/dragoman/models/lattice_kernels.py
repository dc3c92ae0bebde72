"""The recursions of the HMM alignment model over one sentence pair, on dense arrays: no table is looked at here.

A lattice is two arrays. `emission` [J, I + 1] holds p(f_j|e_i), the null word in column 0; `transition` [I + 1, I + 1]
holds (1 − p0) · p(i|i′, I), row i′ (0 before the first word), column i, where column 0 is zero.

A source sentence f = f₁…f_J comes from a target sentence e = e₁…e_I word by word: at position i′ the next source word
comes with probability p0 from the null word, and the position stays i′, otherwise from position i with the
probability of the jump i′ → i. A null state has the same future as the real state of its position, so the recursions
need only one value a position, real and null summed ([O] §3.5.4).

Inner loops run along rows, several products to a sum, so that the compiler turns them into vector instructions without
reordering any sum: results do not depend on how wide the vectors are.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import kernel, lean

P0 = 0.1  # probability of the null word at any position


@lean
def times(vector, matrix, out):
    """Write vector [m] · matrix [m, n] into `out` [n], always summed in the same order, four rows at a time."""
    m, n = matrix.shape
    whole = m - m % 4
    out[:] = 0.0
    for p in range(0, whole, 4):
        a, b, c, d = vector[p], vector[p + 1], vector[p + 2], vector[p + 3]
        for i in range(n):
            out[i] += (a * matrix[p, i] + b * matrix[p + 1, i]) + (c * matrix[p + 2, i] + d * matrix[p + 3, i])
    for p in range(whole, m):
        a = vector[p]
        for i in range(n):
            out[i] += a * matrix[p, i]


@lean
def total(vector):
    """Sum of a vector, always in the same order, in four strands."""
    n = vector.size
    whole = n - n % 4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(0, whole, 4):
        a += vector[i]
        b += vector[i + 1]
        c += vector[i + 2]
        d += vector[i + 3]
    for i in range(whole, n):
        a += vector[i]
    return (a + b) + (c + d)


@lean
def forward(emission, transition, real, position, scale):
    """Forward recursion, each row scaled to sum 1; returns the log-likelihood.

    position [J + 1, I + 1]: probability of being at each position after j words, real and null state together;
    real [J, I + 1]: that of the real states alone; scale [J]: what the rows were divided by.
    """
    J, n = emission.shape
    position[0, :] = 0.0
    position[0, 0] = 1.0
    log_likelihood = 0.0
    for j in range(J):
        stay = P0 * emission[j, 0]
        times(position[j], transition, real[j])
        for i in range(n):
            real[j, i] *= emission[j, i]
            position[j + 1, i] = real[j, i] + stay * position[j, i]
        scale[j] = total(position[j + 1])
        inverse = 1.0 / scale[j]
        for i in range(n):
            real[j, i] *= inverse
            position[j + 1, i] *= inverse
        log_likelihood += math.log(scale[j])
    return log_likelihood


@kernel
def backward(emission, transition, gamma, position, scale, ahead):
    """Backward recursion over what `forward` left: turns its `real` into the posteriors of the links.

    gamma [J, I + 1]: in, probabilities of the real states; out, posteriors, null states summed in column 0;
    ahead [J, I + 1]: out, p(f_j|e_i) times all that follows; position · transition · ahead is the posterior of a jump.
    """
    J, n = emission.shape
    back = np.ascontiguousarray(transition.T)
    future = np.ones(n)
    earlier = np.empty(n)
    for j in range(J - 1, -1, -1):
        inverse = 1.0 / scale[j]
        stay = P0 * emission[j, 0] * inverse
        for i in range(n):
            gamma[j, i] *= future[i]
            ahead[j, i] = emission[j, i] * future[i] * inverse
            future[i] *= stay
        for i in range(n):
            earlier[i] = future[i] * position[j, i]
        gamma[j, 0] = total(earlier)
        times(ahead[j], back, earlier)
        for i in range(n):
            future[i] += earlier[i]


@kernel
def posteriors(emission, transition):
    """(gamma [J, I + 1], jumps [I + 1, I + 1], log-likelihood) of a lattice.

    gamma: posterior of each link, null states summed in column 0; jumps: expected number of jumps from each position
    (row, 0 = start) to each other.
    """
    J, n = emission.shape
    gamma = np.empty((J, n))
    position = np.empty((J + 1, n))
    scale = np.empty(J)
    log_likelihood = forward(emission, transition, gamma, position, scale)
    ahead = np.empty((J, n))
    backward(emission, transition, gamma, position, scale, ahead)
    jumps = np.empty((n, n))
    origin = np.ascontiguousarray(position[:J].T)
    for p in range(n):
        times(origin[p], ahead, jumps[p])
        for i in range(n):
            jumps[p, i] *= transition[p, i]
    return gamma, jumps, log_likelihood


@kernel
def best_path(emission, transition):
    """[J] most probable positions of a lattice, 0 = null.

    Of equally probable ways it takes: a real state before a null state, the greatest last position, and as previous
    position the nearest before the word's own, or else the first after it.
    """
    J, n = emission.shape
    best = np.zeros(n)  # of the ways that end at each position, scaled so that the greatest is 1
    best[0] = 1.0
    step = np.empty(n)
    origin = np.empty((J, n), np.int64)  # previous position of the best way into each real state
    from_null = np.empty((J, n), np.bool_)  # whether the best way to each position ends in its null state
    for j in range(J):
        step[:] = -1.0
        for previous in range(n):
            for i in range(1, n):
                candidate = best[previous] * transition[previous, i]
                if candidate > step[i] or (candidate == step[i] and previous < i):
                    step[i] = candidate
                    origin[j, i] = previous
        for i in range(n):
            null = P0 * emission[j, 0] * best[i]
            step[i] *= emission[j, i]
            from_null[j, i] = i == 0 or null > step[i]
            best[i] = null if from_null[j, i] else step[i]
        best /= best.max()
    at = n - 1 - np.argmax(best[::-1])
    path = np.zeros(J, np.int64)
    for j in range(J - 1, -1, -1):
        if not from_null[j, at]:
            path[j] = at
            at = origin[j, at]
    return path


@lean
def phrase_sum(emission, J, I, jumps, work):
    """p(f̃|ẽ) summed over all alignments inside a phrase pair, from p(f_j|e_i) in `emission` [≥ J, ≥ I + 1].

    `jumps` comes from `fill_jumps`; `work` [2, > I] float64 is scratch. Nothing is allocated.
    """
    transition = jumps[I]
    now, after = work[0], work[1]
    now[: I + 1] = 0.0
    now[0] = 1.0
    for j in range(J):
        after[: I + 1] = 0.0
        for previous in range(I + 1):
            share = now[previous]
            for i in range(I + 1):
                after[i] += share * transition[previous, i]
        stay = P0 * emission[j, 0]
        for i in range(I + 1):
            now[i] = after[i] * emission[j, i] + stay * now[i]
    answer = 0.0
    for i in range(I + 1):
        answer += now[i]
    return answer
