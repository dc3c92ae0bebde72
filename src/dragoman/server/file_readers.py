"""Uploaded files are read and written in processes of their own (`file_process`), a few at a time, clients in turn.

The server itself holds only what such a process has found: segments, a line each. No file is too small for that: it is
not known how long it takes to read.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import anyio.to_thread

from dragoman.errors import BadInputError
from dragoman.formats.segment_groups import Step
from dragoman.server.api_errors import ApiError
from dragoman.server.job_files import JobFiles
from dragoman.server.limits import Limits
from dragoman.server.workers import FairQueue

PLACES = 2  # processes at a time
NICENESS = 10  # of these processes: whoever types goes first
PATIENCE = 5  # times the processor time that a file may take, for a machine that does other things, too
Languages = tuple[str | None, str | None]
COMMAND = (sys.executable, "-P", "-m", "dragoman.server.file_process")


@dataclass(frozen=True)
class FileFacts:
    """What is known of a file whose segments were written down."""

    format: str
    languages: Languages  # as the file states them
    warnings: list[str]
    segments: int
    memory: int  # bytes that reading it took


class FileReaders:
    """The processes of a server."""

    def __init__(self, limits: Limits, files: JobFiles) -> None:
        self._limits, self._files = limits, files
        self._places = FairQueue(PLACES, max(1, PLACES // 2), limits.waiting, limits.waiting_each)
        self._running: set[asyncio.subprocess.Process] = set()
        self._stopped = False

    async def read(self, file: Path, name: str, languages: Languages, client: str, out: Path) -> FileFacts:
        """Write the segments of a file to another one; refused if it needs more memory than is given to a file."""
        asked = {"do": "read", "segments": self._limits.segments, "out": str(out), "memory": self._limits.reading_bytes}
        answer = await self._ask(client, asked | _about(file, name, languages))
        about = {each: answer[each] for each in ("format", "warnings", "segments", "memory")}
        return FileFacts(languages=(answer["languages"][0], answer["languages"][1]), **about)

    async def write(
        self,
        file: Path,
        name: str,
        languages: Languages,
        client: str,
        targets: Path,
        steps: Sequence[Step],
        out: Path,
    ) -> dict[str, str]:
        """Write a file with the targets that it can hold to another one; those that it cannot, and why.

        `steps` are those in which its segments were merged and split.
        """
        asked: dict[str, Any] = {"do": "write", "targets": str(targets), "steps": steps, "out": str(out)}
        asked |= {"memory": self._limits.reading_bytes}
        left_out: dict[str, str] = (await self._ask(client, asked | _about(file, name, languages)))["left_out"]
        return left_out

    async def examine(
        self, data: bytes, name: str, languages: Languages, client: str, kind: Literal["read", "glossary", "bilingual"]
    ) -> None:
        """Refuse a file that would take too much memory where it is read whole, in this process."""
        async with self._files.scratch() as file:
            await anyio.to_thread.run_sync(file.write_bytes, data)
            asked = {"do": kind, "segments": self._limits.segments, "memory": self._limits.held_bytes}
            await self._ask(client, asked | _about(file, name, languages))

    async def _ask(self, client: str, request: dict[str, Any]) -> dict[str, Any]:
        async with self._places.turn(client), self._started() as process:
            asked = json.dumps(request | {"seconds": int(self._limits.reading_seconds)}).encode()
            try:
                async with asyncio.timeout(PATIENCE * self._limits.reading_seconds):
                    said, _ = await process.communicate(asked)
            except TimeoutError:
                said = b""
        if self._stopped:
            raise ApiError(503, "the server was stopped", "start the job again")
        return self._understood(said, request)

    def _understood(self, said: bytes, request: dict[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError:  # it was ended: too much time, or memory that a library needed
            answer = {"too_large": True}
        if answer.get("too_large"):
            most = f"{request['memory'] >> 20} MB of memory or {self._limits.reading_seconds:.0f} seconds"
            raise BadInputError(f"takes more than {most} to read", where=request["name"], remedy="split it")
        if "what" in answer:
            raise BadInputError(answer["what"], where=answer["where"] or None, remedy=answer["remedy"])
        return answer

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[asyncio.subprocess.Process]:
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*COMMAND, stdin=pipe, stdout=pipe, stderr=nothing)
        self._running.add(process)
        with suppress(OSError):  # from its very start, before it imports anything
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        try:
            yield process
        finally:
            self._running.discard(process)
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def stop(self) -> None:
        """End all processes."""
        self._stopped = True
        for process in self._running:
            with suppress(ProcessLookupError):
                process.kill()


def _about(file: Path, name: str, languages: Languages) -> dict[str, Any]:
    return {"file": str(file), "name": name, "source": languages[0], "target": languages[1]}
