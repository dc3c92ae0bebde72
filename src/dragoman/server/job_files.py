"""Files of jobs, in a temporary directory of the server: uploads until they are read, exports for a while.

Results are removed after some time, and the oldest ones when all together become too large; so exporting again and
again takes neither memory nor, in the end, disk. What one client has here is bounded, too. A server that was killed
leaves its directory behind, with what people have sent: the next one to start removes it.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from uuid import uuid4

import anyio.to_thread

from dragoman.errors import DragomanError
from dragoman.files import storage_errors
from dragoman.server.api_errors import ApiError
from dragoman.store.lock import WriterLock

PREFIX = "dragoman-jobs-"
CLAIM = "claim"  # a file in the directory that its server has locked: the system unlocks it however the server ends


class KeptFile(NamedTuple):
    """A file that counts against its owner."""

    written: float
    size: int
    owner: str
    is_result: bool


class JobFiles:
    """The files; thread-safe. The directory is made with the first file."""

    def __init__(self, most_bytes: int, most_seconds: float, most_each: int = 1 << 62) -> None:
        self._most_bytes, self._most_seconds, self._most_each = most_bytes, most_seconds, most_each
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._claim: WriterLock | None = None
        self._kept: dict[Path, KeptFile] = {}  # the oldest first

    def sweep(self) -> None:
        """Remove what servers left that were killed."""
        for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            with suppress(OSError, DragomanError):
                about = folder.lstat()
                if not stat.S_ISDIR(about.st_mode) or about.st_uid != _user():  # anybody can put anything here
                    continue
                WriterLock(folder / CLAIM).release()
                shutil.rmtree(folder)

    def spool(self, data: bytes, owner: str = "") -> Path:
        """Put something aside until `take` is called."""
        return self._write([data], owner, is_result=False)

    def adopt(self, file: Path, owner: str = "") -> Path:
        """Put a file aside that was written elsewhere."""
        return self._write(file, owner, is_result=False)

    def take(self, file: Path) -> bytes:
        """What was put aside; the file is removed."""
        with storage_errors(file):
            data = file.read_bytes()
        self.discard(file)
        return data

    def keep(self, pieces: Iterable[bytes], owner: str = "") -> Path:
        """Write a result, to be kept for a while."""
        file = self._write(pieces, owner, is_result=True)
        self.expire()
        return file

    def keep_file(self, file: Path, owner: str = "") -> Path:
        """Keep a result that was written elsewhere."""
        kept = self._write(file, owner, is_result=True)
        self.expire()
        return kept

    @asynccontextmanager
    async def scratch(self) -> AsyncIterator[Path]:
        """A name for a file that is gone at the end of the block."""
        file = await anyio.to_thread.run_sync(self.folder) / uuid4().hex
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)

    def expire(self) -> None:
        """Remove results that are too old, and the oldest of those that are too many."""
        with self._lock:
            results = {file: kept for file, kept in self._kept.items() if kept.is_result}
            total, now = sum(kept.size for kept in results.values()), monotonic()
            for file, kept in results.items():
                if now - kept.written < self._most_seconds and total <= self._most_bytes:
                    break
                total -= kept.size
                self._remove(file)

    def discard(self, file: Path) -> None:
        """Remove a file that nobody needs any more."""
        with self._lock:
            self._remove(file)

    def close(self) -> None:
        """Remove everything."""
        with self._lock:
            self._kept.clear()
            if self._folder is not None and self._claim is not None:
                self._claim.release()
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder, self._claim = None, None

    def folder(self) -> Path:
        """The directory, which nobody else can read; a new one if somebody has removed it, as a tidy system may."""
        with self._lock:
            while self._folder is None or not (self._folder / CLAIM).exists():
                if self._claim is not None:
                    self._claim.release()
                folder = Path(tempfile.mkdtemp(prefix=PREFIX))
                self._claim, self._folder = WriterLock(folder / CLAIM), folder
            return self._folder

    def _write(self, contents: Iterable[bytes] | Path, owner: str, *, is_result: bool) -> Path:
        file = self.folder() / uuid4().hex
        try:
            with storage_errors(file):
                if isinstance(contents, Path):
                    contents.rename(file)
                else:
                    with file.open("wb") as writing:
                        writing.writelines(contents)
                size = file.stat().st_size
            with self._lock:
                self._make_room(owner, size)
                self._kept[file] = KeptFile(monotonic(), size, owner, is_result)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
        return file

    def _make_room(self, owner: str, size: int) -> None:
        """Remove the oldest results of an owner who has too much here; uploads stay until they are read."""
        own = [(file, kept) for file, kept in self._kept.items() if kept.owner == owner]
        used = size + sum(kept.size for _, kept in own)
        for file, kept in own:
            if used > self._most_each and kept.is_result:
                used -= kept.size
                self._remove(file)
        if used > self._most_each:
            what = f"more than {self._most_each:,} bytes of this key are waiting to be read"
            raise ApiError(429, what, "wait until a job has finished", headers={"Retry-After": "5"})

    def _remove(self, file: Path) -> None:
        self._kept.pop(file, None)
        file.unlink(missing_ok=True)


def _user() -> int:
    """Who runs this process, as files name their owner; Windows names nobody."""
    return os.getuid() if sys.platform != "win32" else 0
