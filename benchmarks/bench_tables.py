"""Tables against Python's dict: insert and look-up inside a kernel, bytes per entry, pauses, opening a saved table.

Run: python benchmarks/bench_tables.py [--entries 1000000] [--large 10000000]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from dragoman.tables import Table
from dragoman.tables import table_kernels as kernels


def best_of(times: int, action: Callable[[], object]) -> float:
    """Seconds of the quickest of several runs: what disturbs a measurement only ever adds to it."""
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def filled(keys: np.ndarray) -> Table:
    table = Table({"count": np.int64, "uses": np.int32})
    table.reserve(keys.size)
    kernels.insert_many(table.index, keys, np.empty(keys.size, np.int64))
    return table


def dict_filled(keys: list[int]) -> dict[int, int]:
    table: dict[int, int] = {}
    for key in keys:
        table[key] = len(table)
    return table


def dict_looked_up(table: dict[int, int], keys: list[int]) -> int:
    found = 0
    for key in keys:
        if key in table:
            found += table[key]
    return found


def compare(entries: int) -> None:
    random = np.random.default_rng(1)
    keys = np.unique(random.integers(0, 2**62, entries))
    random.shuffle(keys)
    absent = keys ^ 1
    listed, listed_absent = keys.tolist(), absent.tolist()
    filled(keys)  # compile first
    table, dictionary = filled(keys), dict_filled(listed)
    rows = [
        ("insert", lambda: filled(keys), lambda: dict_filled(listed)),
        ("look up, there", lambda: table.find(keys), lambda: dict_looked_up(dictionary, listed)),
        ("look up, not there", lambda: table.find(absent), lambda: dict_looked_up(dictionary, listed_absent)),
    ]
    print(f"{entries:,} entries, nanoseconds an operation      table     dict    ratio")
    for name, ours, peers in rows:
        one, other = best_of(5, ours) / entries * 1e9, best_of(3, peers) / entries * 1e9
        print(f"  {name:40} {one:8.1f} {other:8.1f} {other / one:7.1f}×")


def sizes_and_pauses(entries: int) -> None:
    keys = np.random.default_rng(2).integers(0, 2**62, entries)
    table, pauses, largest = Table({"count": np.int64, "uses": np.int32}), [], 0.0
    raw = 8 + 8 + 4
    for begin in range(0, entries, 20):
        part = keys[begin : begin + 20]
        began = time.perf_counter()
        table.add(part, count=1, uses=1)
        pauses.append(time.perf_counter() - began)
        if len(table) > entries // 2:
            largest = max(largest, table.nbytes / len(table))
    print(f"growing to {entries:,} entries, 20 at a time")
    median = np.median(pauses) * 1e6
    print(f"  longest single add                       {max(pauses) * 1e3:8.1f} ms, median {median:.0f} µs")
    print(f"  bytes per entry, at most                 {largest:8.1f}, {largest / raw:.2f}× of the raw {raw}")


def opening(entries: int) -> None:
    table = filled(np.random.default_rng(3).integers(0, 2**62, entries))
    with tempfile.TemporaryDirectory() as directory:
        wrote = best_of(1, lambda: table.save(directory))
        opened = best_of(5, lambda: Table.open(directory))
        verified = best_of(1, lambda: Table.open(directory, verify=True))
        size = sum(path.stat().st_size for path in Path(directory).iterdir())
    print(f"a saved table of {entries:,} entries, {size / 2**20:.0f} MB")
    print(f"  open                                     {opened * 1e3:8.2f} ms")
    print(f"  open and read through for checksums      {verified * 1e3:8.0f} ms")
    print(f"  save, forced to disk                     {wrote * 1e3:8.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000)
    arguments = parser.parse_args()
    compare(arguments.entries)
    sizes_and_pauses(arguments.entries)
    opening(arguments.large)


if __name__ == "__main__":
    main()
