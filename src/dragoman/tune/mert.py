"""MERT (Och, 2003): weights that maximise a corpus measure on the pool, by exact line search along directions.

Along a line of weights w + x·d the score of each hypothesis is a line in x, so the preferred one changes only where the
upper envelope of these lines has a corner; between corners the measure is constant. All corners of all sentences, in
order, give the measure everywhere on the line by adding up differences of statistics.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from dragoman.kernels import exercise
from dragoman.measure import Wer
from dragoman.tune import mert_kernels as kernels
from dragoman.tune.pool import Pool, Vector, settled
from dragoman.tune.pool_kernels import project

RESTARTS = 4
DIRECTIONS = 8  # random ones, beside the coordinates
SMALLEST_GAIN = 1e-4  # points of the measure
NARROWEST = 1e-6  # distance of two corners; weights between closer ones would not be told from theirs


class Point(NamedTuple):
    """A point on a line of weights, and the quality there."""

    x: float
    quality: float


def mert(
    pool: Pool, weights: Vector, *, seed: int = 1, restarts: int = RESTARTS, directions: int = DIRECTIONS
) -> Vector:
    """The best weights found from the given ones and from random restarts around them, the earlier of equals."""
    streams = np.random.default_rng(seed).spawn(restarts + 1)  # one for each start: they are climbed from in parallel
    starts = [weights, *(_near(weights, random) for random in streams[1:])]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        found = list(threads.map(partial(climb, pool, directions=directions), starts, streams))
    best, quality = found[0]
    for each, reached in found[1:]:
        if reached > quality + SMALLEST_GAIN:
            best, quality = each, reached
    return settled(pool, best, weights)


def _near(weights: Vector, random: np.random.Generator) -> Vector:
    near: Vector = weights * random.uniform(0.2, 1.8, weights.size) + random.normal(0, 0.05, weights.size)
    return near


def climb(pool: Pool, weights: Vector, random: np.random.Generator, *, directions: int) -> tuple[Vector, float]:
    """Line searches along the coordinates and random directions, in random order, until none gains."""
    quality = pool.quality(weights)
    while True:
        before = quality
        lines = np.concatenate([np.eye(weights.size), random.normal(0, 1, (directions, weights.size))])
        for line in random.permutation(lines):
            found = line_search(pool, weights, line)
            if found.quality > quality + SMALLEST_GAIN:
                there = weights + found.x * line
                if (reached := pool.quality(there)) > quality + SMALLEST_GAIN:  # rounding may have moved a corner
                    weights, quality = there, reached
        if quality <= before + SMALLEST_GAIN:
            return weights, quality


def line_search(
    pool: Pool, weights: Vector, direction: Vector, low: float = -math.inf, high: float = math.inf
) -> Point:
    """The best weights w + x·d with low < x < high: the middle of the best interval, the nearest to 0 of equals."""
    features, statistics, starts = pool.flat
    total = np.zeros(statistics.shape[1])
    heights, slopes = project(features, weights), project(features, direction)
    where, rows = kernels.corners(heights, slopes, starts, statistics, total)
    order = np.argsort(where, kind="stable")
    quality = pool.qualities(kernels.sweep(order, rows, statistics, total))
    edges = np.concatenate([[-math.inf], where[order], [math.inf]]).clip(low, high)
    inside = edges[np.isfinite(edges)]
    ends = (inside[0] - 1.0, inside[-1] + 1.0) if inside.size else (-1.0, 1.0)
    edges = edges.clip(*ends)  # beyond the last corners nothing changes
    middles = (edges[1:] + edges[:-1]) / 2
    quality[np.diff(edges) <= NARROWEST] = -math.inf
    best = np.flatnonzero(quality == quality.max())
    chosen = int(best[np.argmin(np.abs(middles[best]))])
    return Point(float(middles[chosen]), float(quality[chosen]))


@exercise
def _exercise() -> None:
    pool = Pool(Wer())
    pool.add([np.eye(2)], [np.ones((2, 2))])
    line_search(pool, np.ones(2), np.array([1.0, 0.0]))
    kernels.envelope(np.ones(2), np.ones(2))
