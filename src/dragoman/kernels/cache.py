"""How Numba reads and writes the cache of compiled kernels, at the places that `cache_places.py` names."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from numba.core import caching

from dragoman.kernels.cache_places import cache_directory, key_of, place_of
from dragoman.kernels.kernel_compiler import LoweredCache, MachineCodeCache

KEYS_KEPT = 3  # per module, so that two checkouts, or a branch and its parent, do not evict each other's kernels


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
