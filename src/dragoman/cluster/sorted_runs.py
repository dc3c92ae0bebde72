"""Sorted runs of keys with counts, merged exactly: the sum of all shards' counts, however the corpus was divided.

A run is sorted by its keys, which are distinct, and is kept in files. All runs are merged together, one range of keys
at a time; ranges are chosen by sampling, so that memory depends on neither the size nor the number of runs.

The paths of a table (phrases, n-grams) make one run too: numbered by length and then by (path without its last word,
last word), their keys are in order. But a key holds the number of another path, and numbers differ from run to run. So
paths are merged length by length: once the shorter ones have their numbers, keys can be translated, and since numbers
keep their order, what was sorted stays sorted.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.sorted_tables import check_size
from dragoman.tables import Ids
from dragoman.tables.table_kernels import WORD_BITS

ROOM = 1 << 19  # entries of all runs in one piece of a merge, roughly
THREADS = min(os.cpu_count() or 1, 4)  # that sort pieces
MOST_PATHS = (1 << 63 - WORD_BITS) - 2  # whose numbers fit into the upper part of a key
LOW = (1 << WORD_BITS) - 1  # the bits of a key that hold its second part


@dataclass
class SortedRun:
    """Sorted keys with columns of counts."""

    keys: Ids  # [n]
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)  # [n] each
    upper: Ids | None = None  # [ids] translates the upper part of a key, an id + 1, in order; None: it stays as it is
    lower: Ids | None = None  # [ids] translates the lower part, in order

    def __len__(self) -> int:
        return int(self.keys.size)

    def translated(self, where: slice | Ids) -> Ids:
        """Keys with their parts translated."""
        keys: Ids = self.keys[where]
        if self.upper is not None:
            ids = keys >> WORD_BITS
            keys = np.where(ids > 0, self.upper[ids - 1] + 1, 0) << WORD_BITS | keys & LOW
        if self.lower is not None:
            keys = keys & ~LOW | self.lower[keys & LOW]
        return keys

    def locate(self, key: int) -> int:
        """Number of keys below this one once they are translated."""
        upper, lower = key >> WORD_BITS, key & LOW
        if self.upper is not None and upper > 0:
            at = int(np.searchsorted(self.upper, upper - 1))
            if at == self.upper.size or self.upper[at] != upper - 1:
                lower = 0
            upper = at + 1
        if self.lower is not None:
            lower = int(np.searchsorted(self.lower, lower))
        return int(np.searchsorted(self.keys, upper << WORD_BITS | lower))


@dataclass
class Merged:
    """One piece of a merge: the next keys, the sums of their columns, and where the entries of each run went."""

    keys: Ids
    columns: dict[str, Ids]
    slices: list[slice]  # of each run
    places: list[Ids]  # of each run, [entries of its slice] their places among these keys


def merge(runs: Sequence[SortedRun], *, together: bool = False) -> Iterator[Merged]:
    """Merge runs with the same columns, piece by piece in the order of keys; equal keys are summed.

    With `together`, keys with the same upper part are never in different pieces.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque[Future[Merged]] = deque()
        for slices in _pieces(runs, together):
            waiting.append(pool.submit(_sum, runs, slices))
            if len(waiting) > THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _pieces(runs: Sequence[SortedRun], together: bool) -> Iterator[list[slice]]:
    """Slices of all runs that cover the same range of keys; at least one is not empty."""
    begin = [0] * len(runs)
    for splitter in _splitters(runs, together):
        end = [len(run) if splitter is None else run.locate(splitter) for run in runs]
        slices = [slice(*bounds) for bounds in zip(begin, end, strict=True)]
        begin = end
        if any(each.stop > each.start for each in slices):
            yield slices


def _sum(runs: Sequence[SortedRun], slices: list[slice]) -> Merged:
    keys = np.concatenate([run.translated(part) for run, part in zip(runs, slices, strict=True)])
    order = np.argsort(keys, kind="stable")
    is_first = np.diff(keys[order], prepend=-1) != 0
    firsts = np.flatnonzero(is_first)
    columns = {}
    for name in runs[0].columns:
        values = np.concatenate([run.columns[name][part] for run, part in zip(runs, slices, strict=True)])
        columns[name] = np.add.reduceat(values[order].astype(np.int64), firsts)
    places = np.empty(keys.size, np.int64)
    places[order] = np.cumsum(is_first) - 1
    ends = np.cumsum([part.stop - part.start for part in slices])
    return Merged(keys[order[firsts]], columns, slices, np.split(places, ends[:-1]))


def _splitters(runs: Sequence[SortedRun], together: bool) -> Iterator[int | None]:
    """Keys that divide all runs into pieces of about ROOM entries, and finally None for the rest."""
    step = max(1, ROOM // len(runs))
    samples = np.sort(np.concatenate([run.translated(np.arange(step, len(run), step)) for run in runs]))
    chosen = samples[len(runs) - 1 :: len(runs)]
    for key in np.unique(chosen & ~LOW if together else chosen).tolist():
        yield int(key)
    yield None


@dataclass
class Paths:
    """Paths of one run, numbered in the order of their keys (id before + 1, word), shorter ones first."""

    keys: Ids  # [n]
    ends: Ids  # [lengths] one past the last of each length
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)  # [n] each

    def level(self, length: int) -> slice:
        """Where the paths of this length are."""
        return slice(int(self.ends[length - 2]) if length > 1 else 0, int(self.ends[length - 1]))


def merge_paths(runs: Sequence[Paths], scratch: ScratchDirectory) -> tuple[Paths, list[Ids]]:
    """All paths of all runs, counts summed; and for each run the new id of every path."""
    here = [scratch.new(run.keys.size, np.int64) for run in runs]
    names = list(runs[0].columns)
    ends: list[int] = []
    keys, columns = scratch.growing(np.int64), {name: scratch.growing(np.int64) for name in names}
    for length in range(1, runs[0].ends.size + 1):
        levels = [run.level(length) for run in runs]
        parts = [
            SortedRun(
                run.keys[at], {name: run.columns[name][at] for name in names}, ids[: at.start] if length > 1 else None
            )
            for run, at, ids in zip(runs, levels, here, strict=True)
        ]
        for piece in merge(parts):
            for ids, at, own, places in zip(here, levels, piece.slices, piece.places, strict=True):
                ids[at.start + own.start : at.start + own.stop] = keys.size + places
            keys.add(piece.keys)
            for name, file in columns.items():
                file.add(piece.columns[name])
        check_size(keys.size, MOST_PATHS)
        ends.append(keys.size)
    return Paths(keys.mapped(), np.array(ends, np.int64), {name: file.mapped() for name, file in columns.items()}), here
