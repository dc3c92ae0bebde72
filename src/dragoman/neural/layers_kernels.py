"""Functions of single numbers that NumPy lacks."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import lean


@lean
def error_function(x, result):
    """Erf of each number of x [n] float32, into result [n]."""
    for i in range(x.size):
        result[i] = np.float32(math.erf(x[i]))
