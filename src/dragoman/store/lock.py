"""A lock that one process holds on a directory; the system releases it however the process ends.

The lock file says who holds it, for messages to others. It is never deleted, or two processes could
hold locks on two files of the same name.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dragoman.errors import BadInputError, StorageError
from dragoman.files import storage_errors
from dragoman.store.fork_safety import only_here

TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # what systems report when another process has the lock

PATIENCE = 10.0  # seconds to wait for those who hold a lock for a moment only
PAUSE = 0.005  # seconds between two attempts

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # far behind the text: what is locked, others cannot read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class TakenError(BadInputError):
    """Another process is writing."""


class WriterLock:
    """The right to write in a directory, held from here until `release`."""

    def __init__(self, path: Path) -> None:
        with storage_errors(path):
            self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _take(self._descriptor)
        except OSError as error:
            os.close(self._descriptor)
            if error.errno not in TAKEN:
                raise StorageError(
                    f"cannot be locked: {error}", where=path, remedy="choose a local directory"
                ) from error
            raise _taken(path) from None
        try:
            with storage_errors(path):
                os.ftruncate(self._descriptor, 0)
                os.write(self._descriptor, f"{_this_process()}\n".encode())
        except BaseException:
            os.close(self._descriptor)
            raise
        only_here(self)

    @property
    def held(self) -> bool:
        """Whether this process has the lock: from the start until `release`, and not in a forked child."""
        return self._descriptor is not None

    def let_go(self) -> None:
        """In a forked child: close the descriptor, which leaves the parent its lock."""
        self._close()

    def release(self) -> None:
        """Let others write, and no longer say that it is us; a second call does nothing."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
        self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def in_turn(path: Path) -> Iterator[None]:
    """Hold a lock while the block runs; whoever else wants it waits, as long as such a block may take."""
    until, lock = time.monotonic() + PATIENCE, None
    while lock is None:
        try:
            lock = WriterLock(path)
        except TakenError:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)
    try:
        yield
    finally:
        lock.release()


def _taken(path: Path) -> TakenError:
    """The error if somebody else writes, or the same program does twice."""
    who = holder(path) or "another process"
    remedy = "close it there first, or open it for reading only"
    if who == _this_process():
        who += ", which is this one"
        remedy = "use the engine that is already open, or call its close() first; to only read, open with write=False"
    return TakenError(f"is open for writing by {who}", where=path.parent, remedy=remedy)


def _this_process() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def holder(path: Path) -> str | None:
    """Who took the lock last, and still holds it unless that process has ended."""
    return path.read_text(encoding="utf-8", errors="replace").strip() or None if path.exists() else None
