"""AsciiDoc: paragraphs, headings, list items, titles of blocks and cells of tables are pieces; code is left alone.

Blocks are found by their lines, as in reStructuredText: a line of signs begins and ends a block, of code or of text; a
line in brackets says what the next block is. Inside a block, bold, emphasis and links become pairs of tags; code,
references, attributes and macros single ones. A paragraph that changes is written on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from dragoman.formats.codes import words
from dragoman.formats.division import Parts
from dragoman.formats.inline import Inline
from dragoman.formats.line_markup import (
    MarkupRow,
    MarkupRows,
    PieceCount,
    UnderlinedHeading,
    marked_parts,
    underlined,
    width,
)
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.text.markup import Kind

_CODE = words("source listing literal stem latexmath asciimath pass comment plantuml ditaa graphviz mermaid subs")
_FENCE = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}.*|~{4,})\Z")  # around what is no text
_FRAME = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)\Z")  # around text
_TABLE = re.compile(r"[|!]={3,}\Z")
_BAR = re.compile(r"(?<!\\)(?:(?:(?<=\s)|^)(?:\d+\*)?(?:\d*(?:\.\d+)?\+)?[<^>]?(?:\.[<^>])?[a-z]?)?\|")
_HEADING = re.compile(r"(?:={1,6}|\#{1,6})[ \t]+(?=\S)")
_UNDER = re.compile(r"([=\-~^+])\1+\Z")
_ITEM = re.compile(
    r"(?:\*{1,6}|-|\.{1,6}|\d+\.|[a-zA-Z]\.|[ivx]+\)|<(?:\d+|\.)>)[ \t]+(?:\[[ x*]\][ \t]+)?(?=\S)"
    r"|(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(?=\S)"
)
_TERM = re.compile(r"(?P<term>\S.*?)(?P<sign>:{2,4}|;;)(?:[ \t]+(?P<rest>.*))?\Z")
_ATTRIBUTES = re.compile(r"\[(?!\[?#)[^\]]*\]\]?\Z|\[(?:[^\[\]\"]|\"[^\"]*\"|\[[^\]]*\])*\]\Z")
_ENTRY = re.compile(r":(?P<name>!?[\w-]+!?):(?:[ \t]+(?P<value>.*))?\Z")
_SAID = re.compile(
    r"description|(?:doc|toc-|part-|appendix-)?title|[\w-]+-(?:caption|label|refsig)"
)  # attributes to read
_LEFT = re.compile(
    r"//(?!/)|(?:include|ifn?def|ifeval|endif|toc|image|video|audio|\w+)::\S*\[.*\]\Z|'{3,}|<{3,}|\+\Z|[*-]{3}\Z"
)
_PICTURE = re.compile(r"(?:image|video|audio)::[^\[\]]*\[\"?(?P<alt>[^\],\"=]+)\"?[\],]")
_BREAK = re.compile(r"[ \t]\+\Z")  # the line ends here
_INLINE = re.compile(
    r"(?P<escape>\\[*_`#+{<(\[])|(?P<passed>\+\+\+.{1,500}?\+\+\+|\+\+.{1,500}?\+\+|pass:[a-z,]*\[.{0,500}?(?<!\\)\])"
    r"|(?P<code>``.{1,500}?``|(?<![\w`])`\S(?:[^`]{0,500}?\S)?`(?!\w))|(?P<plus>(?<![\w+])\+\S(?:[^+]{0,500}?\S)?\+(?!\w))"
    r"|(?P<link>(?:link:[^\s\[\]]{1,2000}|(?:https?|ftp|irc|mailto):[^\s\[\]<>]{1,2000}|xref:[^\s\[\]]{1,2000}|footnote:\w*|btn:|kbd:)"
    r"\[(?=[^\[\]]{1,2000}\]))"
    r"|(?P<macro>\b\w+:(?!//)[^\s\[\]:]*\[[^\]]{0,500}\]|link:[^\s\[\]]{1,2000}\[\])"
    r"|(?P<reference><<[^<>]{1,500}>>|\(\(\(.{1,500}?\)\)\)|\[\[.{1,500}?\]\]|\[#[\w.-]+\](?=#))"
    r"|(?P<attribute>\{[\w:@ -]+\})"
    r"|(?P<address>(?:https?|ftp)://[^\s<>\[\]]+(?<![.,;:!?)'\"])(?:\[\])?)"
    r"|(?P<end>\])|(?P<role>\[\.?[\w.-]+\](?=[*_#]))"
    r"|(?P<strong2>\*\*)|(?P<strong>\*)|(?P<emphasis2>__)|(?P<emphasis>_)|(?P<marked>\#)|(?P<callout><\d+>\Z)",
    re.DOTALL,
)
_FREE = words("strong2 emphasis2")  # marks that may stand inside a word


class AsciiDocDocument(PieceDocument):
    """A page in AsciiDoc."""

    kind = "asciidoc"
    prose = True
    gap = re.compile(r"\n[ \t]*\r?\n(?=\S)")

    def _find_pieces(self) -> Iterable[Piece]:
        rows = MarkupRows(self.contents.text)
        first = 0
        if rows and rows[0].text == "---":  # front matter
            first = next((number + 1 for number, row in enumerate(rows) if number and row.text == "---"), 0)
        yield from self._blocks(rows[first:], PieceCount(), verse=False)

    def _blocks(self, rows: Sequence[MarkupRow], count: PieceCount, *, verse: bool) -> Iterator[Piece]:
        at, said = 0, ""  # what the line in brackets says of the next block
        while at < len(rows):
            row = rows[at]
            end = self._end_of_frame(rows, at)
            is_code = any(name in _CODE for name in re.split(r"[^\w]+", said)[1:2]) or said.startswith("[,")
            if row.is_blank:
                at += 1
                continue
            if end is not None:
                if not _FENCE.match(row.text) and not is_code:
                    inside = rows[at + 1 : end]
                    is_table = _TABLE.match(row.text) is not None
                    poem = said.startswith("[verse")
                    yield from self._table(inside, count) if is_table else self._blocks(inside, count, verse=poem)
                at, said = end + 1, ""
            elif _ATTRIBUTES.match(row.text):
                at, said = at + 1, row.text
            elif re.match(r"\.[^\s.]|//(?!/)", row.text) and not row.indent:  # a title, or a comment, before the block
                yield from self._text(rows, at, count, verse=False)[1]
                at += 1
            elif is_code or (row.indent and not _ITEM.match(row.text) and not _TERM.match(row.text)):
                at, said = _after_paragraph(rows, at), ""
            else:
                used, pieces = self._text(rows, at, count, verse=verse or said.startswith("[verse"))
                yield from pieces
                at += used
                said = ""

    def _end_of_frame(self, rows: Sequence[MarkupRow], at: int) -> int | None:
        """Where a block between two lines of signs ends; None if none begins here."""
        text = rows[at].text
        if not (_FENCE.match(text) or _FRAME.match(text) or _TABLE.match(text)):
            return None
        wanted = "```" if text.startswith("```") else text
        for number in range(at + 1, len(rows)):
            if rows[number].text == wanted:
                return number
        return len(rows) if _FENCE.match(text) else None

    def _text(self, rows: Sequence[MarkupRow], at: int, count: PieceCount, *, verse: bool) -> tuple[int, list[Piece]]:
        """What begins at a line that is no frame: how many lines it takes, and its pieces."""
        row, entry = rows[at], _ENTRY.match(rows[at].text)
        if entry:
            is_text = entry["value"] and _SAID.fullmatch(entry["name"]) and not entry["value"].endswith("\\")
            return 1, [self._piece([_later(row, entry.start("value"))], "attribute", count)] if is_text else []
        picture = _PICTURE.match(row.text)
        if picture:
            start = row.start + picture.start("alt")
            return 1, [self._piece([MarkupRow(start, start + len(picture["alt"]), 0, picture["alt"])], "alt", count)]
        if _LEFT.match(row.text):
            return 1, []
        heading = _HEADING.match(row.text)
        if heading:
            used = 1 if heading[0].strip() not in ("=", "#") else _after_header(rows, at + 1) - at
            return used, [self._piece([_later(row, heading.end())], "heading", count)]
        under = rows[at + 1].text if at + 1 < len(rows) else ""
        if _UNDER.match(under) and abs(len(under) - width(row.text)) <= 1 and not _ITEM.match(row.text):
            inline = self._inline([row])
            style = UnderlinedHeading(under[0], False)
            return 2, [Piece(count.next(), inline, row.start, rows[at + 1].end, "heading", style=style)]
        if re.match(r"\.[^\s.]", row.text):
            return 1, [self._piece([_later(row, 1)], "title", count)]
        return self._paragraph(rows, at, count, verse=verse)

    def _paragraph(
        self, rows: Sequence[MarkupRow], at: int, count: PieceCount, *, verse: bool
    ) -> tuple[int, list[Piece]]:
        """A paragraph or an item: its lines up to a blank one or to the next item or block."""
        found: list[Piece] = []
        row, item = rows[at], _ITEM.match(rows[at].text)
        term = None if item else _TERM.match(row.text)
        used = 1
        if term:
            found.append(
                self._piece([MarkupRow(row.start, row.start + term.end("term"), 0, term["term"])], "term", count)
            )
            if term["rest"]:
                row = _later(row, term.start("rest"))
            elif at + 1 < len(rows) and self._goes_on(rows, at + 1, in_item=True):
                row, used = rows[at + 1], 2
            else:
                return 1, found
        elif item:
            row = _later(row, item.end())
        lines = [row]
        while not verse and at + used < len(rows) and self._goes_on(rows, at + used, in_item=bool(item or term)):
            lines.append(rows[at + used])
            used += 1
        some: list[MarkupRow] = []
        for each in lines:
            broken = _BREAK.search(each.text)
            text = each.text[: broken.start()] if broken else each.text
            some.append(MarkupRow(each.start, each.start + len(text), each.indent, text))
            if broken:
                found.append(self._piece(some, "li" if item else "p", count))
                some = []
        if some:
            found.append(self._piece(some, "li" if item else "p", count))
        return used, found

    def _goes_on(self, rows: Sequence[MarkupRow], at: int, *, in_item: bool) -> bool:
        """Whether a line belongs to the paragraph before it."""
        text = rows[at].text
        if not text or _LEFT.match(text) or _FENCE.match(text) or _FRAME.match(text) or _TABLE.match(text):
            return False
        if _ATTRIBUTES.match(text):
            return False
        return not (in_item and (_ITEM.match(text) or _TERM.match(text)))

    def _table(self, rows: Sequence[MarkupRow], count: PieceCount) -> Iterator[Piece]:
        """The cells of a table: text after each bar, perhaps over several lines, or with blocks in it."""
        cell: list[MarkupRow] = []
        for row in rows:
            bars = list(_BAR.finditer(row.text))
            if not bars:
                cell.append(row)
                continue
            begins = [0, *(bar.end() for bar in bars)]
            ends = [*(bar.start() for bar in bars), len(row.text)]
            for number, (start, end) in enumerate(zip(begins, ends, strict=True)):
                if number:
                    yield from self._blocks(cell, count, verse=False)
                    cell = []
                text = row.text[start:end]
                bare = text.strip()
                if bare:
                    begin = row.start + start + len(text) - len(text.lstrip())
                    cell.append(MarkupRow(begin, begin + len(bare), 0, bare))
        yield from self._blocks(cell, count, verse=False)

    def _piece(self, rows: Sequence[MarkupRow], context: str, count: PieceCount) -> Piece:
        return Piece(count.next(), self._inline(rows), rows[0].start, rows[-1].end, context)

    def _inline(self, rows: Sequence[MarkupRow]) -> Inline:
        flat = " ".join(row.text for row in rows)
        found = list(_INLINE.finditer(flat))
        return Inline(list(marked_parts(flat, [(row.start, row.end) for row in rows], found, _kinds(found, flat))))

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        written = "".join(part if isinstance(part, str) else self.raw(part, inner) for part in parts)
        written = " ".join(written.split("\n"))
        if isinstance(piece.style, UnderlinedHeading):
            return underlined(written, piece.style, self.contents.newline)
        return written

    def _normal(self, text: str) -> str:
        return re.sub(r"\s+", " ", text).strip()


def _later(row: MarkupRow, by: int) -> MarkupRow:
    """A line without what it begins with."""
    return MarkupRow(row.start + by, row.end, row.indent + by, row.text[by:])


def _after_paragraph(rows: Sequence[MarkupRow], at: int) -> int:
    while at < len(rows) and not rows[at].is_blank:
        at += 1
    return at


def _after_header(rows: Sequence[MarkupRow], at: int) -> int:
    """One past the lines with author and revision, which follow the title of a document."""
    while at < len(rows) and not rows[at].is_blank and not rows[at].text.startswith((":", "//")):
        at += 1
    return at


def _kinds(found: list[re.Match[str]], flat: str) -> dict[int, Kind]:
    """What each mark is; those that nothing closes are characters."""
    kinds: dict[int, Kind] = {}
    begun: list[tuple[str, int]] = []
    for each in found:
        group = str(each.lastgroup)
        if group == "link":
            begun.append((group, each.start()))
        elif group == "end":
            if "link" in [name for name, _ in begun]:
                while begun[-1][0] != "link":
                    begun.pop()
                kinds |= {begun.pop()[1]: "start", each.start(): "end"}
        elif group in ("strong", "emphasis", "marked", "strong2", "emphasis2"):
            before, after = flat[each.start() - 1 : each.start()], flat[each.end() : each.end() + 1]
            free = group in _FREE
            closes = before and not before.isspace() and (free or not (after.isalnum() or after == "_"))
            if begun[-1:] and begun[-1][0] == group and closes:
                kinds |= {begun.pop()[1]: "start", each.start(): "end"}
            elif _may_begin(before, after, free=free) and group not in [name for name, _ in begun]:
                begun.append((group, each.start()))
        else:
            kinds[each.start()] = "alone"
    return kinds


def _may_begin(before: str, after: str, *, free: bool) -> bool:
    """Whether a mark between two characters can begin something; a free one also inside a word."""
    return bool(after) and not after.isspace() and (free or not (before.isalnum() or before in ("_", ";", ":", "}")))
