"""Warming up: workers compile what is missing, once, and whatever goes wrong is left to those who need it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dragoman.kernels import manifest, sources, warm_up
from dragoman.kernels.cache_places import place_of
from dragoman.kernels.manifest import ShippedKernels

pytestmark = pytest.mark.outside

KERNELS = """
from dragoman.kernels import kernel

@kernel
def twice(x):
    return 2 * x

@kernel
def thrice(x):
    return twice(x) + x
"""
EXERCISES = """
import os
from pathlib import Path
from dragoman.kernels import exercise
from small_kernels import thrice, twice

def note():
    misses = sum(sum(each.stats.cache_misses.values()) for each in (twice, thrice))
    with Path(os.environ["NOTES"]).open("a") as notes:
        notes.write(f"{os.getpid()} {misses}\\n")

@exercise
def first():
    twice(1)
    note()

@exercise
def second():
    thrice(1)
    note()

@exercise
def third():
    raise ValueError("this exercise fails")

@exercise
def fourth():
    os._exit(1)
"""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with two kernels instead of our own; its exercises note who compiled how many."""
    (tmp_path / "small_kernels.py").write_text(KERNELS)
    (tmp_path / "small.py").write_text(EXERCISES)
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(sources.PACKAGE.parent)]))
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(warm_up, "kernel_modules", dict)
    monkeypatch.setattr(warm_up, "_workers", lambda: 2)
    use(monkeypatch, "first", "second")
    return tmp_path / "notes"


def use(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Make these the exercises; the first of them is the one that the first suggestion needs."""
    monkeypatch.setattr(warm_up, "exercises", lambda: {f"small.{name}": name for name in names})
    monkeypatch.setattr(warm_up, "FIRST", (f"small.{names[0]}",))
    monkeypatch.setattr(warm_up, "fingerprint", lambda: " ".join(names))
    warm_up._stamp.cache_clear()


def warm() -> warm_up.Warming:
    found = warm_up.Warming().start()
    assert found.finished.wait(300)
    return found


def test_workers_compile_each_kernel_once_and_the_next_start_has_none(notes: Path) -> None:
    warm()
    assert sum(int(line.split()[1]) for line in notes.read_text().splitlines()) <= 3  # `second` may have seen `first`
    assert warm_up.is_complete()
    notes.unlink()
    warm()
    assert not notes.exists()


def test_an_exercise_that_fails_or_ends_its_worker_leaves_the_rest_compiled(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, "third", "fourth", "first", "second")
    found = warm()
    assert found.first.is_set()
    assert len(notes.read_text().splitlines()) == 2
    assert not warm_up.is_complete()


def test_a_program_waits_for_the_workers_of_another(notes: Path, tmp_path: Path) -> None:
    held = "import sys; from pathlib import Path; from dragoman.kernels import claims\n"
    held += f"claims.take(Path({str(tmp_path / 'cache')!r}), {warm_up.CLAIM!r}); print(flush=True); sys.stdin.read()"
    (tmp_path / "cache").mkdir(mode=0o700)
    with subprocess.Popen([sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout and other.stdout.readline()
        found = warm_up.Warming().start()
        assert not found.finished.wait(0.5)
        assert not notes.exists()
        (tmp_path / "cache" / warm_up._stamp("first")).touch()
        assert found.first.wait(10)
        other.kill()  # without having finished: its work is taken over
    assert found.finished.wait(120)
    assert warm_up.is_complete()


def test_shipped_kernels_are_replaced_by_native_ones_only_if_asked(
    notes: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    everything = ShippedKernels(tmp_path, warm_up.fingerprint(), ("", "", ""), {})
    monkeypatch.setattr(manifest, "find", lambda: everything)
    warm()
    assert not notes.exists()
    monkeypatch.setenv("DRAGOMAN_KERNELS", "replace")
    assert warm_up.Warming().start().finished.is_set()  # nobody has to wait for it
    while not warm_up.is_complete(native=True):
        time.sleep(0.1)
    assert notes.exists()


def test_without_a_cache_nothing_is_started(notes: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "file"))
    assert warm().first.is_set()
    assert not notes.exists()


def test_what_has_been_done_is_seen_in_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path))
    found = warm_up.Warming()
    total = sum(sources.kernel_modules().values())
    assert found.status() == warm_up.Status(0, total, None)
    place = tmp_path / place_of("dragoman.tables.table_kernels")
    place.mkdir()
    for n in range(total // 2):
        (place / f"{n}-lowered.nbi").touch()
    status = found.status()
    assert status.done == total // 2
    assert status.seconds_left is not None and status.seconds_left < 60


def test_every_exercise_is_found_without_importing_it() -> None:
    assert set(warm_up.FIRST) <= set(sources.exercises())
    assert len(sources.exercises()) > 25
    assert all(sources.kernel_modules().values())
