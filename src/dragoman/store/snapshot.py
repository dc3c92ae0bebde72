"""Snapshots: the arrays of the models as they were after some row of the journal.

Each is a directory named after the id of that row. It is written under another name and then renamed, so a directory
named by a number is complete; anything half-written that a crash left behind is deleted by the next write.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.arrays import ArrayTree
from dragoman.errors import DragomanError
from dragoman.files import open_arrays, storage_errors, sync_directory, write_arrays

KEEP = 3  # snapshots: one to use, and two to fall back on
PART = ".part"  # suffix of what is half-written or half-deleted


@dataclass(frozen=True)
class Snapshot:
    """The arrays of a snapshot, memory-mapped, and their description."""

    id: int  # of the newest row of the journal that is in it
    arrays: ArrayTree
    about: dict[str, Any]
    verified: bool = False  # whether every byte was read and checked just now


class SnapshotStore:
    """The snapshots in a directory; the newest few are kept.

    >>> from tempfile import TemporaryDirectory
    >>> directory = TemporaryDirectory()
    >>> store = SnapshotStore(Path(directory.name))
    >>> store.write(12, {"counts": np.arange(3)}, {"kind": "example"})
    >>> snapshot, warnings = store.newest()
    >>> snapshot.id, snapshot.arrays["counts"].tolist(), snapshot.about, warnings
    (12, [0, 1, 2], {'kind': 'example', 'journal': 12}, [])
    >>> directory.cleanup()
    """

    def __init__(self, directory: Path, *, keep: int = KEEP) -> None:
        self.directory = directory
        self.keep = keep
        self._lock = threading.Lock()

    def ids(self) -> list[int]:
        """The ids of all snapshots, usable or not, newest first."""
        with contextlib.suppress(FileNotFoundError):
            names = [path.name for path in self.directory.iterdir()]
            return sorted((int(name) for name in names if name.isascii() and name.isdigit()), reverse=True)
        return []

    def write(self, row_id: int, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
        """Save the state after the row with this id, atomically; then delete the oldest snapshots."""
        path = self.directory / str(row_id)
        about = {**about, "journal": row_id}
        with self._lock, storage_errors(path):
            self._sweep()
            if path.exists():
                write_arrays(path, arrays, about)  # in place, which is also safe, and repairs a damaged one
            else:
                aside = path.with_name(f"{row_id}{PART}")
                write_arrays(aside, arrays, about)
                aside.rename(path)
                sync_directory(self.directory)
            self._delete_oldest(row_id)

    def open(self, row_id: int, *, verify: bool | int = False) -> Snapshot:
        """Map the arrays of a snapshot into memory; with `verify`, every file is read and checked.

        If it is a number, this is done for snapshots of at most so many bytes.
        """
        path = self.directory / str(row_id)
        verify = verify is True or (verify > 0 and _size(path) <= verify)
        arrays, about = open_arrays(path, verify=verify)
        return Snapshot(row_id, arrays, about, verified=verify)

    def newest(
        self, refuse: Callable[[Snapshot], str | None] = lambda _: None, *, verify: bool | int = False
    ) -> tuple[Snapshot | None, list[str]]:
        """The newest usable snapshot, and a line on each newer one that was skipped.

        `refuse` returns why a snapshot cannot be used, or None. Skipped snapshots are left where they are.
        """
        warnings: list[str] = []
        for row_id in self.ids():
            try:
                snapshot = self.open(row_id, verify=verify)
                reason = refuse(snapshot)
            except (DragomanError, OSError) as error:
                reason = str(error)
            else:
                if reason is None:
                    return snapshot, warnings
            warnings.append(f"snapshot {row_id} skipped: {reason}")
        return None, warnings

    def _delete_oldest(self, row_id: int) -> None:
        """Keep the newest few up to this id; those beyond it belong to another journal and do not count."""
        for old in [each for each in self.ids() if each <= row_id][self.keep :]:
            path = self.directory / str(old)
            with contextlib.suppress(OSError):  # Windows keeps mapped files; they are deleted another time
                path.rename(path.with_name(f"{old}{PART}"))
        self._sweep()

    def _sweep(self) -> None:
        for part in self.directory.glob(f"*{PART}"):
            shutil.rmtree(part, ignore_errors=True)


def _size(directory: Path) -> int:
    """The bytes of all files in a directory."""
    return sum(file.stat().st_size for file in directory.iterdir() if file.is_file())
