"""What all formats have in common: a document is a list of segments, and can be written with new targets."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, get_args

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents
from dragoman.formats.inline import Inline

if TYPE_CHECKING:
    from dragoman.formats.excerpts import Excerpt

State = Literal["new", "translated", "confirmed", "locked"]
WRITABLE = frozenset(get_args(State)) - {"locked"}


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


class UnwritableError(BadInputError):
    """A target that would not be read back as it was put in."""

    def __init__(self, segment: str, where: str) -> None:
        what = f"the target of segment {segment!r} cannot be written into this file"
        super().__init__(what, where=where, remedy="leave this segment out")
        self.segment = segment


class NewTarget(NamedTuple):
    """The new target and state of a segment."""

    target: str
    state: State


Targets = Mapping[str, str | tuple[str, State]]


@dataclass(frozen=True)
class Document(ABC):
    """An immutable document. A language is None if neither the file nor the caller states it."""

    format: str  # "xliff 1.2", "tmx", "po", "html", "docx" …
    source_language: str | None
    target_language: str | None
    segments: list[DocumentSegment]
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

    def _changes(self, targets: Targets) -> dict[str, NewTarget]:
        known = {segment.id: segment for segment in self.segments}
        changes = {}
        for name, wanted in targets.items():
            old = known.get(name)
            if old is None:
                raise BadInputError(f"there is no segment {name!r}", where=self.contents.name)
            change = _change(old, wanted)
            if change.target == old.target and change.state == old.state:
                continue
            if old.state == "locked" or change.state not in WRITABLE:
                what = f"segment {name!r} is locked" if old.state == "locked" else f"there is no state {change.state!r}"
                raise BadInputError(what, where=self.contents.name, remedy="leave it as it is")
            if change.target != old.target:
                self.check(old, change.target)
            changes[name] = change
        return changes

    def _verify(self, data: bytes, changes: Mapping[str, NewTarget]) -> None:
        """Make sure that the targets are read back from the new file exactly."""
        written = self._targets(data)
        for name, change in changes.items():
            if written.get(name) != change.target:
                raise UnwritableError(name, self.contents.name)

    def _targets(self, data: bytes) -> dict[str, str]:
        """The targets in a file that was written, by the ids of their segments."""
        again = self.read(data, self.contents.name, self.source_language, self.target_language)
        return {segment.id: segment.target for segment in again.segments}


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
