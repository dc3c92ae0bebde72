"""Kill a process that learns, again and again, and check each time that nothing acknowledged is lost.

`python -m tests.store.kills 1000` is the long run; the test-suite does a short one. The process is imported once and
forked for each round. It opens a project and learns, forgets, revises, changes settings and saves snapshots at random
until it is killed with SIGKILL, at any moment from the start of the opening on; now and then it makes a backup.

In some rounds a command is killed instead: `watch` while it learns a file, `assess` while it replays one. In the end
both run undisturbed, and must come to what they would have come to without any kill.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from dragoman.engine import Engine
from dragoman.store.backup import restore
from tests.engine.support import PAIRS, assert_is_clean_replay, new

ROOT = Path(__file__).parents[2]
LASTING = ("learn", "forget", "settings")  # what is in the journal as soon as it is acknowledged
START_AGAIN = 120  # rounds with one project, so that it stays small enough for quick rounds
PROGRAM = """
import os, random, sys
from pathlib import Path
from dragoman import engine as module, kernels
from dragoman.cli import main
from dragoman.store.backup import make_backup
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
            if chance.random() < 0.1:
                made = make_backup(Path(path), Path(path).parent / "backup.zip")
                say(f"backup {made.revision}")

def command(words):
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.argv = ["dragoman", *words]
    main()

for line in sys.stdin:
    path, seed = line.rstrip().rsplit(" ", 1)
    child = os.fork()
    if child == 0:
        os.setsid()
        if seed == "command":
            command(path.split("|"))
            os._exit(0)
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
    awaited: int = 0  # acknowledgements that were waited for before the kill
    acknowledged: int = 0
    rows: int = 0
    commands: int = 0  # kills of commands
    backups: int = 0  # that were restored
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


def kill_once(
    process: subprocess.Popen[str], path: Path, seed: int, chance: random.Random, awaited: int
) -> list[tuple[str, int]]:
    """Start a child, kill it a moment after so many acknowledgements, and return all of them."""
    assert process.stdin
    assert process.stdout
    print(path, seed, file=process.stdin, flush=True)
    lines: list[tuple[str, int]] = []
    child = 0
    while not child:
        lines, child = _started(process.stdout, lines)
    while _lasting(lines) < awaited:
        lines.append(_split(process.stdout.readline()))
    time.sleep(chance.uniform(0, 0.3))
    kill(child)
    while (line := _split(process.stdout.readline()))[0] != "killed":
        lines.append(line)
    return lines


def kill_command(process: subprocess.Popen[str], words: list[str], chance: random.Random) -> None:
    """Start a command, and kill it and whatever it has started, a moment later."""
    assert process.stdin
    assert process.stdout
    print("|".join(words), "command", file=process.stdin, flush=True)
    _, child = _started(process.stdout, [])
    time.sleep(chance.uniform(0, 1.5))
    kill(child)
    while _split(process.stdout.readline())[0] != "killed":
        pass


def kill(child: int) -> None:
    """Kill a child, and all of its group if it has one already."""
    for end in (os.killpg, os.kill):
        with suppress(ProcessLookupError):
            end(child, signal.SIGKILL)


def _started(output: IO[str], lines: list[tuple[str, int]]) -> tuple[list[tuple[str, int]], int]:
    kind, number = _split(output.readline())
    return (lines, number) if kind == "started" else ([*lines, (kind, number)], 0)


def _lasting(lines: list[tuple[str, int]]) -> int:
    return sum(kind in LASTING for kind, _ in lines)


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


def check_backup(directory: Path, tally: Tally) -> None:
    """The last backup that was acknowledged is there, or a newer one; and it is whole."""
    acknowledged = [number for kind, number in tally.known if kind == "backup"]
    if acknowledged:
        shutil.rmtree(directory / "restored", ignore_errors=True)
        assert restore(directory / "backup.zip", directory / "restored") >= acknowledged[-1]
        tally.backups += 1


class Commands:
    """The commands that are killed, and what they must come to."""

    def __init__(self, directory: Path) -> None:
        self._project, self._file, self._out = directory / "watched", directory / "pairs.tsv", directory / "assessed"
        self._pairs = [(f"{source} {n}", f"{target} {n}") for n in range(10) for source, target in PAIRS]
        self._file.write_text("".join(f"{source}\t{target}\n" for source, target in self._pairs), encoding="utf-8")
        new(self._project).close()

    def choose(self, chance: random.Random) -> list[str]:
        """One of them, as words."""
        return chance.choice([self._watch(), self._assess(self._out)])

    def _watch(self) -> list[str]:
        return ["watch", str(self._project), str(self._file), "--once", "--translated"]

    def _assess(self, out: Path) -> list[str]:
        return ["assess", str(self._file), "--source", "en", "--target", "es", "--out", str(out), "--typed", "3"]

    def check(self) -> None:
        """Let them run to their end: all is learned once, and the report is the one of a run without kills."""
        for words in (self._watch(), self._assess(self._out), self._assess(self._out.with_name("undisturbed"))):
            subprocess.run([sys.executable, "-m", "dragoman", *words], check=True, capture_output=True, cwd=ROOT)
        with Engine.open(self._project, write=False) as engine:
            learned = [(source, target) for _, source, target in engine.memory_texts()]
        assert sorted(learned) == sorted(set(self._pairs))
        found, expected = (_outcomes(place) for place in (self._out, self._out.with_name("undisturbed")))
        assert found == expected
        assert found


def _outcomes(place: Path) -> dict[str, list[Any]]:
    """What a report is made of: number, translation and scores of each segment, without the times that they took."""
    return {
        file.parent.name: [json.loads(line)[:5] for line in file.read_text(encoding="utf-8").splitlines()]
        for file in place.glob("*/outcomes.jsonl")
    }


def run(
    directory: Path, rounds: int, *, seed: int = 5, replay_every: int = 1, command_every: int | None = None
) -> Tally:
    """Kill a process this often; raises an error as soon as anything is lost or different."""
    chance, tally, path = random.Random(seed), Tally(), directory / "none"
    commands = Commands(directory) if command_every else None
    with worker() as process:
        for number in range(rounds):
            if commands and command_every and number % command_every == command_every - 1:
                kill_command(process, commands.choose(chance), chance)
                tally.kills, tally.commands = tally.kills + 1, tally.commands + 1
                continue
            if number % START_AGAIN == 0:
                shutil.rmtree(path, ignore_errors=True)
                path = directory / f"project {number}"
                new(path).close()
                tally.known = []
                (directory / "backup.zip").unlink(missing_ok=True)
            awaited = chance.randint(1, 3) if chance.random() < 0.8 else 0  # none: killed while it opens, or just after
            lines = kill_once(process, path, chance.randrange(10**9), chance, awaited)
            tally.awaited += awaited
            tally.kills += 1
            tally.while_opening += not any(kind == "open" for kind, _ in lines)
            tally.acknowledged += _lasting(lines)
            tally.known += lines
            check(path, tally, directory / "copy", replay=number % replay_every == 0)
            if number % replay_every == 0:
                check_backup(directory, tally)
    if commands:
        commands.check()
    return tally


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="dragoman-kills-") as place:
        began = time.monotonic()
        found = run(Path(place), int(sys.argv[1]), replay_every=5, command_every=5)
        found.known = []
        print(f"{found}, {time.monotonic() - began:.0f} s")
