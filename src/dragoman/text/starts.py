"""Where sentences start in a sequence of tokens: the places where a capital may mean nothing.

A segment may hold several sentences, and its first word may follow a quote, a tag, a bullet or a number.

>>> from dragoman.text.tokens import split
>>> sentence = split("2) “Stop! Is it on?” 3 lamps")
>>> [(sentence.words[start.at], start.mark) for start in find_starts(sentence.words, sentence.placeable)]
[('Stop', 0), ('Is', 2), ('lamps', 1)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

# What the start of a sentence follows.
INSIDE = -1  # no start
BEGIN = 0  # nothing, or the number of an item: "3."
NUMBER = 1  # a number that belongs to the sentence
FINAL = 2
ELLIPSIS = 3
COLON = 4
WORD = 5
OTHER = 6

_FINAL_MARKS = frozenset(".!?‽؟։。！？।")
_ITEM_MARKS = frozenset(".):]-–—·•")
_INVISIBLE_PLACEABLES = ("<", "&", "\\")  # tags, entities and escapes: the sentence starts after them


class Start(NamedTuple):
    """A place where a sentence starts."""

    at: int  # position of its first word
    mark: int  # BEGIN, NUMBER, FINAL, ELLIPSIS or COLON
    before: str  # the token before the mark; "" if there is none or it is a placeable


def find_starts(words: Sequence[str], placeable: Sequence[bool]) -> Iterator[Start]:
    """The starts of sentences: the first word after quotes, tags, item numbers and the like, and words after marks."""
    mark, before = BEGIN, ""
    for i, word in enumerate(words):
        kind = _kind(word)
        if placeable[i]:
            if not word.startswith(_INVISIBLE_PLACEABLES):
                mark = INSIDE
        elif kind == WORD:
            if mark != INSIDE and not (len(word) == 1 and i + 1 < len(words) and words[i + 1] == ")"):
                yield Start(i, mark, before)
                mark, before = INSIDE, ""
        elif mark == NUMBER and word in _ITEM_MARKS:
            mark, before = BEGIN, ""
        elif mark != INSIDE and kind == NUMBER:
            mark, before = NUMBER, ""
        elif mark == INSIDE and kind in (FINAL, ELLIPSIS, COLON):
            mark, before = kind, "" if placeable[i - 1] else words[i - 1]


@lru_cache(1 << 16)
def _kind(word: str) -> int:
    """The role of a token for `find_starts`: FINAL, ELLIPSIS, COLON, NUMBER, WORD or OTHER."""
    if any(c.isalpha() for c in word):
        return WORD
    if any(c.isnumeric() for c in word):
        return NUMBER
    if word in ("...", "…"):
        return ELLIPSIS
    if word in (":", "："):
        return COLON
    return FINAL if _FINAL_MARKS.issuperset(word) else OTHER
