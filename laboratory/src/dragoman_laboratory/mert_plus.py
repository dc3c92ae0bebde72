"""MERT+ ([B] §5): MERT on the adaptation data and the development data, joined."""

from __future__ import annotations

from dragoman.tune.mert import mert
from dragoman.tune.pool import Pool, Tuner, Vector


def mert_plus(development: Pool, adaptation: Pool, weights: Vector, *, seed: int = 1, method: Tuner = mert) -> Vector:
    """Weights tuned on both pools together; with rounds of decoding, join the development sets instead (`+`)."""
    return method(development.joined(adaptation), weights, seed=seed)
