"""Files of jobs, in a temporary directory of the server: uploads until they are read, exports for a while.

Results are removed when they are old, and the oldest ones when all together become too large; so exporting again and
again takes neither memory nor, in the end, disk.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from time import monotonic
from uuid import uuid4

from dragoman.files import storage_errors


class JobFiles:
    """The files; thread-safe. The directory is made with the first file."""

    def __init__(self, most_bytes: int, most_seconds: float) -> None:
        self._most_bytes, self._most_seconds = most_bytes, most_seconds
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._kept: dict[Path, tuple[float, int]] = {}  # when each result was written, and its size; the oldest first

    def spool(self, data: bytes) -> Path:
        """Put something aside until `take` is called."""
        return self._write([data])

    def take(self, file: Path) -> bytes:
        """What was put aside; the file is removed."""
        with storage_errors(file):
            data = file.read_bytes()
            file.unlink()
            return data

    def keep(self, pieces: Iterable[bytes]) -> Path:
        """Write a result, to be kept for a while."""
        file = self._write(pieces)
        with self._lock:
            self._kept[file] = monotonic(), file.stat().st_size
        self.expire()
        return file

    def expire(self) -> None:
        """Remove results that are too old, and the oldest of those that are too many."""
        with self._lock:
            total, now = sum(size for _, size in self._kept.values()), monotonic()
            for file, (written, size) in list(self._kept.items()):
                if now - written < self._most_seconds and total <= self._most_bytes:
                    break
                total -= size
                self._remove(file)

    def discard(self, file: Path) -> None:
        """Remove a result that nobody can ask for any more."""
        with self._lock:
            self._remove(file)

    def close(self) -> None:
        """Remove everything."""
        with self._lock:
            self._kept.clear()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None

    def _write(self, pieces: Iterable[bytes]) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="dragoman-jobs-"))
            file = self._folder / uuid4().hex
        with storage_errors(file), file.open("wb") as writing:
            writing.writelines(pieces)
        return file

    def _remove(self, file: Path) -> None:
        self._kept.pop(file, None)
        file.unlink(missing_ok=True)
