"""Strings in the source of programs and settings: each format says where its literals are and how they are written."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple

from dragoman.formats.codes import read_codes
from dragoman.formats.division import Divide, Parts
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
WRITTEN = {character: f"\\{letter}" for letter, character in LETTERS.items()}
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(\r\n|.))", re.DOTALL
)


class Literal(NamedTuple):
    """A string between its quotation marks."""

    name: str
    start: int
    end: int
    text: str
    quote: str = ""  # what is around it; empty if nothing is


class LiteralDocument(PieceDocument):
    """Literals, which their translations replace."""

    tags_are_text = True
    codes: ClassVar[tuple[str, ...]] = ()  # syntaxes of placeholders that only some formats have
    divide: ClassVar[Divide | None] = None  # how a literal becomes segments, if not as a whole

    @abstractmethod
    def _literals(self) -> Iterator[Literal]:
        """The literals that people read."""

    @abstractmethod
    def _written(self, text: str, quote: str) -> str:
        """A text as it is written between such quotation marks."""

    def _find_pieces(self) -> Iterable[Piece]:
        how = self.__class__.divide  # a function, not a method
        for each in self._literals():
            inline = read_codes(each.text, self.codes)
            yield Piece(each.name, inline, each.start, each.end, each.name, divide=how, style=each.quote)

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        return self._written(Inline(parts).text, piece.style)


def unescaped(text: str) -> str:
    r"""A literal of C's family as text.

    >>> unescaped(r"caf\u00e9 \'x\'")
    "café 'x'"
    """
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3] or found[4]
    if digits:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else found[0]
    return LETTERS.get(found[5], "" if found[5] in ("\n", "\r\n") else found[5])


def escaped(text: str, quote: str, *, lines: bool = False) -> str:
    """A text as a literal of C's family; with `lines`, line breaks may stay."""
    text = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return "".join(WRITTEN.get(c, c) if not (lines and c == "\n") else c for c in text)
