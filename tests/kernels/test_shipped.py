"""Shipped kernels: used where they fit, and otherwise as if they were not there."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.kernels.manifest import MANIFEST, UnusableError, open_kernels
from dragoman.kernels.sources import PACKAGE
from tests.kernels.support import LOWER, UPPER

USE = """
from upper_kernels import answer, twice
print(answer(20), *(sum(each.stats.cache_misses.values()) for each in (answer, twice)))
"""
SHIP = """
import sys
from pathlib import Path
from dragoman.kernels.shipped import write_manifest
write_manifest(Path(sys.argv[1]), "of the sandbox")
"""
BASELINE = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
COMPILED, SHIPPED = "41 1 1", "41 0 0"  # the answer, and how many kernels were compiled for it


class Sandbox:
    """Two kernel modules, and the kernels that were shipped for them."""

    def __init__(self, root: Path) -> None:
        self.root, self.shipped, self.cache = root, root / "shipped", root / "cache"

    def build(self) -> None:
        (self.root / "lower_kernels.py").write_text(LOWER)
        (self.root / "upper_kernels.py").write_text(UPPER)
        self.run(USE, DRAGOMAN_CACHE=str(self.shipped), DRAGOMAN_KERNELS="native", **BASELINE)
        (self.shipped / "claims").unlink()
        self.run(SHIP, str(self.shipped), **BASELINE)

    def run(self, program: str, *arguments: str, **settings: str) -> str:
        ours = {"DRAGOMAN_CACHE": str(self.cache), "DRAGOMAN_KERNELS": str(self.shipped)}
        ours["PYTHONPATH"] = os.pathsep.join([str(self.root), str(PACKAGE.parent)])
        environment = os.environ | ours | settings | {"PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def change_manifest(self, change: Callable[[dict[str, Any]], object]) -> None:
        manifest = json.loads((self.shipped / MANIFEST).read_bytes())
        change(manifest)
        (self.shipped / MANIFEST).write_text(json.dumps(manifest))

    def files(self, ending: str) -> list[Path]:
        return sorted(self.shipped.rglob(f"*{ending}"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("built")
    Sandbox(place).build()
    return place


@pytest.fixture
def sandbox(built: Path, tmp_path: Path) -> Sandbox:
    shutil.copytree(built, tmp_path / "sandbox")
    return Sandbox(tmp_path / "sandbox")


def test_shipped_kernels_are_used_without_compiling_or_writing_anything(sandbox: Sandbox) -> None:
    assert sandbox.run(USE) == SHIPPED
    assert not list(sandbox.cache.rglob("*.nb?"))
    assert sandbox.run(USE, DRAGOMAN_KERNELS="native") == COMPILED


def test_what_this_machine_has_compiled_itself_goes_first(sandbox: Sandbox) -> None:
    assert sandbox.run(USE, DRAGOMAN_KERNELS="native") == COMPILED
    for path in sandbox.files(".nbc"):
        path.write_bytes(b"")
    assert sandbox.run(USE) == SHIPPED


def test_kernels_of_changed_sources_are_compiled_and_the_others_are_not(sandbox: Sandbox) -> None:
    (sandbox.root / "upper_kernels.py").write_text(UPPER.replace("+ 1", "+ 2"))
    assert sandbox.run(USE) == "42 1 0"


class Trap:
    """When it is unpickled, it leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return Path.touch, (self.trace,)


def test_a_file_that_was_tampered_with_is_not_even_unpickled(sandbox: Sandbox) -> None:
    trace = sandbox.root / "trace"
    for path in sandbox.files(".nbi") + sandbox.files(".nbc"):
        path.write_bytes(pickle.dumps(Trap(trace)))
    assert sandbox.run(USE) == COMPILED
    assert not trace.exists()


def test_truncated_and_missing_files_are_compiled_instead(sandbox: Sandbox) -> None:
    *others, last = sandbox.files(".nbc")
    for path in others:
        path.write_bytes(path.read_bytes()[:-1])
    last.unlink()
    assert sandbox.run(USE) == COMPILED


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")
def test_a_file_that_others_can_write_is_compiled_instead(sandbox: Sandbox) -> None:
    for path in sandbox.files(".nbc"):
        path.chmod(0o664)
    assert sandbox.run(USE) == COMPILED


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")
def test_directories_and_manifests_that_others_can_write_are_refused(sandbox: Sandbox) -> None:
    for path in (sandbox.shipped, next(path for path in sandbox.shipped.iterdir() if path.is_dir())):
        path.chmod(0o775)
        with pytest.raises(UnusableError, match="others can write to"):
            open_kernels(sandbox.shipped)
        path.chmod(0o755)
    (sandbox.shipped / MANIFEST).chmod(0o666)
    with pytest.raises(UnusableError, match=f"others can write to {MANIFEST}"):
        open_kernels(sandbox.shipped)


def test_kernels_for_other_versions_or_processors_are_refused(sandbox: Sandbox) -> None:
    for name in ("format", "python", "numba", "llvmlite", "system"):
        before = (sandbox.shipped / MANIFEST).read_bytes()
        sandbox.change_manifest(lambda about, name=name: about["environment"].update({name: "another"}))  # type: ignore[misc]
        with pytest.raises(UnusableError, match=f"they are for {name} another, this is "):
            open_kernels(sandbox.shipped)
        (sandbox.shipped / MANIFEST).write_bytes(before)
    sandbox.change_manifest(lambda about: about["processor"].update(features="+64bit,+telepathy"))
    with pytest.raises(UnusableError, match=r"this processor lacks .*telepathy"):
        open_kernels(sandbox.shipped)
    assert sandbox.run(USE) == COMPILED


def test_a_manifest_that_cannot_be_read_or_points_elsewhere_is_no_manifest(sandbox: Sandbox) -> None:
    sandbox.change_manifest(lambda about: about["files"].update({"../elsewhere/f.nbi": ""}))
    with pytest.raises(UnusableError, match="elsewhere"):
        open_kernels(sandbox.shipped)
    for content in ("", "[]", "{}", '{"environment": 3}'):
        (sandbox.shipped / MANIFEST).write_text(content)
        with pytest.raises((UnusableError, ValueError, KeyError, TypeError, AttributeError)):
            open_kernels(sandbox.shipped)
    assert sandbox.run(USE) == COMPILED
    assert sandbox.run(USE, DRAGOMAN_KERNELS=str(sandbox.root / "nowhere")) in (COMPILED, SHIPPED)
