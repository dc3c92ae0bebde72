r"""Java's `.properties`: `key=value`, in UTF-8 or in Latin-1 with `\uXXXX` for the rest.

In values with arguments (`{0}`), which `MessageFormat` reads, an apostrophe is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents, decode
from dragoman.formats.division import Parts
from dragoman.formats.icu_messages import divide_message
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

_LINE = re.compile(
    r"[ \t\f]*+(?:(?P<comment>[#!][^\r\n]*+)|(?P<pair>(?:[^\r\n\\]|\\(?:\r\n|.))*+))(?:\r\n|\r|\n|\Z)", re.DOTALL
)
_KEY = re.compile(r"(?:[^\\\s=:]|\\(?:\r\n|.))*+", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*+(?:\\(?:\r\n|\r|\n)[ \t\f]*+)*+[=:]?[ \t\f]*+(?:\\(?:\r\n|\r|\n)[ \t\f]*+)*+")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(?:\r\n|\r|\n)[ \t\f]*|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_ARGUMENT = re.compile(r"\{\d+[,}]")


class PropertiesDocument(PieceDocument):
    """Values, which their translations replace."""

    kind = "properties"
    tags_are_text = True

    @classmethod
    def _decode(cls, data: bytes, name: str) -> Contents:
        try:
            return decode(data, name, hint=cls.hint)
        except BadInputError:
            text = data.decode("latin-1")  # what Java before 9 reads
            if "\0" in text or re.search("[\x80-\x9f]", text):
                raise
            return Contents(name, text, "iso8859-1", b"")

    @cached_property
    def _ascii_only(self) -> bool:
        """Whether what is not in ASCII is written as escapes: if the file does so, or says nothing of its encoding."""
        text = self.contents.text
        return self.contents.encoding == "iso8859-1" or (text.isascii() and "\\u" in text)

    def _find_pieces(self) -> Iterable[Piece]:
        text, at, note = self.contents.text, 0, []
        while at < len(text):
            line = _LINE.match(text, at)
            if line is None or line.end() == at:
                what = f"line {text.count(chr(10), 0, at) + 1} ends in the middle of an escape"
                raise BadInputError(what, where=self.contents.name, remedy="complete or remove it")
            at = line.end()
            if line["comment"]:
                note.append(line["comment"].lstrip("#! ").rstrip())
            elif line["pair"]:
                yield from self._pair(*line.span("pair"), " ".join(note))
                note = []
            else:
                note = []

    def _pair(self, start: int, end: int, note: str) -> Iterable[Piece]:
        text = self.contents.text
        key = _KEY.match(text, start, end)
        value = _SEPARATOR.match(text, key.end() if key else start, end)
        if key is None or value is None:
            return
        name = unescape(key[0])
        plain = unescape(text[value.end() : end])
        doubled = bool(_ARGUMENT.search(plain)) and not re.search(r"(?<!')'(?!')", plain)
        inline = Inline([plain.replace("''", "'") if doubled else plain] if plain else [])
        yield Piece(name, inline, value.end(), end, name, note, divide=divide_message, style=doubled)

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        text = Inline(parts).text
        return escape(text.replace("'", "''") if piece.style else text, ascii_only=self._ascii_only)


def unescape(text: str) -> str:
    r"""The text that a key or value stands for.

    >>> unescape(r"caf\u00e9\: one\n")
    'café: one\n'
    """
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _letter(found[2] or ""), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _letter(letter: str) -> str:
    return _LETTERS.get(letter, letter)


def escape(text: str, *, ascii_only: bool) -> str:
    r"""The inverse of `unescape`, for a value.

    >>> escape(" año\n", ascii_only=True)
    '\\ a\\u00f1o\\n'
    """
    for character, written in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\f", "\\f")):
        text = text.replace(character, written)
    if text.startswith(" "):
        text = "\\" + text
    if ascii_only:
        text = re.sub(r"[^\x00-\x7f]", lambda found: _units(found[0]), text)
    return text


def _units(character: str) -> str:
    data = character.encode("utf-16-be")
    return "".join(f"\\u{int.from_bytes(data[k : k + 2]):04x}" for k in range(0, len(data), 2))
