r"""Scripts of Ren'Py: dialogue, choices of menus, names of characters, and strings in `_("…")`.

The files that Ren'Py makes for translators (`translate spanish start_a1b2:`) have the original in a comment, or after
`old`, and a place for the translation; there, that is the target. In other scripts the translation replaces the text.
Text tags (`{b}…{/b}`) are pairs; values (`[name]`) are tags that stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dragoman.formats.codes import pair_up, words
from dragoman.formats.division import Parts, untrimmed, whole
from dragoman.formats.document import State
from dragoman.formats.inline import Inline, Kind, Tag
from dragoman.formats.line_markup import MarkupRow, MarkupRows
from dragoman.formats.literals import escaped, unescaped
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

_STRING = r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'"
_SAY = re.compile(
    rf"(?:(?P<who>[A-Za-z_][\w.]*)(?:[ \t]+[@-]?[A-Za-z_]\w*)*[ \t]+|(?:{_STRING})[ \t]+)?(?P<text>{_STRING})"
    r"(?:[ \t]+(?:nointeract|with[ \t]+\w+|id[ \t]+\w+|if[ \t][^\n]*))*(?:[ \t]*\([^()\n]*\))?[ \t]*:?[ \t]*(?:\#.*)?\Z"
)
_KEYWORDS = words(
    "play queue stop voice image define default show scene hide with jump call return if elif else while for python "
    "init screen style transform label add window pause nvl translate camera layeredimage old new import from rpy key "
    "timer pass at onlayer behind as zorder expression action music sound movie auto group attribute always"
)
_CODE = re.compile(
    r"(?:init(?:[ \t]+-?\d+)?[ \t]+)?(?:translate|python|screen|style|transform|image|layeredimage|testcase)\b.*:\Z"
)
_ANIMATED = re.compile(r"(?:show|scene|camera|hide|define|default)\b.*:\Z")
_TRANSLATED = re.compile(r"translate[ \t]+(?!None\b)\w+[ \t]+(?P<what>\w+).*:\Z")
_MARKED = re.compile(rf"\b_{{1,2}}\(\s*(?P<text>{_STRING})\s*\)|\bCharacter\(\s*(?P<name>{_STRING})")
_ON_SCREEN = re.compile(rf"(?:text|textbutton|label)[ \t]+(?P<text>{_STRING})")
_PAIR = re.compile(rf"(?P<what>old|new)[ \t]+(?P<text>{_STRING})")
_LINES = re.compile(r"(?<![\\\"])\"{3}|'{3}")
_SPEAKER = re.compile(r"(?:[A-Za-z_]\w*[ \t]+)*")
_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?![ \t]*\r?\n)(?!\s*\Z))*(?<!\s)")
MONOLOGUE = "monologue"  # the style of a paragraph between three quotation marks
_CODES = re.compile(r"(\[\[|\{\{|\{/?[^{}\n]{1,200}\}|\[[^\[\]\n]{1,200}\]|%\(\w+\)[sdif]|%%)")


class _Spoken(NamedTuple):
    """A string of a script, between its quotation marks."""

    start: int
    end: int
    text: str
    quote: str
    who: str = ""


class RenpyDocument(PieceDocument):
    """A script, or a file with translations of one."""

    kind = "renpy"
    tags_are_text = True

    def _find_pieces(self) -> Iterable[Piece]:
        rows = MarkupRows(self.contents.text)
        blocks = [found["what"] for row in rows if (found := _TRANSLATED.match(row.text))]
        if set(blocks) - {"python", "style"}:
            yield from self._translations(rows)
            return
        for number, said in enumerate(sorted(self._spoken(rows)), start=1):
            yield Piece(str(number), _inline(said.text), said.start, said.end, said.who, divide=whole, style=said.quote)

    def _spoken(self, rows: Sequence[MarkupRow]) -> Iterator[_Spoken]:
        """What is said or shown in a script."""
        inside = -1  # how far a block is indented whose lines say nothing, or -1
        after = 0  # where a text of several lines ends
        for row in rows:
            if row.is_blank or row.text.startswith("#") or row.start < after:
                continue
            if inside >= 0 and row.indent <= inside:
                inside = -1
            lines = _LINES.search(row.text)
            if lines:
                begin, after = self._lines(row.start + lines.end(), lines[0])
                if inside < 0 and row.indent and _SPEAKER.fullmatch(row.text, 0, lines.start()):
                    yield from self._monologue(begin, after - 3)
                continue
            yield from _marked(row)
            if inside < 0 and (_CODE.match(row.text) or _ANIMATED.match(row.text)):
                inside = row.indent
            elif inside >= 0:
                shown = _ON_SCREEN.match(row.text)
                if shown and "_(" not in row.text:
                    yield _string(row, shown, "text")
            elif row.indent:
                said = _said(row)
                if said:
                    yield said

    def _lines(self, begin: int, quote: str) -> tuple[int, int]:
        """Where a text of several lines begins, and one past its end."""
        end = self.contents.text.find(quote, begin)
        return begin, end + 3 if end >= 0 else len(self.contents.text) + 3

    def _monologue(self, begin: int, end: int) -> Iterator[_Spoken]:
        """What is said in a text of several lines: each paragraph by itself."""
        for found in _PARAGRAPH.finditer(self.contents.text, begin, end):
            yield _Spoken(found.start(), found.end(), unescaped(found[0]), MONOLOGUE)

    def _translations(self, rows: Sequence[MarkupRow]) -> Iterator[Piece]:
        """What is to be translated, with its translation, block by block."""
        waiting: list[_Spoken] = []
        block = ""
        for row in rows:
            begun = _TRANSLATED.match(row.text)
            if begun and not row.indent:
                block, waiting = begun["what"], []
                continue
            if block in ("", "python", "style"):
                continue
            if block == "strings":
                found = _PAIR.match(row.text)
                if found and found["what"] == "old":
                    waiting = [_string(row, found, "text")]
                elif found and waiting:
                    yield self._pair(f"strings/{waiting[0].text}", waiting.pop(), _string(row, found, "text"))
                continue
            if row.text.startswith("#"):
                bare = row.text[1:].lstrip()
                said = _said(MarkupRow(row.start, row.end, 1, bare))
                waiting += [said] if said else []
            elif waiting:
                said = _said(row)
                if said:
                    yield self._pair(block, waiting.pop(0), said)

    def _pair(self, name: str, source: _Spoken, target: _Spoken) -> Piece:
        state: State = "new" if target.text in ("", source.text) else "confirmed"
        inline = _inline(source.text)
        return Piece(
            name[:80],
            inline,
            target.start,
            target.end,
            source.who,
            "",
            None,
            untrimmed,
            target.text,
            state,
            target.quote,
        )

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        text = Inline(parts).text
        if piece.style == MONOLOGUE:
            return text.replace("\\", "\\\\").replace('"', '\\"')
        return escaped(text, piece.style)

    def _normal(self, text: str) -> str:
        return text.strip()


def _said(row: MarkupRow) -> _Spoken | None:
    """What a line says, if it is dialogue or a choice."""
    found = _SAY.match(row.text)
    if found is None or (found["who"] or "").partition(".")[0] in _KEYWORDS:
        return None
    return _string(row, found, "text", found["who"] or "")


def _marked(row: MarkupRow) -> Iterator[_Spoken]:
    """Strings that are marked as text, and names of characters."""
    for found in _MARKED.finditer(row.text) if "_(" in row.text or "Character(" in row.text else ():
        yield _string(row, found, "text" if found["text"] else "name")


def _string(row: MarkupRow, found: re.Match[str], group: str, who: str = "") -> _Spoken:
    start, end = found.span(group)
    written = row.text[start:end]
    return _Spoken(row.start + start + 1, row.start + end - 1, unescaped(written[1:-1]), written[0], who)


def _inline(text: str) -> Inline:
    """A text with its tags and values."""
    found = Inline()
    for number, part in enumerate(_CODES.split(text)):
        if number % 2:
            name = re.sub(r"[={ ].*", "", part[1:-1].lstrip("/")) if part[0] == "{" else part
            kind: Kind = "end" if part.startswith("{/") else "start" if part[0] == "{" and part != "{{" else "alone"
            found.parts.append(Tag(part, part.encode(), kind, name, None))
        elif part:
            found.add(part)
    pair_up(found.parts)
    return found
