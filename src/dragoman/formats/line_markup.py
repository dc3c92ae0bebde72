"""What markup of lines has in common: rows of a file, headings with a line under them, and marks inside a paragraph."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dragoman.formats.file_lines import LineList
from dragoman.formats.inline import Tag
from dragoman.text.markup import Kind


class MarkupRow(NamedTuple):
    """A line of the file."""

    start: int
    end: int
    indent: int
    text: str  # without indentation and line break

    @property
    def is_blank(self) -> bool:
        """Whether nothing is on it."""
        return not self.text


class UnderlinedHeading(NamedTuple):
    """The style of a heading: the sign of the line under it, and over it if there is one."""

    sign: str
    over: bool


class PieceCount:
    """Numbers for pieces."""

    def __init__(self) -> None:
        self.value = 0

    def next(self) -> str:
        """The next number."""
        self.value += 1
        return str(self.value)


class MarkupRows(LineList[MarkupRow]):
    """The lines of a text."""

    def _line(self, start: int, end: int) -> MarkupRow:
        line = self._text[start:end].rstrip("\r\n \t")
        bare = line.lstrip(" \t")
        indent = len(line) - len(bare)
        return MarkupRow(start + indent, start + len(line), indent, bare)


def width(text: str) -> int:
    """Columns that a text takes; wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def underlined(text: str, heading: UnderlinedHeading, newline: str) -> str:
    """A heading with lines of its own length."""
    rule = heading.sign * max(width(text), 4 if not heading.over else 1)
    over = f"{rule}{newline}" if heading.over else ""
    return f"{over}{text}{newline}{rule}"


def marked_parts(
    flat: str, spans: list[tuple[int, int]], found: list[re.Match[str]], kinds: Mapping[int, Kind]
) -> Iterator[str | Tag]:
    """Text and tags of a block whose lines were joined by spaces; marks without a kind are text."""
    begins: list[int] = []
    size = 0
    for start, end in spans:
        begins.append(size)
        size += end - start + 1

    def place(position: int) -> int:
        number = max(n for n, begin in enumerate(begins) if begin <= position)
        return min(spans[number][0] + position - begins[number], spans[number][1])

    at = count = 0
    names: list[str] = []
    for each in found:
        kind = kinds.get(each.start())
        if kind is None:
            continue
        if each.start() > at:
            yield flat[at : each.start()]
        span = place(each.start()), place(each.end() - 1) + 1
        if kind == "end":
            name = names.pop()
            yield Tag(f"</{name}>", b"", "end", name, None, span)
        else:
            count += 1
            text = re.sub(r"[\s<>\"&]+", " ", each[0]).strip()
            name = f"g{count}" if kind == "start" else "x" if each.lastgroup == "colons" else "code"
            names += [name] if kind == "start" else []
            shown = f"<{name}>" if kind == "start" else f'<x{count} text="{text[:60]}"/>'
            yield Tag(shown, b"", kind, name, None, span)
        at = each.end()
    if at < len(flat):
        yield flat[at:]
