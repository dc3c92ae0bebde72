"""Uploaded files as they were read, kept while people work on them: whether a target fits, the file says."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dragoman.formats import Document, DocumentSegment
from dragoman.formats.packages import PackedDocument
from dragoman.formats.preview import Preview
from dragoman.formats.segment_groups import Step, regroup

MOST_BYTES = 256 << 20  # of memory that all files take that are kept; at least one is, however large
TIMES = 35  # bytes of memory for each byte of a plain file, at most, as measured
PACKED_TIMES = 8  # bytes of an archive's text for each of its own, usually
LARGE = 32 << 20  # bytes of memory: files that take more are read one after the other
Key = tuple[str, int]  # name of the project, number of the document


@dataclass(frozen=True)
class OpenFile:
    """A file, and its segments by id."""

    document: Document
    segments: dict[str, DocumentSegment]
    steps: list[Step] = field(default_factory=list)  # how its segments were merged and split
    _latest: list[OpenFile] = field(default_factory=list, repr=False, compare=False)

    def regrouped(self, steps: Sequence[Step]) -> OpenFile:
        """The file with its segments merged and split; the last one that was asked for is kept."""
        if not steps:
            return self
        known = self._latest[-1] if self._latest else self
        if known.steps == steps:
            return known
        done = len(known.steps)
        if known.steps != list(steps[:done]):
            known, done = self, 0
        document = regroup(known.document, steps[done:])
        new = OpenFile(document, {one.id: one for one in document.segments}, list(steps))
        self._latest[:] = [new]
        return new

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each segment stands in the file, from 1."""
        return {one.id: number for number, one in enumerate(self.document.segments, start=1)}

    @cached_property
    def preview(self) -> Preview:
        """The text around each segment."""
        return Preview(self.document)


class OpenFiles:
    """The files of all projects that were used last; thread-safe."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._reading = threading.Lock()  # held while a large file is read
        self._files: OrderedDict[Key, OpenFile] = OrderedDict()
        self._memory: dict[Key, int] = {}  # bytes that files take, as measured when they came

    def expect(self, key: Key, memory: int) -> None:
        """Note how much memory a file takes when it is read."""
        with self._lock:
            self._memory[key] = memory

    def get(self, key: Key, read: Callable[[], Document]) -> OpenFile:
        """The file of a document, read if it is not there; there is room for a large one before it is read."""
        if found := self._find(key):
            return found
        memory = self._memory.get(key)
        if memory is not None and memory <= LARGE:
            return self.put(key, read())
        with self._reading:
            if found := self._find(key):  # somebody else has read it meanwhile
                return found
            with self._lock:
                self._make_room(memory or LARGE)  # it came before this process began
            return self.put(key, read())

    def put(self, key: Key, document: Document) -> OpenFile:
        """Keep a file that was just read."""
        opened = OpenFile(document, {one.id: one for one in document.segments})
        with self._lock:
            packed = PACKED_TIMES if isinstance(document, PackedDocument) else 1
            self._memory.setdefault(key, TIMES * packed * len(document.data))
            self._files.pop(key, None)
            self._make_room(self._memory[key])
            self._files[key] = opened
        return opened

    def drop(self, project: str, number: int | None = None) -> None:
        """Forget a file, or all files of a project."""
        with self._lock:
            for kept in (self._files, self._memory):
                for key in [each for each in kept if each[0] == project and number in (None, each[1])]:
                    del kept[key]

    def _find(self, key: Key) -> OpenFile | None:
        with self._lock:
            if found := self._files.get(key):
                self._files.move_to_end(key)
            return found

    def _make_room(self, memory: int) -> None:
        """Forget those that were not used for longest, until a file fits in beside the others."""
        while self._files and memory + sum(self._memory[each] for each in self._files) > self._most_bytes:
            self._files.popitem(last=False)
