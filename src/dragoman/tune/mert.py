"""MERT (Och, 2003): weights that maximise a corpus measure on the pool, by exact line search along directions.

Along a line of weights w + x·d the score of each hypothesis is a line in x, so the preferred one changes only where the
upper envelope of these lines has a corner; between corners the measure is constant. All corners of all sentences, in
order, give the measure everywhere on the line by adding up differences of statistics.

The highest of all these steps is often a narrow one that other sentences would not have. So what a climb looks for is
the place where the mean of the measure over a window around it is highest, as in Cer, Jurafsky and Manning (2008);
that passes over small dips too, and ends higher. With a window of 0 it is Och's.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from dragoman.kernels import exercise
from dragoman.measure import Wer
from dragoman.tune import mert_kernels as kernels
from dragoman.tune.pool import Pool, Vector, settled
from dragoman.tune.pool_kernels import project

RESTARTS = 4
WINDOW = 0.01  # half of its width, of the sum of the weights
REACH = 10.0  # how far a line is looked along if there is a window, of the sum of the weights
PASSES = 12  # over all directions, at most, if there is a window: means along different lines need not agree
DIRECTIONS = 8  # random ones, beside the coordinates
SMALLEST_GAIN = 1e-4  # points of the measure
NARROWEST = 1e-6  # distance of two corners; weights between closer ones would not be told from theirs


class Point(NamedTuple):
    """A place on a line of weights, the quality there, and by how much it is above that at 0."""

    x: float
    quality: float
    gain: float


def mert(
    pool: Pool,
    weights: Vector,
    *,
    seed: int = 1,
    restarts: int = RESTARTS,
    directions: int = DIRECTIONS,
    window: float = WINDOW,
) -> Vector:
    """The best weights found from the given ones and from random restarts around them, the earlier among equals."""
    streams = np.random.default_rng(seed).spawn(restarts + 1)  # one for each start: they are climbed from in parallel
    starts = [weights, *(_near(weights, random) for random in streams[1:])]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        found = list(threads.map(partial(climb, pool, directions=directions, window=window), starts, streams))
    best, quality = found[0]
    for each, reached in found[1:]:
        if reached > quality + SMALLEST_GAIN:
            best, quality = each, reached
    return settled(pool, best, weights)


def _near(weights: Vector, random: np.random.Generator) -> Vector:
    near: Vector = weights * random.uniform(0.2, 1.8, weights.size) + random.normal(0, 0.05, weights.size)
    return near


def climb(
    pool: Pool, weights: Vector, random: np.random.Generator, *, directions: int, window: float = 0.0
) -> tuple[Vector, float]:
    """Line searches along the coordinates and random directions, in random order, until none gains any more."""
    for _ in range(PASSES) if window else count():
        before = weights
        lines = np.concatenate([np.eye(weights.size), random.normal(0, 1, (directions, weights.size))])
        for line in random.permutation(lines):
            weights = _stepped(pool, weights, line, window)
        if weights is before:
            break
    return weights, pool.quality(weights)


def _stepped(pool: Pool, weights: Vector, line: Vector, window: float) -> Vector:
    """The best weights on a line through those given, or these themselves if none are better."""
    unit = float(np.abs(weights).sum() / np.linalg.norm(line)) or 1.0
    reach = REACH * unit if window else math.inf
    found = line_search(pool, weights, line, -reach, reach, window=window * unit)
    there: Vector = weights + found.x * line
    if found.gain <= SMALLEST_GAIN:
        return weights
    if not window and pool.quality(there) <= pool.quality(weights) + SMALLEST_GAIN:
        return weights  # rounding has moved a corner
    return there


def line_search(
    pool: Pool,
    weights: Vector,
    direction: Vector,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    window: float = 0.0,
) -> Point:
    """The best weights w + x·d with low < x < high: the middle of the best interval, the nearest to 0 among equals.

    With a window, quality is its mean from x − window to x + window.
    """
    corners, quality = _steps(pool, weights, direction, low, high)
    ends = (corners[0] - 1.0, corners[-1] + 1.0) if corners.size else (-1.0, 1.0)  # beyond them nothing changes
    first, last = (end if math.isinf(bound) else bound for bound, end in zip((low, high), ends, strict=True))
    edges = np.concatenate([[first], corners, [last]])
    places = np.append((edges[1:] + edges[:-1]) / 2, 0.0)
    if window > 0 and corners.size:
        values = _means(places, corners, quality, window)
    else:
        values = np.append(quality, quality[np.searchsorted(corners, 0.0)])
    values[:-1][np.diff(edges) <= NARROWEST] = -math.inf
    best = np.flatnonzero(values[:-1] == values[:-1].max())
    chosen = int(best[np.argmin(np.abs(places[best]))])
    return Point(float(places[chosen]), float(values[chosen]), float(values[chosen] - values[-1]))


def _steps(pool: Pool, weights: Vector, direction: Vector, low: float, high: float) -> tuple[Vector, Vector]:
    """Corners [n] of a line between bounds, in order, and the quality [n + 1] left of each and right of the last."""
    features, statistics, starts = pool.flat
    total = np.zeros(statistics.shape[1])
    heights, slopes = project(features, weights), project(features, direction)
    where, rows = kernels.corners(heights, slopes, starts, statistics, total)
    order = np.argsort(where, kind="stable")
    quality = pool.qualities(kernels.sweep(order, rows, statistics, total))
    corners = where[order]
    begin, end = np.searchsorted(corners, low, side="right"), np.searchsorted(corners, high)
    return corners[begin:end], quality[begin : end + 1]


def _means(places: Vector, corners: Vector, quality: Vector, window: float) -> Vector:
    """[n] the mean quality from `window` left of each place to as far right of it: exact, as quality has steps."""
    areas = np.concatenate([[0.0], np.cumsum(quality[1:-1] * np.diff(corners))])  # from the first corner to each

    def area(x: Vector) -> Vector:  # from the first corner to x, negative left of it
        step = np.searchsorted(corners, x)
        corner = np.maximum(step - 1, 0)
        found: Vector = areas[corner] + quality[step] * (x - corners[corner])
        return found

    means: Vector = (area(places + window) - area(places - window)) / (2 * window)
    return means


@exercise
def _exercise() -> None:
    pool = Pool(Wer())
    pool.add([np.eye(2)], [np.ones((2, 2))])
    line_search(pool, np.ones(2), np.array([1.0, 0.0]))
    kernels.envelope(np.ones(2), np.ones(2))
