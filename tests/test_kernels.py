"""The kernel cache: compiled once, compiled again when the source or an import has changed, and never in the way."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import caching, event

import dragoman
from dragoman import kernels
from dragoman.kernels.cache import CacheFiles, Locator
from dragoman.remote_base import bases_directory
from tests.kernels.support import LOWER, UPPER

PACKAGE = Path(dragoman.__file__).parent

APART = """
from dragoman.kernels import kernel

@kernel
def alone(x):
    return x - 1
"""
MAIN = """
import apart_kernels, upper_kernels
print(upper_kernels.answer(20), apart_kernels.alone(1))
print(*(sum(f.stats.cache_misses.values()) for f in (upper_kernels.answer, upper_kernels.twice, apart_kernels.alone)))
"""


class Sandbox:
    """A directory with three kernel modules, and a kernel cache of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cache = root / "cache"
        for name, text in {"lower_kernels": LOWER, "upper_kernels": UPPER, "apart_kernels": APART}.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.root / f"{name}.py").write_text(text)

    def run(self, **environment: str) -> tuple[list[str], str]:
        """Answers and numbers of compilations, and what was said on the way."""
        path = os.pathsep.join([str(self.root), str(PACKAGE.parent)])
        settings = os.environ | {"DRAGOMAN_CACHE": str(self.cache), "PYTHONPATH": path} | environment
        settings["PYTHONDONTWRITEBYTECODE"] = "1"  # byte code is told apart by the second, and these tests are quicker
        done = subprocess.run([sys.executable, "-c", MAIN], env=settings, capture_output=True, text=True, cwd=self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines(), done.stderr


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


def test_the_second_run_compiles_nothing_and_says_nothing(sandbox: Sandbox) -> None:
    answers, said = sandbox.run()
    assert answers == ["41 0", "1 1 1"]
    assert said == "compiling kernels, once: 1/3\n"
    assert sandbox.run() == (["41 0", "0 0 0"], "")


def test_a_change_in_an_imported_module_is_seen_and_only_what_depends_on_it_compiles(sandbox: Sandbox) -> None:
    sandbox.run()
    sandbox.write("lower_kernels", LOWER.replace("2 * x", "3 * x"))
    assert sandbox.run()[0] == ["61 0", "1 1 0"]


def test_bounds_checked_and_plain_code_do_not_mix(sandbox: Sandbox) -> None:
    sandbox.run()
    assert sandbox.run(NUMBA_BOUNDSCHECK="1")[0] == ["41 0", "1 1 1"]
    assert sandbox.run()[0] == ["41 0", "0 0 0"]


def test_old_keys_are_cleaned_up(sandbox: Sandbox) -> None:
    for factor in range(2, 9):
        sandbox.write("lower_kernels", LOWER.replace("2 * x", f"{factor} * x"))
        sandbox.run()
    kept = [path.name.rsplit("-", 1)[0] for path in sandbox.cache.iterdir() if path.is_dir()]
    assert sorted(kept) == ["apart_kernels"] + ["lower_kernels"] * 3 + ["upper_kernels"] * 3


def test_a_cache_that_cannot_be_written_or_is_damaged_only_costs_time(sandbox: Sandbox) -> None:
    nowhere = sandbox.root / "file"
    nowhere.write_text("in the way")
    assert sandbox.run(DRAGOMAN_CACHE=str(nowhere))[0] == ["41 0", "1 1 1"]
    sandbox.run()
    for path in sandbox.cache.rglob("*.nb?"):
        path.write_bytes(b"rubbish")
    assert sandbox.run()[0] == ["41 0", "1 1 1"]
    assert sandbox.run()[0] == ["41 0", "0 0 0"]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_one_wrong_bit_in_a_file_of_the_cache_is_noticed_and_costs_time_once(sandbox: Sandbox, ending: str) -> None:
    sandbox.run()
    for path in sandbox.cache.rglob(f"*.{ending}"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 4
        path.write_bytes(content)
    assert sandbox.run()[0] == ["41 0", "1 1 1"]
    assert sandbox.run()[0] == ["41 0", "0 0 0"]


class Trap:
    """When it is unpickled, it leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return Path.touch, (self.trace,)


def test_what_was_not_written_for_these_types_is_not_even_unpickled(tmp_path: Path) -> None:
    files, trace = CacheFiles(tmp_path, "f-1.py311"), tmp_path / "trace"
    files.save("integers", "code for integers")
    files.save("floats", Trap(trace))
    integers, floats = tmp_path / "f-1.py311.1.nbc", tmp_path / "f-1.py311.2.nbc"
    for other in (floats.read_bytes(), floats.read_bytes()[:-1], b"", None):
        integers.unlink()
        if other is not None:
            integers.write_bytes(other)
        assert files.load("integers") is None
        assert not trace.exists()
        files.save("integers", "code for integers")
        assert files.load("integers") == "code for integers"
    assert sorted(path.name for path in tmp_path.iterdir()) == [integers.name, floats.name, "f-1.py311.nbi"]
    assert files.load("floats") is None and trace.exists()
    files.flush()
    assert files.load("integers") is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")
def test_a_cache_that_others_can_write_is_not_trusted(sandbox: Sandbox) -> None:
    sandbox.cache.mkdir()
    sandbox.cache.chmod(0o777)
    assert sandbox.run()[0] == ["41 0", "1 1 1"]
    assert not list(sandbox.cache.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="where Linux keeps caches")
def test_the_cache_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DRAGOMAN_CACHE", "DRAGOMAN_BASES", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert kernels.cache_directory() == tmp_path / ".cache" / "dragoman" / "kernels"
    assert bases_directory() == tmp_path / ".cache" / "dragoman" / "bases"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert kernels.cache_directory() == tmp_path / "own" / "dragoman" / "kernels"
    assert bases_directory() == tmp_path / "own" / "dragoman" / "bases"


# ── The private parts of Numba that kernels.py is built on ───────────────────────────────────────────────────────────


def changed(part: str, expected: str) -> str:
    return f"Numba {numba.__version__}: {part} has changed, dragoman.kernels expects {expected}"


def test_numba_asks_a_locator_what_ours_answers() -> None:
    locator = caching._CacheLocator
    ours = {name for name in vars(Locator) if not name.startswith("_")}
    assert locator.__abstractmethods__ <= ours, changed(
        "_CacheLocator", f"no other abstract methods than {sorted(ours)}"
    )
    for name in ("ensure_cache_path", "from_function", "get_cache_path", "get_disambiguator", "get_source_stamp"):
        assert hasattr(locator, name), changed("numba.core.caching._CacheLocator", f"a method {name}")
    signature = list(inspect.signature(locator.from_function).parameters)
    assert signature == ["py_func", "py_file"], changed("_CacheLocator.from_function", "(py_func, py_file)")


def test_numba_takes_the_locators_from_the_class_of_the_cache() -> None:
    for name, owner in (("_locator_classes", caching.CompileResultCacheImpl), ("_impl_class", caching.Cache)):
        assert hasattr(owner, name), changed(f"numba.core.caching.{owner.__name__}", f"an attribute {name}")
    for name in ("load_overload", "save_overload", "flush", "cache_path"):
        for owner in (caching.Cache, caching.NullCache):
            assert hasattr(owner, name), changed(f"numba.core.caching.{owner.__name__}", f"a member {name}")


def test_numba_asks_the_files_of_a_function_what_ours_answer() -> None:
    theirs = inspect.getsource(caching.Cache)
    asked = set(re.findall(r"self\._cache_file\.(\w+)", theirs))
    assert asked == {"load", "save", "flush"}, changed("Cache._cache_file", "calls of load, save and flush")
    assert "self._cache_file.load(key)" in theirs, changed("Cache._cache_file.load", "the key")
    assert "self._cache_file.save(key, data)" in theirs, changed("Cache._cache_file.save", "the key and the data")


def test_a_dispatcher_asks_the_cache_that_it_was_given() -> None:
    function = numba.njit(lambda x: x)
    assert isinstance(function._cache, caching.NullCache), changed("Dispatcher._cache", "a NullCache by default")
    asked: list[str] = []

    class Cache:
        cache_path = None

        def load_overload(self, *_: Any) -> None:
            asked.append("load_overload")

        def save_overload(self, *_: Any) -> None:
            asked.append("save_overload")

    function._cache = Cache()
    function(1)
    assert asked == ["load_overload", "save_overload"], changed("Dispatcher._cache", "to be asked when it compiles")


def test_numba_leaves_reference_counts_out_of_a_lean_kernel() -> None:
    def first(array: Any) -> Any:
        return array[0]

    counted, lean = numba.njit(first), numba.njit(first)
    lean.targetoptions["_nrt"] = False
    for dispatcher in (counted, lean):
        dispatcher(np.zeros(1))
    code = [next(iter(dispatcher.inspect_llvm().values())) for dispatcher in (counted, lean)]
    assert "NRT_decref" in code[0], changed("the code of njit functions", "calls of NRT_decref")
    assert "NRT_decref" not in code[1], changed('targetoptions["_nrt"]', "False to switch reference counts off")


def test_numba_tells_which_function_it_compiles() -> None:
    with event.install_recorder("numba:compile") as recorder:
        numba.njit(lambda x: x)(1)
    told = [happening.data for _, happening in recorder.buffer]
    assert told and all("dispatcher" in data for data in told), changed("numba:compile", 'events with a "dispatcher"')
    assert all(hasattr(data["dispatcher"], "py_func") for data in told), changed("Dispatcher", "an attribute py_func")


def kernel_modules() -> list[Path]:
    return list(PACKAGE.rglob("*_kernels.py"))


@pytest.mark.parametrize("path", kernel_modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_kernel_modules_import_nothing_but_numpy_and_kernel_modules(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module)]
        for name in names:
            assert name in ("__future__", "math", "numpy", "typing") or name.endswith("kernels"), name


def reached_from(dispatcher: Any) -> set[Any]:
    """A kernel and those that it calls by name, directly or through others: they are compiled together."""
    reached, waiting = set(), [dispatcher]
    while waiting:
        current = waiting.pop()
        if current not in reached:
            reached.add(current)
            function = current.py_func
            named = (function.__globals__.get(name) for name in function.__code__.co_names)
            waiting += [each for each in named if hasattr(each, "py_func")]
    return reached


def test_warming_up_reaches_every_kernel() -> None:
    program = (
        "from dragoman.kernels import inventory, warm; from tests.test_kernels import reached_from\n"
        "warm()\n"
        "called = [each for each in inventory.kernels.values() if each.signatures]\n"
        "reached = set().union(*map(reached_from, called))\n"
        "print(*(name for name, each in inventory.kernels.items() if each not in reached), sep='\\n')\n"
    )
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
