r"""Apple's `.strings`: `"key" = "value";`, with comments before them that tell the translator what is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.errors import BadInputError
from dragoman.formats.codes import read_codes
from dragoman.formats.division import Parts
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

_TOKEN = re.compile(
    r'\s+|/\*(?P<comment>.*?)\*/|//[^\n]*|(?P<key>"(?:[^"\\]|\\.)*+"|[\w.$/:-]+)\s*(?:=\s*(?P<value>"(?:[^"\\]|\\.)*+"|[\w.$/:-]+)\s*)?;',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:[Uu]([0-9A-Fa-f]{4})|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "\n"}


class StringsDocument(PieceDocument):
    """Strings, which their translations replace."""

    kind = "strings"
    tags_are_text = True

    def _find_pieces(self) -> Iterable[Piece]:
        text, at, note = self.contents.text, 0, ""
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                what = f'line {text.count(chr(10), 0, at) + 1} is neither a comment nor "key" = "value";'
                raise BadInputError(what, where=self.contents.name, remedy="check it with plutil -lint")
            at = found.end()
            if found["comment"] is not None:
                note = found["comment"].strip()
            elif found["key"]:
                key = unescape(found["key"].strip('"'))
                if found["value"] and found["value"].startswith('"'):
                    inline = read_codes(unescape(found["value"][1:-1]))
                    yield Piece(key, inline, *found.span("value"), key, note)
                note = ""

    def _render(self, _: Piece, parts: Parts, __: list[Replacement]) -> str:
        return '"' + escape(Inline(parts).text) + '"'


def unescape(text: str) -> str:
    r"""The text that a string stands for.

    >>> unescape(r"a \"b\" \U00e9")
    'a "b" é'
    """
    if "\\" not in text:
        return text

    def character(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return chr(int(found[2], 8)) if found[2] else _LETTERS.get(found[3], found[3])

    plain = _ESCAPE.sub(character, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # pairs of surrogates are one character


def escape(text: str) -> str:
    r"""The inverse of `unescape`, with line breaks as `\n`."""
    for character, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(character, written)
    return re.sub(r"[\x00-\x1f]", lambda found: f"\\U{ord(found[0]):04x}", text)
