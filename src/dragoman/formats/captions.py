"""Captions of YouTube (SBV) and subtitles of Aegisub (ASS, SSA): what is said is text, times and styles are not."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.formats.division import Parts, whole
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

_TIME = r"\d+:\d\d:\d\d\.\d{3}"
_CUE = re.compile(
    rf"^(?P<time>{_TIME}),{_TIME}[ \t]*\r?\n(?P<text>(?:(?!{_TIME},)[^\r\n]+(?:\r?\n(?=[^\r\n]))?)+)", re.MULTILINE
)
_DIALOGUE = re.compile(r"^Dialogue:(?:[^,\r\n]*,){9}(?P<text>[^\r\n]*)", re.MULTILINE)
_STYLED = re.compile(r"(\{[^{}]*\}|\\[Nnh])")
_LINES = re.compile(r"\s*\r?\n\s*")


class SbvDocument(PieceDocument):
    """Captions, which their translations replace; a caption is one text, whatever its lines."""

    kind = "sbv"

    def _find_pieces(self) -> Iterable[Piece]:
        for number, found in enumerate(_CUE.finditer(self.contents.text), start=1):
            text, start = found["text"].rstrip("\r\n"), found.start("text")
            inline = Inline([_LINES.sub(" ", text)])
            yield Piece(str(number), inline, start, start + len(text), found["time"], divide=whole)

    def _render(self, _: Piece, parts: Parts, __: list[Replacement]) -> str:
        return _LINES.sub(" ", Inline(parts).text)

    def _normal(self, text: str) -> str:
        return re.sub(r"\s+", " ", text)


class AssDocument(PieceDocument):
    """The texts of dialogues, which their translations replace; styles and line breaks are tags."""

    kind = "ass"

    def _find_pieces(self) -> Iterable[Piece]:
        for number, found in enumerate(_DIALOGUE.finditer(self.contents.text), start=1):
            if re.search(r"\{[^{}]*\\p[1-9]", found["text"]):  # a drawing
                continue
            inline, at, count = Inline(), found.start("text"), 0
            for place, part in enumerate(_STYLED.split(found["text"])):
                if place % 2:
                    count += 1
                    name = "br" if part[0] == "\\" else "x"
                    inline.parts.append(Tag(f"<{name}{count}/>", b"", "alone", name, None, (at, at + len(part))))
                elif part:
                    inline.add(part)
                at += len(part)
            yield Piece(str(number), inline, found.start("text"), found.end("text"), "dialogue", divide=whole)

    def _render(self, _: Piece, parts: Parts, inner: list[Replacement]) -> str:
        return _LINES.sub(" ", "".join(part if isinstance(part, str) else self.raw(part, inner) for part in parts))

    def _normal(self, text: str) -> str:
        return re.sub(r"\s+", " ", text)
