"""The case of a word, and changes of case, for any script.

A letter has case if it may look different at the start of a sentence. Georgian letters have capitals, but no sentence
starts with one; most scripts have none at all.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

UNCASED = 0  # nothing in it has case
LOWER = 1
CAPITAL = 2  # its first letter, and no other
LETTER = 3  # its only letter
UPPER = 4  # all of two or more
MIXED = 5  # iPhone, McDonald
FIXED = 6  # digits, underscores, dots: mp3, setup.py


@lru_cache(1 << 16)
def shape(word: str) -> int:
    """How a word is written: UNCASED, LOWER, CAPITAL, LETTER, UPPER, MIXED or FIXED.

    >>> [shape(word) for word in ("水", "sea", "Sea", "I", "USB", "iOS", "mp3")] == list(range(7))
    True
    """
    letters = [c for c in word if c.title() != c.lower()]  # Georgian has capitals, but sentences do not start with them
    if not letters:
        return UNCASED
    if not all(map(_may_be_in_word, word)) and not _is_initials(word):
        return FIXED
    capitals = [c != c.lower() for c in letters]
    if not any(capitals):
        return LOWER
    if len(letters) == 1:
        return LETTER
    if capitals == [True] + [False] * (len(letters) - 1):
        return CAPITAL
    return UPPER if all(capitals) and letters[0] == letters[0].upper() else MIXED


def _may_be_in_word(c: str) -> bool:
    return c.isalpha() or c in "'’‘ʼ·՛՜՞" or unicodedata.category(c) in ("Mn", "Mc", "Pd", "Cf")


def _is_initials(word: str) -> bool:
    """Whether a word looks like e.g. or U.S."""
    return word.endswith(".") and all(len(part) == 1 and part.isalpha() for part in word[:-1].split("."))


def lower(word: str, dotless: bool) -> str:
    """The word in lower case, in a language with a dotless i or without."""
    return (word.replace("İ", "i").replace("I", "ı") if dotless else word).lower()


def upper(word: str, dotless: bool) -> str:
    """The word in capitals, in a language with a dotless i or without."""
    return (word.replace("i", "İ") if dotless else word).upper()


def capital(word: str, dotless: bool) -> str:
    """The word with a capital for its first letter, in a language with a dotless i or without."""
    for i, c in enumerate(word):
        if c.title() != c.lower():
            return word[:i] + ("İ" if dotless and c == "i" else c.title()) + word[i + 1 :]
    return word
