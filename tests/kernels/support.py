"""Two modules of kernels, one of which calls the other's."""

from __future__ import annotations

LOWER = """
from dragoman.kernels import kernel

@kernel
def twice(x):
    return 2 * x
"""
UPPER = """
from dragoman.kernels import kernel
from lower_kernels import twice

@kernel
def answer(x):
    return twice(x) + 1
"""
