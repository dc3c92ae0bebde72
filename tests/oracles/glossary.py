"""Terms of a glossary in a sentence, found by comparing all terms at each place."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from dragoman.records import Term
from dragoman.text.casing import find_starts
from dragoman.text.tokens import LOWER, Mode, shape, split


def find(
    terms: Mapping[str, str], mode: Mode, sentence: Sequence[str], placeable: Sequence[bool] | None = None
) -> list[Term]:
    """The terms from left to right, the longest at each place, of equally long ones the first in alphabetical order."""
    made = [
        (split(source, mode, normalise=True).words, split(target, mode).words)
        for source, target in sorted(terms.items())
    ]
    made.sort(key=lambda pair: -len(pair[0]))
    words = [unicodedata.normalize("NFC", word) for word in sentence]
    fixed = placeable or (False,) * len(words)
    starts = {start.at for start in find_starts(words, fixed)} if mode == "text" else set()
    found, at = list[Term](), 0
    while at < len(words):
        fitting = [pair for pair in made if _fits(pair[0], words[at : at + len(pair[0])], at in starts)]
        if fitting and not any(fixed[at : at + len(fitting[0][0])]):
            found.append(Term(at, at + len(fitting[0][0]), fitting[0][1]))
            at = found[-1].end
        else:
            at += 1
    return found


def _fits(term: Sequence[str], words: Sequence[str], starts: bool) -> bool:
    if len(term) != len(words):
        return False
    begins = _stands_for(term[0], words[0]) or (starts and term[0].lower() == words[0])
    return begins and all(map(_stands_for, term[1:], words[1:]))


def _stands_for(term: str, word: str) -> bool:
    return term == word or (shape(term) == LOWER and term == word.lower())
