"""Tables made from keys that are sorted already, in files: bit for bit what `Table.compact` leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree
from dragoman.cluster.disk import ScratchDirectory
from dragoman.errors import BadInputError
from dragoman.tables import Ids, Index, table_kernels
from dragoman.tables.table import EMPTIEST, MOST_ENTRIES

CHUNK = 1 << 20  # entries handled at a time


def chunks(size: int) -> Iterator[slice]:
    """Slices that cover this many entries, a chunk at a time."""
    for begin in range(0, size, CHUNK):
        yield slice(begin, min(size, begin + CHUNK))


def check_size(entries: int, most: int = MOST_ENTRIES) -> None:
    """Raise an error if there are more entries than a table, or a merge, can hold."""
    if entries > most:
        remedy = "train on less text, use a lower order, or drop what was seen only once (--least 2)"
        raise BadInputError(f"a table holds at most {most:,} entries, not {entries:,}", remedy=remedy)


def index_of(keys: Ids, scratch: ScratchDirectory) -> Index:
    """The index in which the first key has the id 0, the next one the id 1, and so on."""
    check_size(keys.size)
    slots = int(keys.size / EMPTIEST) + 2
    state = np.array([keys.size, keys.size, 0, slots.bit_length()], np.int64)
    index = Index(keys, scratch.new(slots, np.uint32), state)
    table_kernels.refill(index)
    return index


def table_arrays(index: Index, columns: Mapping[str, NDArray[Any]]) -> ArrayTree:
    """What `Table.arrays()` would be."""
    tree = ArrayTree(index._asdict())
    tree.put("column", columns)
    return tree
