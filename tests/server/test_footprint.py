"""What is given back after the start is not missed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMPILE = """
import gc, sys
import numba, numpy as np
from numba.core.codegen import JITCodeLibrary
from dragoman.server import footprint

@numba.njit
def inner(x):
    return x * 2 + 1

assert inner(3) == 7
libraries = [each for each in gc.get_objects() if isinstance(each, JITCodeLibrary) and each._finalized]
assert all("_shared_module" in vars(each) for each in libraries), "Numba keeps its LLVM code elsewhere now"
assert footprint.pack_kernels() > 0
footprint.give_back(settled=True)

@numba.njit
def outer(values):
    return sum([inner(value) for value in values])

assert inner(4) == 9
assert outer(np.arange(4)) == 16  # compiled after packing, with the packed one in it
assert inner(1.5) == 4.0
"""


def test_packed_kernels_run_and_can_be_compiled_into_others() -> None:
    subprocess.run([sys.executable, "-c", COMPILE], check=True, env=os.environ)


FREED = """
import sys
from pathlib import Path
import numpy as np
from dragoman.server import footprint

def resident():
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) >> 10

if sys.argv[1] == "bound":
    footprint.bound_heaps()
kept = []
for _ in range(2):  # the second time, glibc would keep what is as large as what was freed before
    large = []
    for _ in range(10):
        large.append(np.ones(8 << 20, np.uint8))
        kept.append(np.ones(100_000, np.uint8))  # above it in the heap
    del large
print(resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc can be told")
def test_large_arrays_that_are_freed_go_back_to_the_system() -> None:
    def resident(how: str) -> int:
        said = subprocess.run([sys.executable, "-c", FREED, how], check=True, env=os.environ, capture_output=True)
        return int(said.stdout)

    assert resident("bound") < resident("as it is") - 40
