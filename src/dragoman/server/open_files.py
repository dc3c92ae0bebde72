"""Uploaded files as they were read, kept while people work on them: whether a target fits, the file says."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from dragoman.formats import Document, DocumentSegment

MOST_BYTES = 24 << 20  # of all files that are kept; at least one is, however large


class OpenFile(NamedTuple):
    """A file, and its segments by id."""

    document: Document
    segments: dict[str, DocumentSegment]


class OpenFiles:
    """The files that were used last; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: OrderedDict[int, OpenFile] = OrderedDict()

    def get(self, number: int, read: Callable[[], Document]) -> OpenFile:
        """The file of a document, read if it is not there."""
        with self._lock:
            if found := self._files.get(number):
                self._files.move_to_end(number)
                return found
        document = read()
        return self.put(number, document)

    def put(self, number: int, document: Document) -> OpenFile:
        """Keep a file that was just read."""
        opened = OpenFile(document, {one.id: one for one in document.segments})
        with self._lock:
            self._files[number] = opened
            self._files.move_to_end(number)
            while len(self._files) > 1 and sum(len(each.document.data) for each in self._files.values()) > MOST_BYTES:
                self._files.popitem(last=False)
        return opened

    def drop(self, number: int) -> None:
        """Forget a file."""
        with self._lock:
            self._files.pop(number, None)
