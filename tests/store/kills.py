"""Kill a process that learns, again and again, and check each time that nothing acknowledged is lost.

`python -m tests.store.kills 1000` is the long run; the test-suite does a short one. The process is imported once and
forked for each round. It opens a project and learns, forgets, revises, changes settings and saves snapshots at random
until it is killed with SIGKILL, at any moment from the start of the opening on.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from dragoman.engine import Engine
from tests.engine.support import assert_is_clean_replay, new

ROOT = Path(__file__).parents[2]
START_AGAIN = 120  # rounds with one project, so that it stays small enough for quick rounds
PROGRAM = """
import os, random, sys
from dragoman import engine as module, kernels
from tests.engine.support import act
kernels.warm()
module.SNAPSHOT_EVERY = 7

def say(line):
    os.write(1, f"{line}\\n".encode())  # the whole line or nothing of it

def work(path, seed):
    chance = random.Random(seed)
    with module.Engine.open(path) as engine:
        say("open 0")
        while True:
            say(act(engine, chance))
            if chance.random() < 0.05:
                engine.save_snapshot()
                say("snapshot 0")

for line in sys.stdin:
    path, seed = line.rstrip().rsplit(" ", 1)
    child = os.fork()
    if child == 0:
        work(path, int(seed))
    say(f"started {child}")
    os.waitpid(child, 0)
    say("killed 0")
"""


@dataclass
class Tally:
    """What has been seen so far."""

    kills: int = 0
    while_opening: int = 0
    acknowledged: int = 0
    rows: int = 0
    replays: int = 0  # comparisons of the whole state with a clean replay
    known: list[tuple[str, int]] = field(default_factory=list)  # acknowledged in the present project


@contextmanager
def worker() -> Iterator[subprocess.Popen[str]]:
    """The process whose children are killed."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    process: subprocess.Popen[str] = subprocess.Popen([sys.executable, "-c", PROGRAM], **pipes)  # type: ignore[call-overload]
    with process:
        yield process
        assert process.stdin
        process.stdin.close()


def kill_once(process: subprocess.Popen[str], path: Path, seed: int, chance: random.Random) -> list[tuple[str, int]]:
    """Start a child, kill it a moment later, and return what it acknowledged."""
    assert process.stdin
    assert process.stdout
    print(path, seed, file=process.stdin, flush=True)
    lines: list[tuple[str, int]] = []
    child = 0
    while not child:
        lines, child = _started(process.stdout, lines)
    if chance.random() < 0.8:  # the others are killed while they open the project
        while not any(kind == "open" for kind, _ in lines):
            lines.append(_split(process.stdout.readline()))
    time.sleep(chance.uniform(0, 0.3))
    os.kill(child, signal.SIGKILL)
    while (line := _split(process.stdout.readline()))[0] != "killed":
        lines.append(line)
    return lines


def _started(output: IO[str], lines: list[tuple[str, int]]) -> tuple[list[tuple[str, int]], int]:
    kind, number = _split(output.readline())
    return (lines, number) if kind == "started" else ([*lines, (kind, number)], 0)


def _split(line: str) -> tuple[str, int]:
    kind, number = line.split()
    return kind, int(number)


def check(path: Path, tally: Tally, copy: Path, *, replay: bool) -> None:
    """Everything acknowledged is in the journal, and the state is what the journal alone gives."""
    with Engine.open(path, write=False) as engine:
        assert engine.warnings == []
        rows = {row.id: row for row in engine.changes()}
        for kind, number in tally.known:
            if kind in ("learn", "forget"):
                assert rows[number].kind == "learn"
            if kind == "forget":
                assert rows[number].forgotten
        tally.rows = len(rows)
        if replay:
            assert_is_clean_replay(engine, copy)
            tally.replays += 1


def run(directory: Path, rounds: int, *, seed: int = 5, replay_every: int = 1) -> Tally:
    """Kill a process this often; raises an error as soon as anything is lost or different."""
    chance, tally, path = random.Random(seed), Tally(), directory / "none"
    with worker() as process:
        for number in range(rounds):
            if number % START_AGAIN == 0:
                shutil.rmtree(path, ignore_errors=True)
                path = directory / f"project {number}"
                new(path).close()
                tally.known = []
            lines = kill_once(process, path, chance.randrange(10**9), chance)
            tally.kills += 1
            tally.while_opening += not any(kind == "open" for kind, _ in lines)
            tally.acknowledged += sum(kind in ("learn", "forget", "settings") for kind, _ in lines)
            tally.known += lines
            check(path, tally, directory / "copy", replay=number % replay_every == 0)
    return tally


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="dragoman-kills-") as place:
        began = time.monotonic()
        found = run(Path(place), int(sys.argv[1]), replay_every=5)
        found.known = []
        print(f"{found}, {time.monotonic() - began:.0f} s")
