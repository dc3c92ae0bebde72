"""Downhill simplex and Powell's method, from SciPy, on a measure made smooth.

The measure of the hypotheses preferred is a function of steps, on which a small change of the weights does nothing. So
what they maximise is the measure of the counts that are to be expected if each hypothesis were chosen with a
probability that grows with its score, as Och (2003) has it for error counts. They begin with large changes, and begin
again from where they have come to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dragoman.extras import load
from dragoman.tune.pool import Pool, Vector, settled

RESTARTS = 3
FIRST_STEP = 0.5  # of the mean size of the weights
EVALUATIONS = 100  # of the measure, for each weight and each start
SHARPNESS = 15.0  # the sum of the weights when hypotheses get their probabilities
SMALLEST_GAIN = 1e-4  # points of the measure


def simplex(pool: Pool, weights: Vector, *, seed: int = 1) -> Vector:
    """Weights found by the downhill simplex (Nelder and Mead, 1965), restarted with simplices of random directions."""
    random = np.random.default_rng(seed)
    best = weights.copy()
    for _ in range(RESTARTS + 1):
        sides = random.choice([-1.0, 1.0], weights.size) * _scale(best) * random.uniform(0.5, 1.5, weights.size)
        corners = np.concatenate([best[None], best + np.diag(sides)])
        settings = {"initial_simplex": corners, "xatol": 1e-4, "fatol": SMALLEST_GAIN}
        best = _maximised(pool, best, "Nelder-Mead", settings)
    return settled(pool, best, weights)


def powell(pool: Pool, weights: Vector, *, seed: int = 1) -> Vector:
    """Weights found by Powell's method (1964), along each weight in random order, restarted with random directions."""
    random, size = np.random.default_rng(seed), weights.size
    best, directions = weights.copy(), np.eye(size)[random.permutation(size)]
    for _ in range(RESTARTS + 1):
        settings = {"direc": directions * _scale(best), "xtol": 1e-3, "ftol": 1e-5}
        best = _maximised(pool, best, "Powell", settings)
        directions, _ = np.linalg.qr(random.normal(0, 1, (size, size)))
    return settled(pool, best, weights)


def _scale(weights: Vector) -> float:
    return FIRST_STEP * (float(np.abs(weights).mean()) or 1.0)


def _maximised(pool: Pool, start: Vector, method: str, settings: dict[str, Any]) -> Vector:
    """The weights that one run of a method of SciPy comes to; those it starts from if these are no better."""
    minimize = load("scipy.optimize", extra="tune").minimize
    options = settings | {"maxfev": EVALUATIONS * start.size}
    found = minimize(lambda weights: -_smooth(pool, weights), start, method=method, options=options)
    return np.asarray(found.x, np.float64).reshape(start.shape) if -found.fun > _smooth(pool, start) else start


def _smooth(pool: Pool, weights: Vector) -> float:
    """The measure to be expected: only the direction of the weights counts here too."""
    return pool.expected(weights * (SHARPNESS / (np.abs(weights).sum() or 1.0)))
