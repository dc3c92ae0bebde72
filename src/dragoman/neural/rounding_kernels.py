"""Weights and moments in few bits, in one pass over memory."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import lean


@lean
def round_rows(x, steps, whole, scales):
    """Rows of x [rows, columns] as whole numbers from -steps to steps, each standing for its row's scale."""
    magic = np.float32(12582912.0)  # 1.5 · 2²³: what is added to it is rounded to whole numbers, ties to even
    for row in range(x.shape[0]):
        largest = np.float32(0.0)
        for i in range(x.shape[1]):
            largest = max(largest, abs(x[row, i]))
        scale = largest / steps
        scales[row] = scale
        if scale == 0:
            whole[row, :] = 0
            continue
        for i in range(x.shape[1]):
            whole[row, i] = np.int8((x[row, i] / scale + magic) - magic)


@lean
def expand_rows(whole, scales, first, x):
    """Compute x = first + scale · whole, all [rows, columns] but scales [rows]; first and x may be the same."""
    for row in range(x.shape[0]):
        scale = scales[row]
        for i in range(x.shape[1]):
            x[row, i] = first[row, i] + scale * np.float32(whole[row, i])


@lean
def expand_spread(rows, columns, m, v):
    """Compute v = max(R Cᵀ / mean(R), m²) from the means of its rows R [rows] and columns C [columns]."""
    mean = np.float32(0.0)
    for row in range(rows.size):
        mean += rows[row]
    mean /= np.float32(rows.size)
    for row in range(rows.size):
        share = rows[row] / mean if mean > 0 else np.float32(0.0)
        for i in range(columns.size):
            v[row, i] = max(share * columns[i], m[row, i] * m[row, i])
