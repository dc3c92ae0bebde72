"""Large documents on the server: how long it takes until somebody can work, and what a working day asks for.

python benchmarks/bench_documents.py --segments 100000

One client over HTTP, on an idle server; the median of several requests. A tenth of the segments has a translation, and
each source occurs two or three times.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from dragoman import sample
from dragoman.engine import Engine
from dragoman.server.config import Settings
from dragoman.server.process import configure, in_background

ROUNDS = 5


def make(folder: Path, count: int) -> bytes:
    """A project that has learned a little, and a file of so many segments."""
    pairs = list(sample.pairs())
    with Engine.create(folder / "manual", source="en", target="es") as engine:
        engine.train(pairs)
    lines = []
    for n in range(count):
        source, target = pairs[n % len(pairs)]
        lines.append(f"{n // 3}. {source}\t{f'{n // 3}. {target}' if n % 10 == 0 else ''}\n")
    return "".join(lines).encode()


def measure(what: str, ask: Callable[[], httpx.Response], rounds: int = ROUNDS) -> None:
    """Print the median time of a request, and the size of its answer."""
    times, size = [], 0
    for _ in range(rounds):
        begun = time.perf_counter()
        answer = ask()
        times.append(time.perf_counter() - begun)
        assert answer.status_code < 300, answer.text
        size = len(answer.content)
    print(f"| {what} | {1000 * statistics.median(times):,.0f} ms | {size / 1000:,.0f} kB |", flush=True)


def finished(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    """A job when it is over."""
    while job["state"] in ("waiting", "running"):
        time.sleep(0.05)
        job = client.get(f"jobs/{job['id']}").json()
    return job


def run(client: httpx.Client, data: bytes, count: int) -> None:
    """Upload the file and work on it."""
    begun = time.perf_counter()
    job = finished(client, client.post("imports", params={"name": "big.tsv"}, content=data).json())
    assert job["state"] == "done", job
    print(f"{count:,} segments, {len(data) / 1e6:.1f} MB: uploaded in {time.perf_counter() - begun:.1f} s\n")
    place = f"documents/{job['document']}"
    print("| | median | answer |\n|---|---|---|")
    measure("the document and its first page", lambda: client.get(f"{place}/segments", params={"limit": 100}))
    measure("states of all segments (`overview`)", lambda: client.get(f"{place}/overview"))
    measure("the page around a segment", lambda: client.get(f"{place}/segments", params={"around": count - 9}))
    measure("a page of new segments", lambda: client.get(f"{place}/segments", params={"state": "new"}))
    search = {"search": "no such text"}
    measure("searching a text that is not there", lambda: client.get(f"{place}/segments", params=search))
    drafts = iter(range(1, 10 * ROUNDS, 10))
    measure("a live check", lambda: client.post(f"{place}/segments/2/check", json={"target": "Pulse aquí."}))
    measure("confirming", lambda: _confirm(client, place, next(drafts)))
    measure("the report before delivery", lambda: client.get(f"{place}/report"), rounds=1)


def _confirm(client: httpx.Client, place: str, number: int) -> httpx.Response:
    target = client.get(f"{place}/segments/{number}").json()["target"]
    return client.put(f"{place}/segments/{number}", json={"target": f"{target}", "state": "confirmed"})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=100_000)
    count = parser.parse_args().segments
    with tempfile.TemporaryDirectory() as folder:
        data = make(Path(folder), count)
        config = configure(Settings(paths=(Path(folder),), port=0))
        with in_background(config) as address:
            base = f"{address}/api/v1/projects/manual/"
            with httpx.Client(base_url=base, timeout=300, trust_env=False) as client:
                run(client, data, count)


if __name__ == "__main__":
    main()
