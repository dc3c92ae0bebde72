"""Replicas: learning in PostgreSQL against SQLite, how far replicas are behind, how long a fail-over takes.

- Learning takes turns in both databases, on the same disk, with the server on the same machine.
- The lag of a replica, which is another process, is from `learn` returning at the writer to being known there.
- For the fail-over the writer is killed with `kill -9` while it learns; measured is until the standby writes, and until
  it has acknowledged a correction. Then a new standby is started, and the new writer is killed.

    python benchmarks/bench_replicas.py --learns 500 --rounds 5
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import IO

from dragoman import sample
from dragoman.engine import Engine
from dragoman.extras import load

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

PAIRS = cycle(sample.pairs())
PROGRAM = """
import os, sys, time
from itertools import cycle
from dragoman import sample
from dragoman.engine import Engine

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

with Engine.open(sys.argv[1], **{sys.argv[2]: True}) as engine:
    say("open")
    while sys.argv[2] == "replica":
        engine.wait_for(engine.revision + 1, timeout=600)
        say(engine.revision, time.monotonic())
    while engine.role != "writer":
        time.sleep(0.0005)
    say("writer", time.monotonic())
    for pair in cycle(sample.pairs()):
        engine.learn(*pair, force=True)
        say("learned", time.monotonic())
"""


@contextmanager
def part(path: Path, role: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A replica or standby in a process of its own, once it has opened the project."""
    command = [sys.executable, "-c", PROGRAM, str(path), role]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "open\n"
        try:
            yield process, process.stdout
        finally:
            process.kill()


def copy(path: Path, to: Path) -> Path:
    """The directory of a project for another process."""
    shutil.copytree(path, to, ignore=shutil.ignore_patterns("lock", "snapshots"))
    return to


def learn(engine: Engine) -> float:
    """Learn a correction; milliseconds."""
    begin = time.perf_counter()
    engine.learn(*next(PAIRS), force=True)
    return 1e3 * (time.perf_counter() - begin)


def show(name: str, times: list[float]) -> None:
    p99 = sorted(times)[math.ceil(0.99 * len(times)) - 1]
    print(f"{name:46} median {statistics.median(times):6.2f} ms, 99 % within {p99:6.2f} ms, n = {len(times)}")


def show_few(name: str, times: list[float]) -> None:
    """For so few that 99 % of them would mean nothing."""
    print(f"{name:46} median {statistics.median(times):6.2f} s, slowest of {len(times)} {max(times):6.2f} s")


def cost(directory: Path, url: str, learns: int) -> None:
    """Learning with a journal here and there."""
    with (
        Engine.create(directory / "sqlite", source="en", target="es") as one,
        Engine.create(directory / "postgresql", source="en", target="es", journal=url) as other,
    ):
        for engine in (one, other):
            learn(engine)
        times = [(learn(one), learn(other)) for _ in range(learns)]
    here, there = (list(each) for each in zip(*times, strict=True))
    show("learning, SQLite", here)
    show("learning, PostgreSQL", there)
    print(f"{'ratio of the medians':46} {statistics.median(there) / statistics.median(here):.2f}")


def lag(directory: Path, url: str, learns: int, pause: float) -> None:
    """From acknowledged at the writer to known at the replica."""
    path = directory / f"lag-{pause}"
    with Engine.create(path, source="en", target="es", journal=url) as engine:
        learn(engine)
        with part(copy(path, directory / f"replica-{pause}"), "replica") as (_, lines):
            acknowledged = {}
            for _ in range(learns):
                number = engine.learn(*next(PAIRS), force=True)
                acknowledged[number] = time.monotonic()
                time.sleep(pause)
            known = _when_known(lines, engine.revision)
    times = [1e3 * max(0.0, min(at for revision, at in known if revision >= n) - t) for n, t in acknowledged.items()]
    pace = f"a correction every {1e3 * pause:.0f} ms" if pause else "corrections without a pause"
    show(f"lag of a replica, {pace}", times)


def _when_known(lines: IO[str], last: int) -> list[tuple[int, float]]:
    known = [(0, 0.0)]
    while known[-1][0] < last:
        revision, at = lines.readline().split()
        known.append((int(revision), float(at)))
    return known


def fail_over(directory: Path, url: str, rounds: int) -> None:
    """From the death of the writer to the next that writes."""
    path = directory / "killed"
    Engine.create(path, source="en", target="es", journal=url).close()
    writing, learning = [], []
    with ExitStack() as stack:
        writer, lines = stack.enter_context(part(path, "standby"))  # there is no other, so it writes
        for number in range(rounds):
            place = copy(path, directory / f"standby-{number}")
            standby, news = stack.enter_context(part(place, "standby"))
            while lines.readline().split()[0] != "learned":
                pass
            writer.kill()
            killed = time.monotonic()
            writing.append(float(news.readline().split()[1]) - killed)
            learning.append(float(news.readline().split()[1]) - killed)
            writer, lines = standby, news
    show_few("fail-over: until another writes", writing)
    show_few("fail-over: until it has acknowledged", learning)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learns", type=int, default=500, help="corrections of each measurement (default 500)")
    parser.add_argument("--rounds", type=int, default=5, help="how often the writer is killed (default 5)")
    parser.add_argument("--directory", type=Path, help="where the disk is that is to be measured (default: temporary)")
    options = parser.parse_args()
    load("psycopg", "postgresql")
    from tests.store.postgresql import UnavailableError, private_server

    with tempfile.TemporaryDirectory(dir=options.directory) as temporary:
        directory = Path(temporary)
        directory.chmod(0o755)  # the server may be run by somebody else
        try:
            with private_server(directory) as server:
                cost(directory, server.schema("cost"), options.learns)
                lag(directory, server.schema("lag"), options.learns // 2, 0.05)
                lag(directory, server.schema("haste"), options.learns, 0.0)
                fail_over(directory, server.schema("killed"), options.rounds)
        except UnavailableError as error:
            print(f"nothing is measured: {error}")


if __name__ == "__main__":
    main()
