"""Lists whose items take little more memory than their text: kept as bytes, and made again when they are asked for.

A million short texts as objects take one or two gigabytes, whatever the size of the file. Here an item is a row of
plain values, packed by `marshal`; what cannot be packed is kept as it is.
"""

from __future__ import annotations

import marshal
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Protocol, TypeVar, cast, overload

import numpy as np

from dragoman.errors import BadInputError
from dragoman.formats.inline import Inline, Tag

Item = TypeVar("Item")
Row = tuple[Any, ...]
MOST_BYTES = 1 << 30  # of all rows of a list
MOST_SHARED = 10_000  # strings that are kept once for all rows


class TooMuchMemoryError(BadInputError):
    """A file whose names or texts become far more than there is in it."""

    def __init__(self) -> None:
        what = f"takes more than {MOST_BYTES >> 30} GB of memory when it is read"
        super().__init__(what, remedy="split it into several files")


class CompactList(Sequence[Item]):
    """A list that items can be added to, and taken from its end; a subclass says how an item becomes a row."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._bytes = bytearray()
        self._ends = array("I")  # of the rows
        self._kept: dict[int, Item] = {}  # items that are no rows
        self.extend(items)

    @abstractmethod
    def _row(self, item: Item) -> Row | None:
        """The values of an item; None if that is the usual one at its place."""

    @abstractmethod
    def _item(self, row: Row | None, at: int) -> Item:
        """The item again."""

    def append(self, item: Item) -> None:
        """Add an item at the end."""
        row, data = self._row(item), self._bytes
        if row is not None:
            try:
                data += marshal.dumps(row)
            except ValueError:
                self._kept[len(self._ends)] = item
        if len(data) > MOST_BYTES:
            raise TooMuchMemoryError
        self._ends.append(len(data))

    def extend(self, items: Iterable[Item]) -> None:
        """Add several items."""
        for item in items:
            self.append(item)

    def pop(self) -> Item:
        """Take the last item off."""
        at = len(self._ends) - 1
        item = self[at]
        self._kept.pop(at, None)
        self._ends.pop()
        del self._bytes[self._ends[-1] if self._ends else 0 :]
        return item

    def put(self, at: int, item: Item) -> None:
        """Replace an item by one that is kept as it is."""
        self._kept[at] = item

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        at = range(len(self._ends))[at]
        if self._kept and at in self._kept:
            return self._kept[at]
        return self._item(self._values(at), at)

    def _values(self, at: int) -> Row | None:
        start, end = self._ends[at - 1] if at else 0, self._ends[at]
        return cast("Row", marshal.loads(self._bytes[start:end])) if end > start else None  # noqa: S302 (our own bytes)

    def __iter__(self) -> Iterator[Item]:
        return self.since(0)

    def since(self, first: int) -> Iterator[Item]:
        """The items from a place on."""
        item, kept = self._item, self._kept
        for at, row in self._rows(first):
            yield kept[at] if kept and at in kept else item(row, at)

    def _rows(self, first: int = 0) -> Iterator[tuple[int, Row | None]]:
        """The values of each row, in few steps, since most of the time is spent here."""
        loads, data, ends = marshal.loads, self._bytes, self._ends
        start = ends[first - 1] if first else 0
        for at in range(first, len(ends)):
            end = ends[at]
            yield at, loads(data[start:end]) if end > start else None
            start = end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


class RowList(CompactList[Row]):
    """Rows of plain values, as they are."""

    def _row(self, item: Row) -> Row:
        return item

    def _item(self, row: Row | None, _: int) -> Row:
        return row or ()


class Placed(Protocol):
    """What is at a place of a file; it is compared by that first."""

    @property
    def start(self) -> int:
        """Where it begins."""

    def __lt__(self, other: Any, /) -> bool: ...
    def __iter__(self) -> Iterator[Any]: ...


PlacedItem = TypeVar("PlacedItem", bound=Placed)


class PlacedList(CompactList[PlacedItem]):
    """Items that have a place in a file, whatever the order in which they were added."""

    def __init__(self) -> None:
        self.starts = array("I")
        super().__init__()

    def append(self, item: PlacedItem) -> None:
        """Add an item at the end."""
        super().append(item)
        self.starts.append(item.start)

    def pop(self) -> PlacedItem:
        """Take the last item off."""
        self.starts.pop()
        return super().pop()

    def _row(self, item: PlacedItem) -> Row:
        return tuple(item)

    def ordered(self) -> Iterator[PlacedItem]:
        """The items in the order of the file."""
        starts = np.frombuffer(self.starts, np.uint32) if self.starts else np.empty(0, np.uint32)
        if (starts[1:] > starts[:-1]).all():
            yield from self
            return
        order = map(int, np.argsort(starts, kind="stable"))
        for _, some in groupby(order, key=self.starts.__getitem__):
            yield from sorted(self[at] for at in some)


class SharedStrings:
    """Strings that many rows have: each is kept once, as long as they are not too many."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._strings: list[str] = []

    def pack(self, text: str) -> str | int:
        """The number of a string, or the string itself."""
        number = self._numbers.get(text)
        if number is None and len(self._strings) < MOST_SHARED:
            number = self._numbers[text] = len(self._strings)
            self._strings.append(text)
        return text if number is None else number

    def unpack(self, packed: str | int) -> str:
        """The string again."""
        return packed if isinstance(packed, str) else self._strings[packed]


def pack_inline(inline: Inline, text: str) -> Row | bool:
    """A text with tags as plain values: True if it is just `text`, False if it has nothing."""
    parts = inline.parts
    if len(parts) == 1 and parts[0] == text:
        return True
    return tuple(part if isinstance(part, str) else tuple(part) for part in parts) if parts else False


def unpack_inline(packed: Row | bool, text: str) -> Inline:
    """The text with tags again."""
    if isinstance(packed, bool):
        return Inline([text] if packed else [])
    return Inline([part if isinstance(part, str) else Tag(*part) for part in packed])
