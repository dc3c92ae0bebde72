"""Downhill simplex and Powell's method, from SciPy, applied directly to the measure on the pool.

The measure is a step function, so small changes of the weights often do nothing: both start with large ones,
and restart from where they have arrived.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dragoman.extras import load
from dragoman.tune.pool import Pool, Vector, better, settled

RESTARTS = 3
FIRST_STEP = 0.5  # of the mean size of the weights
EVALUATIONS = 100  # of the measure, for each weight and each start


def simplex(pool: Pool, weights: Vector, *, seed: int = 1) -> Vector:
    """Weights found by the downhill simplex (Nelder and Mead, 1965), restarted with simplices of random directions."""
    random = np.random.default_rng(seed)
    best = weights.copy()
    for _ in range(RESTARTS + 1):
        sides = random.choice([-1.0, 1.0], weights.size) * _scale(best) * random.uniform(0.5, 1.5, weights.size)
        corners = np.concatenate([best[None], best + np.diag(sides)])
        settings = {"initial_simplex": corners, "xatol": 1e-4, "fatol": 1e-4}
        best = better(pool, [best, _minimised(pool, best, "Nelder-Mead", settings)])
    return settled(pool, best, weights)


def powell(pool: Pool, weights: Vector, *, seed: int = 1) -> Vector:
    """Weights found by Powell's method (1964), along each weight in random order, restarted with random directions."""
    random, size = np.random.default_rng(seed), weights.size
    best, directions = weights.copy(), np.eye(size)[random.permutation(size)]
    for _ in range(RESTARTS + 1):
        settings = {"direc": directions * _scale(best), "xtol": 1e-3, "ftol": 1e-6}
        best = better(pool, [best, _minimised(pool, best, "Powell", settings)])
        directions, _ = np.linalg.qr(random.normal(0, 1, (size, size)))
    return settled(pool, best, weights)


def _scale(weights: Vector) -> float:
    return FIRST_STEP * (float(np.abs(weights).mean()) or 1.0)


def _minimised(pool: Pool, start: Vector, method: str, settings: dict[str, Any]) -> Vector:
    minimize = load("scipy.optimize", extra="tune").minimize
    options = settings | {"maxfev": EVALUATIONS * start.size}
    found = minimize(lambda weights: -pool.quality(weights), start, method=method, options=options)
    return np.asarray(found.x, np.float64).reshape(start.shape)
