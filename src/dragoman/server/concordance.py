"""Texts in corrections, whatever their case and accents: `*` stands for any letters of a word, `?` for one.

>>> pattern = compile_search("bot*n")
>>> [found.group() for found in pattern.finditer(fold("El BOTÓN y el botín, no el bote.")[0])]
['boton', 'botin']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from dragoman.cancelling import checkpoint

MOST = 20_000  # hits that are counted


class Found(NamedTuple):
    """A correction that contains a text, and where, by characters."""

    id: int
    source: str
    target: str
    in_source: list[tuple[int, int]]
    in_target: list[tuple[int, int]]


def search(texts: Iterable[tuple[int, str, str]], wanted: str, limit: int) -> tuple[list[Found], int]:
    """The first corrections (id, source, target) that contain a text, and how many there are."""
    pattern, found, total = compile_search(wanted), list[Found](), 0
    for count, (number, source, target) in enumerate(texts):
        if count % 1000 == 0:
            checkpoint()
        if not (pattern.search(fold(source)[0]) or pattern.search(fold(target)[0])):
            continue
        total += 1
        if len(found) < limit:
            found.append(Found(number, source, target, _places(pattern, source), _places(pattern, target)))
        if total >= MOST:
            break
    return found, total


def compile_search(wanted: str) -> re.Pattern[str]:
    """A pattern that finds a text in folded texts."""
    parts = re.split(r"([*?])", fold(wanted)[0])
    signs = {"*": r"\w{0,60}", "?": r"\w"}
    return re.compile("".join(signs.get(part, re.escape(part)) for part in parts))


def fold(text: str) -> tuple[str, list[int] | None]:
    """A text without case and accents, and the place in the text of each of its characters; None if they are the same.

    >>> fold("Straße É")
    ('strasse e', [0, 1, 2, 3, 4, 4, 5, 6, 7])
    """
    if text.isascii():
        return text.lower(), None
    folded, places = [], []
    for place, character in enumerate(text):
        for each in unicodedata.normalize("NFD", character.casefold()):
            if not unicodedata.combining(each):
                folded.append(each)
                places.append(place)
    return "".join(folded), places


def _places(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    folded, places = fold(text)
    spans = [found.span() for found in pattern.finditer(folded) if found.end() > found.start()]
    if places is None:
        return spans
    return [(places[start], places[end - 1] + 1) for start, end in spans]
