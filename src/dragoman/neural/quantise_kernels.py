"""Integers of weights, in one pass over memory."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import lean


@lean
def quantise_rows(bits, w, integers, scales):
    """Rows of w [rows, columns] as int8, with the largest of each as ±127: integer = round(w · scale).

    bits are the same numbers as w, looked at as int32: without its sign, a larger float is a larger integer, and the
    largest of integers is found four or eight at a time.
    """
    magic = np.float32(12582912.0)  # 1.5 · 2²³: what is added to it is rounded to whole numbers, ties to even
    for row in range(w.shape[0]):
        largest = np.int32(0)
        for i in range(w.shape[1]):
            largest = max(largest, bits[row, i] & np.int32(0x7FFFFFFF))
        if largest == 0:
            scale = np.float32(1.0)
        else:
            place = 0
            while bits[row, place] & np.int32(0x7FFFFFFF) != largest:
                place += 1
            scale = np.float32(127.0) / abs(w[row, place])
        scales[row] = scale
        for i in range(w.shape[1]):
            integers[row, i] = np.int8((w[row, i] * scale + magic) - magic)
