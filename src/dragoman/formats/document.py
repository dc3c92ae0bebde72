"""What all formats have in common: a document is a list of segments, and can be written with new targets."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, get_args

import numpy as np

from dragoman.errors import BadInputError
from dragoman.formats.compact_lists import CompactList, Row, RowList, SharedStrings, pack_inline, unpack_inline
from dragoman.formats.contents import Contents
from dragoman.formats.inline import Inline

if TYPE_CHECKING:
    from dragoman.formats.document_pieces import Excerpt

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
        """Add the target of a segment that has none yet; an empty one is no translation."""
        self._rows.append((name, target, _LETTERS[state if target or state == "locked" else "new"]))
        self._index = None

    def without(self, names: Iterable[str]) -> NewTargets:
        """The same targets without some, in no more memory."""
        new = NewTargets()
        new._rows, new._removed = self._rows, self._removed.union(names)
        return new

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


__all__ = ["WRITABLE", "Document", "DocumentSegment", "Names", "NewTarget", "NewTargets", "State", "UnwritableError"]


class UnwritableError(BadInputError):
    """A target that would not be read back as it was put in."""

    def __init__(self, segment: str, where: str) -> None:
        what = f"the target of segment {segment!r} cannot be written into this file"
        super().__init__(what, where=where, remedy="leave this segment out")
        self.segment = segment


Targets = Mapping[str, str | tuple[str, State]]


@dataclass(frozen=True)
class Document(ABC):
    """An immutable document. A language is None if neither the file nor the caller states it."""

    format: str  # "xliff 1.2", "tmx", "po", "html", "docx" …
    source_language: str | None
    target_language: str | None
    segments: Sequence[DocumentSegment]
    data: bytes = field(repr=False)
    contents: Contents = field(repr=False)

    @property
    def warnings(self) -> list[str]:
        """What a person should know before this file is filled, such as a signature that will no longer hold."""
        return []

    def fill(self, targets: Targets) -> bytes:
        """The same bytes, with these targets and states in place of the old ones.

        A target alone makes the segment "translated"; one equal to the old target changes nothing.
        """
        with no_collection():
            changes = self._changes(targets)
            if not changes:
                return self.data
            return self._write_checked(changes)

    @classmethod
    @abstractmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read a file; the languages select from several in the file, and are assumed if it states none."""

    def check(self, segment: DocumentSegment, target: str) -> None:
        """Raise `BadInputError` if a segment cannot have this target, for example because its tags are broken."""
        found = self._find_fault(segment, target)
        if found:
            what, remedy = found
            raise BadInputError(f"the target of segment {segment.id!r} {what}", where=self.contents.name, remedy=remedy)

    def excerpt(self, segment: DocumentSegment) -> Excerpt | None:  # noqa: ARG002
        """What has to be written to see whether the file can hold a target; None if `check` finds all that is wrong."""
        return None

    @abstractmethod
    def _find_fault(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        """What is wrong with a target, and what to do about it."""

    @abstractmethod
    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        """The file with these changes, each of which does change something."""

    def _write_checked(self, changes: Mapping[str, NewTarget]) -> bytes:
        """The file with these changes, after making sure that they are read back from it."""
        data = self._write(changes)
        self._verify(data, changes)
        return data

    def _changes(self, targets: Targets) -> NewTargets:
        changes, known, unchanged = NewTargets(), 0, set[str]()
        is_packed = isinstance(targets, NewTargets)
        for old in self.segments:
            wanted = targets.get(old.id)
            if wanted is None:
                continue
            known += 1
            change = _change(old, wanted)
            if change.target == old.target and change.state == old.state:
                unchanged.add(old.id)
                continue
            if old.state == "locked" or change.state not in WRITABLE:
                locked = old.state == "locked"
                what = f"segment {old.id!r} is locked" if locked else f"there is no state {change.state!r}"
                raise BadInputError(what, where=self.contents.name, remedy="leave it as it is")
            if change.target != old.target:
                self.check(old, change.target)
            if not is_packed:
                changes.add(old.id, *change)
        if known < len(targets):
            ids = {segment.id for segment in self.segments}
            unknown = next(name for name in targets if name not in ids)
            raise BadInputError(f"there is no segment {unknown!r}", where=self.contents.name)
        return targets.without(unchanged) if isinstance(targets, NewTargets) else changes

    def _verify(self, data: bytes, changes: Mapping[str, NewTarget]) -> None:
        """Make sure that the targets are read back from the new file exactly."""
        missing = len(changes)

        def compare(name: str, target: str) -> None:
            nonlocal missing
            change = changes.get(name)
            if change is None:
                return
            missing -= 1
            if change.target != target:
                raise UnwritableError(name, self.contents.name)

        self._each_target(data, compare)
        if missing:
            found = set[str]()
            self._each_target(data, lambda name, _: found.add(name))
            raise UnwritableError(next(name for name in changes if name not in found), self.contents.name)

    def _each_target(self, data: bytes, visit: Callable[[str, str], None]) -> None:
        """Visit the targets in a file that was written, each with the id of its segment."""
        for segment in self.read(data, self.contents.name, self.source_language, self.target_language).segments:
            visit(segment.id, segment.target)


@contextmanager
def no_collection() -> Iterator[None]:
    """Read or write without looking for garbage in between: there is none, and looking takes half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _change(old: DocumentSegment, wanted: str | tuple[str, State]) -> NewTarget:
    if isinstance(wanted, str):
        return NewTarget(wanted, old.state if wanted == old.target else "translated" if wanted else "new")
    target, state = wanted
    return NewTarget(target, state if target or state == "locked" else "new")


class Names:
    """Unique ids, however often the same one is requested.

    >>> names = Names()
    >>> names.unique("title"), names.unique("title")
    ('title', 'title#2')
    """

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """This name, with a number if it is taken."""
        found = name
        while found in self._taken:
            self._taken[name] += 1
            found = f"{name}#{self._taken[name]}"
        self._taken[found] = 1
        return found
