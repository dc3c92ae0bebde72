"""The writer is killed or stopped while others follow it: another takes over, and nothing acknowledged is lost."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
import pytest

from dragoman.engine import Engine
from tests.engine.support import PAIRS, arrays_of, assert_same
from tests.store.replicas import copied, end_backends, until, writer

pytestmark = pytest.mark.outside

if TYPE_CHECKING:
    from tests.store.postgresql import Server

ROOT = Path(__file__).parents[2]
LEARNS = 1000

# One program for all parts. Lines are written whole or not at all; what is acknowledged is "learned <n> <id>".
PROGRAM = """
import os, sys, time
import numpy as np
from dragoman.engine import Engine
from dragoman.errors import DragomanError
from tests.engine.support import PAIRS

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def learn(engine, numbers):
    for n in numbers:
        source, target = PAIRS[n % len(PAIRS)]
        say("learned", n, engine.learn(f"{source} {n}", f"{target} {n}", force=True))

def write(engine, learns):
    sys.stdin.readline()  # until all others have opened the project
    learn(engine, range(learns))

def stand_by(engine, learns):
    while engine.role != "writer":
        time.sleep(0.001)
    say("writer", engine.revision)
    rows = engine.opened.store.journal.rows()
    done = {int(row.source.rpartition(" ")[2]) for row in rows if row.kind == "learn"}
    learn(engine, [n for n in range(learns) if n not in done])
    say("done", engine.revision)

def follow(engine, learns):
    pass

def persist(engine, learns):
    for n in range(learns):
        try:
            learn(engine, [n])
        except DragomanError as error:
            say("refused", type(error).__name__, engine.role)

part, path, options, learns = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
with Engine.open(path, **{option: True for option in options.split()}) as engine:
    say("open")
    {"write": write, "stand_by": stand_by, "follow": follow, "persist": persist}[part](engine, learns)
    for line in sys.stdin:
        engine.wait_for(int(line), timeout=60)
        np.savez(f"{path}.npz", **engine.opened.state.arrays())
        say("saved", engine.revision)
"""


class Part:
    """A process that has a part: writer, standby or replica."""

    def __init__(self, part: str, path: Path, options: str = "", learns: int = LEARNS) -> None:
        self.path = path
        command = [sys.executable, "-c", PROGRAM, part, str(path), options, str(learns)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
        self.process: subprocess.Popen[str] = subprocess.Popen(command, **pipes)  # type: ignore[call-overload]
        assert self.process.stdout
        self.lines: IO[str] = self.process.stdout

    def hear(self) -> list[str]:
        return self.lines.readline().split()

    def tell(self, word: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def arrays_at(self, revision: int) -> dict[str, np.ndarray]:
        """All that it knows once it knows as much as this revision."""
        self.tell(revision)
        assert self.hear() == ["saved", str(revision)]
        with np.load(f"{self.path}.npz") as found:
            return dict(found)


@contextlib.contextmanager
def parts(*wanted: Part) -> Iterator[None]:
    """Wait until all have opened the project; in the end, end them."""
    try:
        for part in wanted:
            assert part.hear() == ["open"]
        yield
    finally:
        for part in wanted:
            part.process.kill()
            part.process.wait()
            part.lines.close()
            assert part.process.stdin
            with contextlib.suppress(BrokenPipeError):
                part.process.stdin.close()


def test_kill_9_during_a_thousand_learns_with_two_replicas_and_a_standby(
    postgresql: Server, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path = tmp_path / "first"
    writer(path, postgresql.schema("failover")).close()
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    first = Part("write", path)
    with contextlib.ExitStack() as stack:
        stack.enter_context(parts(first))
        standby = Part("stand_by", copied(path, tmp_path / "standby"), "standby")
        replicas = [Part("follow", copied(path, tmp_path / name), "replica") for name in ("one", "two")]
        stack.enter_context(parts(standby, *replicas))
        first.tell("go")
        acknowledged = [first.hear() for _ in range(chance.randrange(LEARNS // 5, LEARNS * 4 // 5))]
        time.sleep(chance.uniform(0, 0.02))
        first.process.kill()
        killed = time.monotonic()
        acknowledged += [line.split() for line in first.lines]
        before = len(acknowledged)
        assert standby.hear()[0] == "writer"
        taken = time.monotonic() - killed
        while (line := standby.hear())[0] == "learned":
            acknowledged.append(line)
        revision = int(line[1])
        found = [part.arrays_at(revision) for part in (standby, *replicas)]
    record_property("seconds of fail-over", round(taken, 3))
    print(f"seed {seed}: killed after {before} acknowledged, another wrote {taken:.3f} s later")
    with Engine.open(copied(path, tmp_path / "fold"), write=False) as fold:
        rows = {row.id: row for row in fold.opened.store.journal.rows()}
        expected = arrays_of(fold)
    for _, n, number in acknowledged:
        assert rows[int(number)].source == f"{PAIRS[int(n) % len(PAIRS)][0]} {n}"
    assert len({number for _, _, number in acknowledged}) == len(acknowledged)
    assert sorted(str(row.source) for row in rows.values()) == sorted(
        f"{PAIRS[n % len(PAIRS)][0]} {n}" for n in range(LEARNS)
    )
    for arrays in found:
        assert_same(arrays, expected)


def test_a_stopped_writer_that_wakes_up_after_another_took_over_cannot_append(
    postgresql: Server, tmp_path: Path
) -> None:
    path = tmp_path / "first"
    writer(path, postgresql.schema("stopped")).close()
    first = Part("persist", path, learns=10**6)
    with parts(first), Engine.open(copied(path, tmp_path / "standby"), standby=True) as standby:
        acknowledged = [first.hear() for _ in range(20)]
        first.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        assert standby.role == "standby"  # it is not dead: its lock holds as long as its connection
        assert end_backends(postgresql, f"application_name LIKE '%process {first.process.pid} on%'")
        until(lambda: standby.role == "writer")
        number = standby.learn("Press the green button.", "Pulse el botón verde.")
        first.process.send_signal(signal.SIGCONT)
        while (line := first.hear())[:2] not in (["refused", "SupersededError"], ["refused", "ReplicaError"]):
            assert line[0] == "learned" or line[1] == "StorageError", line  # which it was about when it was stopped
            acknowledged += [line] if line[0] == "learned" else []
        assert line[2] == "replica"
        os.kill(first.process.pid, signal.SIGKILL)
        ids = [row.id for row in standby.opened.store.journal.rows()]
        assert ids[-1] == number
        assert {int(each) for _, _, each in acknowledged} <= set(ids[:-1])
        assert int(acknowledged[-1][2]) < number
