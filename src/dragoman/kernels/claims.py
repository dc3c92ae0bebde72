"""Claims: which process compiles a kernel, so that the others wait for its result instead of compiling it too.

A claim is a lock on one byte of a file in the cache directory. The system drops it when its process ends, however that
ends. Kernels call each other without cycles, and whoever holds a claim waits only for kernels that its own calls, so
nobody waits in a circle. Where locks do not work, a kernel is compiled twice, which costs only time.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from pathlib import Path

if sys.platform != "win32":
    import fcntl

FILE = "claims"
PAUSE = 0.02  # seconds between two looks at a claim that another process holds
PATIENCE = 300.0  # seconds to wait for another process before doing its work again
PLACES = 1 << 62  # bytes that can be locked; none of them is ever written

_files: dict[tuple[int, Path], int] = {}  # open for as long as the process lives: closing one would drop all its locks
_held: dict[tuple[Path, str], int] = {}
_lock = threading.Lock()


def take(root: Path, name: str, patience: float = PATIENCE) -> bool:
    """Claim something for this process, waiting while another has it; False if that was in vain.

    A process may claim the same thing several times and releases it as often.
    """
    with _lock:
        if (root, name) in _held:
            _held[root, name] += 1
            return True
    end = time.monotonic() + patience
    while not attempt(root, name):
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE)
    return True


def attempt(root: Path, name: str) -> bool:
    """Claim something unless another process has it; whether it is ours, or claims do not work here."""
    if sys.platform == "win32" or (file := _open(root)) is None:
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # no locks on this file system
        return True
    with _lock:
        _held[root, name] = _held.get((root, name), 0) + 1
    return True


def release(root: Path, name: str) -> None:
    """Give a claim back, if we have it."""
    with _lock:
        left = _held.pop((root, name), 0) - 1
        if left > 0:
            _held[root, name] = left
        elif left == 0 and sys.platform != "win32" and (file := _open(root)) is not None:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, _place(name))


def _open(root: Path) -> int | None:
    process = os.getpid()  # locks are not inherited by a fork
    if (process, root) not in _files:
        try:
            _files[process, root] = os.open(root / FILE, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
    return _files[process, root]


def _place(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % PLACES
