"""OpenDocument: ODT, ODS and ODP. Paragraphs are pieces, also in notes, frames, tables, headers and footers.

So are titles and descriptions of pictures, and entries of an index.

What a cell shows of a formula, a number or a date is left alone: programs compute it again. A cell may hold its text in
an attribute, `office:string-value`. If it has no paragraphs, that is a piece; otherwise it overrides the paragraphs,
and is removed once they change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from dragoman.formats.division import Parts, whole
from dragoman.formats.document import NewTarget
from dragoman.formats.elements import Element, quote
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.packages import Package, PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.formats.runs import local, nested_in
from dragoman.formats.xml_pieces import XmlPieceDocument

TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
DESCRIPTION = "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
INDEX_ENTRY = f"{TEXT} alphabetical-index-mark"
AROUND_TEXT = frozenset({f"{TEXT} span", f"{TEXT} a", f"{TEXT} meta"})
CELLS = frozenset({f"{TABLE} table-cell", f"{TABLE} covered-table-cell"})
VALUE = f"{OFFICE} string-value"
_VALUE = re.compile(rb"""\s[\w.-]+:string-value\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_SPACES = re.compile(r"[\t\r\n][ \t\r\n]*| [ \t\r\n]+")  # a single space may stay as it is


class OpenDocumentPart(XmlPieceDocument):
    """Contents or styles of a file; white space counts as one space."""

    kind = "odt"
    prose = True
    wanted = CELLS | {f"{TEXT} p", f"{TEXT} h", f"{DESCRIPTION} title", f"{DESCRIPTION} desc", INDEX_ENTRY}

    @cached_property
    def _counter(self) -> list[int]:
        return [0]

    @cached_property
    def _overridden(self) -> dict[str, tuple[int, int]]:
        """By the id of a piece, the attribute that would be shown in its place."""
        return {}

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        if any(local(each) == "tracked-changes" for each in around):
            return
        if element.name in CELLS:
            yield from self._visit_cell(element, around)
            return
        if element.name == INDEX_ENTRY:
            value = _VALUE.search(self.raw_data, element.start, element.inside)
            yield from self._attribute(value, element.attributes.get(f"{TEXT} string-value", "")) if value else ()
            return
        for nested in nested_in(element, self.wanted):
            yield from self._visit(nested, around)
        if element.empty:
            return
        names = iter(range(1, 1_000_000))
        parts = _collapsed(self._parts_of(element, names))
        if any(isinstance(part, str) and part.strip() for part in parts):
            self._counter[0] += 1
            context = local(element)
            yield Piece(str(self._counter[0]), Inline(parts), element.inside, element.close, context)

    def _visit_cell(self, cell: Element, around: list[Element]) -> Iterable[Piece]:
        """The paragraphs of a cell, unless they are computed, its notes and frames, and its text in an attribute."""
        computed, inside = _is_computed(cell), [*around, cell]
        value = (
            None if computed or VALUE not in cell.attributes else _VALUE.search(self.raw_data, cell.start, cell.inside)
        )
        shown = [each for each in cell.elements if each.name in self.wanted]
        if value and not shown:
            yield from self._attribute(value, cell.attributes[VALUE])
        for child in cell.elements:
            if child not in shown:
                for nested in nested_in(child, self.wanted):
                    yield from self._visit(nested, inside)
            elif not computed:
                found = list(self._visit(child, inside))
                if value:
                    self._overridden.update(dict.fromkeys((piece.id for piece in found), value.span()))
                yield from found

    def _attribute(self, value: re.Match[bytes], text: str) -> Iterator[Piece]:
        """A text in an attribute."""
        if text.strip():
            self._counter[0] += 1
            which = 1 if value[1] is not None else 2
            mark = chr(self.raw_data[value.start(which) - 1])
            yield Piece(str(self._counter[0]), Inline([text]), *value.span(which), "value", divide=whole, style=mark)

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        if piece.style is not None:
            return quote(Inline(parts).text, piece.style)[1:-1]
        return super()._render(piece, parts, inner)

    def _extra(self, changes: Mapping[str, NewTarget]) -> list[Replacement]:
        if not self._overridden:
            return []
        changed = {name.partition("/")[0] for name in changes}
        spans = {span for name, span in self._overridden.items() if name in changed}
        return [Replacement(start, end, "") for start, end in sorted(spans)]

    def _parts_of(self, element: Element, names: Iterator[int]) -> Iterator[str | Tag]:
        for each in element.content:
            if isinstance(each, str):
                yield each
                continue
            number = next(names)
            if each.name in AROUND_TEXT and not each.empty:
                yield Tag(f"<g{number}>", b"", "start", f"g{number}", None, (each.start, each.inside))
                yield from self._parts_of(each, names)
                yield Tag(f"</g{number}>", b"", "end", f"g{number}", None, (each.close, each.end))
            else:
                yield Tag(f"<x{number}/>", b"", "alone", "x", None, (each.start, each.end))

    def _normal(self, text: str) -> str:
        return _SPACES.sub(" ", text).strip(" ")


def _is_computed(cell: Element) -> bool:
    """Whether what a cell shows is computed: from a formula, or from a number, a date or the like."""
    if local(cell) not in ("table-cell", "covered-table-cell"):
        return False
    return f"{TABLE} formula" in cell.attributes or cell.attributes.get(f"{OFFICE} value-type", "string") != "string"


def _collapsed(parts: Iterable[str | Tag]) -> Parts:
    inline = Inline()
    for part in parts:
        if isinstance(part, str):
            inline.add(part)
        else:
            inline.parts.append(part)
    return [_SPACES.sub(" ", part) if isinstance(part, str) else part for part in inline.parts]


class OpenDocument(PackedDocument):
    """A text, a spreadsheet or a presentation."""

    kind = "odt"
    root = "content.xml"

    @classmethod
    def find_parts(cls, package: Package) -> Iterable[tuple[str, type[PieceDocument]]]:
        """Contents, then headers and footers, which are among the styles."""
        for path in package.names():
            if re.fullmatch(r"(?:Object [\w ]+/)?(?:content|styles)\.xml", path):
                yield path, OpenDocumentPart
