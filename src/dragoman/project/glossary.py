"""The glossary: terms with a fixed translation. It takes effect at once and overrides what was learned.

Terms are kept by their words in lower case. At each position of a sentence, only the lengths that terms with this first
word have are looked up, the longest first: the time grows with the length of the text, not with the number of terms.

>>> glossary = Glossary({"green button": "botón verde", "lid": "tapa"})
>>> words = ("press", "the", "green", "button", "and", "close", "the", "lid")
>>> [(term.start, term.end, term.words) for term in glossary.find(words)]
[(2, 4, ('botón', 'verde')), (7, 8, ('tapa',))]
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.text.shapes import LOWER, shape
from dragoman.text.starts import find_starts
from dragoman.text.tokens import Mode, split
from dragoman.types import Term

MAX_WORDS = 30  # of a source term: about as many syllables as the longest names have; a search allows up to 62
MAX_TRANSLATION_WORDS = 500
MAX_CHARACTERS = 4_000  # of a term, and of its translation
MAX_VARIANTS = 64  # terms looked at that differ only in capitals

Words = tuple[str, ...]


class GlossaryEntry(NamedTuple):
    """A term in words."""

    text: str  # as it was written; terms that differ only in capitals are in the order of their texts
    source: Words
    target: Words


class Glossary:
    """Terms of the source language and their translations; a lower-case term matches any capitalisation."""

    def __init__(self, terms: Mapping[str, str] | None = None, mode: Mode = "text") -> None:
        self.mode: Mode = mode
        self._translations: dict[str, str] = {}
        self._entries: dict[Words, list[GlossaryEntry]] = {}  # by the words of the term in lower case
        self._lengths: dict[str, dict[int, int]] = {}  # by the first of these, how many terms have each length
        self._in_order: dict[str, str] | None = None
        self.cases: Mapping[str, str] = {}  # of terms that are found in "any" capitals, or only in the "same"
        self.change(terms or {})

    def __contains__(self, source: str) -> bool:
        return source in self._translations

    def __len__(self) -> int:
        return len(self._translations)

    @property
    def terms(self) -> Mapping[str, str]:
        """All terms and their translations in alphabetical order; what was returned once never changes."""
        if self._in_order is None:
            self._in_order = dict(sorted(self._translations.items()))
        return self._in_order

    def check(self, changes: Mapping[str, str | None]) -> None:
        """Refuse invalid terms; None as a translation means that the term is to be removed."""
        for source, target in changes.items():
            if target is not None:
                for text, most in (source, MAX_WORDS), (target, MAX_TRANSLATION_WORDS):
                    self._check_size(text, most)

    def _check_size(self, text: str, most: int) -> None:
        if len(text) > MAX_CHARACTERS:
            what = f"the glossary entry {text[:40]!r}… has {len(text):,} characters"
            raise BadInputError(what, remedy=f"terms and translations must have at most {MAX_CHARACTERS:,} characters")
        words = len(split(text, self.mode, normalise=True).words)
        if not 1 <= words <= most:
            remedy = f"terms must have 1 to {MAX_WORDS} words, and translations 1 to {MAX_TRANSLATION_WORDS}"
            raise BadInputError(f"the glossary entry {text!r} has {words} words", remedy=remedy)

    def change(self, changes: Mapping[str, str | None]) -> None:
        """Change the translations of some terms, or remove those whose translation is None.

        Nothing is refused here: what stands in a journal stays valid when the limits change.
        """
        for source, target in changes.items():
            if source in self._translations:
                self._remove(source)
            if target is not None:
                self._add(source, target)
        self._in_order = None

    def _add(self, text: str, target: str) -> None:
        entry = GlossaryEntry(text, self._split(text), split(target, self.mode).words)
        if not entry.source:
            return
        key = _lowered(entry.source)
        entries, lengths = self._entries.setdefault(key, []), self._lengths.setdefault(key[0], {})
        entries.insert(bisect_left(entries, text, key=lambda each: each.text), entry)
        lengths[len(key)] = lengths.get(len(key), 0) + 1
        self._translations[text] = target

    def _remove(self, text: str) -> None:
        key = _lowered(self._split(text))
        entries, lengths = self._entries[key], self._lengths[key[0]]
        del entries[bisect_left(entries, text, key=lambda each: each.text)]
        lengths[len(key)] -= 1
        if not entries:
            del self._entries[key]
        if not lengths[len(key)]:
            del lengths[len(key)]
        if not lengths:
            del self._lengths[key[0]]
        del self._translations[text]

    def _split(self, text: str) -> Words:
        return split(text, self.mode, normalise=True).words

    def find(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[Term]:
        """The terms in a sentence, from left to right, the longest at each position; those of `extra_terms` first.

        At the start of a sentence, truecasing may have removed the capital of a noun or name.
        """
        extra = _EXTRA.get()
        first = extra._find(words, placeable) if extra else []
        taken = {word for term in first for word in range(term.start, term.end)}
        own = [term for term in self._find(words, placeable) if taken.isdisjoint(range(term.start, term.end))]
        return sorted([*first, *own])

    def spans(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[tuple[int, int, str]]:
        """The terms in a sentence as they are written in the glossary, each with the words it stands for."""
        return [(start, end, entry.text) for start, end, entry in self._found(words, placeable)]

    def _find(self, words: Sequence[str], placeable: Sequence[bool] | None) -> list[Term]:
        found = self._found(words, placeable)
        return [Term(start, end, entry.target, self.cases.get(entry.text) == "same") for start, end, entry in found]

    def _found(self, words: Sequence[str], placeable: Sequence[bool] | None) -> list[tuple[int, int, GlossaryEntry]]:
        if not self._entries:
            return []
        words = [unicodedata.normalize("NFC", word) for word in words]
        lowered = _lowered(words)
        fixed = placeable or (False,) * len(words)
        starts = {start.at for start in find_starts(words, fixed)} if self.mode == "text" else set()
        found, at = list[tuple[int, int, GlossaryEntry]](), 0
        while at < len(words):
            entry = self._find_at(words, lowered, at, at in starts)
            end = at + len(entry.source) if entry else at + 1
            if entry and not any(fixed[at:end]):
                found.append((at, end, entry))
                at = end
            else:
                at += 1
        return found

    def _find_at(self, words: Sequence[str], lowered: Words, at: int, starts: bool) -> GlossaryEntry | None:
        for size in sorted(self._lengths.get(lowered[at], ()), reverse=True):
            here = words[at : at + size]
            known = self._entries.get(lowered[at : at + size], []) if len(here) == size else []
            for entry in known[:MAX_VARIANTS]:
                case = self.cases.get(entry.text, "")
                if case == "any":
                    return entry
                first = entry.source[0]
                begun = here[0].lower() if case == "same" else here[0]  # a capital that a sentence begins with
                begins = _stands_for(first, here[0], case) or (starts and first.lower() == begun)
                if begins and all(_stands_for(*pair, case) for pair in zip(entry.source[1:], here[1:], strict=True)):
                    return entry
        return None


_EXTRA: ContextVar[Glossary | None] = ContextVar("terms of one request", default=None)


@contextmanager
def extra_terms(glossary: Glossary | None) -> Iterator[None]:
    """Translate, inside the block and in this thread, with these terms as well."""
    token = _EXTRA.set(glossary)
    try:
        yield
    finally:
        _EXTRA.reset(token)


def has_extra_terms() -> bool:
    """Whether there are terms that only hold for now, so that what is found must not be kept."""
    return _EXTRA.get() is not None


def _lowered(words: Sequence[str]) -> Words:
    return tuple(word.lower() for word in words)


def _stands_for(term: str, word: str, case: str) -> bool:
    return term == word or (case != "same" and shape(term) == LOWER and term == word.lower())
