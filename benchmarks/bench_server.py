"""The server under load: many translators type at once; then as many translations and corrections as it can take.

python benchmarks/bench_server.py --people 50 --seconds 30
python benchmarks/bench_server.py --people 50 --learning 10 --uploading 1 --no-rates

Each translator opens a segment, presses a key every 150 ms until the completion is right, and sends it as a correction.
All clients are in one process of their own, beside the server's, on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from dragoman import sample
from dragoman.engine import Engine
from dragoman.server.keys import Keys

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
MANUAL = "/api/v1/projects/manual"
KEY = 0.150  # seconds between two keys
WORDS = 40  # of the longest segments that are typed
Pairs = list[tuple[str, str]]
Send = Callable[[httpx.AsyncClient, int], Awaitable[int]]


def corpus(directory: Path, part: str, count: int | None) -> Pairs:
    """The first pairs of a part of a corpus."""
    with gzip.open(directory / f"{part}.en.gz", "rt") as one, gzip.open(directory / f"{part}.es.gz", "rt") as other:
        pairs = ((source.strip(), target.strip()) for source, target in zip(one, other, strict=True))
        usable = ((s, t) for s, t in pairs if s and t and s != t and len(s.split()) <= WORDS)
        return list(islice(usable, count))


def material(name: str, count: int) -> tuple[Pairs, Pairs]:
    """What the base is trained on, and what is typed."""
    if (CORPORA / name).is_dir():
        return corpus(CORPORA / name, "train", count), corpus(CORPORA / name, "test", None)
    print(f"{CORPORA / name} is not there: the sample is used instead")
    pairs = sample.pairs()
    return pairs[:500], pairs[500:]


@contextlib.contextmanager
def serving(project: Path, *more: str) -> Iterator[tuple[int, int]]:
    """A server in a process of its own; its port, and the process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", "dragoman", "serve", str(project), "--port", str(port), *more]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
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


@dataclass
class Seen:
    """What the clients saw: milliseconds until an answer, and what was not as it should be."""

    keys: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    corrected: list[float] = field(default_factory=list)
    learned: list[int] = field(default_factory=list)
    taught: list[float] = field(default_factory=list)  # of those who only learn
    uploads: int = 0
    late: list[float] = field(default_factory=list)  # milliseconds that the clients' own timers were late
    stale: int = 0
    errors: list[str] = field(default_factory=list)


class Translator:
    """Somebody who types, over one WebSocket."""

    def __init__(self, socket: ClientConnection, client: httpx.AsyncClient, seen: Seen) -> None:
        self.socket, self.client, self.seen = socket, client, seen
        self.number = 0
        self.waiting: dict[int, tuple[float, asyncio.Future[dict[str, Any]]]] = {}

    async def listen(self) -> None:
        """Hand answers to those who wait for them."""
        async for message in self.socket:
            answer = json.loads(message)
            _, waiting = self.waiting[answer["number"]]
            waiting.set_result(answer | {"at": time.perf_counter()})

    async def ask(self, times: list[float], **asked: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self.number += 1
        number, begin = self.number, time.perf_counter()
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.waiting[number] = begin, waiting
        await self.socket.send(json.dumps({"number": number} | asked))
        answer = await waiting
        del self.waiting[number]
        if answer.get("stale"):
            self.seen.stale += 1
        else:
            times.append(1e3 * (answer["at"] - begin))
        if "error" in answer:
            self.seen.errors.append(str(answer["error"]))
        return answer

    async def work(self, segments: Iterator[tuple[str, str]], until: float) -> None:
        """Translate segment after segment; a key does not wait for the completion of the one before."""
        for source, target in segments:
            if time.perf_counter() > until:
                return
            answer = await self.ask(self.seen.opened, do="open", source=source)
            latest = answer.get("suffix")
            pending: set[asyncio.Task[None]] = set()
            for typed in range(1, len(target) + 1):
                if latest == target[typed - 1 :] or time.perf_counter() > until:
                    break
                await asyncio.sleep(KEY)

                async def press(prefix: str) -> None:
                    nonlocal latest
                    answer = await self.ask(self.seen.keys, do="prefix", prefix=prefix)
                    latest = answer.get("suffix", latest)

                task = asyncio.create_task(press(target[:typed]))
                pending.add(task)
                task.add_done_callback(pending.discard)
            await asyncio.gather(*pending)
            await self.correct(source, target)

    async def correct(self, source: str, target: str) -> None:
        """Send a finished translation, to be learned."""
        begin = time.perf_counter()
        answer = await self.client.post("corrections", json={"source": source, "target": target, "force": True})
        if answer.status_code == 201:
            self.seen.corrected.append(1e3 * (time.perf_counter() - begin))
            self.seen.learned.append(answer.json()["id"])
        else:
            self.seen.errors.append(answer.text)


@dataclass(frozen=True)
class Others:
    """Who else uses the server while people type, each with a client of their own."""

    learning: int = 0  # who send corrections
    pause: float = 1.0  # seconds between two of them, of each
    uploading: int = 0  # who send files of three megabytes, one when the last was read

    async def learn(self, port: int, who: int, key: str, until: float, pairs: Pairs, seen: Seen) -> None:
        """Send corrections, one after the other."""
        async with _client(port, key) as client:
            for source, target in pairs[who :: self.learning] * 1000:
                if time.perf_counter() > until:
                    return
                sent, begin = {"source": source, "target": f"{target} {who}", "force": True}, time.perf_counter()
                answer = await client.post("corrections", json=sent)
                if answer.status_code == 201:
                    seen.taught.append(1e3 * (time.perf_counter() - begin))
                else:
                    seen.errors.append(answer.text)
                await asyncio.sleep(max(0.0, self.pause - (time.perf_counter() - begin)))

    async def upload(self, port: int, key: str, until: float, seen: Seen) -> None:
        """Send files; those that are not accepted yet are sent again."""
        data = "".join(f"{source} {n}\n" for n in range(70) for source, _ in sample.pairs()).encode()[: 3 << 20]
        async with _client(port, key) as client:
            while time.perf_counter() < until:
                answer = await client.post("imports", params={"name": "page.txt"}, content=data)
                job = answer.json()
                while answer.status_code == 202 and job["state"] in ("waiting", "running"):
                    await asyncio.sleep(0.2)
                    job = (await client.get(f"jobs/{job['id']}")).json()
                seen.uploads += job.get("state") == "done"


def _client(port: int, key: str) -> httpx.AsyncClient:
    """Somebody's client; a connection for each request, since the server closes idle ones as the next one is sent."""
    address, headers = f"http://127.0.0.1:{port}{MANUAL}/", {"X-API-Key": key}
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.AsyncClient(base_url=address, trust_env=False, timeout=60, headers=headers, limits=limits)


async def type_together(
    port: int, keys: list[str], seconds: float, pairs: Pairs, others: Others, typing_port: int | None = None
) -> Seen:
    """All translators at once, each on segments of their own; completions may come from another server."""
    seen, begin = Seen(), time.perf_counter()
    people = len(keys) - others.learning - others.uploading - 1
    async with contextlib.AsyncExitStack() as stack:
        live = f"ws://127.0.0.1:{typing_port or port}{MANUAL}/live"
        working = []
        for person in range(people):
            client = await stack.enter_async_context(_client(port, keys[person]))
            header = {"X-API-Key": keys[person]}
            socket = await stack.enter_async_context(connect(live, proxy=None, additional_headers=header))
            translator = Translator(socket, client, seen)
            listening = asyncio.create_task(translator.listen())
            stack.callback(listening.cancel)

            async def begin_later(translator: Translator = translator, person: int = person) -> None:
                await asyncio.sleep(person / people)  # people do not press their keys at the same moment
                await translator.work(iter(pairs[person::people]), begin + seconds)

            working.append(begin_later())
        until = begin + seconds
        more = iter(keys[people:])
        working += [others.learn(port, who, next(more), until, pairs, seen) for who in range(others.learning)]
        working += [others.upload(port, next(more), until, seen) for _ in range(others.uploading)]
        watching = asyncio.create_task(_watch_timers(seen))
        await asyncio.gather(*working)
        watching.cancel()
    return seen


async def _watch_timers(seen: Seen) -> None:
    """How late the clients' process gets its turn: what a busy machine adds to every time that is measured here."""
    while True:
        begin = time.perf_counter()
        await asyncio.sleep(0.02)
        seen.late.append(1e3 * (time.perf_counter() - begin - 0.02))


async def sustained(port: int, key: str, seconds: float, clients: int, send: Send) -> float:
    """How many requests a second are answered as wanted, if clients ask as fast as they can."""
    done, until = 0, time.perf_counter() + seconds
    async with _client(port, key) as client:

        async def ask(who: int) -> None:
            nonlocal done
            n = who
            while time.perf_counter() < until:
                answered = await send(client, n)  # on a line of its own: `done` may change meanwhile
                done += answered
                n += clients

        await asyncio.gather(*(ask(who) for who in range(clients)))
    return done / seconds


def quantiles(times: list[float]) -> str:
    """Median and tails of some milliseconds."""
    ordered = sorted(times)
    at = {name: ordered[min(int(share * len(ordered)), len(ordered) - 1)] for name, share in SHARES.items()}
    return ", ".join(f"{name} {value:.1f} ms" for name, value in at.items()) + f" ({len(ordered):,} times)"


SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "worst": 1.0}


def report(seen: Seen, project: Path) -> None:
    """What the clients saw, and whether all corrections are in the journal."""
    print(f"key → completion    {quantiles(seen.keys)}")
    print(f"opening a segment   {quantiles(seen.opened)}")
    print(f"learning, on disk   {quantiles(seen.corrected)}")
    if seen.taught:
        print(f"by those who learn  {quantiles(seen.taught)}")
    print(f"a client's timer    {quantiles(seen.late)} late")
    print(f"files uploaded      {seen.uploads}")
    with Engine.open(project, write=False) as engine:
        kept = {row.id for row in engine.history(10**9)}
    print(f"errors {len(seen.errors)}, skipped as stale {seen.stale}, learned {len(seen.learned)}, ", end="")
    print(f"of which in the journal {len(kept & set(seen.learned))}")


def main() -> None:
    """Make a project, serve it, and load it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--corpus", default="pydocs-en-es")
    parser.add_argument("--pairs", type=int, default=5000, help="so many pairs of it are the base")
    parser.add_argument("--learning", type=int, default=0, help="so many others send corrections meanwhile")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two corrections of each of them")
    parser.add_argument("--uploading", type=int, default=0, help="so many others send files of 3 MB meanwhile")
    parser.add_argument("--replica", action="store_true", help="completions come from a second process, a replica")
    parser.add_argument("--no-rates", action="store_true", help="only measure people who type")
    options = parser.parse_args()
    trained, typed = material(options.corpus, options.pairs)
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory) / "manual"
        with Engine.create(project, source="en", target="es") as engine:
            engine.train(trained)
        keys = Path(directory) / "keys.json"
        number = options.people + options.learning + options.uploading + 1
        people = [Keys(keys).add(f"person {n}", {"*": "learn"}) for n in range(number)]
        with serving(project, "--keys", str(keys)) as (port, process):
            print(f"base of {len(trained):,} pairs, {options.people} people, a key every {1e3 * KEY:.0f} ms each")
            others = Others(options.learning, options.pause, options.uploading)
            replica = serving(project, "--keys", str(keys), "--replica")
            with replica if options.replica else contextlib.nullcontext((port, process)) as second:
                spent, begin = processor_time(process), time.perf_counter()
                work = type_together(port, people, options.seconds, typed, others, second[0])
                seen = asyncio.run(work)
                spent, elapsed = processor_time(process) - spent, time.perf_counter() - begin
                if options.replica:
                    print(f"the replica took {processor_time(second[1]):.1f} s of processor time, its start included")
            report(seen, project)
            print(f"the server took {spent:.1f} s of processor time in {elapsed:.1f} s")
            print(f"load average {os.getloadavg()[0]:.1f}")
            if options.no_rates:
                return
            asyncio.run(rates(port, people[-1], process, typed))


def processor_time(process: int) -> float:
    """Seconds of processor time that a process has taken so far, where the system tells (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def rates(port: int, key: str, process: int, pairs: Pairs) -> None:
    """As many translations, and as many corrections, as the server can take from eight clients."""

    async def translate(client: httpx.AsyncClient, n: int) -> int:
        answer = await client.post("translations", json={"texts": [pairs[n % len(pairs)][0]]})
        return int(answer.status_code == 200)

    async def learn(client: httpx.AsyncClient, n: int) -> int:
        source, target = pairs[n % len(pairs)]
        answer = await client.post("corrections", json={"source": source, "target": target, "force": True})
        return int(answer.status_code == 201)

    for name, send in {"translations": translate, "corrections, each on disk": learn}.items():
        spent = processor_time(process)
        rate = await sustained(port, key, 10, 8, send)
        cost = (processor_time(process) - spent) / max(rate * 10, 1)
        print(f"{name}: {rate:.0f} a second, {1e3 * cost:.1f} ms of processor time each")


if __name__ == "__main__":
    main()
