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


def best_quality(pool: Pool, weights: list[int], direction: list[int]) -> float:
    """The best quality anywhere on a line of weights, if all features are whole numbers: each interval is tried."""
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
    qualities = []
    for x in between(places):
        chosen = [highest(heights, slopes, x) for heights, slopes in scored]
        total = np.sum([counts[row] for counts, row in zip(pool.statistics, chosen, strict=True)], axis=0)
        qualities.append(float(pool.qualities(total[None])[0]))
    return max(qualities)
