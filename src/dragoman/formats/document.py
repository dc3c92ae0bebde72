"""What all formats have in common: a document is a list of segments, and can be written with new targets."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents
from dragoman.formats.document_segments import WRITABLE, DocumentSegment, NewTarget, NewTargets, State

if TYPE_CHECKING:
    from dragoman.formats.excerpts import Excerpt

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
        changes, known = NewTargets(), 0
        for old in self.segments:
            wanted = targets.get(old.id)
            if wanted is None:
                continue
            known += 1
            change = _change(old, wanted)
            if change.target == old.target and change.state == old.state:
                continue
            if old.state == "locked" or change.state not in WRITABLE:
                what = (
                    f"segment {old.id!r} is locked" if old.state == "locked" else f"there is no state {change.state!r}"
                )
                raise BadInputError(what, where=self.contents.name, remedy="leave it as it is")
            if change.target != old.target:
                self.check(old, change.target)
            changes.add(old.id, *change)
        if known < len(targets):
            ids = {segment.id for segment in self.segments}
            unknown = next(name for name in targets if name not in ids)
            raise BadInputError(f"there is no segment {unknown!r}", where=self.contents.name)
        return changes

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
