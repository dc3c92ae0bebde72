"""MERT (Och, 2003): weights that maximise a corpus measure on the pool, by exact line search along directions.

Along a line of weights w + x·d the score of each hypothesis is a line in x, so the preferred one changes only where the
upper envelope of these lines has a corner; between corners the measure is constant. All corners of all sentences, in
order, give the measure everywhere on the line by adding up differences of statistics.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dragoman.tune.pool import Pool, Vector

RESTARTS = 8
DIRECTIONS = 8  # random ones, beside the coordinates
SMALLEST_GAIN = 1e-6


def mert(
    pool: Pool, weights: Vector, *, restarts: int = RESTARTS, directions: int = DIRECTIONS, seed: int = 1
) -> Vector:
    """The best weights found from the given ones and from random restarts around them."""
    random = np.random.default_rng(seed)
    best, quality = climb(pool, weights, directions, random)
    for _ in range(restarts):
        start = weights * random.uniform(0.2, 1.8, weights.size) + random.normal(0, 0.05, weights.size)
        found, reached = climb(pool, start, directions, random)
        if reached > quality + SMALLEST_GAIN:
            best, quality = found, reached
    scaled: Vector = best * (np.abs(weights).sum() / np.abs(best).sum())  # only the direction matters
    return scaled


def climb(pool: Pool, weights: Vector, directions: int, random: np.random.Generator) -> tuple[Vector, float]:
    """Line searches along coordinates and random directions until none gains any more."""
    quality = pool.quality(weights)
    while True:
        lines = [*np.eye(weights.size), *random.normal(0, 1, (directions, weights.size))]
        found = [line_search(pool, weights, line) for line in lines]
        x, reached = max(found, key=lambda each: each[1])
        if reached <= quality + SMALLEST_GAIN:
            return weights, quality
        weights = weights + x * lines[found.index((x, reached))]
        quality = reached


def line_search(pool: Pool, weights: Vector, direction: Vector) -> tuple[float, float]:
    """(x, measure) of the best weights on the line w + x·d: the middle of the best interval, near 0 among equals."""
    corners, changes, total = [], [], 0.0
    for features, statistics in zip(pool.features, pool.statistics, strict=True):
        preferred, bounds = envelope(features @ weights, features @ direction)
        total = total + statistics[preferred[0]]
        corners.append(bounds)
        changes.append(np.diff(statistics[preferred], axis=0))
    where, change = np.concatenate(corners), np.concatenate(changes)
    order = np.argsort(where, kind="stable")
    where = where[order]
    sums = np.concatenate([[total], total + np.cumsum(change[order], axis=0)])  # statistics in each interval
    edges = np.concatenate(
        [[where[0] - 1.0] if where.size else [-1.0], where, [where[-1] + 1.0] if where.size else [1.0]]
    )
    wide = np.diff(edges) > 1e-9  # weights between two corners this close would not be told from theirs
    quality = np.array([pool.score(row) if ok else -np.inf for row, ok in zip(sums, wide, strict=True)])
    middles = (edges[1:] + edges[:-1]) / 2
    best = np.flatnonzero(quality == quality.max())
    chosen = int(best[np.argmin(np.abs(middles[best]))])
    return float(middles[chosen]), float(quality[chosen])


def envelope(heights: Vector, slopes: Vector) -> tuple[NDArray[np.int64], Vector]:
    """The lines that are highest somewhere, from left to right, and the corners between them."""
    order = np.lexsort((heights, slopes))
    last = np.append(slopes[order][1:] != slopes[order][:-1], True)  # of parallel lines only the highest
    hull: list[int] = []
    corners: list[float] = []
    for line in order[last].tolist():
        while hull:
            top = hull[-1]
            x = (heights[top] - heights[line]) / (slopes[line] - slopes[top])
            if corners and x <= corners[-1]:
                hull.pop()
                corners.pop()
            else:
                corners.append(float(x))
                break
        hull.append(line)
    return np.array(hull), np.array(corners)
