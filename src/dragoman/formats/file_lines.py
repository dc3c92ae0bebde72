"""The lines of a text, of which only the places are kept."""

from __future__ import annotations

import re
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

Line = TypeVar("Line")
_FEED = re.compile("\n")


class LineList(Sequence[Line]):
    """Lines in some form; a line feed at the end of the text begins another line only if `last` says so."""

    def __init__(self, text: str, at: int = 0, *, last: bool = False) -> None:
        self._text = text
        self._starts = array("I", [at])  # and, at its end, where another line would start
        self._starts.extend(found.end() for found in _FEED.finditer(text, at))
        if last or self._starts[-1] < len(text):
            self._starts.append(len(text) + 1)

    @abstractmethod
    def _line(self, start: int, end: int) -> Line:
        """The line between two positions, its line feed not included."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...
    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        if at < 0:
            at += len(self)
        return self._line(self._starts[at], self._starts[at + 1] - 1)

    def __iter__(self) -> Iterator[Line]:
        return map(self.__getitem__, range(len(self)))


class FileLines(LineList[str]):
    """The lines as they are."""

    def __init__(self, text: str) -> None:
        super().__init__(text, last=True)

    def _line(self, start: int, end: int) -> str:
        return self._text[start:end]

    def between(self, first: int, end: int) -> Iterator[str]:
        """Some lines in one piece, if there are any."""
        if first < end:
            yield self._text[self._starts[first] : self._starts[end] - 1]
