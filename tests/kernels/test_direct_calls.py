"""Kernels that are called without Numba: the same results, and Numba as soon as anything is not as expected."""

from __future__ import annotations

import os
import pickle
import platform
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from dragoman import Engine
from dragoman.kernels import cache_places, processor
from dragoman.kernels.argument_types import types_of_signature, types_of_values
from dragoman.kernels.object_file import LoadedObject, UnknownObjectError
from dragoman.kernels.sources import PACKAGE
from dragoman.sample import pairs
from tests.kernels.test_shipped import BASELINE, SHIP

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.skipif(
        sys.platform != "linux" or platform.machine() != "x86_64", reason="where kernels are called without Numba"
    ),
]
ROOT = PACKAGE.parents[1]
KERNELS = """
from typing import NamedTuple
import numpy as np
from dragoman.kernels import kernel, lean

class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray

@lean
def total(array):
    found = 0.0
    for each in array:
        found += each
    return found

@kernel
def swapped(pair, number):
    if number < 0:
        raise ValueError("too small")
    return Pair(pair.right, pair.left), np.zeros(number), total(pair.left) + number

@kernel
def busy(n):
    found = 0
    for i in range(n):
        found ^= (found << 1) + i
    return found
"""
USE = """
import sys
import numpy as np
from dragoman.kernels import direct_calls, inventory
if sys.argv[1] == "direct":
    direct_calls.prefer()
from pair_kernels import Pair, busy, swapped
pair = Pair(np.arange(3.0), np.ones((2, 2), np.int32))
"""
ANSWER = "print(*swapped(pair, 2))"
SAY = "\nprint('numba' if 'numba' in sys.modules else 'direct')"
COMMAND = """
import sys
from dragoman.cli import app
app(sys.argv[1:], standalone_mode=False)
print(*[name for name in sys.modules if name.partition(".")[0] in ("numba", "llvmlite")], file=sys.stderr)
"""
EXERCISES = """
import importlib, sys
from dragoman.kernels import direct_calls, inventory, sources
direct_calls.prefer()
for name in sources.exercises():
    importlib.import_module(name.rpartition(".")[0])
for function in inventory.exercises:
    function()
print("numba" in sys.modules, len(inventory.kernels) > 300)
"""


class Sandbox:
    """A module of kernels, and a cache of its own."""

    def __init__(self, root: Path) -> None:
        self.root, self.cache = root, root / "cache"
        (root / "pair_kernels.py").write_text(KERNELS)

    def run(self, how: str, program: str = ANSWER, **settings: str) -> str:
        ours = {"DRAGOMAN_CACHE": str(self.cache), "DRAGOMAN_KERNELS": "native", "PYTHONDONTWRITEBYTECODE": "1"}
        ours["PYTHONPATH"] = os.pathsep.join([str(self.root), str(PACKAGE.parent)])
        command = [sys.executable, "-c", USE + program + SAY, how]
        environment = without_settings() | ours | settings
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def files(self) -> list[Path]:
        """The machine code in the cache."""
        return [path for path in self.cache.rglob("*.nbc") if "-lowered" not in path.name]


def without_settings() -> dict[str, str]:
    """The environment, without Numba's settings: with those, it is never left out."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}


def parts(path: Path) -> tuple[dict[str, Any], bytes]:
    """What is in a file of machine code."""
    plain, rest = pickle.loads(path.read_bytes())  # noqa: S301 (we have just written it)
    return plain, rest


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Sandbox(tmp_path_factory.mktemp("built"))
    assert made.run("numba", f"busy(1); {ANSWER}").endswith("numba\n")
    return made.root


@pytest.fixture
def sandbox(built: Path, tmp_path: Path) -> Sandbox:
    shutil.copytree(built, tmp_path / "sandbox")
    return Sandbox(tmp_path / "sandbox")


def test_a_translation_needs_no_numba_and_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        engine.train(pairs()[:150])
        engine.learn("Press the green button.", "Pulse el botón verde.")
    texts = [source for source, _ in pairs()[140:160]]
    arguments = ["translate", str(tmp_path / "project"), *texts, "--json", "--nbest", "4", "--no-memory"]
    command = [sys.executable, "-c", COMMAND, *arguments]
    usual = without_settings()
    _, *runs = [  # in the first one, what is missing is compiled
        subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
        for environment in (usual, usual, usual | {"NUMBA_NUM_THREADS": "1"})
    ]
    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr
    assert runs[0].stderr.strip() == ""
    assert "numba.core" in runs[1].stderr.split()
    assert runs[0].stdout == runs[1].stdout and len(runs[0].stdout.splitlines()) >= len(texts)


def test_every_kernel_that_python_calls_can_be_called_without_numba() -> None:
    warm = [sys.executable, "-c", "from dragoman import kernels; kernels.warm(load=False)"]
    subprocess.run(warm, env=without_settings(), check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", EXERCISES], env=without_settings(), capture_output=True, text=True)
    assert done.stdout == "False True\n", done.stderr


def test_arrays_tuples_and_numbers_go_in_and_out(sandbox: Sandbox) -> None:
    program = "found = swapped(pair, 2)\nprint(found, found[0].right is pair.left, type(found[0]) is Pair)"
    with_numba, without = sandbox.run("numba", program), sandbox.run("direct", program)
    assert without == with_numba.replace("\nnumba", "\ndirect")
    assert "Pair(left=array(" in without


def test_exceptions_of_kernels_arrive(sandbox: Sandbox) -> None:
    program = """
for bad in ((pair, -1), (pair, 2, 3)):
    try:
        swapped(*bad)
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error, "numba" in sys.modules)
"""
    found = sandbox.run("direct", program).splitlines()
    assert found[0] == "ValueError too small False"
    assert found[1].startswith("TypeError")


def test_a_hundred_thousand_calls_leak_nothing(sandbox: Sandbox) -> None:
    program = """
import resource
swapped(pair, 1000)
counts, before = [sys.getrefcount(each) for each in pair], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(100_000):
    swapped(pair, 1000)
    try:
        swapped(pair, -1)
    except ValueError:
        pass
assert counts == [sys.getrefcount(each) for each in pair]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096)
"""
    assert sandbox.run("direct", program) == "True\ndirect\n"


def test_other_threads_run_meanwhile(sandbox: Sandbox) -> None:
    program = """
import threading, time
busy(1)
thread = threading.Thread(target=busy, args=(1_000_000_000,), daemon=True)
thread.start()
time.sleep(0.05)
print(thread.is_alive())
sys.stdout.flush()
"""
    assert sandbox.run("direct", program) == "True\ndirect\n"


def test_types_that_are_not_compiled_yet_are_left_to_numba(sandbox: Sandbox) -> None:
    program = "before = swapped(pair, 2)[2]\nother = Pair(np.arange(3), pair.right)\nprint(before, *swapped(other, 2))"
    found = sandbox.run("direct", program)
    assert found.endswith("numba\n")
    assert found == sandbox.run("numba", program)
    assert sandbox.run("direct", program).endswith("direct\n")


def test_keywords_are_left_to_numba(sandbox: Sandbox) -> None:
    assert sandbox.run("direct", "print(*swapped(pair, number=2))") == sandbox.run("numba")


def test_changed_sources_are_compiled_again(sandbox: Sandbox) -> None:
    (sandbox.root / "pair_kernels.py").write_text(KERNELS.replace("+ number\n", "- number\n"))
    assert sandbox.run("direct").split()[-2:] == ["1.0", "numba"]


def test_code_of_another_numba_is_not_used(sandbox: Sandbox) -> None:
    other = "from dragoman.kernels import cache_places\ncache_places.version_of = lambda package: '0.1'\n"
    assert sandbox.run("direct", other + ANSWER).endswith("numba\n")


@pytest.mark.parametrize("change", [{"processor": "another"}, {"types": "(int64)"}])
def test_code_that_does_not_fit_is_not_run(sandbox: Sandbox, change: dict[str, str]) -> None:
    for path in sandbox.files():
        plain, rest = parts(path)
        path.write_bytes(pickle.dumps((plain | change, rest)))
    assert sandbox.run("direct") == sandbox.run("numba")


def test_only_objects_of_a_known_kind_are_loaded(sandbox: Sandbox) -> None:
    code = parts(sandbox.files()[0])[0]["code"]
    for other in (b"#!/bin/sh".ljust(64), code[:18] + b"\xb7" + code[19:]):  # a script; an object for aarch64
        with pytest.raises(UnknownObjectError):
            LoadedObject(other, lambda _: 0, lambda *_: None)


def test_damaged_files_are_compiled_again(sandbox: Sandbox) -> None:
    expected = sandbox.run("numba")
    for path in sandbox.files():
        path.write_bytes(path.read_bytes()[:100])
    assert sandbox.run("direct") == expected
    assert sandbox.run("direct").endswith("direct\n")


def test_settings_of_numba_are_respected(sandbox: Sandbox) -> None:
    assert sandbox.run("direct").endswith("direct\n")
    assert sandbox.run("direct", NUMBA_BOUNDSCHECK="1").endswith("numba\n")
    (sandbox.root / ".numba_config.yaml").write_text("boundscheck: 1\n")
    assert sandbox.run("direct").endswith("numba\n")


def test_shipped_kernels_are_called_without_numba(sandbox: Sandbox) -> None:
    shipped = sandbox.root / "shipped"
    expected = sandbox.run("numba", DRAGOMAN_CACHE=str(shipped), **BASELINE)
    (shipped / "claims").unlink()
    program = SHIP.replace("sys.argv[1]", repr(str(shipped)))
    sandbox.run("numba", program, **BASELINE)
    elsewhere = {"DRAGOMAN_CACHE": str(sandbox.root / "empty"), "DRAGOMAN_KERNELS": str(shipped)}
    assert sandbox.run("direct", **elsewhere) == expected.replace("\nnumba", "\ndirect")
    for path in shipped.rglob("*.nbc"):
        path.write_bytes(path.read_bytes() + b" ")
    assert sandbox.run("direct", **elsewhere) == expected


def test_keys_are_the_same_with_and_without_numba() -> None:
    program = "from dragoman.kernels import cache_places; print(cache_places.key_of('dragoman.tables.table_kernels'))"
    done = subprocess.run([sys.executable, "-c", program], env=without_settings(), capture_output=True, text=True)
    if "NUMBA_BOUNDSCHECK" not in os.environ:
        assert done.stdout.strip() == cache_places.key_of("dragoman.tables.table_kernels"), done.stderr
    program = "from dragoman.kernels import cache_places; print(*map(cache_places.version_of, ('numba', 'llvmlite')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == [cache_places.version_of("numba"), cache_places.version_of("llvmlite")]


Record = namedtuple("Record", ["array", "number"])
FIELDS = np.dtype([("a", np.int32), ("b", np.float64)])
VALUES = [
    3,
    True,
    2.5,
    None,
    np.int32(3),
    np.float32(1),
    np.bool_(True),
    np.arange(3),
    np.arange(6.0).reshape(2, 3).T,
    np.arange(9)[::2],
    np.zeros(0, bool),
    np.zeros(3, FIELDS),
    np.zeros(3, np.dtype(FIELDS.descr, align=True)),
    (1, np.zeros((2, 2), np.uint8)),
    Record(np.zeros(1), 4),
    Record((np.zeros(1), np.zeros(1)), ()),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_types_are_described_as_numba_sees_them(value: Any) -> None:
    described = types_of_values(value)
    assert described is not None
    assert described == types_of_signature(numba.typeof(value))


def test_what_has_no_description_is_left_to_numba() -> None:
    for value in ("text", 1 << 63, 2j, np.zeros(1, object), np.zeros(1, "M8[s]"), np.ma.zeros(2), (1, "text")):
        assert types_of_values(value) is None


def test_the_processor_is_described_alike_by_linux_and_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    by_llvm = processor.features()
    monkeypatch.delitem(sys.modules, "llvmlite.binding")
    by_linux = processor.features()
    common = {
        "sse3",
        "sse4.1",
        "sse4.2",
        "avx",
        "avx2",
        "bmi",
        "bmi2",
        "fma",
        "lzcnt",
        "movbe",
        "popcnt",
        "64bit",
        "sahf",
    }
    assert {name for name in common if by_llvm.get(name)} == {name for name in common if by_linux.get(name)}
