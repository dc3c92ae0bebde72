"""reStructuredText: paragraphs, headings, list items and the contents of notes are pieces; code is left alone.

Blocks are found by their lines: what is indented under a directive belongs to it, and is text if the directive is a
note of some kind; what is indented after `::` is code. Tables, targets, comments and fields stay as they are. Inside a
block, emphasis and links become pairs of tags; literals, roles, references and addresses single ones. A heading that
changes gets a line under it (and over it) of its own length; a paragraph is written on one line.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence

from dragoman.formats.codes import words
from dragoman.formats.division import Parts
from dragoman.formats.inline import Inline, Tag
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

NOTES = words(
    "note warning tip hint important caution danger attention error admonition seealso topic sidebar versionadded "
    "versionchanged deprecated versionremoved epigraph highlights pull-quote compound container rubric centered todo "
    "only glossary"
)
_TITLED = words("admonition topic sidebar rubric centered")  # whose argument is a title
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*\r?\n?")
_ITEM = re.compile(r"(?:[-*+•‣⁃]|(?:\d+|[A-Za-z]|[ivxlcdm]+|#)[.)]|\((?:\d+|[A-Za-z]|#)\))[ \t]+(?=\S)")
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?(?P<name>[\w:.+-]+?)::(?P<rest>[^\n]*)")
_OPTION = re.compile(r":[\w -]+:(?:[ \t]|\r?\n|\Z)")
_TABLE = re.compile(r"[ \t]*(?:\+[-=+]+\+|=+(?:[ \t]+=+)+)[ \t]*\r?\n?\Z")
_LEFT = re.compile(r"\.\.(?:\s|\Z)|__[ \t]|>>>|\|[ \t]|:[^:\s][^:\n]*:(?:\s|\Z)|\+[-=]")  # blocks that are no text
_INLINE = re.compile(
    r"(?P<colons>::\Z)|(?P<escape>\\.)|(?P<literal>``.+?``(?!`))|(?P<role>:[\w.+:-]{1,100}:`[^`]*`|`[^`]+`:[\w.+-]{1,100}:)"
    r"|(?P<link>`(?=[^`<]+<[^`<>]+>`__?))|(?P<end>(?:(?<![ \t])[ \t]++)?<[^`<>]+>`__?)"
    r"|(?P<reference>`[^`]+`__?|`[^`]+`|\|[^|\s][^|]*\|_{0,2}|\[[#*\w-]+\]_|(?<!\w)\w[\w.-]*__?(?!\w))"
    r"|(?P<address>https?://[^\s<>]+(?<![.,;:!?)'\"]))|(?P<strong>\*\*)|(?P<emphasis>\*)",
    re.DOTALL,
)


class RstDocument(PieceDocument):
    """A page in reStructuredText."""

    kind = "rst"
    prose = True
    gap = re.compile(r"\n[ \t]*\r?\n(?=\S)")

    def _find_pieces(self) -> Iterable[Piece]:
        rows = MarkupRows(self.contents.text)
        yield from self._blocks(rows, PieceCount())

    def _blocks(self, rows: Sequence[MarkupRow], count: PieceCount) -> Iterator[Piece]:
        at = 0
        while at < len(rows):
            row = rows[at]
            if row.is_blank:
                at += 1
                continue
            directive = _DIRECTIVE.match(row.text)
            end = _indented_end(rows, at)
            if directive:
                yield from self._directive(directive, rows, at, end, count)
                at = end
            elif _TABLE.match(row.text) and not self._is_heading(rows, at):
                at = _blank_after(rows, at)
            elif heading := self._is_heading(rows, at):
                yield self._heading(rows, at, heading, count)
                at += 3 if heading.over else 2
            elif _LEFT.match(row.text) or _RULE.fullmatch(row.text):
                at = end
            else:
                at = yield from self._paragraph(rows, at, count)

    def _directive(
        self, found: re.Match[str], rows: Sequence[MarkupRow], at: int, end: int, count: PieceCount
    ) -> Iterator[Piece]:
        """The text under a directive, if it is one of text."""
        name = found["name"].rpartition(":")[2]
        if name not in NOTES:
            return
        rest = found["rest"].strip()
        start = rows[at].start + found.start("rest") + len(found["rest"]) - len(found["rest"].lstrip())
        takes_text = name in _TITLED or not name.startswith(("version", "deprecated", "only", "container", "glossary"))
        if rest and takes_text:
            row = MarkupRow(start, rows[at].end, 0, rest)
            yield self._piece([row], "note", count)
        inside = rows[at + 1 : end]
        first = 0
        while first < len(inside) and _OPTION.match(inside[first].text):
            first += 1
        yield from self._blocks(inside[first:], count)

    def _is_heading(self, rows: Sequence[MarkupRow], at: int) -> UnderlinedHeading | None:
        texts = [row.text for row in rows[at : at + 3]]
        if len(texts) > 2 and _RULE.fullmatch(texts[0]) and texts[0] == texts[2] and texts[1]:
            return UnderlinedHeading(texts[0][0], True)
        is_title = len(texts) > 1 and texts[0] and _RULE.fullmatch(texts[1]) and not _RULE.fullmatch(texts[0])
        if is_title and rows[at].indent == rows[at + 1].indent == 0 and len(texts[1]) >= min(width(texts[0]), 4):
            return UnderlinedHeading(texts[1][0], False)
        return None

    def _heading(self, rows: Sequence[MarkupRow], at: int, heading: UnderlinedHeading, count: PieceCount) -> Piece:
        title = rows[at + 1] if heading.over else rows[at]
        last = rows[at + 2] if heading.over else rows[at + 1]
        inline = Inline(list(_parts(title.text, [(title.start, title.end)])))
        return Piece(count.next(), inline, rows[at].start, last.end, "heading", style=heading)

    def _paragraph(self, rows: Sequence[MarkupRow], at: int, count: PieceCount) -> Generator[Piece, None, int]:
        """A paragraph, or the first one of a list item; returns where it ends."""
        first = rows[at]
        marker = _ITEM.match(first.text)
        begin = first.start + (marker.end() if marker else 0)
        indent = first.indent + (marker.end() if marker else 0)
        some = [MarkupRow(begin, first.end, indent, first.text[marker.end() if marker else 0 :])]
        if marker and _DIRECTIVE.match(some[0].text):
            return _indented_end(rows, at)
        at += 1
        is_term = False
        while at < len(rows) and not rows[at].is_blank:
            if rows[at].indent != indent or (marker and _ITEM.match(rows[at].text) and rows[at].indent == first.indent):
                is_term = rows[at].indent > indent and len(some) == 1
                break
            some.append(rows[at])
            at += 1
        is_code = some[-1].text.endswith("::")
        if some[0].text != "::":
            yield self._piece(some, "term" if is_term else "li" if marker else "p", count)
        if is_code:
            while at < len(rows) and (rows[at].is_blank or rows[at].indent > first.indent):
                at += 1
        return at

    def _piece(self, rows: Sequence[MarkupRow], context: str, count: PieceCount) -> Piece:
        flat = " ".join(row.text for row in rows)
        spans = [(row.start, row.end) for row in rows]
        return Piece(count.next(), Inline(list(_parts(flat, spans))), rows[0].start, rows[-1].end, context)

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        written = "".join(part if isinstance(part, str) else self.raw(part, inner) for part in parts)
        written = " ".join(written.split("\n"))
        if not isinstance(piece.style, UnderlinedHeading):
            return written
        return underlined(written, piece.style, self.contents.newline)

    def _normal(self, text: str) -> str:
        return re.sub(r"\s+", " ", text).strip()


def _indented_end(rows: Sequence[MarkupRow], at: int) -> int:
    """One past the lines that belong to the block that begins here: those that are indented deeper."""
    indent = rows[at].indent
    end = at + 1
    while end < len(rows) and (rows[end].is_blank or rows[end].indent > indent):
        end += 1
    return end


def _blank_after(rows: Sequence[MarkupRow], at: int) -> int:
    while at < len(rows) and not rows[at].is_blank:
        at += 1
    return at


def _parts(flat: str, spans: list[tuple[int, int]]) -> Iterator[str | Tag]:
    """Text and tags of a block whose lines were joined by spaces."""
    found = list(_INLINE.finditer(flat))
    return marked_parts(flat, spans, found, _kinds(found, flat))


def _kinds(found: list[re.Match[str]], flat: str) -> dict[int, Kind]:
    """What each mark is; emphasis and links that nothing closes are characters."""
    kinds: dict[int, Kind] = {}
    begun: list[tuple[str, int]] = []
    for each in found:
        group = str(each.lastgroup)
        if group in ("strong", "emphasis", "link", "end"):
            before, after = flat[each.start() - 1 : each.start()], flat[each.end() : each.end() + 1]
            closes = begun[-1:] and (begun[-1][0] == group or (begun[-1][0], group) == ("link", "end"))
            if closes and (group == "end" or (before and not before.isspace())):
                kinds |= {begun.pop()[1]: "start", each.start(): "end"}
            elif group != "end" and after and not after.isspace() and not before.isalnum():
                begun.append((group, each.start()))
        else:
            kinds[each.start()] = "alone"
    return kinds
