"""What a person has typed so far, in words: the finished ones, and the characters of one that may continue.

The beginning of a text is not tokenised as the whole text would be: someone who types "l'eau" has typed "l", then
"l'", then "l'e". So characters without a gap between them are taken for the beginning of one word if a likely word
begins with them; otherwise the last token is the unfinished word.

>>> from dragoman.text.tokens import split
>>> read_typed(split("Ouvrez l'"), {"l'", "eau"}.__contains__).beginning
Beginning(words=('Ouvrez',), unfinished="l'", gap=False)
>>> read_typed(split("Ouvrez l' "), {"l'", "eau"}.__contains__).beginning
Beginning(words=('Ouvrez', 'l', "'"), unfinished='', gap=True)

A text is finished if it ends as its source does, and no sentence of the source is clearly left.

>>> is_finished("Close the lid.", "Cierre la tapa.", " Si es necesario")
True
>>> is_finished("Close the lid. Press the green button.", "Cierre la tapa.", " Pulse el botón verde.")
False
>>> is_finished("Close the lid.", "Cierre la", " tapa.")
False
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from dragoman.interactive.error_model import Beginning
from dragoman.records import Sentence

GLUED = 8  # most tokens that are taken for the beginning of one word
STOPS = ".!?…。．！？؟۔।॥።။។؞᙮‼⁇⁈⁉"  # marks that end a sentence
HALTS = ":;：；؛"  # marks that end a text only if its source ends so, too
CLOSERS = ")]}»”’\"'›」』）］】〉》"  # brackets and quotes that may follow them
CLEARLY = 0.7  # of what the missing sentences take of the source, at least so much has to be in the suggestion

# What stands behind the last word, in a text read backwards: there one match finds it, however long it is.
_TAGS_BACKWARDS = re.compile(r"(?:>[^<>]*[A-Za-z]/?<|\}/?\d+/?\{|\s)*+")
_STOPS = f"[{re.escape(STOPS)}]"
# Only the first of several stops is tried: the others would read the same to the end of them, and fail alike.
_SENTENCE_END = re.compile(
    rf"(?<!{_STOPS}){_STOPS}++[{re.escape(CLOSERS)}]*+(?=\s++[^\s\da-zà-ÿа-я]|\s*+\Z)|[。！？।۔](?!\Z)"
)


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


def is_finished(source: str, prefix: str, suffix: str) -> bool:
    """Whether what was typed ends as the source does, and the suggested rest stands for no sentence of it."""
    ending = _ending(prefix)
    if not ending or ending != _ending(source):
        return False
    sentences, done = _sentences(source), len(_sentences(prefix))
    if done >= len(sentences):
        return True
    left = sum(len(each) for each in sentences[done:]) / max(1, sum(map(len, sentences)))
    return len(suffix) < CLEARLY * left * (len(prefix) + len(suffix))


def _ending(text: str) -> str:
    """The kind of mark that closes a text: a stop, a halt, a bracket or quote; empty if it goes on."""
    rest = _without_tags(text)
    bare = _without_tags(rest.rstrip(CLOSERS))
    if bare and bare[-1] in STOPS:
        return "stop"
    if bare and bare[-1] in HALTS:
        return "halt"
    return "closed" if rest and rest[-1] in CLOSERS else ""


def _without_tags(text: str) -> str:
    """A text without the tags and spaces at its end.

    >>> _without_tags("Close <b>it.</b> {1} <br/>")
    'Close <b>it.'
    """
    at_the_end = _TAGS_BACKWARDS.match(text[::-1])
    return text[: len(text) - at_the_end.end()] if at_the_end else text


def _sentences(text: str) -> list[str]:
    """The sentences of a text, roughly: a stop before a small letter, as of an abbreviation, ends none.

    >>> _sentences("Press it, e.g. twice. Then wait!")
    ['Press it, e.g. twice.', ' Then wait!']
    """
    found, at = [], 0
    for end in _SENTENCE_END.finditer(text):
        found.append(text[at : end.end()])
        at = end.end()
    return [*found, text[at:]] if text[at:].strip() else found
