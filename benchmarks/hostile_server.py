"""A server under attack: somebody with a key of role translate does their worst while somebody else types.

Run by `python benchmarks/bench_hostile.py --section server`. Server, attackers and the person who types are three
processes on one machine. Printed are the largest memory of the server, and how long completions took at the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
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

KEY = 0.150  # seconds between two keys
TERMS = 50_000
PROSE = " ".join(source for source, _ in sample.pairs())
MANUAL = "/api/v1/projects/manual"
HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


class Attacker:
    """Attacks on a server, each of which goes on until it is cancelled."""

    def __init__(self, port: int, key: str) -> None:
        self.port, self.key = port, key
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
}


def long_texts() -> list[str]:
    """Texts of 19,800 characters, in few words."""
    chance = random.Random(2)
    return [" ".join("".join(chance.choices("abcdefgh", k=48)) for _ in range(404)) for _ in range(100)]


def _dial(port: int, key: str) -> connect:
    return connect(f"ws://127.0.0.1:{port}{MANUAL}/live", additional_headers={"X-API-Key": key}, proxy=None)


def attack(port: int, key: str, names: list[str]) -> None:
    """Carry out attacks until this process is ended."""

    async def all_of_them() -> None:
        attacker = Attacker(port, key)
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


@contextlib.contextmanager
def serving(folder: Path, keys: Path) -> Iterator[tuple[int, int]]:
    """A server in a process of its own; its port, and the process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", "dragoman", "serve", str(folder), "--port", str(port), "--keys", str(keys)]
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
        hostile = Keys(keys).add("eve", {"manual": "translate"})
        key = Keys(keys).add("ana", {"manual": "learn"})
        with serving(folder, keys) as (port, server):
            print(f"idle: {_status(server, 'VmRSS')} MB; load average {os.getloadavg()[0]:.1f}")
            _report("nobody attacks", asyncio.run(_type(port, key, seconds / 2)))
            attacking = multiprocessing.get_context("spawn").Process(target=attack, args=(port, hostile, names))
            attacking.start()
            time.sleep(3)
            try:
                _report(", ".join(names), asyncio.run(_type(port, key, seconds)))
            finally:
                attacking.kill()
                attacking.join()
            print(f"largest memory of the server: {_status(server, 'VmHWM')} MB; load average {os.getloadavg()[0]:.1f}")
            time.sleep(5)
            print(f"five seconds later: {_status(server, 'VmRSS')} MB")


def _report(name: str, times: tuple[list[float], list[float]]) -> None:
    for kind, values in zip(("openings", "completions"), times, strict=True):
        cuts = quantiles(values, n=100)
        print(f"{name}: {kind} p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms, {len(values)} of them", flush=True)


def _status(process: int, field: str) -> int:
    """A number of megabytes from the status of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith(field))
