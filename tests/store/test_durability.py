"""What was acknowledged is there again: after kill -9, a full disk, a torn log; and damage is called by its name."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import DamagedFileError, StorageError
from dragoman.store import Journal, Project

pytestmark = pytest.mark.outside

# Programs are run many times, so they are imported once and forked. Each acknowledges with the id of a row, on a line.
FORK = """
import os, sys
from pathlib import Path
import numpy as np
from dragoman.store import Journal, Project

def print(*values, flush):
    os.write(1, (" ".join(map(str, values)) + "\\n").encode())  # all of the line or nothing of it

def append(path):
    with Journal(path, write=True) as journal:
        print("open", os.getpid(), flush=True)
        number = journal.last_id
        while True:
            number = journal.append_learn(f"source {number}", "target", contribution=bytes(1000))
            print(number, flush=True)
            if number % 5 == 0:
                print(journal.append_forget(number), flush=True)
            elif number % 3 == 0:
                print(journal.append_revise(number, "revised"), flush=True)

def save(path):
    with Project.open(path, write=True) as project:
        print("open", os.getpid(), flush=True)
        while True:
            number = project.journal.append_learn("source", "target")
            project.save_snapshot(number, {name: np.full(20_000, number) for name in "abc"}, {})
            print(number, flush=True)

for line in sys.stdin:
    if os.fork() == 0:
        {"append": append, "save": save}[sys.argv[1]](Path(sys.argv[2]))
    os.wait()
    print("killed", flush=True)
"""


def kill_again_and_again(program: str, path: Path, rounds: int) -> Iterator[list[int]]:
    """Start the program and kill it at some moment, as often as asked for; the ids acknowledged each time."""
    chance = random.Random(5)
    command = [sys.executable, "-c", FORK, program, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(rounds):
            print("again", file=process.stdin, flush=True)
            opened, pid = process.stdout.readline().split()
            assert opened == "open"
            before = [process.stdout.readline() for _ in range(chance.randint(1, 3))]
            time.sleep(chance.uniform(0, 0.15))
            os.kill(int(pid), signal.SIGKILL)
            yield [int(line) for line in (*before, *iter(process.stdout.readline, "killed\n"))]
        process.stdin.close()


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal.create(path).close()
    acknowledged: list[int] = []
    for ids in kill_again_and_again("append", path, rounds=25):
        acknowledged += ids
        with Journal(path) as journal:
            rows = list(journal.rows())
        found = [row.id for row in rows]
        assert found == sorted(set(found))
        assert set(acknowledged) <= set(found)
        assert {row.refers_to for row in rows if row.kind == "forget"} == {row.id for row in rows if row.forgotten}
    assert acknowledged == sorted(set(acknowledged))
    assert len(acknowledged) >= 25  # one a round is waited for


def test_kill_9_leaves_a_good_snapshot_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "project"
    Project.create(path, {}, source="en", target="es").close()
    newest = 0
    for ids in kill_again_and_again("save", path, rounds=15):
        newest = max([newest, *ids])
        with Project.open(path, write=True) as project:
            snapshot, warnings = project.newest_snapshot(verify=True)
            assert warnings == []
            assert snapshot is not None
            assert snapshot.id >= newest > 0
            assert all((array == snapshot.id).all() for array in snapshot.arrays.values())
    with Project.open(path, write=True) as project:
        project.save_snapshot(newest, {"a": np.zeros(3)}, {})
    assert all(each.name.isdigit() for each in (path / "snapshots").iterdir())


def copy_open_journal(path: Path, to: Path) -> Path:
    """Copy a journal as it is on disk while it is open, log included."""
    to.mkdir()
    for file in (path, path.with_name(f"{path.name}-wal")):
        shutil.copy(file, to)
    return to / path.name


def test_a_torn_log_costs_only_what_was_being_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    log = path.with_name("journal.db-wal")
    with Journal.create(path) as journal:
        for _ in range(10):
            journal.append_learn("source", "target", contribution=bytes(2000))
        acknowledged = log.stat().st_size
        journal.append_revise(10, "revised")
        end = log.stat().st_size
        copies = [copy_open_journal(path, tmp_path / str(size)) for size in range(acknowledged, end, 1111)]
    assert len(copies) > 5
    for copy in copies:
        os.truncate(copy.with_name(log.name), int(copy.parent.name))
        with Journal(copy, write=True) as journal:
            assert [row.id for row in journal.rows()] == list(range(1, 11))
            assert not journal.get(10).forgotten
            assert journal.append_forget(10) == 11


@pytest.mark.parametrize("damage", ["truncated", "overwritten", "empty", "missing", "another"])
def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "journal.db"
    with Journal.create(path) as journal:
        for _ in range(10):
            journal.append_learn("source", "target", contribution=bytes(5000))
    if damage == "truncated":
        os.truncate(path, path.stat().st_size // 2)
    elif damage == "overwritten":
        path.write_bytes(b"\xff" * path.stat().st_size)
    elif damage == "empty":
        os.truncate(path, 0)
    else:
        path.unlink()
    if damage == "another":
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE something (else_)")
    for write in (False, True):
        with pytest.raises(DamagedFileError, match=r"restore .* from a copy") as caught:
            Journal(path, write=write)
        assert str(path) in str(caught.value)


def test_a_changed_byte_in_a_page_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.create(path) as journal:
        for _ in range(10):
            journal.append_learn("source", "target", contribution=b"contribution" * 100)
    data = bytearray(path.read_bytes())
    data[data.index(b"contributioncontribution") + 5] ^= 1
    path.write_bytes(data)
    with Journal(path) as journal, pytest.raises(DamagedFileError, match="has been altered"):
        list(journal.rows())


def test_any_path_will_do(tmp_path: Path) -> None:
    path = tmp_path / "a b?c#d%20é'\"&mode=ro"
    with Journal.create(path) as journal:
        assert journal.append_learn("a", "b") == 1
    assert path.exists()


FILL = """
import resource, signal, sys
from pathlib import Path
from dragoman.errors import StorageError
from dragoman.store import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Journal(Path(sys.argv[1]), write=True) as journal:
    try:
        while True:
            print(journal.append_learn("source", "target", contribution=bytes(1000)), flush=True)
    except StorageError as error:
        print(error, flush=True)
    sys.stdin.readline()
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
    print(journal.append_learn("more", "room"), flush=True)
"""


def check_full_disk(path: Path, make_room: contextlib.AbstractContextManager[None], limit: int) -> None:
    """Append until the disk is full, which must be a clear error; then make room and go on."""

    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    Journal.create(path).close()
    process = subprocess.Popen(
        [sys.executable, "-c", FILL, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=set_limit,
    )
    assert process.stdin
    assert process.stdout
    lines = []
    while (line := process.stdout.readline().rstrip()).isdigit():
        lines.append(int(line))
    assert line.startswith(f"{path}: cannot write: ")
    assert "nothing was acknowledged" in line
    assert "space" in line
    with make_room, Journal(path) as journal:
        assert [row.id for row in journal.rows()] == lines == list(range(1, len(lines) + 1))
    rest, _ = process.communicate("go on\n")
    assert process.returncode == 0
    assert int(rest) > lines[-1]
    with Journal(path) as journal:
        assert [row.id for row in journal.rows()] == [*lines, int(rest)]


def test_a_limit_on_file_sizes_is_a_clear_error_and_then_it_goes_on(tmp_path: Path) -> None:
    check_full_disk(tmp_path / "journal.db", contextlib.nullcontext(), 100_000)


def test_opening_for_writing_without_room_is_a_clear_error_and_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "project"
    Project.create(path, {}, source="en", target="es").close()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(StorageError, match=r"lock: cannot write: .*; nothing was changed"):
            Project.open(path, write=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    Project.open(path, write=True).close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    directory = tmp_path / "disk"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(directory)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system can be mounted only by root")
    yield directory
    subprocess.run(["umount", str(directory)], check=True)


def test_a_full_disk_is_a_clear_error_and_then_it_goes_on(small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(bytes(100_000))

    @contextlib.contextmanager
    def make_room() -> Iterator[None]:
        filler.unlink()
        yield

    check_full_disk(small_disk / "journal.db", make_room(), resource.RLIM_INFINITY)


def test_a_snapshot_on_a_full_disk_leaves_the_one_before(small_disk: Path) -> None:
    with Project.create(small_disk / "project", {}, source="en", target="es") as project:
        project.save_snapshot(0, {"a": np.arange(3)}, {})
        row = project.journal.append_learn("a", "b")
        with pytest.raises(StorageError, match="make room"):
            project.save_snapshot(row, {"a": np.arange(3), "b": np.zeros(100_000)}, {})
        snapshot, warnings = project.newest_snapshot()
        assert snapshot
        assert (snapshot.id, warnings) == (0, [])
        project.save_snapshot(row, {"a": np.arange(4)}, {})
        assert project.snapshots.ids() == [1, 0]


UNPRIVILEGED = """
import os, sys
from pathlib import Path
from dragoman.errors import StorageError
from dragoman.store import Journal, Project
os.setuid(65534)
path = Path(sys.argv[1])
with Project.open(path) as project:
    print([row.source for row in project.journal.rows()])
try:
    Project.open(path, write=True)
except StorageError as error:
    print(error)
try:
    with Journal(path / "journal.db", write=True) as journal:
        journal.append_learn("c", "d")
except StorageError as error:
    print(error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write here")
def test_who_may_only_read_can_read_and_is_told_so_when_writing() -> None:
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        path = Path(directory, "project")
        project = Project.create(path, {}, source="en", target="es")
        project.journal.append_learn("a", "b")
        for closed in (False, True):
            if closed:
                project.close()
            command = [sys.executable, "-c", UNPRIVILEGED, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows, *errors = done.stdout.splitlines()
            assert rows == "['a']"
            assert len(errors) == 2
            assert all("choose a directory you may write to" in line for line in errors)
