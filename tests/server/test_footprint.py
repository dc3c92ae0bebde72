"""What is given back after the start is not missed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest
from numba.core.codegen import JITCodeLibrary

from dragoman.measure import wer

pytestmark = pytest.mark.kernels
COMPILE = """
import gc, sys
import numba, numpy as np
from numba.core.codegen import JITCodeLibrary
from dragoman.server import footprint

@numba.njit
def inner(x):
    return x * 2 + 1

assert inner(3) == 7
assert footprint.pack_kernels() > 0
footprint.give_back()

@numba.njit
def outer(values):
    return sum([inner(value) for value in values])

assert inner(4) == 9
assert outer(np.arange(4)) == 16  # compiled after packing, with the packed one in it
assert inner(1.5) == 4.0
"""


def test_packed_kernels_run_and_can_be_compiled_into_others() -> None:
    subprocess.run([sys.executable, "-c", COMPILE], check=True, env=os.environ)


def test_numba_has_what_is_packed() -> None:
    wer(["a"], ["b"])  # so that there is a kernel
    library = next(each for each in gc.get_objects() if isinstance(each, JITCodeLibrary) and each._finalized)
    assert "_shared_module" in vars(library) or "_packed" in vars(library), "Numba keeps its LLVM code elsewhere now"
    assert hasattr(JITCodeLibrary, "_get_module_for_linking"), "Numba asks for its LLVM code in another way now"
