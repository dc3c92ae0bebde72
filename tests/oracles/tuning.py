"""Line search and envelopes by looking everywhere: slow, obvious."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dragoman.tune.pool import Pool

Floats = NDArray[np.float64]


def crossings(heights: list[int], slopes: list[int]) -> list[Fraction]:
    """All places where two lines meet, in order."""
    lines = list(zip(heights, slopes, strict=True))
    places = {Fraction(a - c, d - b) for a, b in lines for c, d in lines if b != d}
    return sorted(places)


def highest(heights: list[int], slopes: list[int], x: Fraction) -> int:
    """The first of the lines that are highest at a place."""
    values = [height + x * slope for height, slope in zip(heights, slopes, strict=True)]
    return values.index(max(values))


def between(places: list[Fraction]) -> list[Fraction]:
    """A place in each interval between those given, and one on each side."""
    if not places:
        return [Fraction(0)]
    inside = [(a + b) / 2 for a, b in pairwise(places)]
    return [places[0] - 1, *inside, places[-1] + 1]


def envelope(heights: list[int], slopes: list[int]) -> list[int]:
    """The lines that are highest somewhere between crossings, from left to right."""
    found: list[int] = []
    for x in between(crossings(heights, slopes)):
        line = highest(heights, slopes, x)
        if not found or found[-1] != line:
            found.append(line)
    return found


def steps(pool: Pool, weights: list[int], direction: list[int]) -> tuple[list[Fraction], list[float]]:
    """Where other hypotheses are preferred along a line of weights, and the quality between; all features are whole."""
    scored = []
    for rows in pool.features:
        exact = rows.astype(int).tolist()
        scored.append(
            (
                [sum(w * h for w, h in zip(weights, row, strict=True)) for row in exact],
                [sum(d * h for d, h in zip(direction, row, strict=True)) for row in exact],
            )
        )
    places = sorted({x for heights, slopes in scored for x in crossings(heights, slopes)})
    chosen = [[highest(heights, slopes, x) for heights, slopes in scored] for x in between(places)]
    changes = [n for n, (left, right) in enumerate(pairwise(chosen)) if left != right]
    qualities = []
    for preferred in [chosen[0], *(chosen[n + 1] for n in changes)]:
        total = np.sum([counts[row] for counts, row in zip(pool.statistics, preferred, strict=True)], axis=0)
        qualities.append(float(pool.qualities(total[None])[0]))
    return [places[n] for n in changes], qualities


def best_quality(pool: Pool, weights: list[int], direction: list[int]) -> float:
    """The best quality anywhere on a line of weights: each interval is tried."""
    return max(steps(pool, weights, direction)[1])


def mean_quality(pool: Pool, weights: list[int], direction: list[int], x: Fraction, window: Fraction) -> float:
    """The mean quality from a window left of a place to as far right of it: the sum of its parts."""
    places, qualities = steps(pool, weights, direction)
    low, high = x - window, x + window
    edges = [low, *(place for place in places if low < place < high), high]
    parts = [float(b - a) * qualities[sum(place <= a for place in places)] for a, b in pairwise(edges)]
    return sum(parts) / float(high - low)
