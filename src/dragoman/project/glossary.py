"""The glossary: terms with a fixed translation. It takes effect at once and overrides what was learned.

Terms are kept by their words in lower case. At each position of a sentence, only the lengths that terms with this first
word have are looked up, the longest first: the time grows with the length of the text, not with the number of terms.

>>> glossary = Glossary({"green button": "botón verde", "lid": "tapa"})
>>> words = ("press", "the", "green", "button", "and", "close", "the", "lid")
>>> [(term.start, term.end, term.words) for term in glossary.find(words)]
[(2, 4, ('botón', 'verde')), (7, 8, ('tapa',))]

`TermRules` hold what people say of terms besides: notes, capitals, other translations that may or must not be used.

>>> rules = TermRules()
>>> rules.change({"lid": {"forbidden": ["tapadera"], "note": "of the kettle"}})
>>> [(found.source, found.rule.forbidden) for found in rules.find(("open", "the", "lid"))]
[('lid', ('tapadera',))]
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

from dragoman.errors import BadInputError
from dragoman.records import Term
from dragoman.text.casing import find_starts
from dragoman.text.tokens import LOWER, Mode, shape, split

MAX_WORDS = 30  # of a source term: about as many syllables as the longest names have; a search allows up to 62
MAX_TRANSLATION_WORDS = 500
MAX_CHARACTERS = 4_000  # of a term, and of its translation
MAX_VARIANTS = 64  # terms looked at that differ only in capitals
MOST_TRANSLATIONS = 50  # admitted or forbidden, of one term
MAX_NOTE = 4_000  # characters

Case = Literal["", "any", "same"]
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

    def _check_size(self, text: object, most: int) -> None:
        if not isinstance(text, str):
            raise BadInputError(f"the glossary entry {text!r} is not a text", remedy="give a string")
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
    if glossary and (outer := _EXTRA.get()):
        both = Glossary({**outer.terms, **glossary.terms}, glossary.mode)
        both.cases, glossary = {**outer.cases, **glossary.cases}, both
    token = _EXTRA.set(glossary or _EXTRA.get())
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


@dataclass(frozen=True)
class TermRule:
    """What holds for a term.

    `case` "same" finds the term only as it is written, and writes its translation as it is, also at the beginning of a
    sentence; "any" finds it in any capitals. Without, a term in lower case is found in any capitals, and one with
    capitals only as it is written.
    """

    note: str = ""
    case: Case = ""
    admitted: tuple[str, ...] = ()  # other translations that may be used
    forbidden: tuple[str, ...] = ()  # translations that must not be used

    def dump(self) -> dict[str, Any]:
        """The rule in the form of the journal: only what is said."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items() if value}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> TermRule:
        """A rule from the journal; what is not known is left out."""
        known = {each.name for each in fields(cls)}
        values: dict[str, Any] = {name: value for name, value in said.items() if name in known}
        lists: dict[str, Any] = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return cls(**{**values, **lists})


class FoundRule(NamedTuple):
    """A term in a sentence for which there is a rule."""

    start: int  # first word
    end: int  # one past the last
    source: str
    rule: TermRule


class TermRules:
    """The rules of a project by term."""

    def __init__(self, mode: Mode = "text") -> None:
        self.mode: Mode = mode
        self._rules: dict[str, TermRule] = {}
        self._index = Glossary(mode=mode)  # finds the terms; their translations are not used

    @property
    def rules(self) -> dict[str, TermRule]:
        """All rules, in alphabetical order of their terms."""
        return dict(sorted(self._rules.items()))

    @property
    def cases(self) -> dict[str, Case]:
        """The terms with a rule about capitals."""
        return {source: rule.case for source, rule in self._rules.items() if rule.case}

    def check(self, changes: Mapping[str, Any]) -> dict[str, dict[str, Any] | None]:
        """The changes in the form of the journal; invalid ones are refused. None removes a rule."""
        return {source: None if said is None else self._checked(source, said) for source, said in changes.items()}

    def _checked(self, source: str, said: Any) -> dict[str, Any] | None:
        remedy = f"pass note, case ({', '.join(filter(None, get_args(Case)))}), admitted and forbidden"
        if isinstance(said, TermRule):
            said = said.dump()
        if not isinstance(said, Mapping) or not {*said} <= {each.name for each in fields(TermRule)}:
            raise BadInputError(f"the rule for the term {source!r} is not valid", remedy=remedy)
        rule = TermRule.read(said)
        texts = [rule.note, *rule.admitted, *rule.forbidden]
        if rule.case not in get_args(Case) or not all(isinstance(text, str) for text in texts):
            raise BadInputError(f"the rule for the term {source!r} is not valid", remedy=remedy)
        if len(rule.note) > MAX_NOTE or len(rule.admitted) + len(rule.forbidden) > MOST_TRANSLATIONS:
            what = f"the rule for the term {source!r} is too long"
            raise BadInputError(what, remedy=f"at most {MOST_TRANSLATIONS} translations, {MAX_NOTE:,} characters")
        self._index.check(dict.fromkeys([source], "x"))
        for text in (*rule.admitted, *rule.forbidden):
            self._index.check({source: text})
        return rule.dump() or None

    def change(self, changes: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Set rules from the journal, or remove those that are None."""
        for source, said in changes.items():
            self._rules.pop(source, None)
            if said:
                self._rules[source] = TermRule.read(said)
        self._index.change({source: "x" if said else None for source, said in changes.items()})
        self._index.cases = self.cases

    def find(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[FoundRule]:
        """The rules for the terms in a sentence."""
        spans = self._index.spans(words, placeable) if self._rules else []
        return [FoundRule(start, end, source, self._rules[source]) for start, end, source in spans]

    def banned(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[tuple[str, ...]]:
        """The words that the translation of a sentence must not have, as the models may know them."""
        found: dict[tuple[str, ...], None] = {}
        for each in self.find(words, placeable):
            for text in each.rule.forbidden:
                written = split(text, self.mode, normalise=True).words
                found[written] = found[tuple(word.lower() for word in written)] = None
        return list(found)
