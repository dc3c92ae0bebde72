"""Long texts in pieces, for interfaces that take texts of any length.

>>> cut("One. Two. Three.", 10), cut("a" * 5, 2)
(['One. Two. ', 'Three.'], ['aa', 'aa', 'a'])
"""

from __future__ import annotations

import re

ENDS = (re.compile(r"\n+"), re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])"), re.compile(r"\s+"))


def cut(text: str, most: int) -> list[str]:
    """The text in pieces of at most so many characters: whole lines, or sentences, or words; nothing is lost."""
    pieces = []
    while len(text) > most:
        ends = (max((found.end() for found in end.finditer(text, 0, most)), default=0) for end in ENDS)
        at = next((end for end in ends if end > most // 4), most)
        pieces.append(text[:at])
        text = text[at:]
    return [*pieces, text]
