"""From an empty kernel cache to the first suggestion in the page, and to everything compiled; and with shipped kernels.

python benchmarks/bench_start.py                      # compiles everything twice, which takes some minutes
python benchmarks/bench_start.py --kernels DIRECTORY  # with kernels that `make kernels` has built already

A client does what the page does: it gets the page, waits until the server says that it is usable, opens the first
segment without a translation in a live session, and is done when its completion arrives. Processor time is that of the
server and its workers together: divided by the number of cores, it says how long it would take on a machine where
nothing else runs. Then both kinds of kernels learn and translate the same sentences in turn; what they compute must be
the same to the last bit, and ratios say how their speeds compare.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
from websockets.sync.client import connect

from dragoman.editor.sample_project import KNOWN, SAMPLE

BUILD = Path(__file__).parents[1] / "tools" / "build-kernels"
ROUNDS = 3  # of native and shipped kernels in turn
WORK = """
import hashlib, json, sys, tempfile, time
from pathlib import Path
import numpy as np
from dragoman import sample
from dragoman.engine import Engine
from dragoman.kernels import inventory
seconds = {}
pairs = sample.pairs()
with tempfile.TemporaryDirectory() as place, Engine.create(Path(place) / "p", source="en", target="es") as engine:
    engine.learn(*pairs[0])
    with engine.interact(pairs[1][0]) as session:
        session.suggest("")  # everything is loaded
    began = time.process_time()
    for pair in pairs[1:300]:
        engine.learn(*pair)
    seconds["learning"] = time.process_time() - began
    began, said = time.process_time(), []
    for source, _ in pairs[300:400]:
        best = engine.translate(source, n=10).nbest
        said += [(each.text, each.score.hex(), sorted(each.features.items())) for each in best]
    seconds["translating"] = time.process_time() - began
    began = time.process_time()
    for source, target in pairs[400:420]:
        with engine.interact(source) as session:
            said += [session.suggest(target[:n]).suffix for n in range(0, len(target), 3)]
    seconds["keys"] = time.process_time() - began
    engine.close()
    digest = hashlib.sha256(repr(said).encode())
misses = sum(sum(each.stats.cache_misses.values()) for each in inventory.kernels.values())
print(json.dumps({"seconds": seconds, "digest": digest.hexdigest(), "compiled": misses}))
"""


@contextmanager
def workbench(folder: Path, **settings: str) -> Iterator[tuple[subprocess.Popen[bytes], str, float]]:
    """A workbench that has just been started, its address, and when that was."""
    port = _free_port()
    command = [sys.executable, "-m", "dragoman", "workbench", str(folder), "--port", str(port), "--no-browser"]
    began = time.monotonic()
    with subprocess.Popen(command, env=os.environ | settings, stdout=subprocess.DEVNULL) as process:
        try:
            yield process, f"http://127.0.0.1:{port}", began
        finally:
            process.terminate()


def _free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def start(name: str, cache: Path, **settings: str) -> None:
    """Measure one start, with a cache that is empty."""
    before = _children()
    with tempfile.TemporaryDirectory() as place:
        settings["DRAGOMAN_CACHE"] = str(cache)
        with workbench(Path(place) / "projects", **settings) as (process, address, began):
            page, usable = _wait(address, "/", began), _wait(address, "/ready", began, usable=True)
            first_suggestion(address)
            first, first_work = time.monotonic() - began, _processor(process.pid)
            ready = _wait(address, "/ready", began)
            memory = _memory(process.pid)
    compiled = len(list(cache.rglob("*.nbc")))
    work = _children() - before
    cores = len(os.sched_getaffinity(0))
    print(f"{name}: page {page:.1f} s, usable {usable:.1f} s, first suggestion {first:.1f} s, ready {ready:.1f} s")
    print(f"  processor time: {first_work:.1f} s until the first suggestion, {work:.1f} s in all;", end=" ")
    print(f"on each of {cores} cores {first_work / cores:.1f} s and {work / cores:.1f} s")
    print(f"  {compiled} forms compiled; the server has had {memory} MB at most")


def _wait(address: str, path: str, began: float, *, usable: bool = False) -> float:
    """Seconds after the start at which the server answers this with 200, or says that it is usable."""
    while True:
        try:
            answer = httpx.get(address + path, trust_env=False)
            if answer.status_code == 200 or (usable and answer.json().get("usable")):
                return time.monotonic() - began
        except httpx.TransportError:
            pass
        time.sleep(0.05)


def first_suggestion(address: str) -> str:
    """Open the first segment that has no translation, as the page does, and wait for its completion."""
    with httpx.Client(base_url=f"{address}/api/v1", trust_env=False, timeout=300) as client:
        client.get(f"/projects/{SAMPLE}").raise_for_status()
        client.get(f"/projects/{SAMPLE}/documents/1").raise_for_status()
    live = f"{address.replace('http', 'ws')}/api/v1/projects/{SAMPLE}/live"
    with connect(live, proxy=None) as socket:
        socket.send(json.dumps({"number": 1, "do": "open", "document": 1, "segment": KNOWN + 1, "words": True}))
        answer = json.loads(socket.recv(timeout=300))
    suffix: str = answer["suffix"]
    return suffix


def _children() -> float:
    """Seconds of processor time of all processes that were started here and have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _processor(process: int) -> float:
    """Seconds of processor time that a process and those that it has started have used so far."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = [
            int(each) for path in Path(f"/proc/{process}/task").glob("*/children") for each in path.read_text().split()
        ]
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(_processor, children))
    return 0.0


def _memory(process: int) -> int:
    """Megabytes of memory that a process has had at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM:"))


def compare(native: Path, shipped: Path) -> None:
    """Let native and shipped kernels do the same work in turn, and print how they compare."""
    kinds = {
        "native": {"DRAGOMAN_CACHE": str(native), "DRAGOMAN_KERNELS": "native"},
        "shipped": {"DRAGOMAN_CACHE": str(native.parent / "empty"), "DRAGOMAN_KERNELS": str(shipped)},
    }
    results: dict[str, list[dict[str, dict[str, float]]]] = {kind: [] for kind in kinds}
    for _ in range(ROUNDS):
        for kind, settings in kinds.items():
            command = [sys.executable, "-c", WORK]
            done = subprocess.run(command, env=os.environ | settings, check=True, capture_output=True, text=True)
            results[kind].append(json.loads(done.stdout))
    digests = {str(each["digest"]) for kind in kinds for each in results[kind]}
    compiled = sum(int(str(each["compiled"])) for each in results["shipped"])
    same = "are the same to the last bit" if len(digests) == 1 else "DIFFER"
    print(f"translations, scores, features and completions {same}; {compiled} kernels compiled beside the shipped ones")
    for what in ("learning", "translating", "keys"):
        one, other = (
            statistics.median(each["seconds"][what] for each in results[kind]) for kind in ("native", "shipped")
        )
        print(f"{what:12} native {one:6.2f} s   shipped {other:6.2f} s   shipped / native {other / one:.2f}")


def main() -> None:
    """Measure starts, then compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=Path, help="directory that tools/build-kernels has made; default: make one")
    parser.add_argument("--native", type=Path, help="a complete kernel cache to compare with; default: of this start")
    parser.add_argument("--only", choices=["native", "shipped", "compare"], help="only one of the three parts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        shipped = options.kernels or Path(place) / "shipped"
        if not options.kernels and options.only != "native":
            subprocess.run([sys.executable, BUILD, shipped], check=True)
        if options.only in (None, "native"):
            start("native", Path(place) / "native", DRAGOMAN_KERNELS="native")
        if options.only in (None, "shipped"):
            start("shipped", Path(place) / "unused", DRAGOMAN_KERNELS=str(shipped))
        if options.only in (None, "compare"):
            compare(options.native or Path(place) / "native", shipped)


if __name__ == "__main__":
    main()
