"""The cache of compiled kernels: where it is, and under which keys.

<cache>/<module>-<key>/<function>-<line>.py311.nbi              which types there are compiled forms for
<cache>/<module>-<key>/<function>-<line>.py311.1.nbc            one of these, as Numba writes it
<cache>/<module>-<key>/<function>-<line>.py311-lowered.1.nbc    what kernels that call it need
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import caching, config

from dragoman.kernels.kernel_compiler import FORMAT, LoweredCache, MachineCodeCache
from dragoman.kernels.sources import digest

KEYS_KEPT = 3  # per module, so that two checkouts, or a branch and its parent, do not evict each other's kernels
OPTIONS = {"nogil": True, "error_model": "numpy"}  # how every kernel is compiled


def cache_directory() -> Path | None:
    """Where compiled kernels are kept; None if no directory can be used, so that every run compiles again."""
    for candidate in _cache_candidates():
        try:
            candidate.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if _is_ours(candidate) and (os.access(candidate, os.W_OK) or any(candidate.iterdir())):
            return candidate
    return None


def _cache_candidates() -> list[Path]:
    if chosen := os.environ.get("DRAGOMAN_CACHE"):
        return [Path(chosen)]
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    cache = platformdirs.user_cache_path("dragoman", appauthor=False, opinion=False)
    return [cache / "kernels", Path(tempfile.gettempdir()) / f"dragoman-kernels-{user}"]


def _is_ours(directory: Path) -> bool:
    """Whether only we, or root, can write to a directory: what is in it will be executed."""
    status = directory.stat()
    return not hasattr(os, "getuid") or (status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022)


def key_of(module: str) -> str:
    """What the compiled forms of a module's kernels are stored under: all that they depend on but the processor."""
    settings = f"{numba.__version__} {sys.version_info[:2]} {OPTIONS} {FORMAT} {config.BOUNDSCHECK} {config.OPT}"
    return hashlib.sha256((digest(module) + settings).encode()).hexdigest()[:16]


def place_of(module: str) -> str:
    """The directory, inside a cache, of a module's kernels."""
    return f"{module}-{key_of(module)}"


class Locator(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba where the compiled forms of one function are kept."""

    def __init__(self, function: Any, root: Path) -> None:
        self.key = key_of(function.__module__)
        self.directory = root / place_of(function.__module__)
        self.line = function.__code__.co_firstlineno
        self._py_file = function.__code__.co_filename

    def get_cache_path(self) -> str:
        """Numba asks for the directory."""
        return str(self.directory)

    def get_source_stamp(self) -> str:
        """Numba asks for something that changes with the source."""
        return self.key

    def get_disambiguator(self) -> str:
        """Numba asks for something that tells apart functions of the same name."""
        return str(self.line)

    def ensure_cache_path(self) -> None:
        """Numba is about to write."""
        if not self.directory.is_dir():
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._drop_old_keys()

    def _drop_old_keys(self) -> None:
        siblings = self.directory.parent.glob(self.directory.name.removesuffix(self.key) + "*")
        newest_first = sorted(siblings, key=lambda path: path.stat().st_mtime, reverse=True)
        for old in newest_first[KEYS_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Locator | None:  # noqa: ARG003 (Numba's signature)
        """Numba asks for a locator of a function; None if there is no cache."""
        root = cache_directory()
        return None if root is None else cls(py_func, root)


class MachineCode(MachineCodeCache):
    """How Numba writes and reads a kernel that Python calls, at our place."""

    _locator_classes = (Locator,)


class Lowered(LoweredCache):
    """How Numba writes and reads a kernel that kernels call, at our place."""

    _locator_classes = (Locator,)
