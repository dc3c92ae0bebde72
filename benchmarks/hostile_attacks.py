"""The attacks on a server of `bench_hostile.py --section server`, each of which goes on until it is cancelled.

Somebody with a key of role translate and a project of their own does their worst. They also come without any key, run
the engine that one project builds on, and have a project whose database does not answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import os
import random
import zipfile
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from dragoman import sample

PROSE = " ".join(source for source, _ in sample.pairs())
MANUAL = "/api/v1/projects/manual"
GIVING_WAY = 10  # niceness of the attackers' process, which would be on another machine
HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


class Target(NamedTuple):
    """What is attacked, and what the attacker has."""

    port: int  # of the server
    key: str  # of role translate, in the project that somebody else works in
    own: str  # of role learn, in projects of the attacker's
    engine: int  # port of the attacker's engine


class Attacker:
    """Attacks on a server, each of which goes on until it is cancelled."""

    def __init__(self, target: Target) -> None:
        self.port, self.key, self.own, self._engine = target
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
                        live = await opened.enter_async_context(dial(self.port, self.key))
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

    async def refused_uploads(self) -> None:
        """Files of 30 MB that arrive whole, in a project with as many jobs as there may be."""
        data = b"x" * (30 << 20)
        async with httpx.AsyncClient(trust_env=False, timeout=60, headers={"X-API-Key": self.own}) as client:
            while True:
                with contextlib.suppress(httpx.TransportError):
                    path = "/api/v1/projects/own/imports?name=page.xyz"
                    await client.post(f"http://127.0.0.1:{self.port}{path}", content=data)
                await asyncio.sleep(0.2)

    async def engine_answers(self) -> None:
        """An engine whose answers would be 2 GB once they are unpacked twice, or have no end."""
        bomb = gzip.compress(gzip.compress(bytes(1 << 28)) * 8)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                if len(head) % 2:
                    writer.write(b"Content-Encoding: gzip, gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb)
                else:
                    writer.write(b"\r\n[")
                    while not writer.is_closing():
                        writer.write(b"0," * 50_000)
                        await writer.drain()
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", self._engine):
            while True:
                text = "x" * self.chance.randrange(1, 50) + f" {self.chance.random()}"
                await self._post("over/translations", {"texts": [text]})

    async def hanging_database(self) -> None:
        """Whatever needs a database that does not answer, six times at once."""

        async def ask() -> None:
            while True:
                await self._post("hanging/corrections", {"source": "Lift the lid.", "target": "Levante la tapa."})
                await self._post("hanging/translations", {"texts": [PROSE[:200]]})

        await asyncio.gather(*(ask() for _ in range(6)))

    async def wrong_methods(self) -> None:
        """Methods and paths that there are not, without a key, 200 times a second."""
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            while True:
                for method, path in (("PUT", "/health"), ("DELETE", f"{MANUAL}/translations"), ("GET", "/v2/nothing")):
                    with contextlib.suppress(httpx.TransportError):
                        await client.request(method, f"http://127.0.0.1:{self.port}{path}")
                    await asyncio.sleep(0.005)

    async def _post(self, path: str, body: dict[str, Any]) -> None:
        headers = {"X-API-Key": self.own}
        async with httpx.AsyncClient(trust_env=False, timeout=60, headers=headers) as client:
            with contextlib.suppress(httpx.TransportError):
                await client.post(f"http://127.0.0.1:{self.port}/api/v1/projects/{path}", json=body)
        await asyncio.sleep(0.05)

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
    "refused uploads": Attacker.refused_uploads,
    "engine answers": Attacker.engine_answers,
    "hanging database": Attacker.hanging_database,
    "wrong methods": Attacker.wrong_methods,
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


def dial(port: int, key: str) -> connect:
    return connect(f"ws://127.0.0.1:{port}{MANUAL}/live", additional_headers={"X-API-Key": key}, proxy=None)


def attack(target: Target, names: list[str]) -> None:
    """Carry out attacks until this process is ended."""

    async def all_of_them() -> None:
        attacker = Attacker(target)
        await asyncio.gather(*(ATTACKS[name](attacker) for name in names))

    os.nice(GIVING_WAY)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(all_of_them())
