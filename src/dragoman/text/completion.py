"""Completing a text that a person has begun: how words are compared with it, and how the rest is written.

Typed words are compared in Unicode's form NFC, ignoring case, character by character, so that it is known how much of
a word is there already. What was typed is never changed; the rest follows its case.

>>> compared("ÁRBOL") == compared("a\u0301rbol")
True
>>> rest_of("Mad", "madrid", 3), rest_of("MAD", "madrid", 3), rest_of("i", "iOS", 1)
('rid', 'RID', 'OS')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dragoman.text.language_side import LanguageSide
from dragoman.text.shapes import UPPER, shape
from dragoman.text.spacing import look_of

_ANY_WORD = "xx"  # stands for whatever word is before


@lru_cache(1 << 16)
def compared(word: str) -> str:
    """A word in the form in which it is compared: as many characters as it has in NFC, without case."""
    lowered = [(c, c.lower()) for c in unicodedata.normalize("NFC", word)]
    return "".join(low if len(low) == 1 else c for c, low in lowered).replace("ς", "σ")


def rest_of(typed: str, word: str, stands: int) -> str:
    """The missing rest of a word of which this many characters (in NFC) have been typed."""
    whole = unicodedata.normalize("NFC", word)
    begun, rest = whole[:stands], whole[stands:]
    for at in range(len(word)):  # if it can be, as it is written: for some letters that is not NFC
        if unicodedata.normalize("NFC", word[:at]) == begun:
            rest = word[at:]
            break
    in_capitals = shape(typed) == UPPER and shape(begun) != UPPER
    return rest.upper() if in_capitals and compared(rest.upper()) == compared(rest) else rest


def take_gaps(side: LanguageSide, words: Sequence[str]) -> NDArray[np.bool_]:
    """[n] which words have a gap before them when they follow a word; what may open a quotation always does."""
    if side.mode == "words":
        return np.ones(len(words), np.bool_)
    paired = np.array([look_of(word, False).pair != 0 for word in words], np.bool_)
    alone = np.flatnonzero(~paired).tolist()
    row = [each for n in alone for each in (_ANY_WORD, words[n])]
    spaced = side.spacing.space(row, (False,) * len(row))
    answer = np.ones(len(words), np.bool_)
    answer[alone] = [gap != "" for gap in spaced.gaps[1:-1:2]]
    return answer
