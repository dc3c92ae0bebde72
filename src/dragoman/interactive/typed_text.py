"""What a person has typed so far, in words: the finished ones, and the characters of one that may continue.

The beginning of a text is not tokenised as the whole text would be: someone who types "l'eau" has typed "l", then
"l'", then "l'e". So characters without a gap between them are taken for the beginning of one word if a likely word
begins with them; otherwise the last token is the unfinished word.

>>> from dragoman.text.tokens import split
>>> read_typed(split("Ouvrez l'"), {"l'", "eau"}.__contains__).beginning
Beginning(words=('Ouvrez',), unfinished="l'", gap=False)
>>> read_typed(split("Ouvrez l' "), {"l'", "eau"}.__contains__).beginning
Beginning(words=('Ouvrez', 'l', "'"), unfinished='', gap=True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dragoman.interactive.error_model import Beginning
from dragoman.types import Sentence

GLUED = 8  # most tokens that are taken for the beginning of one word


class Typed(NamedTuple):
    """A typed text in words."""

    sentence: Sentence  # its tokens
    words: tuple[str, ...]  # all of them, the unfinished one last
    beginning: Beginning


def read_typed(sentence: Sentence, begins_a_word: Callable[[str], bool]) -> Typed:
    """The words of a typed text; `begins_a_word` tells whether a likely word begins with some characters."""
    words = sentence.words
    if not words or sentence.gaps[-1]:
        return Typed(sentence, words, Beginning(words, gap=bool(words)))
    first = last = len(words) - 1
    while last - first < GLUED and first > 0 and not sentence.gaps[first]:
        first -= 1
    while first < last and not begins_a_word("".join(words[first:])):
        first += 1
    unfinished = "".join(words[first:])
    return Typed(sentence, (*words[:first], unfinished), Beginning(words[:first], unfinished))
