"""Rows of a journal read from the bytes of its SQLite file, where SQLite itself cannot reach them any more.

SQLite finds a row by its pages: one altered bit in the first page hides all rows, one in the head of another hides its
neighbours. The rows are still there. A cell of the table begins, in SQLite's file format
(https://www.sqlite.org/fileformat2.html, sections 1.6 and 2.1), with

1. the length of its record and the id of its row, as varints;
2. the length of the record's head, and there the type of each column as a varint. That of the id is 0, that of the
   kind one of four, and times always have the same length: three bytes that `START` looks for;
3. the values. What does not fit into the page continues in other pages, each with the number of the next.

A cell is taken if all that fits together. Whether its contents are what was written is for the digests of the
rows to say (`store.integrity`). A deleted row is not here: SQLite overwrites it (`secure_delete`). The number of the
last row that was ever written stands in a table of SQLite's own, whose one row is found in the same way.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from dragoman.store.rows import given_text
from dragoman.store.write_ahead_log import PAGE, read_log

COLUMNS = (
    "id",
    "kind",
    "time",
    "username",
    "source",
    "target",
    "reason",
    "refers_to",
    "forgotten_by",
    "settings",
    "revision",
    "digest",
    "contribution",
)
TEXTS = {"kind", "time", "username", "source", "target", "reason", "settings"}
BLOBS = {"digest", "contribution"}
START = re.compile(rb"\x00[\x17\x19\x1b\x1d]\x4d")  # types of id; of learn, forget, flagged, settings; of time
LONGEST = 9  # bytes of a varint
LAST = re.compile(rb"\x03\x1b([\x01-\x06])journal")  # types of a name of seven letters and of a number; the name
DAMAGED = 1 << 32  # added to the number of a page of which there is another form
WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)  # bytes of a value, by its type; above them, blobs and texts by their length


class RowCell(NamedTuple):
    """Where a row is."""

    page: int  # number of its page
    at: int  # where the types of its columns begin, from the beginning of the page
    head: int  # bytes of the record's head
    size: int  # bytes of the record


class RawRows:
    """All rows that stand in a journal's file, or in the log beside it, by id; a row may stand there more than once."""

    def __init__(self, file: Path) -> None:
        self._data = _mapped(file)
        log = read_log(file)
        # A page that is not whole may have whole rows, and so may the form that it had before
        self._pages = log.pages() | {number + DAMAGED: page for number, page in log.damaged_pages().items()}
        found = []
        for size in {PAGE, log.size, _page_size(self._data[:100])}:  # the one that the file says may be wrong
            self._size = size
            found.append((self._scan(), size))
        self._cells, self._size = max(found, key=lambda each: (len(each[0]), -each[1]))

    def _scan(self) -> dict[int, list[RowCell]]:
        """Where each row stands, by its id."""
        cells: dict[int, list[RowCell]] = {}
        for number in self._numbers():
            for row, cell in _cells(number, self._page(number)):
                cells.setdefault(row, []).append(cell)
        return cells

    def _numbers(self) -> Iterator[int]:
        """The numbers of all pages."""
        pages = -(-len(self._data) // self._size)
        yield from range(1, pages + 1)
        yield from sorted(number for number in self._pages if number > pages)

    def last_given(self) -> int:
        """The highest id that was given to a row; 0 if that is not known any more."""
        last = 0
        for number in self._numbers():
            page = self._page(number)
            for match in LAST.finditer(page):
                value = page[match.end() : match.end() + WIDTHS[match[1][0]]]
                last = max(last, int.from_bytes(value, signed=True))
        return last

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self._data, mmap.mmap):
            self._data.close()

    def ids(self) -> list[int]:
        """The ids of all rows, in order."""
        return sorted(self._cells)

    def cells(self, row: int) -> list[RowCell]:
        """The places where a row stands."""
        return self._cells.get(row, [])

    def get(self, row: int) -> Iterator[dict[str, Any]]:
        """The values of a row, once for each place where it stands."""
        for cell in self.cells(row):
            values = self.read(cell)
            if values:
                yield values | {"id": row}

    def read(self, cell: RowCell) -> dict[str, Any]:
        """The values that stand in a place; empty if they do not fit there."""
        record = self._record(cell)
        return {} if record is None else _values(record, cell.head)

    def move(self, cell: RowCell, old: int, new: int) -> None:
        """Give a row that stands in a place the id that it must have had."""
        self._cells[old].remove(cell)
        if not self._cells[old]:
            del self._cells[old]
        self._cells.setdefault(new, []).append(cell)

    def _page(self, number: int) -> bytes:
        if number in self._pages:
            return self._pages[number]
        return self._data[(number - 1) * self._size : number * self._size]

    def _record(self, cell: RowCell) -> bytes | None:
        """The bytes of a record, as far as its pages are there; None if it does not fit into the first."""
        page, begin = self._page(cell.page), cell.at - _width(cell.head)
        here = _local_bytes(cell.size, self._size)
        if begin + here > len(page):
            return None
        record, seen = bytearray(page[begin : begin + here]), {cell.page}
        following = page[begin + here : begin + here + 4]
        while len(record) < cell.size:
            number = int.from_bytes(following)
            page = self._page(number) if number else b""
            if number in seen or not page:
                break  # the columns before its contribution can be read all the same
            seen.add(number)
            following = page[:4]
            record += page[4 : 4 + min(self._size - 4, cell.size - len(record))]
        return bytes(record)


def _mapped(file: Path) -> mmap.mmap | bytes:
    """The bytes of a file; none if it is empty or not there."""
    try:
        with file.open("rb") as reading:
            return mmap.mmap(reading.fileno(), 0, access=mmap.ACCESS_READ)
    except (ValueError, FileNotFoundError):
        return b""


def _page_size(head: bytes) -> int:
    size = int.from_bytes(head[16:18])
    return size if size >= 512 and size & (size - 1) == 0 else PAGE


def _cells(number: int, page: bytes) -> Iterator[tuple[int, RowCell]]:
    """Id and place of each row that begins in a page."""
    for match in START.finditer(page):
        at = match.start()
        types, end = _types(page, at)
        head = end - at + 1
        if types is None or at < 1 or page[at - 1] != head:  # heads are shorter than 128 bytes: 13 varints
            continue
        size = head + sum(map(_length, types))
        begins = at - 1
        for width in range(1, LONGEST + 1):
            row, after = _varint(page, begins - width) if begins >= width else (0, 0)
            length = _written(size)
            before = begins - width - len(length)
            if after == begins and row > 0 and before >= 0 and page[before : begins - width] == length:
                yield row, RowCell(number, at, head, size)
                break


def _types(page: bytes, at: int) -> tuple[list[int] | None, int]:
    """The types of the columns, if a row can have them, and where they end."""
    types = []
    for name in COLUMNS:
        kind, at = _varint(page, at)
        if at > len(page) or not _fits(name, kind):
            return None, at
        types.append(kind)
    return types, at


def _fits(name: str, kind: int) -> bool:
    if name in TEXTS:
        return kind == 0 or (kind >= 13 and kind % 2 == 1)
    if name in BLOBS:
        return (kind == 0 and name != "digest") or (kind >= 12 and kind % 2 == 0)
    return kind <= 9 and kind != 7  # 7 is a floating-point number


def _length(kind: int) -> int:
    return (kind - 12) // 2 if kind >= 12 else WIDTHS[kind]


def _values(record: bytes, head: int) -> dict[str, Any]:
    """The values of a record by column; its contribution may have been cut off."""
    at, place = 1, head
    values: dict[str, Any] = {}
    for name in COLUMNS:
        kind, at = _varint(record, at)
        data = record[place : place + _length(kind)]
        place += _length(kind)
        if kind >= 12:
            # What is not UTF-8 any more is text that nobody can learn; the row's digest is still needed
            values[name] = given_text(data.decode(errors="surrogateescape")) if name in TEXTS else data
        elif kind == 0:
            values[name] = None
        else:
            values[name] = kind - 8 if kind in (8, 9) else int.from_bytes(data, signed=True)
    return values


def _local_bytes(size: int, page: int) -> int:
    """How many bytes of a record stand in the page of its cell (section 1.6)."""
    most, least = page - 35, (page - 12) * 32 // 255 - 23
    if size <= most:
        return size
    here = least + (size - least) % (page - 4)
    return here if here <= most else least


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, big-endian with seven bits in each but the last, and where it ends."""
    number = 0
    for n in range(LONGEST):
        if at + n >= len(data):
            return 0, len(data) + 1
        byte = data[at + n]
        if n == LONGEST - 1:
            return number << 8 | byte, at + LONGEST
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, at + n + 1
    return number, at + LONGEST


def _written(number: int) -> bytes:
    """A small number as a varint."""
    written = [number & 0x7F]
    while number := number >> 7:
        written.append(number & 0x7F | 0x80)
    return bytes(reversed(written))


def _width(number: int) -> int:
    return len(_written(number))
