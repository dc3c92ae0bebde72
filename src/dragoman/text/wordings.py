"""Where the words inside a pair of tags are in a translation, found by what these words are called by themselves.

An engine can be asked for the words inside a pair alone. What it says is looked for in the translation of the whole:
the nearer a run of words is to it, the better its place for the pair.

>>> markup = take_out("I saw <b>the red car</b> yesterday.")
>>> translation = "Ayer vi el coche rojo."
>>> open_pairs(markup, translation)
{0: 'the red car'}
>>> is_found("El coche rojo", translation), is_found("el auto rojo", translation)
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from rapidfuzz.distance import JaroWinkler

from dragoman.text.affinity import ALIKE, folded, is_short
from dragoman.text.markup import Marker, Markup, take_out
from dragoman.text.tokens import split

__all__ = ["Wording", "in_quotes", "is_found", "is_wording", "open_pairs", "quoted", "take_out"]

# Signs that engines keep around words, in the order in which they are tried.
QUOTES = ("“”", "()", "[]")
OPENING, CLOSING = '"“”«„‘(［[', '"”“»’)］]'
OTHER = 0.3  # what a word counts for that stands where the wording has another one
BEGINS = 0.15  # what it counts for that a run begins as the wording does
INSIDE = re.compile(rf"[{re.escape(OPENING)}]([^{re.escape(OPENING + CLOSING)}]++)[{re.escape(CLOSING)}]")


def open_pairs(markup: Markup, translation: str) -> dict[int, str]:
    """The pairs whose words must be looked for, by the number of their first tag, and these words.

    Not those around nothing or everything, and not those whose words are the same in the translation.
    """
    found: dict[int, str] = {}
    known = {folded(word) for word in split(translation).words}
    for number, marker in enumerate(markup.markers):
        if marker.partner is None or marker.partner < number:
            continue
        inside = markup.bare[marker.at : markup.markers[marker.partner].at].strip()
        is_new = any(word[0].isalpha() and folded(word) not in known for word in split(inside).words)
        if is_new and inside != markup.bare.strip():
            found[number] = inside
    return found


def is_found(said: str, translation: str) -> bool:
    """Whether these words are in a translation exactly once, whatever their case."""
    wanted, words = _words(said), _words(translation)
    places = range(len(words) - len(wanted) + 1)
    return bool(wanted) and sum(words[at : at + len(wanted)] == wanted for at in places) == 1


def is_wording(said: str, inside: str, translation: str) -> bool:
    """Whether what was said can be what some words are called: not far more of it, and not the whole translation."""
    words = _words(said)
    return 0 < len(words) <= 3 * len(_words(inside)) + 3 and words != _words(translation)


def quoted(markup: Markup, number: int) -> str | None:
    """The text with quotes around the words inside a pair; None if it has every kind of them already.

    >>> quoted(take_out("I saw <b>the red car</b> yesterday."), 0)
    'I saw “the red car” yesterday.'
    """
    marker: Marker = markup.markers[number]
    first, end = marker.at, markup.markers[marker.partner or 0].at
    kind = next((each for each in QUOTES if not set(each) & set(markup.bare)), None)
    if kind is None or (kind == QUOTES[0] and '"' in markup.bare):
        return None
    inside = markup.bare[first:end]
    lead, trail = inside[: len(inside) - len(inside.lstrip())], inside[len(inside.rstrip()) :]
    return f"{markup.bare[:first]}{lead}{kind[0]}{inside.strip()}{kind[1]}{trail}{markup.bare[end:]}"


def in_quotes(text: str) -> str | None:
    """What is in quotes, of any kind, if that is one piece of the text.

    >>> in_quotes("Ayer vi «el coche rojo».")
    'el coche rojo'
    """
    found = INSIDE.findall(text)
    return found[0].strip() if len(found) == 1 else None


class Wording(NamedTuple):
    """What the words inside a pair are called, compared with each word of a translation."""

    size: int  # words of the wording
    leading_short: int  # words of grammar at its beginning: articles, as a rule
    fits: tuple[float, ...]  # [T] how much each token of the translation is like one of these
    begins: tuple[bool, ...]  # [T] whether it is the first of them

    @classmethod
    def of(cls, said: str, tokens: Sequence[str]) -> Wording:
        """What was said, beside the tokens of a translation."""
        words = _words(said)
        leading_short = sum(1 for _ in takewhile(is_short, words))
        ours = [folded(token) for token in tokens]
        fits = tuple(_fit(token, set(words)) for token in ours)
        return cls(len(words), leading_short, fits, tuple(words[:1] == [token] for token in ours))

    def likeness(self, first: int, fitting: float, count: int) -> float:
        """How near a run of `count` words is, whose fits have this sum: Dice's coefficient, and how it begins."""
        others = min(count, self.size) - min(fitting, self.size)  # words in the place of others
        alike = 2.0 * (min(fitting, self.size) + OTHER * max(others, 0.0)) / (count + self.size)
        return alike + BEGINS * self.begins[first]


def _fit(token: str, words: set[str]) -> float:
    if token in words:
        return 1.0
    if is_short(token) or not token.isalpha():
        return 0.0
    best = max((JaroWinkler.similarity(token, word) for word in words if not is_short(word)), default=0.0)
    return best if best >= ALIKE else 0.0


def _words(text: str) -> list[str]:
    return [folded(word) for word in split(text).words if any(map(str.isalnum, word))]
