"""Samples of weights for Bayesian predictive adaptation, near the trained weights ([B] §4.1).

The papers' weights are normalised, Σ|λ| = 1, and these functions rely on that.
"""

from __future__ import annotations

import numpy as np

from dragoman.adapt.protocol import Matrix, Vector


def normalised(weights: Vector) -> Vector:
    """Weights with Σ|λ| = 1; all-zero weights stay zero."""
    size = float(np.abs(weights).sum())
    return weights / size if size else weights.copy()


def heuristic(centre: Vector, count: int, seed: int = 1) -> Matrix:
    """Samples [count + 1, M]: the centre, and copies of it with one component after the other perturbed ([B] §4.1).

    The generator is NumPy's legacy one, whose numbers are guaranteed never to change: journals rely on them.
    """
    samples = np.tile(normalised(centre), (count + 1, 1))
    places = np.arange(1, count + 1)
    samples[places, places % centre.size] += np.random.RandomState(seed).uniform(-0.5, 0.5, count)
    size = np.abs(samples).sum(axis=1, keepdims=True)
    return samples / np.where(size == 0, 1, size)


def log_prior(samples: Matrix, centre: Vector, variance: float) -> Vector:
    """Log N(λ_s; λ_T, σ) of each sample, without its constant; σ is the variance ([B] Eq. 8)."""
    distance: Vector = ((samples - normalised(centre)) ** 2).sum(axis=1)
    return -distance / (2 * variance)
