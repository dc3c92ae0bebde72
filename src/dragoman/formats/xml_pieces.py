"""Documents in XML whose text is replaced where it stands; positions are in bytes of UTF-8."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from io import BytesIO
from typing import ClassVar

from dragoman.formats.contents import DECLARED, in_utf8
from dragoman.formats.division import Parts
from dragoman.formats.document import DocumentSegment
from dragoman.formats.elements import UNWRITABLE, Edit, Element, Scanner, apply, escape
from dragoman.formats.inline import Tag
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement, ReplacementList


class XmlPieceDocument(PieceDocument):
    """A document in XML; a format names the elements it wants to see, and finds pieces in them."""

    hint = DECLARED
    wanted: ClassVar[frozenset[str]]  # names of elements; in other namespaces than the root's, "namespace name"
    _lacking = "xmlcharrefreplace"

    @cached_property
    def raw_data(self) -> bytes:
        """The file in UTF-8, whatever its encoding."""
        return in_utf8(self.contents, self.data)

    @abstractmethod
    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        """The pieces of an element; `around` are its ancestors, outermost first."""

    def _find_pieces(self) -> Iterable[Piece]:
        found: list[Piece] = []
        scanner = Scanner(
            self.raw_data,
            self.contents,
            self.wanted,
            lambda element, around: found.extend(self._visit(element, around)),
        )
        for _ in scanner.steps():
            yield from found
            found.clear()
        yield from found
        self.outside.update(scanner.outside)

    @cached_property
    def outside(self) -> dict[str, Element]:
        """The first element of each name that is in no wanted one."""
        return {}

    def _slice(self, start: int, end: int) -> str:
        return self.raw_data[start:end].decode()

    def _encode(self, replacements: ReplacementList) -> bytes:
        out, done = BytesIO(), 0
        for each in replacements.ordered():
            out.write(self.raw_data[done : each.start])
            out.write(each.new.encode())
            done = each.end
        out.write(self.raw_data[done:])
        return self.contents.encode_again(out.getvalue(), errors=self._lacking)

    def raw(self, tag: Tag, inner: Iterable[Replacement]) -> str:
        """A tag as it is in the file, with the replacements inside it."""
        if tag.span is None:
            return tag.raw.decode()
        start, end = tag.span
        edits = [Edit(e.start - start, e.end - start, e.new.encode()) for e in inner if start <= e.start < end]
        return apply(self.raw_data[start:end], edits).decode()

    def _render(self, _: Piece, parts: Parts, inner: list[Replacement]) -> str:
        return "".join(
            escape(part).replace("\n", self.contents.newline) if isinstance(part, str) else self.raw(part, inner)
            for part in parts
        )

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        found = UNWRITABLE.search(target)
        if found:
            return f"has the character U+{ord(found[0]):04X}, which XML cannot hold", "take it out"
        return super()._find_unwritable(segment, target)
