"""Discriminative ridge regression: weights that make differences in score match differences in quality ([M] §4.3).

It uses the whole n-best list: with R the rows h(y*) − h(y) and l their losses, θ̌ = argmin ‖R θ − l‖² + β ‖θ‖².
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dragoman.adapt.protocol import Matrix, Rule, Sample, Vector
from dragoman.errors import BadInputError


@dataclass(kw_only=True)
class Ridge(Rule):
    """Discriminative ridge regression ([M] §4.3); β keeps the solution small and unique."""

    beta: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.beta > 0:
            raise BadInputError(f"beta must be above 0, not {self.beta}")

    def direction(self, theta: Vector, sample: Sample) -> Vector | None:  # noqa: ARG002
        """(R′R + βI)⁻¹ R′ l ([M] Eq. 23, 27); without differences in quality there is nothing to learn."""
        if not sample.losses.any():
            return None
        return regress(sample.features[sample.best] - sample.features, sample.losses, self.beta)


def regress(R: Matrix, losses: Vector, beta: float) -> Vector:
    """Argmin ‖R θ − l‖² + β ‖θ‖², by whichever of the two forms has fewer unknowns; they are equal.

    A column that is all zero has a θ of exactly 0.
    """
    return dual(R, losses, beta) if R.shape[0] < R.shape[1] else primal(R, losses, beta)


def _solved(matrix: Matrix, right: Vector) -> Vector:
    """The solution of a system of equations; the shortest of several, where β is too small to be noticed."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right)[0], np.float64)


def primal(R: Matrix, losses: Vector, beta: float) -> Vector:
    """(R′R + βI)⁻¹ R′ l, M unknowns."""
    gram = R.T @ R
    gram[np.diag_indices_from(gram)] += beta
    return _solved(gram, R.T @ losses)


def dual(R: Matrix, losses: Vector, beta: float) -> Vector:
    """R′(RR′ + βI)⁻¹ l, N unknowns: for more features than entries."""
    answer: Vector = R.T @ _solved(R @ R.T + beta * np.eye(R.shape[0]), losses)
    return answer
