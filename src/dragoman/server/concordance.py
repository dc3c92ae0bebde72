"""Texts in corrections, whatever their case and accents: `*` stands for any letters of a word, `?` for one.

>>> pattern = compile_search("bot*n")
>>> [found.group() for found in pattern.finditer(fold("El BOTÓN y el botín, no el bote.")[0])]
['boton', 'botin']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from dragoman.concurrency import checkpoint
from dragoman.errors import BadInputError

MOST = 20_000  # hits that are counted
WILDCARDS = 10  # in one search
SHOWN = 1000  # places in a text
WORD = 60  # letters that a wildcard stands for at most


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
    """A pattern that finds a text in folded texts.

    After each `*` comes the first occurrence of what follows it, and never another one (an atomic group): that finds
    every match, and takes no longer for a text made to be slow.
    """
    first, *others = re.split(r"[*]+", fold(wanted)[0])
    if len(others) > WILDCARDS:
        raise BadInputError(f"a search may have {WILDCARDS} wildcards", remedy="look for less at once")
    rest = (rf"(?>\w{{0,{WORD}}}?{_literal(each)})" if each else rf"\w{{0,{WORD}}}+" for each in others)
    return re.compile(_literal(first) + "".join(rest))


def _literal(piece: str) -> str:
    return r"\w".join(map(re.escape, piece.split("?")))


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
    spans = [found.span() for found in islice(pattern.finditer(folded), SHOWN) if found.end() > found.start()]
    if places is None:
        return spans
    return [(places[start], places[end - 1] + 1) for start, end in spans]
