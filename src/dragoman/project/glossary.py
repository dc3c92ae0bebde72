"""The glossary: terms with a fixed translation. It takes effect at once and overrides what was learned.

>>> glossary = Glossary({"green button": "botón verde", "lid": "tapa"})
>>> words = ("press", "the", "green", "button", "and", "close", "the", "lid")
>>> [(term.start, term.end, term.words) for term in glossary.find(words)]
[(2, 4, ('botón', 'verde')), (7, 8, ('tapa',))]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property

from dragoman.errors import BadInputError
from dragoman.text.shapes import LOWER, shape
from dragoman.text.starts import find_starts
from dragoman.text.tokens import Mode, split
from dragoman.types import Term

MOST_WORDS = 30  # of a source term: about as many syllables as the longest names have; a search allows up to 62

Words = tuple[str, ...]


class Glossary:
    """Terms of the source language and their translations; a lower-case term matches any capitalisation."""

    def __init__(self, terms: Mapping[str, str] | None = None, mode: Mode = "text") -> None:
        self.mode: Mode = mode
        self._words = {source: self._split(source, target) for source, target in sorted((terms or {}).items())}
        self.terms: dict[str, str] = dict(sorted((terms or {}).items()))

    def changed(self, changes: Mapping[str, str | None]) -> Glossary:
        """This glossary with some terms changed, or removed if the translation is None."""
        new = Glossary(mode=self.mode)
        wanted = {source: target for source, target in changes.items() if target is not None}
        kept = self.terms.keys() - changes.keys()
        new.terms = dict(sorted(({source: self.terms[source] for source in kept} | wanted).items()))
        made = {source: self._split(source, target) for source, target in wanted.items()}
        new._words = {source: made.get(source) or self._words[source] for source in new.terms}
        return new

    def _split(self, source: str, target: str) -> tuple[Words, Words]:
        words = split(source, self.mode, normalise=True).words, split(target, self.mode).words
        for text, found, most in (source, words[0], MOST_WORDS), (target, words[1], len(words[1])):
            if not 1 <= len(found) <= most:
                remedy = f"terms must have 1 to {MOST_WORDS} words, and translations at least one"
                raise BadInputError(f"the glossary entry {text!r} has {len(found)} words", remedy=remedy)
        return words

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[Words, Words]]]:
        """Terms and translations by the lower-cased first word of the term, longest terms first."""
        found: dict[str, list[tuple[Words, Words]]] = {}
        for words in sorted(self._words.values(), key=lambda words: -len(words[0])):
            found.setdefault(words[0][0].lower(), []).append(words)
        return found

    def find(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[Term]:
        """The terms in a sentence, from left to right, the longest at each position.

        At the start of a sentence, truecasing may have removed the capital of a noun or name.
        """
        words = [unicodedata.normalize("NFC", word) for word in words]
        fixed = placeable or (False,) * len(words)
        starts = {start.at for start in find_starts(words, fixed)} if self.mode == "text" else set()
        found, at = [], 0
        while at < len(words):
            term = self._find_at(words, at, at in starts)
            if term and not any(fixed[at : term.end]):
                found.append(term)
            at = found[-1].end if found and found[-1].end > at else at + 1
        return found

    def _find_at(self, words: Sequence[str], at: int, starts: bool) -> Term | None:
        for source, target in self._by_first.get(words[at].lower(), ()):
            end = at + len(source)
            begins = _stands_for(source[0], words[at]) or (starts and source[0].lower() == words[at])
            if begins and end <= len(words) and all(map(_stands_for, source[1:], words[at + 1 : end])):
                return Term(at, end, target)
        return None


def _stands_for(term: str, word: str) -> bool:
    return term == word or (shape(term) == LOWER and term == word.lower())
