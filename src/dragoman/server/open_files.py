"""Uploaded files as they were read, kept while people work on them: whether a target fits, the file says."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from dragoman.formats import Document, DocumentSegment
from dragoman.formats.preview import Preview

MOST_BYTES = 8 << 20  # of all files that are kept, which take many times that; at least one is, however large
Key = tuple[str, int]  # name of the project, number of the document


@dataclass(frozen=True)
class OpenFile:
    """A file, and its segments by id."""

    document: Document
    segments: dict[str, DocumentSegment]

    @cached_property
    def preview(self) -> Preview:
        """The text around each segment."""
        return Preview(self.document)


class OpenFiles:
    """The files of all projects that were used last; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: OrderedDict[Key, OpenFile] = OrderedDict()

    def get(self, key: Key, read: Callable[[], Document]) -> OpenFile:
        """The file of a document, read if it is not there."""
        with self._lock:
            if found := self._files.get(key):
                self._files.move_to_end(key)
                return found
        document = read()
        return self.put(key, document)

    def put(self, key: Key, document: Document) -> OpenFile:
        """Keep a file that was just read."""
        opened = OpenFile(document, {one.id: one for one in document.segments})
        with self._lock:
            self._files[key] = opened
            self._files.move_to_end(key)
            while len(self._files) > 1 and sum(len(each.document.data) for each in self._files.values()) > MOST_BYTES:
                self._files.popitem(last=False)
        return opened

    def drop(self, project: str, number: int | None = None) -> None:
        """Forget a file, or all files of a project."""
        with self._lock:
            for key in [each for each in self._files if each[0] == project and number in (None, each[1])]:
                del self._files[key]
