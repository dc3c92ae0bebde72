"""The gradient of a loss by all weights, as it comes out of the backward pass.

A matrix that y = x Wᵀ was computed with has the gradient dYᵀ X, the sum over all pieces of the outer products of what
came back to y and what x was. For a segment of 15 pieces, these two factors are 50 times smaller than the matrix.
So the gradient of a matrix is never there as a whole: its norm is computed from the factors,

    ‖dYᵀ X‖² = Σ_nm (dY dYᵀ)_nm (X Xᵀ)_nm

and whoever updates the weights asks for some rows at a time, (dYᵀ X)[rows] = dY[:, rows]ᵀ X.

The gradient of an embedding has a row for each piece that was looked up, and no others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Outer(NamedTuple):
    """A matrix as a sum of outer products, dYᵀ X."""

    dy: np.ndarray  # [pieces, rows]
    x: np.ndarray  # [pieces, columns]


class Rows(NamedTuple):
    """A matrix of which only some rows are not zero."""

    ids: np.ndarray  # [rows that are not zero], ascending
    values: np.ndarray  # [rows that are not zero, columns]


class Gradients:
    """∂loss/∂w for every weight, by the name of its variable. A matrix that is used twice has the sum of both."""

    def __init__(self) -> None:
        self.outer: dict[str, Outer] = {}
        self.rows: dict[str, Rows] = {}
        self.vectors: dict[str, np.ndarray] = {}

    def add_outer(self, name: str, dy: np.ndarray, x: np.ndarray) -> None:
        """W was used in y = x Wᵀ; dy [pieces, rows], x [pieces, columns]."""
        if name in self.outer:
            raise ValueError(f"{name} is used twice")
        self.outer[name] = Outer(dy, x)

    def add_rows(self, name: str, ids: np.ndarray, values: np.ndarray) -> None:
        """Rows of E were looked up; ids [pieces], in any order and repeated, values [pieces, columns]."""
        if name in self.rows:
            ids, values = np.concatenate([self.rows[name].ids, ids]), np.concatenate([self.rows[name].values, values])
        different, inverse = np.unique(ids, return_inverse=True)
        sums = np.zeros((len(different), values.shape[1]), np.float32)
        np.add.at(sums, inverse, values)
        self.rows[name] = Rows(different, sums)

    def add_vector(self, name: str, value: np.ndarray) -> None:
        """A bias or a part of a normalisation."""
        if name in self.vectors:
            raise ValueError(f"{name} is used twice")
        self.vectors[name] = value

    def part(self, name: str, begin: int, end: int, out: np.ndarray) -> None:
        """Rows begin … end of the gradient of a matrix, into `out` [end - begin, columns]."""
        outer, rows = self.outer.get(name), self.rows.get(name)
        if outer is None:
            out[:] = 0
        else:
            np.matmul(outer.dy[:, begin:end].T, outer.x, out=out)
        if rows is not None:
            first, last = np.searchsorted(rows.ids, (begin, end))
            out[rows.ids[first:last] - begin] += rows.values[first:last]

    def dense(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """The whole gradient of one variable."""
        if len(shape) == 1:
            return self.vectors.get(name, np.zeros(shape, np.float32))
        whole = np.empty(shape, np.float32)
        self.part(name, 0, shape[0], whole)
        return whole

    def norm(self) -> float:
        """√Σ g² over all weights."""
        squares = [_dot(value, value) for value in self.vectors.values()]
        squares += [_dot(dy @ dy.T, x @ x.T) for dy, x in self.outer.values()]
        for name, rows in self.rows.items():  # ‖A + S‖² = ‖A‖² + 2 A·S + ‖S‖²
            squares.append(_dot(rows.values, rows.values))
            if name in self.outer:
                outer = self.outer[name]
                squares.append(2 * _dot(outer.dy[:, rows.ids].T @ outer.x, rows.values))
        return float(np.sqrt(max(0.0, sum(squares))))


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return float((a * b).sum(dtype=np.float64))
