"""A server under attack (`hostile_attacks`), while somebody else types.

Run by `python benchmarks/bench_hostile.py --section server`. Server, attackers and the people who type are three
processes on one machine. Attackers would be elsewhere, so their process gives way to the server's: it gets what the
server and the people who type leave. Printed are the largest memory of the server, the size of its temporary files,
and how long completions took for those who type. How much of that is other work of the machine can be told from the
time that the event loop itself took, and the time for which it was ready to run and had to wait for a core.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
from benchmarks.hostile_attacks import ATTACKS, Target, attack, dial, long_texts
from websockets.asyncio.client import ClientConnection

from dragoman import sample
from dragoman.engine import Engine
from dragoman.server.keys import Keys
from tests.store.postgresql import Server, UnavailableError, private_server

ADDRESS_SPACE = 8 << 30  # bytes: mapped files and the stacks of threads count, too
KEY = 0.150  # seconds between two keys
PEOPLE = 5  # who type, so that there are enough completions for a 99th percentile
TERMS = 50_000
MEMORY = Path("/dev/shm")  # noqa: S108


async def _type(port: int, key: str, seconds: float) -> tuple[list[float], list[float]]:
    """Milliseconds of openings and of completions, for a person who types for some seconds."""
    openings: list[float] = []
    completions: list[float] = []
    end, pairs = time.monotonic() + seconds, iter(sample.pairs()[500:] * 50)
    async with dial(port, key) as live:
        while time.monotonic() < end:
            source, target = next(pairs)
            openings.append(await _request(live, {"number": 0, "do": "open", "source": source}))
            for n in range(1, min(len(target), 12)):
                await asyncio.sleep(KEY)
                completions.append(await _request(live, {"number": n, "do": "prefix", "prefix": target[:n]}))
    return openings, completions


async def _type_all(port: int, key: str, seconds: float) -> tuple[list[float], list[float]]:
    """The same for all people."""
    found = await asyncio.gather(*(_type(port, key, seconds) for _ in range(PEOPLE)))
    return [each for openings, _ in found for each in openings], [each for _, typed in found for each in typed]


async def _request(live: ClientConnection, request: dict[str, Any]) -> float:
    begin = time.perf_counter()
    await live.send(json.dumps(request))
    answer = json.loads(await live.recv())
    if "suffix" not in answer:
        print("not completed:", answer)
    return 1000 * (time.perf_counter() - begin)


def _limit() -> None:
    """What `ulimit -v` does."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(folder: Path, keys: Path) -> Iterator[tuple[int, int]]:
    """A server in a process of its own; its port, and the process."""
    port = _free_port()
    command = [sys.executable, "-m", "dragoman", "serve", str(folder), "--port", str(port), "--keys", str(keys)]
    place = {"TMPDIR": str(keys.parent)}
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, preexec_fn=_limit, env=os.environ | place) as process:
        try:
            while True:
                with contextlib.suppress(httpx.TransportError):
                    if httpx.get(f"http://127.0.0.1:{port}/ready", trust_env=False).status_code == 200:
                        break
                time.sleep(0.1)
            yield port, process.pid
        finally:
            process.terminate()
            process.wait()


def make_project(folder: Path, terms: int = TERMS) -> None:
    """A project with what attacks need: long corrections, and terms that share their first word."""
    with Engine.create(folder / "manual", source="en", target="es") as engine:
        engine.train(sample.pairs()[:500])
        for number, text in enumerate(long_texts()):
            engine.learn(text, f"texto {number}", force=True)
        engine.glossary = {f"the w{n}": "x" for n in range(terms)}


def make_projects(folder: Path, engine: int, database: Server | None) -> None:
    """The project that somebody works in, and those of the attacker."""
    make_project(folder)
    Engine.create(folder / "own", source="en", target="es").close()
    over = f"libretranslate:http://127.0.0.1:{engine}#seconds=2"
    Engine.create(folder / "over", source="en", target="es", upstream=over).close()
    if database:
        Engine.create(folder / "hanging", source="en", target="es", journal=database.schema("hanging")).close()


def run(seconds: float, only: str = "") -> None:
    """Attack a server for some seconds, and print what it took and how the other people fared."""
    names = [name for name in ATTACKS if only in name]
    with contextlib.ExitStack() as stack:
        place, engine, database = Path(stack.enter_context(tempfile.TemporaryDirectory())), _free_port(), None
        try:
            database = stack.enter_context(private_server(MEMORY if MEMORY.is_dir() else None))
        except UnavailableError as error:
            names = [name for name in names if name != "hanging database"]
            print(f"without a hanging database: {error}")
        folder, keys = place / "projects", place / "keys.json"
        make_projects(folder, engine, database)
        hostile = Keys(keys).add("eve", {"manual": "translate"})
        own = Keys(keys).add("eve at home", {"own": "learn", "over": "learn", "hanging": "learn"})
        key = Keys(keys).add("ana", {"manual": "learn"})
        port, server = stack.enter_context(serving(folder, keys))
        print(f"idle: {_status(server, 'VmRSS')} MB; load average {os.getloadavg()[0]:.1f}")
        _report("nobody attacks", asyncio.run(_type_all(port, key, seconds / 2)))
        if database:
            stack.enter_context(database.hanging())
        attacking = multiprocessing.get_context("spawn").Process(
            target=attack, args=(Target(port, hostile, own, engine), names)
        )
        attacking.start()
        time.sleep(3)
        try:
            with watching(server, place) as most:
                _report(", ".join(names), asyncio.run(_type_all(port, key, seconds)))
        finally:
            attacking.kill()
            attacking.join()
        print(f"processes that read files, all together: {most.memory} MB at most; files: {most.files} MB at most")
        print(f"largest memory of the server: {_status(server, 'VmHWM')} MB; load average {os.getloadavg()[0]:.1f}")
        time.sleep(5)
        print(f"five seconds later: {_status(server, 'VmRSS')} MB; files: {_files(place)} MB")


@dataclass
class Most:
    """The most that was seen, in megabytes."""

    memory: int = 0
    files: int = 0


@contextlib.contextmanager
def watching(server: int, place: Path) -> Iterator[Most]:
    """What the children of a process and its temporary files took at most; and where its time went, printed."""
    most, stop, before, began = Most(), threading.Event(), _times(server), time.perf_counter()

    def watch() -> None:
        children = Path(f"/proc/{server}/task/{server}/children")
        while not stop.wait(0.05):
            found = 0
            for child in children.read_text().split():
                with contextlib.suppress(OSError, StopIteration):
                    found += _status(int(child), "VmRSS")
            most.memory, most.files = max(most.memory, found), max(most.files, _files(place))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        stop.set()
        thread.join()
        loop, waited, others = (after - first for first, after in zip(before, _times(server), strict=True))
        passed = time.perf_counter() - began
        print(
            f"in {passed:.0f} s the event loop took {loop:.1f} s of processor time and waited {waited:.1f} s for a core"
        )
        print(f"the other threads of the server took {others:.1f} s of processor time")


def _times(process: int) -> tuple[float, float, float]:
    """Seconds that the first thread of a process has run, and has waited for a core; that the others have run."""
    loop, waited, others = 0, 0, 0
    for file in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            ran, stood, _ = map(int, file.read_text().split())
            if file.parent.name == str(process):
                loop, waited = ran, stood
            else:
                others += ran
    return loop / 1e9, waited / 1e9, others / 1e9


def _files(place: Path) -> int:
    """Megabytes of the temporary files of the server."""
    found = 0
    for file in place.glob("dragoman-jobs-*/*"):
        with contextlib.suppress(OSError):
            found += file.stat().st_size
    return found >> 20


def _report(name: str, times: tuple[list[float], list[float]]) -> None:
    for kind, values in zip(("openings", "completions"), times, strict=True):
        cuts = quantiles(values, n=100)
        print(f"{name}: {kind} p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms, {len(values)} of them", flush=True)


def _status(process: int, field: str) -> int:
    """A number of megabytes from the status of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith(field))
