"""Tables as seen from Python: keys with columns of numbers, which grow, form layers, and are saved and opened.

A table holds counts. Adding to a key inserts it; subtracting the same again removes it once all its columns are zero;
merging two tables adds them up. Whatever the order, the contents are the same.

>>> table = Table({"count": np.int64})
>>> table.add([7, 7, 12], count=[1, 1, 5])
>>> table.get([7, 12, 99], "count").tolist()
[2, 5, 0]
>>> table.add([7], count=[-2])
>>> len(table)
1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dragoman.arrays import ArrayTree, Restorable
from dragoman.errors import BadInputError
from dragoman.files import open_arrays, write_arrays
from dragoman.kernels import exercise
from dragoman.tables import table_kernels as kernels
from dragoman.tables.table_kernels import ABSENT, BITS, FREE, HIGH, LIVE, Index, Layered

SMALLEST = 16  # entries a new table has room for
GROWTH = 1.25  # capacity after growing, as a multiple of what is needed
FULLEST, EMPTIEST = 0.75, 0.6  # share of slots taken: grow when above the first, to the second
MOST_ENTRIES = 2**31 - 2

Ids = NDArray[np.int64]


class Table(Restorable):
    """Integer keys with columns of numbers; over a base, the differences from it."""

    def __init__(self, columns: Mapping[str, DTypeLike], base: Table | None = None) -> None:
        if base is not None and base.dtypes != {name: np.dtype(dtype) for name, dtype in columns.items()}:
            raise BadInputError(f"a layer with columns {dict(columns)} does not match a base with {base.dtypes}")
        self.base = base
        self.columns = {name: np.zeros(0, dtype) for name, dtype in columns.items()}
        self.index = Index(np.zeros(0, np.int64), np.zeros(1, np.uint32), np.array([0, 0, 0, 1], np.int64))
        self.reserve(SMALLEST)

    @property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        """Name and type of each column."""
        return {name: column.dtype for name, column in self.columns.items()}

    @property
    def layered(self) -> Layered:
        """What kernels read: the base's index (an empty one when there is none) and this table's."""
        return Layered(_EMPTY if self.base is None else self.base.index, self.index)

    def __len__(self) -> int:
        """Number of entries in this table, excluding its base."""
        return int(self.index.state[LIVE])

    @property
    def nbytes(self) -> int:
        """Bytes held in memory by this table, excluding its base."""
        return sum(array.nbytes for array in (*self.index, *self.columns.values()))

    def reserve(self, extra: int) -> None:
        """Make room for `extra` more entries, so that a kernel can insert them."""
        high = int(self.index.state[HIGH])
        needed = high + extra
        if needed > MOST_ENTRIES:
            raise BadInputError(f"a table holds at most {MOST_ENTRIES:,} entries")
        if needed > self.index.keys.size:
            self._resize(int(needed * GROWTH))
        if needed > self.index.slots.size * FULLEST:
            self._replace_slots(int(needed * GROWTH))

    def _resize(self, capacity: int) -> None:
        """Give keys and columns room for `capacity` entries; new entries are zero."""
        high = int(self.index.state[HIGH])

        def resized(array: np.ndarray) -> np.ndarray:
            larger = np.zeros(capacity, array.dtype)
            larger[:high] = array[:high]
            return larger

        self.columns = {name: resized(column) for name, column in self.columns.items()}
        self.index = self.index._replace(keys=resized(self.index.keys))

    def _replace_slots(self, entries: int) -> None:
        slots = int(entries / EMPTIEST) + 2
        self.index.state[BITS] = slots.bit_length()  # ids stay below the number of slots
        self.index = self.index._replace(slots=np.zeros(slots, np.uint32))
        kernels.refill(self.index)

    def add(self, keys: ArrayLike, **amounts: ArrayLike) -> None:
        """Add an amount to the named columns of each key; an entry with zeros in all columns is erased."""
        keys = _as_keys(keys)
        if not keys.size:
            return
        self.reserve(keys.size)
        ids = np.empty(keys.size, np.int64)
        kernels.insert_many(self.index, keys, ids)
        for name, values in amounts.items():
            column = self.columns[name]
            each = np.empty(ids.size, column.dtype)
            each[:] = values
            kernels.add_at(column, ids, each)
        self._erase_zeros(ids)

    def _erase_zeros(self, ids: Ids) -> None:
        zero = np.ones(ids.size, np.bool_)
        for column in self.columns.values():
            zero &= column[ids] == 0
        if zero.any():
            kernels.erase_many(self.index, ids[zero])

    def find(self, keys: ArrayLike) -> Ids:
        """Ids of the keys in this table, ABSENT for keys it lacks."""
        keys = _as_keys(keys)
        ids = np.empty(keys.size, np.int64)
        kernels.find_many(self.index, keys, ids)
        return ids

    def get(self, keys: ArrayLike, column: str) -> np.ndarray:
        """Values of a column for each key, layer and base summed; zero where there is no entry."""
        ids = self.find(keys)
        values = np.zeros(ids.size, self.columns[column].dtype)
        known = ids != ABSENT
        values[known] = self.columns[column][ids[known]]
        return values if self.base is None else values + self.base.get(keys, column)

    @property
    def ids(self) -> Ids:
        """Ids of the entries of this table in their stable order: older entries first, unless an id was reused."""
        return np.flatnonzero(self.index.keys[: self.index.state[HIGH]] >= 0)

    def contents(self) -> dict[str, np.ndarray]:
        """Copies of keys and columns, without the base, sorted by key: the same for equal tables, however made."""
        ids = self.ids
        ids = ids[np.argsort(self.index.keys[ids])]
        return {"key": self.index.keys[ids]} | {name: column[ids] for name, column in self.columns.items()}

    def merge(self, other: Table) -> Ids:
        """Add all entries of another table, excluding its base; returns the id here of each id there."""
        ids = other.ids
        keys = other.index.keys[ids]
        self.add(keys, **{name: column[ids] for name, column in other.columns.items()})
        return _scattered(self.find(keys), ids, int(other.index.state[HIGH]))

    def compact(self) -> Ids:
        """Renumber the entries in the order of their keys, without spare room; returns the new id of each old one."""
        contents = self.contents()
        old, new = self.find(contents["key"]), np.arange(len(self))
        renumbered = _scattered(new, old, int(self.index.state[HIGH]))
        self.index.state[[HIGH, LIVE, FREE]] = 0
        self._resize(new.size)
        self._replace_slots(new.size)
        kernels.insert_many(self.index, contents["key"], new)
        self.columns = {name: contents[name] for name in self.columns}
        return renumbered

    def arrays(self) -> ArrayTree:
        """Everything needed to restore this table bit for bit: views, without the spare room at the end."""
        high = int(self.index.state[HIGH])
        tree = ArrayTree(keys=self.index.keys[:high], slots=self.index.slots, state=self.index.state)
        tree.put("column", {name: column[:high] for name, column in self.columns.items()})
        return tree

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Return to the state with these `arrays()`, which are used directly, not copied; the base stays."""
        self.index = Index(arrays["keys"], arrays["slots"], arrays["state"])
        self.columns = dict(ArrayTree(arrays).under("column"))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], base: Table | None = None) -> Table:
        """Restore a table from its `arrays()`, which are used directly, not copied."""
        table = cls.__new__(cls)
        table.base = base
        table.restore(arrays)
        return table

    def save(self, directory: str | Path) -> None:
        """Write the table to a directory, atomically."""
        write_arrays(Path(directory), self.arrays(), {"kind": type(self).__name__})

    @classmethod
    def open(cls, directory: str | Path, base: Table | None = None, *, verify: bool = False) -> Table:
        """Map a saved table into memory; it can serve as a base or keep growing in memory."""
        arrays, about = open_arrays(Path(directory), verify=verify)
        if about.get("kind") != cls.__name__:
            raise BadInputError(f"holds a {about.get('kind')}, not a {cls.__name__}", where=directory)
        return cls.from_arrays(arrays, base)


class PathTable(Table):
    """Sequences of word ids as paths from a root, each with one id: a path is a shorter path plus one word.

    >>> paths = PathTable()
    >>> paths.insert([4, 8, 15])
    2
    >>> paths.find_path([4, 8]), paths.path(2)
    (1, [4, 8, 15])
    >>> paths.release(2)
    >>> len(paths)
    0
    """

    def __init__(self, base: PathTable | None = None) -> None:
        super().__init__({"uses": np.int32}, base)

    @property
    def uses(self) -> np.ndarray:
        """[capacity] how many longer paths and holders keep each path of this table alive."""
        return self.columns["uses"]

    def insert(self, words: Sequence[int]) -> int:
        """Id of a path, held once more by the caller."""
        self.reserve(len(words))
        return int(kernels.insert_path(self.layered, self.uses, np.asarray(words, np.int64)))

    def release(self, path: int) -> None:
        """Undo one `insert`; paths that nothing holds any more are erased."""
        kernels.release(self.layered, self.uses, path)

    def find_path(self, words: Sequence[int]) -> int:
        """Id of a path, ABSENT if it is neither in this table nor in its base."""
        return int(kernels.follow(self.layered, np.asarray(words, np.int64)))

    def path(self, path: int) -> list[int]:
        """The words of a path, given its id."""
        words: list[int] = []
        while path != ABSENT:
            key = kernels.key_of(self.layered, path)
            words.append(int(kernels.word_of(key)))
            path = int(kernels.parent_of(key))
        return words[::-1]

    def merge(self, other: Table) -> Ids:
        """Enter the paths of another table without a base, held as often; returns the id here of each id there."""
        high = int(other.index.state[HIGH])
        here = np.full(high + 1, ABSENT, np.int64)  # [id there + 1], the root first
        children = np.zeros(high + 1, np.int64)
        self.reserve(len(other))
        for ids in _by_length(other):
            keys = other.index.keys[ids]
            parents, words = here[keys >> kernels.WORD_BITS], keys & ((1 << kernels.WORD_BITS) - 1)
            order = np.lexsort((words, parents))  # the same numbering whatever the numbering there
            np.add.at(children, keys >> kernels.WORD_BITS, 1)
            kernels.extend_many(self.layered, self.uses, parents[order], words[order], here, ids[order] + 1)
        ids = other.ids
        kernels.hold_many(self.layered, self.uses, here[ids + 1], other.columns["uses"][ids] - children[ids + 1])
        return here[1:]

    def compact(self) -> Ids:
        """Renumber the paths, shorter ones first; returns the new id of each old one, for tables that refer to them."""
        fresh = PathTable()
        renumbered = fresh.merge(self)
        fresh._resize(len(fresh))
        fresh._replace_slots(len(fresh))
        self.index, self.columns = fresh.index, fresh.columns
        return renumbered


def _by_length(paths: Table) -> Iterator[Ids]:
    """Ids of the paths of one word, then of those of two, and so on."""
    remaining = paths.ids
    reached = np.zeros(int(paths.index.state[HIGH]) + 1, np.bool_)
    reached[0] = True
    while remaining.size:
        ready = reached[paths.index.keys[remaining] >> kernels.WORD_BITS]
        yield remaining[ready]
        reached[remaining[ready] + 1] = True
        remaining = remaining[~ready]


def _scattered(values: Ids, places: Ids, size: int) -> Ids:
    """An array [size] with these values at these places and ABSENT at all others."""
    array = np.full(size, ABSENT, np.int64)
    array[places] = values
    return array


@exercise
def _exercise() -> None:
    for base in (Table({"a": np.int64, "b": np.int32, "c": np.float64}), None):
        table = Table({"a": np.int64, "b": np.int32, "c": np.float64}, base)
        table.add([1, 2], a=1, b=1, c=1.0)
        table.get([1], "a")
        table.add([1, 2], a=-1, b=-1, c=-1.0)
    paths, more = PathTable(), PathTable()
    more.insert([1, 2])
    paths.merge(more)
    paths.path(paths.find_path([1, 2]))
    paths.release(paths.insert([3]))


_EMPTY = Index(np.zeros(0, np.int64), np.zeros(1, np.uint32), np.array([0, 0, 0, 1], np.int64))


def _as_keys(keys: ArrayLike) -> Ids:
    array = np.atleast_1d(np.asarray(keys, np.int64))
    if array.size and array.min() < 0:
        raise BadInputError(f"table keys must be 0 to 2⁶³ − 1, not {array.min()}")
    return np.ascontiguousarray(array)
