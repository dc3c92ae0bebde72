"""Office Open XML: DOCX, PPTX and XLSX.

Documents: paragraphs, also in tables, headers, footers, notes and text boxes. Presentations: paragraphs of slides and
their notes. Workbooks: the texts of cells, except headers of tables, which formulas refer to by name, and of text
boxes. In all of them: diagrams, and the titles of charts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from typing import ClassVar

from dragoman.formats.division import Parts
from dragoman.formats.elements import Element
from dragoman.formats.inline import Inline
from dragoman.formats.packages import Package
from dragoman.formats.packed import PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.formats.runs import RunDocument

_OVERRIDE = re.compile(rb"<(?:\w+:)?Override\b[^>]*>")
_PART = re.compile(rb"""PartName\s*=\s*["']/?([^"']+)["']""")
_TYPE = re.compile(rb"""ContentType\s*=\s*["']([^"']+)["']""")
_COLUMN = re.compile(rb"""<(?:\w+:)?tableColumn\b[^>]*?\sname\s*=\s*["']([^"']*)["']""")
# Diagrams, the pictures of them that programs show, and the titles of charts.
_DRAWN = r"(?i)drawingml\.(?:diagramData|diagramDrawing|chart)\+xml"
_DRAWING = ("http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main")


class WordPart(RunDocument):
    """A part of a DOCX file; tracked insertions and deletions stay what they are."""

    kind = "docx"
    wanted = frozenset({"p"})
    skipped = frozenset({"pPr", "hyperlinkPr", "sdtPr", "sdtEndPr", "smartTagPr", "fldData", "customXmlPr"})
    boxes = frozenset(
        {"hyperlink", "ins", "smartTag", "sdt", "sdtContent", "fldSimple", "bdo", "dir", "moveTo", "customXml"}
    )
    noise = frozenset({"proofErr", "lastRenderedPageBreak"})
    preserve = ' xml:space="preserve"'


class DrawingPart(RunDocument):
    """A part of a PPTX file."""

    kind = "pptx"
    wanted = frozenset(f"{namespace} p" for namespace in _DRAWING)
    skipped = frozenset({"pPr", "endParaRPr"})
    boxes = frozenset[str]()


class SheetPart(RunDocument):
    """The texts of cells: a table of strings, or strings in the cells themselves."""

    kind = "xlsx"
    wanted = frozenset({"si", "is"})
    skipped = frozenset[str]()
    boxes = frozenset[str]()
    preserve = ' xml:space="preserve"'

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        plain = element.child("t")
        if plain is not None and not plain.elements and not element.child("r"):
            if not plain.empty:
                yield self._cell(plain)
        elif element.child("r"):
            yield from super()._visit(element, around)

    def _cell(self, plain: Element) -> Piece:
        self._counter[0] += 1
        text = "".join(part for part in plain.content if isinstance(part, str))
        return Piece(str(self._counter[0]), Inline([text]), plain.start, plain.end, style=None)

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        if piece.style is None:
            return self._write_text("".join(part for part in parts if isinstance(part, str)))
        return super()._render(piece, parts, inner)

    def _read_back(self, piece: Piece, parts: Parts | None) -> str:
        return (
            Inline(piece.inline.parts if parts is None else parts).text
            if piece.style is None
            else super()._read_back(piece, parts)
        )


class _OfficeDocument(PackedDocument):
    """A file whose table of types says what its parts are."""

    root = "[Content_Types].xml"
    types: ClassVar[dict[str, type[PieceDocument]]]  # patterns of types, and what reads them

    @classmethod
    def find_parts(cls, package: Package) -> Iterable[tuple[str, type[PieceDocument]]]:
        """The parts of the wanted types, in the order of their numbers."""
        found = []
        for override in _OVERRIDE.findall(package.read(cls.root) if cls.root in package else b""):
            part, kind = _PART.search(override), _TYPE.search(override)
            said = kind[1].decode("latin-1") if kind else ""
            reader = next((reader for types, reader in cls.types.items() if re.search(types, said)), None)
            if part and reader:
                found.append((unescape(part[1].decode("utf-8", "replace")), reader))
        return sorted(found, key=lambda one: _natural(one[0]))


def _natural(path: str) -> tuple[str, int, str]:
    number = re.search(r"(\d+)\.\w+\Z", path)
    return path[: number.start() if number else len(path)], int(number[1]) if number else 0, path


class DocxDocument(_OfficeDocument):
    """A document of Word."""

    kind = "docx"
    types: ClassVar = {
        r"(?i)wordprocessingml\.(?:(?:document|template)\.main|header|footer|footnotes|endnotes)\+xml": WordPart,
        r"(?i)ms-word.*main": WordPart,
        _DRAWN: DrawingPart,
    }


class PptxDocument(_OfficeDocument):
    """A presentation of PowerPoint."""

    kind = "pptx"
    types: ClassVar = {r"(?i)presentationml\.(?:slide|notesSlide)\+xml": DrawingPart, _DRAWN: DrawingPart}


class XlsxDocument(_OfficeDocument):
    """A workbook of Excel."""

    kind = "xlsx"
    types: ClassVar = {
        r"(?i)spreadsheetml\.(?:sharedStrings|worksheet)\+xml": SheetPart,
        r"(?i)drawing\+xml": DrawingPart,
        _DRAWN: DrawingPart,
    }

    @classmethod
    def find_parts(cls, package: Package) -> Iterable[tuple[str, type[PieceDocument]]]:
        """The table of strings, and those sheets that have strings in their cells."""
        for path, reader in super().find_parts(package):
            is_sheet = reader is SheetPart and "sharedStrings" not in path
            if not is_sheet or (path in package and b"inlineStr" in package.read(path)):
                yield path, reader

    @classmethod
    def find_fixed(cls, package: Package) -> set[str]:
        """The headers of tables: another text in the cell than in the table, and the file counts as damaged."""
        tables = [path for path in package.names() if re.fullmatch(r"xl/tables/[^/]+\.xml", path)]
        names = (name for path in tables for name in _COLUMN.findall(package.read(path)))
        return {unescape(name.decode("utf-8", "replace")) for name in names}
