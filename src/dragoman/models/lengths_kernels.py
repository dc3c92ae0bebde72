"""How long a source sentence is, given the length of its translation: one normal distribution per target length.

Only integers are kept: for each target length I the number of samples, Σ J and Σ J², and over all samples those of the
ratio J / I in units of 2⁻²⁰. Mean and variance are those of the running update of [O] Eq. 10–13.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.tables.table_kernels import ABSENT, Layered, erase, insert, locate

UNIT = 20  # ratios are counted in 2⁻²⁰

# What is assumed of J / I before two samples have been seen
RATIO, RATIO_DEVIATION = 1.0, 0.5
LEAST_DEVIATION = 0.5  # words: two equal lengths do not make a third length impossible
LEAST_PROBABILITY = 1e-9


class LengthArrays(NamedTuple):
    """Sums of source lengths, keyed by target length, layer and base. Valid until the table grows."""

    table: Layered
    samples: np.ndarray  # [capacity] int64
    sums: np.ndarray  # [capacity] int64, Σ J
    squares: np.ndarray  # [capacity] int64, Σ J²
    base_samples: np.ndarray
    base_sums: np.ndarray
    base_squares: np.ndarray
    pooled: np.ndarray  # [3] int64: samples, Σ J/I, Σ (J/I)² of all target lengths
    base_pooled: np.ndarray


@lean
def add_lengths(lengths, J, I, sign):
    """Count sentence pairs of J [n] source and I [n] target words (sign 1), or take them back (-1)."""
    layer = lengths.table.layer
    for n in range(J.size):
        entry = insert(layer, I[n])
        lengths.samples[entry] += sign
        lengths.sums[entry] += sign * J[n]
        lengths.squares[entry] += sign * J[n] * J[n]
        if lengths.samples[entry] == 0 and lengths.sums[entry] == 0 and lengths.squares[entry] == 0:
            erase(layer, entry)
        lengths.pooled[0] += sign
        lengths.pooled[1] += sign * rounded(J[n] << UNIT, I[n])
        lengths.pooled[2] += sign * rounded(J[n] * J[n] << UNIT, I[n] * I[n])


@lean
def rounded(numerator, denominator):
    """The nearest integer to a quotient."""
    return (numerator + denominator // 2) // denominator


@lean
def length_score(lengths, J, I):
    """h2: log p(J | I), that a target sentence of I words has a source sentence of J words ([O] §3.4)."""
    in_base, in_layer = locate(lengths.table, np.int64(I))
    samples = total = squares = np.int64(0)
    if in_base != ABSENT:
        samples += lengths.base_samples[in_base]
        total += lengths.base_sums[in_base]
        squares += lengths.base_squares[in_base]
    if in_layer != ABSENT:
        samples += lengths.samples[in_layer]
        total += lengths.sums[in_layer]
        squares += lengths.squares[in_layer]
    if samples >= 2:
        mean = total / samples
        deviation = math.sqrt(max(samples * squares - total * total, 0) / samples / (samples - 1))
    else:
        ratio, spread = pooled_ratio(lengths.pooled, lengths.base_pooled)
        mean, deviation = ratio * I, spread * I
    return interval_score(abs(J - mean), max(deviation, LEAST_DEVIATION))


@lean
def pooled_ratio(pooled, base_pooled):
    """Mean and standard deviation of J / I over all samples."""
    samples = pooled[0] + base_pooled[0]
    if samples == 0:
        return RATIO, RATIO_DEVIATION
    mean = (pooled[1] + base_pooled[1]) / samples / (1 << UNIT)
    if samples == 1:
        return mean, RATIO_DEVIATION
    rest = (pooled[2] + base_pooled[2]) / (1 << UNIT) - samples * mean * mean
    return mean, math.sqrt(max(rest, 0.0) / (samples - 1))


@lean
def interval_score(distance, deviation):
    """Log of the probability of the word-wide interval at a distance from the mean of a normal distribution.

    Φ(x + ½) − Φ(x − ½), written with the complementary error function, which is exact far from the mean.
    """
    scale = 1.0 / (deviation * math.sqrt(2.0))
    probability = 0.5 * (math.erfc((distance - 0.5) * scale) - math.erfc((distance + 0.5) * scale))
    return math.log(max(probability, LEAST_PROBABILITY))
