"""Arrays in temporary files, for data larger than memory: created whole or appended to, and then memory-mapped.

Mapped arrays live in the system's page cache, so they take no memory that others need. A file exists as long as its
array is in use and is gone afterwards, whatever happens.
"""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dragoman.arrays import ArrayTree


class StoredArrays(ArrayTree):
    """Arrays that are in a file already, so that nobody needs to copy them into another."""


class ScratchDirectory:
    """A directory for temporary arrays, each in its own file; the caller creates and deletes the directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.bytes = self.most_bytes = 0  # of all files, now and at their peak
        self._numbers = itertools.count()
        self._growing: weakref.WeakSet[Growing] = weakref.WeakSet()

    def new(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """An array of zeros."""
        return self._map(self._path(), np.dtype(dtype), size, "w+")

    def keep(self, array: NDArray[Any]) -> NDArray[Any]:
        """A copy of an array."""
        file = self.growing(array.dtype)
        file.add(array)
        return file.mapped()

    def keep_all(self, arrays: Mapping[str, NDArray[Any]]) -> ArrayTree:
        """Copies of many arrays in one file, since the system allows only so many mappings; stored ones stay there."""
        if isinstance(arrays, StoredArrays):
            return arrays
        path = self._path()
        with path.open("wb") as file:
            places = ArrayTree(arrays).write_block(file)
            size = file.tell()
        return ArrayTree.unpack(self._map(path, np.dtype(np.uint8), size, "r+"), places)

    def growing(self, dtype: DTypeLike) -> Growing:
        """An array that is appended to."""
        file = Growing(self, self._path(), np.dtype(dtype))
        self._growing.add(file)
        return file

    def close(self) -> None:
        """Close what nobody will append to any more."""
        for file in list(self._growing):
            file.close()

    def _path(self) -> Path:
        return self.directory / f"{next(self._numbers)}.bin"

    def _map(self, path: Path, dtype: np.dtype[Any], size: int, mode: Literal["r+", "w+"]) -> NDArray[Any]:
        array = np.memmap(path, dtype, mode, shape=(size,)) if size else np.zeros(0, dtype)
        with contextlib.suppress(OSError):  # Windows keeps what is mapped until the directory is deleted
            path.unlink(missing_ok=True)
        if size:
            self.bytes += array.nbytes
            self.most_bytes = max(self.most_bytes, self.bytes)
            weakref.finalize(array, self._forget, array.nbytes)
        return array.view(np.ndarray)

    def _forget(self, size: int) -> None:
        self.bytes -= size


class Growing:
    """An array that is written to a file from start to end and then mapped."""

    def __init__(self, scratch: ScratchDirectory, path: Path, dtype: np.dtype[Any]) -> None:
        self._scratch, self._path, self._dtype = scratch, path, dtype
        self._file = path.open("wb")
        self.size = 0

    def add(self, array: NDArray[Any]) -> None:
        """Append."""
        self._file.write(np.ascontiguousarray(array, self._dtype).data)
        self.size += array.size

    def close(self) -> None:
        """Write what is waiting to be written."""
        self._file.close()

    def mapped(self) -> NDArray[Any]:
        """Everything appended so far; after that, nothing more can be."""
        self.close()
        return self._scratch._map(self._path, self._dtype, self.size, "r+")
