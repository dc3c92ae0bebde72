"""What was acknowledged is there again: after kill -9, on a full disk, with a torn journal, with broken snapshots."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import DamagedFileError, StorageError
from tests.engine.support import PAIRS, arrays_of, assert_is_clean_replay, assert_same, clean_replay, new

pytestmark = [pytest.mark.outside, pytest.mark.kernels]

ROOT = Path(__file__).parents[2]
ACT = """
import random, sys
from dragoman import engine as module
from tests.engine.support import act
module.SNAPSHOT_EVERY = 10
with module.Engine.open(sys.argv[1]) as engine:
    print("open", flush=True)
    chance = random.Random(sys.argv[2])
    while True:
        print(act(engine, chance), flush=True)
        if chance.random() < 0.02:
            engine.save_snapshot()
            print("snapshot 0", flush=True)
"""


def run_and_kill(path: Path, seed: int, least: int, seconds: float) -> list[tuple[str, int]]:
    """Let a process change a project, kill it a moment after some changes, and give what it acknowledged before."""
    command = [sys.executable, "-c", ACT, str(path), str(seed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout
    with process.stdout:
        assert process.stdout.readline() == "open\n"
        lines = [process.stdout.readline() for _ in range(least)]
        time.sleep(seconds)
        process.kill()
        lines += process.stdout.read().split("\n")[:-1]  # the last is empty, or was cut short
    process.wait()
    return [(kind, int(number)) for kind, number in map(str.split, lines)]


def test_kill_9_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "project"
    new(path).close()
    chance = random.Random(5)
    acknowledged: list[tuple[str, int]] = []
    for turn in range(4):
        acknowledged += run_and_kill(path, turn, 40, chance.uniform(0.0, 0.1))
        with Engine.open(path) as engine:
            assert engine.warnings == []
            rows = {row.id: row for row in engine.opened.store.journal.rows()}
            for kind, number in acknowledged:
                if kind in ("learn", "forget"):
                    assert rows[number].kind == "learn"
                if kind == "forget":
                    assert rows[number].forgotten
            assert_is_clean_replay(engine, tmp_path / "copy")
    assert {"learn", "forget", "settings", "snapshot"} <= {kind for kind, _ in acknowledged}


FILL = """
import resource, signal, sys
from dragoman import engine as module
from dragoman.errors import DamagedFileError, StorageError
from tests.engine.support import PAIRS
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
module.SNAPSHOT_EVERY = 5
with module.Engine.open(sys.argv[1], memory=False) as engine:
    try:
        for pair in PAIRS * 9:
            before = engine.translate(PAIRS[0][0])
            print(engine.learn(*pair), flush=True)
    except StorageError as error:
        print(error, flush=True)
    assert engine.translate(PAIRS[0][0]) == before
    sys.stdin.readline()
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
    print(engine.learn("There is room again.", "Vuelve a haber sitio."), flush=True)
"""


def check_full_disk(path: Path, copy: Path, limit: int, filler: Path | None = None) -> None:
    """Learn until the disk is full, which is a clear error; then make room, and go on."""

    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    command = [sys.executable, "-c", FILL, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    process = subprocess.Popen(command, preexec_fn=set_limit, **pipes)  # type: ignore[call-overload]
    acknowledged = []
    while (line := process.stdout.readline().rstrip()).isdigit():
        acknowledged.append(int(line))
    assert "cannot write" in line
    assert "nothing was acknowledged" in line
    assert acknowledged
    if filler:
        filler.unlink()
    rest, _ = process.communicate("go on\n")
    assert process.returncode == 0
    with Engine.open(path) as engine:
        assert [row.id for row in engine.opened.store.journal.rows()] == [*acknowledged, int(rest)]
        assert_is_clean_replay(engine, copy)


def test_a_limit_on_file_sizes_is_a_clear_error_and_then_it_goes_on(tmp_path: Path) -> None:
    new(tmp_path / "project").close()
    check_full_disk(tmp_path / "project", tmp_path / "copy", 300_000)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    directory = tmp_path / "disk"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(directory)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system can be mounted only by root")
    yield directory
    subprocess.run(["umount", str(directory)], check=True)


def test_a_full_disk_is_a_clear_error_and_then_it_goes_on(small_disk: Path, tmp_path: Path) -> None:
    new(small_disk / "project").close()
    filler = small_disk / "filler"
    filler.write_bytes(bytes(4_000_000))
    check_full_disk(small_disk / "project", tmp_path / "copy", resource.RLIM_INFINITY, filler)


def test_a_torn_journal_costs_only_what_was_being_written(tmp_path: Path) -> None:
    path, chance = tmp_path / "project", random.Random(7)
    with new(path) as engine:
        for pair in PAIRS[:10]:
            engine.learn(*pair)
        log = path / "journal.db-wal"
        acknowledged, head = log.stat().st_size, (path / "journal.db.head").read_bytes()
        engine.revise(10, "Gire el mando.", force=True)
        end = log.stat().st_size
        engine.save_snapshot()
        copies = [tmp_path / f"{chance.randrange(acknowledged, end)}" for _ in range(5)]
        for copy in copies:
            shutil.copytree(path, copy, ignore=shutil.ignore_patterns("lock", "*-shm"))
    for copy in copies:
        os.truncate(copy / log.name, int(copy.name))
        (copy / "journal.db.head").write_bytes(head)  # which is written after the row
        with Engine.open(copy) as engine:
            assert engine.warnings == ["snapshot 12 skipped: the journal ends at row 10"]
            assert engine.translate(PAIRS[9][0]).text == PAIRS[9][1]
            assert engine.learn("green", "verde") == 11
            assert_is_clean_replay(engine, tmp_path / "copy")


def test_a_broken_snapshot_is_passed_over_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        for n, pair in enumerate(PAIRS[:12]):
            engine.learn(*pair)
            if n % 4 == 3:
                engine.save_snapshot()
        engine.weights = {"language": 0.7}
        expected = arrays_of(engine)
    for number in (13, 12):
        (file,) = (path / "snapshots" / str(number)).glob("*.npy")
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    with Engine.open(path) as engine:
        assert [warning.split(":")[0] for warning in engine.warnings] == [
            "snapshot 13 skipped",
            "snapshot 12 skipped",
        ]
        assert engine.opened.state.saved == 8
        assert_same(arrays_of(engine), expected)
        assert engine.weights["language"] == 0.7
    with Engine.open(path) as engine:
        assert engine.warnings == []
        assert engine.opened.state.saved == 13


def test_a_snapshot_of_another_version_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        engine.learn(*PAIRS[0])
        expected = arrays_of(engine)
    monkeypatch.setattr("dragoman.project.state.FORMAT", 0)
    with Engine.open(path) as engine:
        assert engine.warnings == ["snapshot 1 skipped: it was made by another version of dragoman"]
        assert_same(arrays_of(engine), expected)
    with Engine.open(path) as engine:
        assert engine.warnings == []


def test_a_snapshot_that_cannot_be_saved_is_only_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StorageError("cannot write: no space left on device")

    monkeypatch.setattr("dragoman.engine.SNAPSHOT_EVERY", 2)
    path = tmp_path / "project"
    engine = new(path)
    monkeypatch.setattr(engine.opened.store, "save_snapshot", fail)
    for pair in PAIRS[:3]:
        engine.learn(*pair)
    with pytest.raises(StorageError):
        engine.save_snapshot()
    engine.close()
    assert set(engine.warnings) == {"could not save a snapshot: cannot write: no space left on device"}
    with Engine.open(path) as engine:
        assert [row.target for row in engine.history()] == [target for _, target in PAIRS[2::-1]]


def test_without_any_snapshot_the_journal_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        for pair in PAIRS[:5]:
            engine.learn(*pair)
        expected = arrays_of(engine)
    assert_same(clean_replay(path, tmp_path / "copy")[0], expected)


def rot(path: Path, number: int, *, first: bytes = b"") -> None:
    """Change a byte of a snapshot as a failing disk would, so that nobody notices by the times of the file.

    It is the first of the last bytes like those given; by default the last of all, one of an array's numbers.
    """
    (file,) = (path / "snapshots" / str(number)).glob("*.npy")
    times = file.stat()
    data = bytearray(file.read_bytes())
    data[data.rindex(first) if first else -1] ^= 1
    with file.open("r+b") as opened:
        opened.write(data)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    verified = file.with_name("verified.json")
    stamps = json.loads(verified.read_bytes())
    del stamps["checksum"]  # as an earlier version has written it
    status = file.stat()
    stamps[file.name] = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    verified.write_text(json.dumps(stamps))


@pytest.mark.parametrize("small", [True, False])
def test_a_snapshot_that_has_rotted_unnoticed_is_never_saved_anew(
    small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.project.open_project.VERIFIED_AT_ONCE", 1 << 25 if small else 1)
    path = tmp_path / "project"
    with new(path) as engine:
        for pair in PAIRS[:6]:
            engine.learn(*pair)
        engine.save_snapshot()
        expected = arrays_of(engine)
    rot(path, 6)
    with Engine.open(path) as engine:
        engine.opened._saver.wait()
        assert_same(arrays_of(engine), expected)
        assert len(engine.warnings) >= 1
        assert all("snapshot 6" in warning for warning in engine.warnings)
        engine.learn(*PAIRS[7])
        assert_is_clean_replay(engine, tmp_path / "copy")
    with Engine.open(path, write=False) as engine:
        assert engine.warnings == []
        assert engine.opened.state.saved == 7
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_a_snapshot_whose_arrays_cannot_be_read_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.project.open_project.VERIFIED_AT_ONCE", 1)
    path = tmp_path / "project"
    with new(path) as engine:
        for pair in PAIRS[:6]:
            engine.learn(*pair)
        engine.save_snapshot()
        expected = arrays_of(engine)
    rot(path, 6, first=b"\x93NUMPY")
    with Engine.open(path, write=False) as engine:
        assert_same(arrays_of(engine), expected)
        assert ["snapshot 6" in warning for warning in engine.warnings] == [True]


def test_a_replica_checks_the_snapshot_it_started_from_before_it_saves_one(tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        for pair in PAIRS[:6]:
            engine.learn(*pair)
    rot(path, 6)
    with Engine.open(path, write=False) as reader:
        assert reader.opened.state.origin == 6
        reader.opened.follow()
        with Engine.open(path) as engine:
            engine.learn(*PAIRS[7])
            reader.wait_for(7)
        reader.save_snapshot()
        assert reader.opened.state.origin is None
        assert_is_clean_replay(reader, tmp_path / "copy")


@pytest.mark.parametrize(
    ("name", "value"), [("preset", "none"), ("preset", ["thot"]), ("tokens", None), ("order", "5"), ("order", True)]
)
def test_odd_initial_settings_are_named(tmp_path: Path, name: str, value: object) -> None:
    new(tmp_path / "project").close()
    file = tmp_path / "project" / "project.json"
    about = json.loads(file.read_text())
    about["settings"][name] = value
    file.write_text(json.dumps(about))
    with pytest.raises(DamagedFileError, match=rf"project\.json: the initial settings have an invalid {name}: "):
        Engine.open(tmp_path / "project")
    with pytest.raises(DamagedFileError, match="restore it from a copy"):
        Engine.copy(tmp_path / "project", tmp_path / "copy")
