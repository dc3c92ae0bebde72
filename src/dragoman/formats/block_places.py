"""Where the pieces of a document stand: in headings, in items of lists, in cells of tables.

Only the file around the wanted pieces is looked at, and a bounded stretch before it, so that it takes no longer in a
large file. A list or table that began further back is still recognised as such; its numbers may begin later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dragoman.formats.html import HtmlDocument
from dragoman.formats.markdown import MarkdownDocument
from dragoman.formats.opendocument import OpenDocumentPart
from dragoman.formats.piece_document import Piece, PieceDocument
from dragoman.formats.preview_blocks import Place, Role
from dragoman.formats.runs import RunDocument
from dragoman.formats.xml_pieces import XmlPieceDocument

BACK = 20_000  # characters or bytes before the first piece that are looked at
_HTML = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?:script|style)\b.*?(?:</(?:script|style)\s*+>|\Z)"
    r"|<(?P<end>/?)(?P<name>h[1-6]|ul|ol|dl|li|dt|dd|table|tr|td|th|blockquote|pre|caption|figcaption)\b[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_XML = re.compile(
    rb"<(?P<end>/?)(?:[\w.-]+:)?(?P<name>tbl|tr|tc|table|table-row|table-cell|list|list-item|list-header|h|p|si|is)"
    rb"(?P<attributes>\s[^<>]*?)?(?P<empty>/?)>"
)
_SAME = {  # names of other formats for elements of HTML
    "tbl": "table",
    "tc": "td",
    "table-row": "tr",
    "table-cell": "td",
    "list": "ul",
    "list-item": "li",
    "list-header": "li",
}
# What an element closes that was never closed itself, up to what.
_CLOSES = {
    "li": ({"li"}, {"ul", "ol"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
    "td": ({"td", "th"}, {"table"}),
    "th": ({"td", "th"}, {"table"}),
    "tr": ({"tr", "td", "th"}, {"table"}),
}
_ITEM = re.compile(r"[ \t>]*(?P<marker>[-+*]|\d{1,9}[.)])[ \t]+\Z")
_PROPERTIES = re.compile(rb"<(?:\w+:)?pPr\b(?:[^<>]*/>|[^<>]*+>.{0,2000}?</(?:\w+:)?pPr>)", re.DOTALL)
_STYLE = re.compile(rb"<w:pStyle\s[^>]*w:val=\"([^\"]*)\"")
_LEVEL = re.compile(rb"<w:outlineLvl\s[^>]*w:val=\"([0-8])\"")
_LISTED = re.compile(rb"<w:numPr>.{0,300}?<w:ilvl\s[^>]*w:val=\"(\d)\"|<w:numPr>|<a:bu(?:Char|AutoNum)\b", re.DOTALL)


def find_places(document: PieceDocument, pieces: Sequence[Piece]) -> list[Place]:
    """Where these pieces, which follow each other, stand."""
    if isinstance(document, HtmlDocument):
        return _html_places(document, pieces)
    if isinstance(document, MarkdownDocument):
        return [_markdown_place(document, piece) for piece in pieces]
    if isinstance(document, RunDocument | OpenDocumentPart):
        return _xml_places(document, pieces)
    return [Place("string", label=piece.id) for piece in pieces]


class _OpenElements:
    """The elements that are open at some position: names and where they begin."""

    def __init__(self) -> None:
        self.stack: list[tuple[str, int]] = []
        self.counts: dict[int, int] = {}  # of items or cells so far, by the position of their list or row
        self.seen: set[int] = set()  # items whose marker was shown

    def begin(self, name: str, at: int) -> None:
        closed, within = _CLOSES.get(name, (set(), set()))
        while any(each in closed for each, _ in self._inside(within)):
            self.stack.pop()
        if name in ("li", "td", "th"):
            around = self._around({"tr"} if name != "li" else {"ul", "ol"})
            self.counts[around] = self.counts.get(around, 0) + 1
        self.stack.append((name, at))

    def _inside(self, within: set[str]) -> list[tuple[str, int]]:
        last = max((n for n, (name, _) in enumerate(self.stack) if name in within), default=-1)
        return self.stack[last + 1 :]

    def end(self, name: str) -> None:
        if any(each == name for each, _ in self.stack):
            while self.stack.pop()[0] != name:
                pass

    def _around(self, names: set[str]) -> int:
        return next((at for name, at in reversed(self.stack) if name in names), -1)

    def place(self) -> Place:
        """Where text at this position stands."""
        table, row, cell = self._around({"table"}), self._around({"tr"}), self._around({"td", "th"})
        inside = self.stack[[at for _, at in self.stack].index(cell) + 1 :] if cell >= 0 else self.stack
        role: Role = "cell" if cell >= 0 else "paragraph"
        level, marker = 0, ""
        for name, at in inside:
            if re.fullmatch("h[1-6]", name):
                role, level = "heading", int(name[1])
            elif name in ("ul", "ol"):
                level += 1
            elif name in ("li", "dd"):
                role, marker = "item", self._marker(name, at)
            elif name in ("blockquote", "pre"):
                role = "quote"
        column = max(0, self.counts.get(row, 1) - 1)
        if cell < 0:
            table = row = -1
        return Place(role, level, marker, "", table, row, cell, column)

    def _marker(self, name: str, at: int) -> str:
        if name == "dd" or at in self.seen:
            return ""
        self.seen.add(at)
        kind, begin = next(((each, where) for each, where in reversed(self.stack) if each in ("ul", "ol")), ("ul", -1))
        return f"{self.counts.get(begin, 1)}." if kind == "ol" else "•"


def _html_places(document: HtmlDocument, pieces: Sequence[Piece]) -> list[Place]:
    text, found, opened = document.contents.text, list[Place](), _OpenElements()
    at = max(0, pieces[0].start - BACK)
    for piece in pieces:
        for tag in _HTML.finditer(text, at, max(at, piece.start)):
            if tag["name"] and not tag["end"]:
                opened.begin(tag["name"].lower(), tag.start())
            elif tag["name"]:
                opened.end(tag["name"].lower())
        at = max(at, piece.start)
        if piece.context.startswith("@"):
            found.append(Place("attribute", label=piece.context[1:]))
        elif piece.context == "title":
            found.append(Place("attribute", label="title"))
        else:
            found.append(opened.place())
    return found


def _xml_places(document: XmlPieceDocument, pieces: Sequence[Piece]) -> list[Place]:
    data, found, opened = document.raw_data, list[Place](), _OpenElements()
    at = max(0, min(piece.start for piece in pieces) - BACK)
    for piece in pieces:
        begin = at
        for tag in _XML.finditer(data, at, max(at, piece.start)):
            name = tag["name"].decode()
            name = _SAME.get(name, name)
            if name in ("h", "p", "si", "is"):
                begin = tag.start() if not tag["end"] else begin
            elif tag["end"]:
                opened.end(name)
            elif not tag["empty"]:
                opened.begin(name, tag.start())
        at = max(at, piece.start)
        found.append(_xml_place(opened.place(), data[begin : piece.start], piece.context))
    return found


def _xml_place(place: Place, before: bytes, context: str) -> Place:
    """The place of a paragraph by what stands between its start and its text."""
    if context == "h":
        level = re.search(rb"outline-level=\"([1-9])", before)
        return _change(place, "heading", min(6, int(level[1]) if level else 1))
    properties = _PROPERTIES.search(before)
    if properties is None:
        return place
    style, outline, listed = (each.search(properties[0]) for each in (_STYLE, _LEVEL, _LISTED))
    named = re.search(rb"(?i)(?:heading|titre|berschrift|ttulo\D*|title)\s*([1-9])?", style[1]) if style else None
    if named or outline:
        number = int(named[1] or 1) if named else int(outline[1]) + 1 if outline else 1
        return _change(place, "heading", min(6, number))
    if style and re.search(rb"(?i)quote", style[1]):
        return _change(place, "quote", 0)
    if listed or (style and re.match(rb"(?i)list", style[1])):
        return _change(place, "item", 1 + int((listed and listed[1]) or 0), "•")
    return place


def _change(place: Place, role: Role, level: int, marker: str = "") -> Place:
    return Place(role, level, marker, place.label, place.table, place.row, place.cell, place.column)


def _markdown_place(document: MarkdownDocument, piece: Piece) -> Place:
    """By the line that a piece begins on."""
    text, context = document.contents.text, piece.context
    if context.startswith("front/"):
        return Place("attribute", label=context.removeprefix("front/"))
    if context in ("alt", "title") or context.startswith("@"):
        return Place("attribute", label=context.removeprefix("@"))
    if re.fullmatch("h[1-6]", context):
        return Place("heading", int(context[1]))
    line = text.rfind("\n", 0, piece.start) + 1
    before = text[line : piece.start]
    if context in ("th", "td"):
        return Place("cell", table=_table_start(text, line), row=line, cell=piece.start, column=_column(before))
    if item := _ITEM.fullmatch(before):
        marker = item["marker"] if item["marker"][0].isdigit() else "•"
        return Place("item", 1 + len(before[: item.start("marker")].expandtabs(4)) // 2, marker)
    if before.lstrip().startswith(">"):
        return Place("quote")
    return Place("item", 1 + len(before.expandtabs(4)) // 4) if before and not before.strip() else Place()


def _column(before: str) -> int:
    return max(0, len(re.findall(r"(?<!\\)\|", before)) - before.lstrip().startswith("|"))


def _table_start(text: str, line: int) -> int:
    """Where the table begins that a line is in, as far as the bound goes."""
    end = text.rfind("\n\n", max(0, line - BACK), line)
    return end + 2 if end >= 0 else max(0, line - BACK)
