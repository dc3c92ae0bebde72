"""Training that goes on where it was interrupted: the results of tasks are kept in files until the base is there.

A task depends on nothing but its arguments, so a result from before the interruption is as good as a new one, and the
base has the same bits. What is kept belongs to one corpus and one choice of options, told by a fingerprint; for any
other it is deleted.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.arrays import ArrayTree
from dragoman.cluster.disk import StoredArrays
from dragoman.cluster.runners import Runner, Shared, Task

FINGERPRINT = "fingerprint"
PLACES = 8  # bytes at the end of a file: the length of the JSON before them, which says where each array begins


class Checkpoints:
    """Runs tasks by another runner and keeps their results; what was kept before is not run again."""

    def __init__(self, runner: Runner, directory: Path | None = None) -> None:
        self.runner, self.workers, self.directory = runner, runner.workers, directory
        self.step = ""  # the part of training that tasks belong to
        self.found = 0  # results from before
        self.bytes = self.most_bytes = 0  # of all files, now and at their peak

    def begin(self, fingerprint: str) -> None:
        """Forget what belongs to another corpus or to other options."""
        if self.directory is None:
            return
        told = self.directory / FINGERPRINT
        if not (told.is_file() and told.read_text() == fingerprint):
            for path in self.directory.glob("*.block*"):
                path.unlink()
            told.write_text(fingerprint)

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        """The result of each item, in order."""
        if self.directory is None:
            yield from self.runner.run(task, shared, items)
            return
        waiting = list(items)
        paths = [self._path(f"{self.step}.{task.__name__}.{n}") for n in range(len(waiting))]
        is_there = [path.is_file() for path in paths]
        results = self.runner.run(
            task, shared, (item for item, known in zip(waiting, is_there, strict=True) if not known)
        )
        for path, known in zip(paths, is_there, strict=True):
            self.found += known
            yield self._kept(path) if known else self._keep(path, next(results))

    def whole(self, step: str, make: Callable[[], Mapping[str, np.ndarray]]) -> ArrayTree:
        """What all tasks of a step lead to; once it is kept, the results of its tasks are not needed any more."""
        self.step = step
        if self.directory is None:
            return ArrayTree(make())
        path = self._path(step)
        if path.is_file():
            self.found += 1
            return self._kept(path)
        kept = self._keep(path, make())
        for part in self.directory.glob(f"{step}.*.block"):
            self._delete(part)
        return kept

    def has(self, step: str) -> bool:
        """Whether all of a step is kept."""
        return self.directory is not None and self._path(step).is_file()

    def drop(self, step: str) -> None:
        """Delete what is kept of a step that another one replaces."""
        if self.has(step):
            self._delete(self._path(step))

    def _path(self, name: str) -> Path:
        return (self.directory or Path()) / f"{name}.block"

    def _keep(self, path: Path, arrays: Mapping[str, np.ndarray]) -> ArrayTree:
        """Write arrays to a file, and map it."""
        _save(path, arrays)
        return self._kept(path)

    def _kept(self, path: Path) -> ArrayTree:
        self.bytes += path.stat().st_size
        self.most_bytes = max(self.bytes, self.most_bytes)
        return _load(path)

    def _delete(self, path: Path) -> None:
        self.bytes -= path.stat().st_size
        with contextlib.suppress(OSError):  # Windows keeps what is mapped until the directory is deleted
            path.unlink()


def _save(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays to a file that is there whole or not at all."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")  # Ray may run a task twice at once
    with aside.open("wb") as file:
        places = json.dumps(ArrayTree(arrays).write_block(file)).encode()
        file.write(places)
        file.write(len(places).to_bytes(PLACES, "little"))
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def _load(path: Path) -> ArrayTree:
    block = np.memmap(path, np.uint8, "c").view(np.ndarray)
    size = int.from_bytes(block[-PLACES:].tobytes(), "little")
    places = json.loads(block[-PLACES - size : -PLACES].tobytes())
    return StoredArrays(ArrayTree.unpack(block, places))
