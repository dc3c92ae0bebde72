"""A server under attack: somebody with a key of role translate does their worst while somebody else types.

The same person has a key of role learn in a project of their own, and also comes without any key.

Run by `python benchmarks/bench_hostile.py --section server`. Server, attackers and the person who types are three
processes on one machine. Printed are the largest memory of the server, and how long completions took at the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import multiprocessing
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from dragoman import sample
from dragoman.engine import Engine
from dragoman.server.keys import Keys

ADDRESS_SPACE = 8 << 30  # bytes: mapped files and the stacks of threads count, too
KEY = 0.150  # seconds between two keys
TERMS = 50_000
PROSE = " ".join(source for source, _ in sample.pairs())
MANUAL = "/api/v1/projects/manual"
HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


class Attacker:
    """Attacks on a server, each of which goes on until it is cancelled."""

    def __init__(self, port: int, key: str, own: str) -> None:
        self.port, self.key, self.own = port, key, own
        self.chance = random.Random(1)

    def marks(self, count: int) -> str:
        """Random punctuation marks, each of which is a token."""
        return "".join(self.chance.choices(".,;:!?()[]{}<>", k=count))

    async def sessions(self) -> None:
        """Point 1: live sessions that take as much memory as they can, 20 at a time."""
        while True:
            with contextlib.suppress(OSError, WebSocketException):
                async with contextlib.AsyncExitStack() as opened:
                    for n in range(20):
                        live = await opened.enter_async_context(_dial(self.port, self.key))
                        text = self.marks(8000) if n % 2 else PROSE[:20_000]
                        for request in (
                            {"do": "open", "source": text},
                            {"do": "prefix", "prefix": self.marks(50)},
                            {"do": "prefix", "prefix": self.marks(120)},
                        ):
                            await live.send(json.dumps({"number": n, **request}))
                            await asyncio.wait_for(live.recv(), 30)
            await asyncio.sleep(0.1)

    async def slow_heads(self) -> None:
        """Point 3: one whole request, then half a head, on 2,010 connections."""
        held: list[asyncio.StreamWriter] = []
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                await asyncio.wait_for(reader.read(1000), 5)
                writer.write(HALF)
                held.append(writer)
            for old in held[:-2010]:
                old.close()
            held = held[-2010:]
            await asyncio.sleep(0.005)

    async def unread(self) -> None:
        """Point 3: answers that nobody reads."""
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1024)
                for _ in range(200):
                    writer.write(f"GET {MANUAL}/glossary HTTP/1.1\r\nHost: x\r\nX-API-Key: {self.key}\r\n\r\n".encode())
                await asyncio.sleep(5)
                writer.close()
            await asyncio.sleep(0.1)

    async def abandoned(self) -> None:
        """Point 4: six long requests at a time, whose sockets are closed at once."""
        bodies = [
            {"texts": [PROSE[:20_000]], "n": 100},
            {"texts": [PROSE[:20_000]], "n": 10, "confidence": True, "provenance": True},
            {"texts": [PROSE[:2_000]] * 20, "n": 40, "confidence": True},
        ]
        while True:
            for body in bodies * 2:
                with contextlib.suppress(OSError):
                    await self._leave(f"{MANUAL}/translations", body)
            await asyncio.sleep(0.5)

    async def expensive(self) -> None:
        """Point 4: long requests that are waited for."""
        await self._ask({"texts": [PROSE[:20_000]], "n": 10, "confidence": True, "provenance": True})

    async def similar(self) -> None:
        """Point 5: a text like many long corrections."""
        await self._ask({"texts": [long_texts()[0]] * 4})

    async def terms(self) -> None:
        """Point 6: a text of the word with which all terms begin."""
        await self._ask({"texts": ["the " * 4_000]})

    async def unfinished_uploads(self) -> None:
        """Uploads of 60 MB of which the last byte never comes, 60 at a time, by keys that may and may not."""
        while True:
            held = []
            for n in range(60):
                key, project = (self.own, "own") if n % 2 else (self.key, "manual")
                path = f"/api/v1/projects/{project}/imports?name=page.txt"
                with contextlib.suppress(OSError):
                    held.append(await self._begin(path, key, 60 << 20, 4 << 20))
            await asyncio.sleep(5)
            for writer in held:
                writer.close()

    async def anonymous_bodies(self) -> None:
        """Bodies of a megabyte without any key, of which the last byte never comes, 300 at a time."""
        while True:
            held = []
            for n in range(300):
                path = "/libretranslate/translate" if n % 2 else f"{MANUAL}/translations"
                with contextlib.suppress(OSError):
                    held.append(await self._begin(path, None, 1 << 20, 1 << 19))
            await asyncio.sleep(5)
            for writer in held:
                writer.close()

    async def anonymous_json(self) -> None:
        """Deep JSON without any key, 15 times a second."""
        body = b'{"q": ' + b"[" * 60_000 + b"]" * 60_000 + b"}"
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            while True:
                with contextlib.suppress(httpx.TransportError):
                    await client.post(f"http://127.0.0.1:{self.port}/libretranslate/translate", content=body)
                await asyncio.sleep(1 / 15)

    async def jobs(self) -> None:
        """Files of 3 MB, as many as are taken."""
        data = "".join(f"{source} {n}\n" for n in range(70) for source, _ in sample.pairs()).encode()[: 3 << 20]
        path = "/api/v1/projects/own/imports?name=page.txt"
        async with httpx.AsyncClient(trust_env=False, timeout=60, headers={"X-API-Key": self.own}) as client:
            while True:
                with contextlib.suppress(httpx.TransportError):
                    await client.post(f"http://127.0.0.1:{self.port}{path}", content=data)
                await asyncio.sleep(0.2)

    async def bombs(self) -> None:
        """Word files of 1.3 MB that would become 300,000 segments, and text of a byte a line, as many as are taken."""
        files = {"bomb.docx": document(300_000), "lines.txt": b"a\n" * 1_500_000}
        async with httpx.AsyncClient(trust_env=False, timeout=60, headers={"X-API-Key": self.own}) as client:
            while True:
                for name, data in files.items():
                    path = f"/api/v1/projects/own/imports?name={name}"
                    with contextlib.suppress(httpx.TransportError):
                        await client.post(f"http://127.0.0.1:{self.port}{path}", content=data)
                await asyncio.sleep(0.2)

    async def names(self) -> None:
        """Memories with names of a megabyte, which nothing is ever put into."""
        async with httpx.AsyncClient(trust_env=False, timeout=60, headers={"MMT-ApiKey": self.own}) as client:
            while True:
                name = "".join(self.chance.choices("abcdefgh", k=900_000))
                with contextlib.suppress(httpx.TransportError):
                    await client.post(f"http://127.0.0.1:{self.port}/modernmt/memories", json={"name": name})
                    await client.post(f"http://127.0.0.1:{self.port}/modernmt/memories", json={"name": name[:100]})
                await asyncio.sleep(0.1)

    async def _begin(self, path: str, key: str | None, size: int, sent: int) -> asyncio.StreamWriter:
        """A request that is announced, and begun."""
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        known = f"X-API-Key: {key}\r\n" if key else ""
        writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\n{known}Content-Length: {size}\r\n\r\n".encode())
        with contextlib.suppress(OSError, TimeoutError):
            writer.write(b"x" * sent)
            await asyncio.wait_for(writer.drain(), 2)
        return writer

    async def _ask(self, body: dict[str, Any]) -> None:
        headers = {"X-API-Key": self.key}
        async with httpx.AsyncClient(trust_env=False, timeout=60, headers=headers) as client:
            while True:
                with contextlib.suppress(httpx.TransportError):
                    await client.post(f"http://127.0.0.1:{self.port}{MANUAL}/translations", json=body)
                await asyncio.sleep(0.05)

    async def _leave(self, path: str, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {self.key}\r\nContent-Type: application/json\r\n"
        writer.write(head.encode() + f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.close()


ATTACKS: dict[str, Callable[[Attacker], Awaitable[None]]] = {
    "sessions": Attacker.sessions,
    "slow heads": Attacker.slow_heads,
    "unread answers": Attacker.unread,
    "abandoned requests": Attacker.abandoned,
    "expensive requests": Attacker.expensive,
    "similar texts": Attacker.similar,
    "glossary": Attacker.terms,
    "unfinished uploads": Attacker.unfinished_uploads,
    "anonymous bodies": Attacker.anonymous_bodies,
    "anonymous JSON": Attacker.anonymous_json,
    "jobs": Attacker.jobs,
    "bombs": Attacker.bombs,
    "names": Attacker.names,
}


def long_texts() -> list[str]:
    """Texts of 19,800 characters, in few words."""
    chance = random.Random(2)
    return [" ".join("".join(chance.choices("abcdefgh", k=48)) for _ in range(404)) for _ in range(100)]


def document(paragraphs: int) -> bytes:
    """A Word file with so many short paragraphs."""
    body = "".join(f"<w:p><w:r><w:t>ab {n}</w:t></w:r></w:p>" for n in range(paragraphs))
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = f'<Types><Override PartName="/word/document.xml" ContentType="{kind}"/></Types>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("word/document.xml", f"<w:document {space}><w:body>{body}</w:body></w:document>")
    return packed.getvalue()


def _dial(port: int, key: str) -> connect:
    return connect(f"ws://127.0.0.1:{port}{MANUAL}/live", additional_headers={"X-API-Key": key}, proxy=None)


def attack(port: int, key: str, own: str, names: list[str]) -> None:
    """Carry out attacks until this process is ended."""

    async def all_of_them() -> None:
        attacker = Attacker(port, key, own)
        await asyncio.gather(*(ATTACKS[name](attacker) for name in names))

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(all_of_them())


async def _type(port: int, key: str, seconds: float) -> tuple[list[float], list[float]]:
    """Milliseconds of openings and of completions, for a person who types for some seconds."""
    openings: list[float] = []
    completions: list[float] = []
    end, pairs = time.monotonic() + seconds, iter(sample.pairs()[500:] * 50)
    async with _dial(port, key) as live:
        while time.monotonic() < end:
            source, target = next(pairs)
            openings.append(await _request(live, {"number": 0, "do": "open", "source": source}))
            for n in range(1, min(len(target), 12)):
                await asyncio.sleep(KEY)
                completions.append(await _request(live, {"number": n, "do": "prefix", "prefix": target[:n]}))
    return openings, completions


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


@contextlib.contextmanager
def serving(folder: Path, keys: Path) -> Iterator[tuple[int, int]]:
    """A server in a process of its own; its port, and the process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", "dragoman", "serve", str(folder), "--port", str(port), "--keys", str(keys)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, preexec_fn=_limit) as process:
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


def run(seconds: float, only: str = "") -> None:
    """Attack a server for some seconds, and print what it took and how the other person fared."""
    names = [name for name in ATTACKS if only in name]
    with tempfile.TemporaryDirectory() as place:
        folder, keys = Path(place) / "projects", Path(place) / "keys.json"
        make_project(folder)
        Engine.create(folder / "own", source="en", target="es").close()
        hostile = Keys(keys).add("eve", {"manual": "translate"})
        own = Keys(keys).add("eve at home", {"own": "learn"})
        key = Keys(keys).add("ana", {"manual": "learn"})
        with serving(folder, keys) as (port, server):
            print(f"idle: {_status(server, 'VmRSS')} MB; load average {os.getloadavg()[0]:.1f}")
            _report("nobody attacks", asyncio.run(_type(port, key, seconds / 2)))
            attacking = multiprocessing.get_context("spawn").Process(target=attack, args=(port, hostile, own, names))
            spent = _processor_time(server)
            attacking.start()
            time.sleep(3)
            try:
                with watching(server) as most:
                    _report(", ".join(names), asyncio.run(_type(port, key, seconds)))
            finally:
                attacking.kill()
                attacking.join()
            print(f"memory of the processes that read files, all together: {most[0]} MB at most")
            print(f"the server took {_processor_time(server) - spent:.0f} s of processor time")
            print(f"largest memory of the server: {_status(server, 'VmHWM')} MB; load average {os.getloadavg()[0]:.1f}")
            time.sleep(5)
            print(f"five seconds later: {_status(server, 'VmRSS')} MB")


@contextlib.contextmanager
def watching(server: int) -> Iterator[list[int]]:
    """The largest memory that the children of a process have had together, in megabytes, looked at all the time."""
    most, stop = [0], threading.Event()

    def watch() -> None:
        children = Path(f"/proc/{server}/task/{server}/children")
        while not stop.wait(0.05):
            found = 0
            for child in children.read_text().split():
                with contextlib.suppress(OSError, StopIteration):
                    found += _status(int(child), "VmRSS")
            most[0] = max(most[0], found)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        stop.set()
        thread.join()


def _processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _report(name: str, times: tuple[list[float], list[float]]) -> None:
    for kind, values in zip(("openings", "completions"), times, strict=True):
        cuts = quantiles(values, n=100)
        print(f"{name}: {kind} p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms, {len(values)} of them", flush=True)


def _status(process: int, field: str) -> int:
    """A number of megabytes from the status of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith(field))
