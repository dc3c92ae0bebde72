"""Office Open XML: DOCX, PPTX and XLSX.

Documents: paragraphs, also in tables, headers, footers, notes, comments and text boxes; entries of an index.
Presentations: paragraphs of slides, their notes and comments, and of masters, as far as slides show them. Workbooks:
the texts of cells, except headers of tables, which formulas refer to by name, of comments and of text boxes; headers
and footers of pages. In all of them: diagrams, titles and labels of charts, descriptions of pictures; these are pieces
without formats, and where a paragraph contains one, it comes before the paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from html import unescape
from typing import ClassVar

from dragoman.formats.codes import words
from dragoman.formats.division import Parts, whole
from dragoman.formats.elements import Element, escape, quote
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.packages import Package, PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
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


_DECLARED = re.compile(rb"<(?:\w+:)?(?:Override|Default)\b[^>]*>")
_ENDING = re.compile(rb"""Extension\s*=\s*["']([^"']+)["']""")
_PART = re.compile(rb"""PartName\s*=\s*["']/?([^"']+)["']""")
_TYPE = re.compile(rb"""ContentType\s*=\s*["']([^"']+)["']""")
_COLUMN = re.compile(rb"""<(?:\w+:)?tableColumn\b[^<>]*?\sname\s*=\s*["']([^"']*)["']""")
# Diagrams, the pictures of them that programs show, and the titles of charts.
_DRAWN = r"(?i)drawingml\.(?:diagramData|diagramDrawing|chart)\+xml"
_DRAWING = ("http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main")


_WORD_DRAWING = (
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing",
)


_AROUND_PAGES = words("oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter")
_SECTIONS = re.compile(r"(?<!&amp;)(?=&amp;[LCR])")
_PAGE_CODES = re.compile(
    r"((?<!&amp;)&amp;(?:(?:\"|&quot;)[^\"&]*(?:\"|&quot;)|\d{1,3}|K[0-9A-Fa-f]{2,6}(?:[+-]\d{3})?|[A-Za-z+-]))"
)
_HAS_TEXT = re.compile(
    rb"""inlineStr|<(?:\w+:)?c(?=\s[^<>]*+>)(?>[^<>]*?\st=["']str["'])[^<>]*+>\s*+<(?:\w+:)?v|<(?:\w+:)?(?:odd|even|first)(?:Head|Foot)er>"""
)
PAGES = "pages"  # the style of a text around pages


class WordPart(OfficeTexts):
    """A part of a DOCX file; tracked insertions and deletions stay what they are."""

    kind = "docx"
    wanted = frozenset({"p", "instrText", *(f"{namespace} docPr" for namespace in _WORD_DRAWING)})
    skipped = frozenset({"pPr", "hyperlinkPr", "sdtPr", "sdtEndPr", "smartTagPr", "fldData", "customXmlPr"})
    boxes = frozenset(
        {"hyperlink", "ins", "smartTag", "sdt", "sdtContent", "fldSimple", "bdo", "dir", "moveTo", "customXml"}
    )
    noise = frozenset({"proofErr", "lastRenderedPageBreak"})
    preserve = ' xml:space="preserve"'

    @cached_property
    def _entries(self) -> dict[int, list[tuple[str, int, int]]]:
        """The entries of an index in the paragraph that is being read, by the position of the element they are in."""
        return {}

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        name = local(element)
        if name == "docPr":
            yield from self._descriptions(element)
            return
        if name == "instrText":
            for text, start, end in self._entries.pop(element.inside, []):
                yield self._plain_piece(text, start, end, ENTRY)
            return
        for inside, text, start, end in find_entries(element, self.wanted, self.raw_data):
            self._entries.setdefault(inside, []).append((text, start, end))
        yield from super()._visit(element, around)


class DrawingPart(OfficeTexts):
    """A part of a PPTX file, or a drawing or chart in any other."""

    kind = "pptx"
    wanted = frozenset({*(f"{namespace} p" for namespace in _DRAWING), "cNvPr", "docPr", "strCache", "strLit"})
    skipped = frozenset({"pPr", "endParaRPr"})
    boxes = frozenset[str]()

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        name = local(element)
        if name in ("cNvPr", "docPr"):
            yield from self._descriptions(element)
        elif name in ("strCache", "strLit"):
            for label in labels(element, "v"):
                yield from self._content(label)
        else:
            yield from super()._visit(element, around)


class MasterPart(DrawingPart):
    """What slides have in common; the texts of places that a slide fills in are not shown, and are left alone."""

    wanted = DrawingPart.wanted | {"sp"}

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        if element.name != "sp":
            yield from super()._visit(element, around)
        elif not any(local(each) == "ph" for each in element.descendants()):
            for nested in nested_in(element, DrawingPart.wanted):
                yield from super()._visit(nested, [*around, element])


class SlideComments(OfficeTexts):
    """Comments on slides."""

    kind = "pptx"
    wanted = frozenset({"text"})
    skipped = frozenset[str]()
    boxes = frozenset[str]()

    def _visit(self, element: Element, _: list[Element]) -> Iterable[Piece]:
        yield from self._content(element)


class SheetPart(OfficeTexts):
    """The texts of cells: a table of strings, or strings in the cells themselves; and around the pages of a sheet."""

    kind = "xlsx"
    wanted = frozenset({"si", "is", "c", *_AROUND_PAGES})
    skipped = frozenset[str]()
    boxes = frozenset[str]()
    preserve = ' xml:space="preserve"'

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        if element.name in _AROUND_PAGES:
            yield from self._around_pages(element)
            return
        if element.name == "c":
            yield from self._visit_cell(element, around)
            return
        plain = element.child("t")
        if plain is not None and not plain.elements and not element.child("r"):
            if not plain.empty:
                yield self._cell(plain)
        elif element.child("r"):
            yield from super()._visit(element, around)

    def _visit_cell(self, cell: Element, around: list[Element]) -> Iterable[Piece]:
        """A cell with its own text, or with one that no formula has made."""
        inner, value = cell.child("is"), cell.child("v")
        if inner is not None:
            yield from self._visit(inner, around)
        elif value is not None and cell.attributes.get("t") == "str" and cell.child("f") is None:
            yield from self._content(value)

    def _around_pages(self, element: Element) -> Iterable[Piece]:
        """The text at the left, in the middle and at the right; codes for fonts and page numbers are tags."""
        at = element.inside
        for section in _SECTIONS.split(self._slice(element.inside, element.close)):
            parts: Parts = []
            for number, part in enumerate(_PAGE_CODES.split(section)):
                if number % 2:
                    name = "field" if part[-1] in "PNDTAFZG" else "x"  # a date, a number of pages: part of the sentence
                    parts.append(Tag(f"<x{number // 2 + 1}/>", part.encode(), "alone", name, None))
                elif part:
                    parts.append(unescape(part).replace("&&", "&"))
            size = len(section.encode())
            if any(isinstance(part, str) and part.strip() for part in parts):
                self._counter[0] += 1
                yield Piece(str(self._counter[0]), Inline(parts), at, at + size, style=PAGES, divide=whole)
            at += size

    def _cell(self, plain: Element) -> Piece:
        self._counter[0] += 1
        text = "".join(part for part in plain.content if isinstance(part, str))
        return Piece(str(self._counter[0]), Inline([text]), plain.start, plain.end, style=None)

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        if piece.style is None:
            return self._write_text("".join(part for part in parts if isinstance(part, str)))
        if piece.style == PAGES:
            shown = (escape(part.replace("&", "&&")) if isinstance(part, str) else part.raw.decode() for part in parts)
            return "".join(shown)
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
        for path, said in _types(package.read(cls.root) if cls.root in package else b"", package.names()).items():
            reader = next((reader for types, reader in cls.types.items() if re.search(types, said)), None)
            if reader:
                found.append((path, reader))
        return sorted(found, key=lambda one: _natural(one[0]))


def _types(table: bytes, names: list[str]) -> dict[str, str]:
    """The type of each part: its own, or that of its ending."""
    endings: dict[str, str] = {}
    found: dict[str, str] = {}
    for entry in _DECLARED.findall(table):
        part, ending, kind = _PART.search(entry), _ENDING.search(entry), _TYPE.search(entry)
        said = kind[1].decode("latin-1") if kind else ""
        if part:
            found[unescape(part[1].decode("utf-8", "replace"))] = said
        elif ending:
            endings[ending[1].decode("latin-1").lower()] = said
    by_ending = {name: endings.get(name.rpartition(".")[2].lower(), "") for name in names}
    return {name: said for name, said in by_ending.items() if said} | found


def _natural(path: str) -> tuple[str, int, str]:
    number = re.search(r"(?<!\d)(\d++)\.\w+\Z", path)
    return path[: number.start() if number else len(path)], int(number[1]) if number else 0, path


class DocxDocument(_OfficeDocument):
    """A document of Word."""

    kind = "docx"
    types: ClassVar = {
        r"(?i)wordprocessingml\.(?:(?:document|template)\.main|header|footer|footnotes|endnotes)\+xml": WordPart,
        r"(?i)wordprocessingml\.comments\+xml": WordPart,
        r"(?i)ms-word.*main": WordPart,
        _DRAWN: DrawingPart,
    }


class PptxDocument(_OfficeDocument):
    """A presentation of PowerPoint."""

    kind = "pptx"
    types: ClassVar = {
        r"(?i)presentationml\.(?:slide|notesSlide)\+xml": DrawingPart,
        r"(?i)presentationml\.(?:slide|notes|handout)(?:Master|Layout)\+xml": MasterPart,
        r"(?i)presentationml\.comments\+xml": SlideComments,
        r"(?i)ms-powerpoint\.comments\+xml": DrawingPart,
        _DRAWN: DrawingPart,
    }


class SheetComments(SheetPart):
    """The comments of a sheet."""

    wanted = frozenset({"text"})


class XlsxDocument(_OfficeDocument):
    """A workbook of Excel."""

    kind = "xlsx"
    types: ClassVar = {
        r"(?i)spreadsheetml\.(?:sharedStrings|worksheet)\+xml": SheetPart,
        r"(?i)spreadsheetml\.comments\+xml": SheetComments,
        r"(?i)drawing\+xml": DrawingPart,
        _DRAWN: DrawingPart,
    }

    @classmethod
    def find_parts(cls, package: Package) -> Iterable[tuple[str, type[PieceDocument]]]:
        """The table of strings, and those sheets that have strings in their cells."""
        for path, reader in super().find_parts(package):
            is_sheet = reader is SheetPart and "sharedStrings" not in path
            if not is_sheet or (path in package and _HAS_TEXT.search(package.read(path))):
                yield path, reader

    @classmethod
    def find_fixed(cls, package: Package) -> set[str]:
        """The headers of tables: another text in the cell than in the table, and the file counts as damaged."""
        tables = [path for path in package.names() if re.fullmatch(r"xl/tables/[^/]+\.xml", path)]
        names = (name for path in tables for name in _COLUMN.findall(package.read(path)))
        return {unescape(name.decode("utf-8", "replace")) for name in names}
