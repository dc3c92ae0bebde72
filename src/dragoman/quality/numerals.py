"""Numbers: a translation has those of its source, however they are written."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from dragoman.quality.finding import Finding
from dragoman.records import Sentence
from dragoman.text.tokens import is_slot

# Digits with the separators of thousands and decimals in between; a space only separates groups of three.
_NUMBER = re.compile(r"\d+(?:(?:[.,:'’٫٬]|[ \u00a0\u202f](?=\d{3}(?!\d)))\d+)*")


def find_numbers(source: Sentence, target: Sentence) -> Iterator[Finding]:
    """Numbers that are missing or added; `1,000.5` and `1.000,5` are the same.

    >>> from dragoman.text.tokens import split
    >>> source = split("Wait 5 minutes at 1,000.5 m for {0}.")
    >>> [finding.what for finding in find_numbers(source, split("Espere 6 minutos a 1.000,5 m por {0}."))]
    ['the number 5 is missing', 'the number 6 is not in the source']
    """
    wanted, found = list(_numbers(source)), list(_numbers(target))
    missing = Counter(digits for digits, _ in found)
    for digits, place in wanted:
        missing[digits] -= 1
        if missing[digits] < 0:
            what = f"the number {place[0]} is missing"
            yield Finding("numbers", what, source_start=place.start(), source_end=place.end())
    added = Counter(digits for digits, _ in wanted)
    for digits, place in found:
        added[digits] -= 1
        if added[digits] < 0:
            yield Finding("numbers", f"the number {place[0]} is not in the source", place.start(), place.end())


def _numbers(sentence: Sentence) -> Iterator[tuple[str, re.Match[str]]]:
    """The digits of each number, and where it is; those in tags and placeholders do not count."""
    text = blank(sentence)
    for found in _NUMBER.finditer(text):
        yield "".join(str(unicodedata.digit(each)) for each in found[0] if each.isdigit()), found


def blank(sentence: Sentence) -> str:
    """The text with spaces in the place of tags and placeholders."""
    text = sentence.text
    for word, (start, end), placeable in zip(sentence.words, sentence.spans, sentence.placeable, strict=True):
        if placeable and is_slot(word):
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text
