"""Segments of documents and their new targets, each a few bytes beside its text when there are many."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from dragoman.formats.compact_lists import CompactList, Row, RowList, SharedStrings, pack_inline, unpack_inline
from dragoman.formats.inline import Inline

State = Literal["new", "translated", "confirmed", "locked"]
WRITABLE = frozenset(get_args(State)) - {"locked"}
_LETTERS = {state: state[0] for state in get_args(State)}
_STATES = {letter: state for state, letter in _LETTERS.items()}


@dataclass(frozen=True, slots=True)
class DocumentSegment:
    """A piece of a document with its translation; inline tags are in the texts as they are in the file."""

    id: str  # unique in the document
    source: str
    target: str  # empty if there is none
    state: State
    inline: Inline = field(default_factory=Inline, repr=False, compare=False)  # text and tags of the source
    context: str = field(default="", repr=False, compare=False)  # where it stands: a heading, a key, a dialogue
    note: str = field(default="", repr=False, compare=False)  # what the author tells the translator
    limit: int | None = field(default=None, repr=False, compare=False)  # characters a target should not exceed

    @property
    def tags(self) -> list[str]:
        """The inline tags in the source, in order."""
        return [tag.shown for tag in self.inline.tags]


class CompactSegments(CompactList[DocumentSegment]):
    """The segments of a document."""

    def __init__(self, items: Iterable[DocumentSegment] = ()) -> None:
        self._shared = SharedStrings()
        super().__init__(items)

    def _row(self, item: DocumentSegment) -> Row:
        row = (item.id, item.source, item.target, _LETTERS[item.state], pack_inline(item.inline, item.source))
        if not (item.context or item.note or item.limit is not None):
            return row
        return (*row, self._shared.pack(item.context), self._shared.pack(item.note), item.limit)

    def _item(self, row: Row | None, _: int) -> DocumentSegment:
        name, source, target, state, packed, *more = row or ()
        inline = unpack_inline(packed, source)
        if not more:
            return DocumentSegment(name, source, target, _STATES[state], inline)
        unpack = self._shared.unpack
        return DocumentSegment(name, source, target, _STATES[state], inline, unpack(more[0]), unpack(more[1]), more[2])


class NewTarget(NamedTuple):
    """The new target and state of a segment."""

    target: str
    state: State


class NewTargets(Mapping[str, NewTarget]):
    """New targets by the ids of their segments; found at once in the order in which they were added.

    >>> targets = NewTargets()
    >>> targets.add("1", "hola", "translated")
    >>> targets["1"].target, "2" in targets
    ('hola', False)
    """

    def __init__(self) -> None:
        self._rows = RowList()  # of id, target and state
        self._removed: set[str] = set()
        self._last: tuple[str, NewTarget | None] = "", None  # what was looked up last
        self._following = self._rows.since(0)  # the rows after the one that was found last,
        self._next: Row | None = None  # and the first of them
        self._index: tuple[array[int], array[int]] | None = None  # hashes of ids, in order, and where these are

    def add(self, name: str, target: str, state: State) -> None:
        """Add the target of a segment that has none yet."""
        self._rows.append((name, target, _LETTERS[state]))
        self._index = None

    def remove(self, name: str) -> bool:
        """Take a target out; False if there is none."""
        if name not in self:
            return False
        self._removed.add(name)
        self._last = "", None
        return True

    def _find(self, name: str) -> NewTarget | None:
        known, found = self._last
        if known == name and name:
            return found
        if self._next is None:  # at the end: perhaps all are looked up again
            self._follow(0)
        row = self._next
        if row is None or row[0] != name:
            row = self._look_up(name)
        else:
            self._next = next(self._following, None)
        found = NewTarget(row[1], _STATES[row[2]]) if row and name not in self._removed else None
        self._last = name, found
        return found

    def _look_up(self, name: str) -> Row | None:
        hashes, places = self._indexed()
        wanted = hash(name)
        order = bisect_left(hashes, wanted)
        while order < len(hashes) and hashes[order] == wanted:
            row = self._rows[places[order]]
            if row[0] == name:
                self._follow(places[order] + 1)
                return row
            order += 1
        return None

    def _follow(self, at: int) -> None:
        self._following = self._rows.since(at)
        self._next = next(self._following, None)

    def _indexed(self) -> tuple[array[int], array[int]]:
        if self._index is None:
            hashes = np.fromiter((hash(row[0]) for row in self._rows), np.int64, len(self._rows))
            order = np.argsort(hashes, kind="stable")
            self._index = array("q", hashes[order].tobytes()), array("q", order.astype(np.int64).tobytes())
        return self._index

    def __getitem__(self, name: str) -> NewTarget:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str, default: object = None) -> NewTarget | None:  # type: ignore[override]
        """The target of a segment, if it has one."""
        found = self._find(name)
        return found if found is not None else default  # type: ignore[return-value]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (row[0] for row in self._rows if row[0] not in self._removed)

    def __len__(self) -> int:
        return len(self._rows) - len(self._removed)


def find_repeated(hashes: array[int]) -> frozenset[int]:
    """The hashes that occur more than once, in eight bytes each."""
    ordered = np.sort(np.frombuffer(hashes, np.int64)) if hashes else np.empty(0, np.int64)
    return frozenset(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
