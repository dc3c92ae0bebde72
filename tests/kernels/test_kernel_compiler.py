"""Machine code is made of what Python calls, and of nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from dragoman.kernels import kernel, lean

pytestmark = pytest.mark.kernels

Pair = namedtuple("Pair", ["left", "right"])
Nested = namedtuple("Nested", ["pair", "number", "rest"])


@kernel
def scaled(array: Any, factor: Any) -> Any:
    return array * factor


@kernel
def called_with_constants(array: Any, number: Any) -> Any:
    return scaled(array, 2) + scaled(array, 3) + scaled(array, number)


@lean
def total(nested: Any) -> Any:
    return nested.pair.left.sum() + nested.pair.right[0, 0] + nested.number + nested.rest[1][0]


@kernel
def swapped(nested: Any) -> Any:
    return nested.pair.right, nested.pair.left


@kernel
def counted_down(n: Any) -> Any:
    return n if n <= 0 else counted_down(n - 1)


@kernel
def refused(n: Any) -> Any:
    if n > 2:
        raise ValueError("too large")
    return n


@pytest.fixture
def nested() -> Any:
    return Nested(Pair(np.arange(3), np.ones((2, 2))), 7, (np.zeros(1), np.full(1, 5.0)))


def test_arguments_may_be_tuples_of_tuples_of_arrays(nested: Any) -> None:
    assert total(nested) == 3 + 1 + 7 + 5
    right, left = swapped(nested)
    assert left is nested.pair.left or left.tolist() == [0, 1, 2]
    assert right.shape == (2, 2)


def test_references_to_arguments_are_given_back(nested: Any) -> None:
    before = sys.getrefcount(nested.pair.left)
    for _ in range(10):
        swapped(nested)
        total(nested)
    after = sys.getrefcount(nested.pair.left)
    assert after == before


def test_layouts_and_read_only_arrays_have_types_of_their_own() -> None:
    array = np.arange(6.0).reshape(2, 3)
    read_only = array.copy()
    read_only.flags.writeable = False
    for each in (array, array.T, array[:, ::2], read_only):
        assert scaled(each, 2.0).tolist() == (each * 2).tolist()
        assert scaled.typeof_pyval(each) == numba.typeof(each)  # type: ignore[attr-defined]


def test_kernels_may_call_themselves_and_raise() -> None:
    assert counted_down(5) == 0
    with pytest.raises(ValueError, match="too large"):
        refused(3)


def test_other_functions_of_numba_may_call_kernels() -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def outside(array: Any) -> Any:
        return called_with_constants(array, 1).sum()

    assert outside(np.ones(3)) == 18


ONLY_CALLED = """
import numpy as np
from tests.kernels.test_kernel_compiler import called_with_constants, scaled
print(called_with_constants(np.ones(2), 4).tolist())
print(len(called_with_constants.overloads), len(scaled.lowered), len(scaled.overloads))
"""


def test_a_kernel_that_only_kernels_call_is_lowered_once_and_has_no_machine_code(tmp_path: Path) -> None:
    settings = os.environ | {"DRAGOMAN_CACHE": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", ONLY_CALLED], capture_output=True, text=True, env=settings)
    assert done.stdout == "[9.0, 9.0]\n1 1 0\n", done.stderr


LOWERED_FIRST = """
import sys
import numpy as np
from array_kernels import caller, made
if sys.argv[1] == "caller":
    caller(3)
print(made(3).tolist())
"""
ARRAY_KERNELS = """
import numpy as np
from dragoman.kernels import kernel

@kernel
def made(n):
    return np.zeros(n)

@kernel
def caller(n):
    return made(n).size
"""


def test_machine_code_from_the_cache_works_where_the_kernel_was_lowered_before(tmp_path: Path) -> None:
    (tmp_path / "array_kernels.py").write_text(ARRAY_KERNELS)
    settings = os.environ | {"DRAGOMAN_CACHE": str(tmp_path / "cache")}
    settings["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *sys.path])
    for first in ("made", "caller"):  # the second process lowers `made` for `caller`, and loads its machine code
        arguments = [sys.executable, "-c", LOWERED_FIRST, first]
        done = subprocess.run(arguments, capture_output=True, text=True, env=settings)
        assert done.stdout == "[0.0, 0.0, 0.0]\n", done.stderr


def test_machine_code_is_made_of_lowered_code_from_the_cache(tmp_path: Path) -> None:
    (tmp_path / "array_kernels.py").write_text(ARRAY_KERNELS)
    settings = os.environ | {"DRAGOMAN_CACHE": str(tmp_path / "cache")}
    settings["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *sys.path])
    for _ in range(2):
        arguments = [sys.executable, "-c", LOWERED_FIRST, "made"]
        done = subprocess.run(arguments, capture_output=True, text=True, env=settings)
        assert done.stdout == "[0.0, 0.0, 0.0]\n", done.stderr
        for path in (tmp_path / "cache").rglob("*.nb?"):
            if "-lowered" not in path.name:
                path.unlink()


LOADING = """
import sys
from dragoman import Engine
{}
unwanted = {{"scipy.linalg", "numpy.ma", "numba.np.arraymath", "sqlalchemy.dialects.postgresql"}}
print(*sorted(unwanted & set(sys.modules)))
"""
TRANSLATE = """
with Engine.open(sys.argv[1]) as engine:
    engine.translate("Press the green button.")
"""


def test_translating_loads_machine_code_and_nothing_that_compiles(tmp_path: Path) -> None:
    make = "with Engine.create(sys.argv[1], source='en', target='es') as engine:\n    engine.learn('red', 'rojo')\n"
    loaded = []
    for program in (make + TRANSLATE, TRANSLATE):  # the first may have to compile
        arguments = [sys.executable, "-c", LOADING.format(program), str(tmp_path / "project")]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, env=os.environ)
        loaded.append(done.stdout.split())
    assert loaded[-1] == []
