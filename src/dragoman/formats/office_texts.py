"""Texts of office files that are no paragraphs: descriptions of pictures, entries of an index, labels of charts.

They are pieces without formats. Where a paragraph contains one, as it contains the picture, it comes before the
paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape

from dragoman.formats.division import Parts, whole
from dragoman.formats.elements import Element, escape, quote
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.runs import RunDocument, local, nested_in

DESCRIBED = ("descr", "title")  # attributes of a picture that are read to those who do not see it
_ENTRY = re.compile(r'\bXE\s+(?:"|&quot;)((?:[^"\\&]|\\.|&(?!quot;))+)', re.DOTALL)
CONTENT, ENTRY = "content", "entry"  # what such a piece is, where it is not an attribute


@lru_cache
def _attribute(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"\s%s\s*=\s*(?:\"([^\"]*)\"|'([^']*)')" % name.encode())


class OfficeTexts(RunDocument):
    """A part with such texts besides its paragraphs; the style of their pieces is a string."""

    def _descriptions(self, element: Element) -> Iterator[Piece]:
        """The attributes of an element that describe a picture."""
        for name in DESCRIBED:
            found = _attribute(name).search(self.raw_data, element.start, element.inside)
            if found and element.attributes.get(name, "").strip():
                which = 1 if found[1] is not None else 2
                mark = chr(self.raw_data[found.start(which) - 1])
                yield self._plain_piece(element.attributes[name], *found.span(which), mark)

    def _content(self, element: Element) -> Iterator[Piece]:
        """The text of an element that has nothing else in it."""
        text = element.only_text
        if text and not element.empty:
            yield self._plain_piece(text, element.inside, element.close, CONTENT)

    def _plain_piece(self, text: str, start: int, end: int, style: str) -> Piece:
        self._counter[0] += 1
        return Piece(str(self._counter[0]), Inline([text]), start, end, style=style, divide=whole)

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        if not isinstance(piece.style, str):
            return super()._render(piece, parts, inner)
        text = Inline(parts).text
        if piece.style == ENTRY:
            return escape(text.replace("\\", "\\\\").replace('"', "”"))
        return escape(text) if piece.style == CONTENT else quote(text, piece.style)[1:-1]

    def _spans(self, piece: Piece, parts: Parts) -> list[tuple[int, int]]:
        return [] if isinstance(piece.style, str) else super()._spans(piece, parts)

    def _read_back(self, piece: Piece, parts: Parts | None) -> str:
        if not isinstance(piece.style, str):
            return super()._read_back(piece, parts)
        text = Inline(piece.inline.parts if parts is None else parts).text
        return text.replace('"', "”") if piece.style == ENTRY else text


def find_entries(paragraph: Element, wanted: frozenset[str], raw: bytes) -> Iterator[tuple[int, str, int, int]]:
    """The entries of an index in a paragraph: `XE "text"`, the text and the rest perhaps in runs of their own.

    Gives where the element begins, the text, and where that is; a text in several runs is left alone.
    """
    codes = [each for each in nested_in(paragraph, wanted) if local(each) == "instrText" and not each.empty]
    written, places = "", []
    for each in codes:
        shown = raw[each.inside : each.close].decode()
        places.append((len(written), len(written) + len(shown), each.inside))
        written += shown
    for found in _ENTRY.finditer(written):
        start, end = found.span(1)
        for begin, stop, inside in places:
            if begin <= start and end <= stop and found[1].strip():
                at = inside + len(written[begin:start].encode())
                text = unescape(re.sub(r"\\(.)", r"\1", found[1]))
                yield inside, text, at, at + len(found[1].encode())


def labels(element: Element, name: str) -> Iterable[Element]:
    """The elements of a name inside another, without its namespace."""
    return (each for each in element.descendants() if local(each) == name)
