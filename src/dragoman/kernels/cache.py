"""How Numba reads and writes the cache of compiled kernels, at the places that `cache_places.py` names."""

from __future__ import annotations

import hashlib
import pickle
import shutil
import uuid
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.serialize import dumps

from dragoman.kernels.cache_places import cache_directory, key_of, place_of
from dragoman.kernels.kernel_compiler import LoweredCache, MachineCodeCache

SEAL = hashlib.sha256().digest_size  # bytes at the end of each file
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


class CacheFiles:
    """The files of one function: one for each compiled form, and an index with their names by Numba's keys.

    Each ends in a hash of its content and of the key it is for, and nothing is unpickled whose hash is wrong: one bit
    that has changed in machine code, or the code for other types, would end the process without a message. What is
    missing or wrong here is compiled anew, and overwritten.
    """

    def __init__(self, directory: Path, name: str) -> None:
        self._directory, self._name = directory, name

    @property
    def index(self) -> Path:
        """The file with the names of the others."""
        return self._directory / f"{self._name}.nbi"

    def load(self, key: Any) -> Any:
        """The parts of a compiled form; None if it is not here."""
        name = self._names().get(key)
        return None if name is None else _read(self._directory / name, key)

    def save(self, key: Any, parts: Any) -> None:
        """Keep the parts of a compiled form: first these, then its name."""
        names = self._names()
        free = (f"{self._name}.{number}.nbc" for number in range(1, len(names) + 2))
        name = names.get(key) or next(each for each in free if each not in names.values())
        _write(self._directory / name, parts, key)
        _write(self.index, names | {key: name})

    def flush(self) -> None:
        """Forget all compiled forms."""
        _write(self.index, {})

    def _names(self) -> dict[Any, str]:
        return _read(self.index) or {}


def _read(path: Path, key: Any = None) -> Any:
    """What was written to a file for a key; None if there is no such thing."""
    try:
        file = path.read_bytes()
    except OSError:
        return None
    content, seal = file[:-SEAL], file[-SEAL:]
    return pickle.loads(content) if _hash(content, key) == seal else None  # noqa: S301 (only we can write here)


def _write(path: Path, parts: Any, key: Any = None) -> None:
    """Write a file for a key, whole or not at all."""
    content = dumps(parts)
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        unfinished.write_bytes(content + _hash(content, key))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _hash(content: bytes, key: Any) -> bytes:
    return hashlib.sha256(content + str(key).encode()).digest()


class MachineCode(MachineCodeCache):
    """How Numba writes and reads a kernel that Python calls, at our place."""

    _locator_classes = (Locator,)


class Lowered(LoweredCache):
    """How Numba writes and reads a kernel that kernels call, at our place."""

    _locator_classes = (Locator,)
