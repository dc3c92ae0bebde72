r"""Texts of several lines: engines get one line at a time, without the spaces around it, and all is put back.

>>> paragraph = cut(" First line.\n\n  Second line. ")
>>> paragraph.lines
['First line.', 'Second line.']
>>> paragraph.join(["Primera línea.", "Segunda línea."])
' Primera línea.\n\n  Segunda línea. '
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.text.tokens import split
from dragoman.upstream.contract import TermPlace

LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text cut into the lines that are worth asking for, and what stands between them."""

    text: str
    spans: list[tuple[int, int]]

    @property
    def lines(self) -> list[str]:
        """What is asked for."""
        return [self.text[start:end] for start, end in self.spans]

    def join(self, translations: Sequence[str]) -> str:
        """The text with its lines translated."""
        pieces, at = [], 0
        for (start, end), translation in zip(self.spans, translations, strict=True):
            pieces += [self.text[at:start], translation]
            at = end
        return "".join([*pieces, self.text[at:]])

    def terms(self, terms: Sequence[TermPlace]) -> list[tuple[TermPlace, ...]]:
        """The terms in each line, by their places there."""
        return [
            tuple(TermPlace(a - start, b - start, wanted) for a, b, wanted in terms if start <= a and b <= end)
            for start, end in self.spans
        ]


def cut(text: str) -> Paragraph:
    """A text by its lines; those without a word to translate are left out."""
    spans = []
    for found in LINE.finditer(text):
        line = found[0]
        start = found.start() + len(line) - len(line.lstrip())
        if _is_translatable(line):
            spans.append((start, start + len(line.strip())))
    return Paragraph(text, spans)


def _is_translatable(line: str) -> bool:
    sentence = split(line)
    words = zip(sentence.words, sentence.placeable, strict=True)
    return any(not fixed and any(map(str.isalpha, word)) for word, fixed in words)
