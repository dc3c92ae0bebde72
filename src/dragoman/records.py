"""Plain frozen dataclasses used throughout the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from html import escape
from itertools import accumulate
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Sentence:
    """A text split into tokens, with everything needed to restore it.

    >>> s = Sentence(words=("Hi", ","), gaps=("", "", " "), placeable=(False, False))
    >>> s.text, s.spans, s.cut(0, 2)
    ('Hi, ', ((0, 2), (2, 3)), 'Hi,')
    """

    words: tuple[str, ...]  # [n] the tokens, as written
    gaps: tuple[str, ...]  # [n + 1] the characters before each token, and those after the last
    placeable: tuple[bool, ...]  # [n] true for tags and placeholders, to be copied verbatim

    @cached_property
    def text(self) -> str:
        """The original text."""
        return "".join(gap + word for gap, word in zip(self.gaps, self.words, strict=False)) + self.gaps[-1]

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The position of each token in the text: (first character, one past the last)."""
        ends = accumulate(len(gap) + len(word) for gap, word in zip(self.gaps, self.words, strict=False))
        return tuple((end - len(word), end) for word, end in zip(self.words, ends, strict=True))

    def cut(self, first: int, end: int) -> str:
        """The text from a token to before another, as written."""
        return self.text[self.spans[first][0] : self.spans[end - 1][1]] if first < end else ""

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Pair:
    """A source text and its translation, read once: as tokens, and as the words the models used at that time."""

    source: Sentence
    target: Sentence
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]


class Alignment(NamedTuple):
    """A text and its translation, and which of their tokens belong together."""

    source: Sentence
    target: Sentence
    links: list[tuple[int, int]]  # (source token, target token), from 0


class Check(NamedTuple):
    """Problems with a pair of texts before it is learned; both are None if there are none."""

    unlearnable: str | None  # why the models cannot learn it at all
    suspicious: str | None  # why the guard would flag it


class Match(NamedTuple):
    """A correction whose source is similar to a text."""

    similarity: float  # of the two sources, in percent; 100 if they are identical
    id: int
    source: str
    target: str  # with the codes of the text
    lost: tuple[str, ...] = ()  # codes of the text that the target lacks
    extra: tuple[str, ...] = ()  # codes that were left out of the target, because the text has none like them


class Term(NamedTuple):
    """Words of a sentence whose translation is given by the glossary."""

    start: int  # first source word
    end: int  # one past the last
    words: tuple[str, ...]  # of the target
    as_written: bool = False  # keeps its capitals as they are, also at the beginning of a sentence


@dataclass(frozen=True)
class Phrase:
    """A phrase of a translation, and the phrase of the source that it translates."""

    source: tuple[int, int]  # first token, one past the last
    target: tuple[int, int]
    source_words: tuple[str, ...]  # as the models see them
    target_words: tuple[str, ...]
    kind: (
        str  # "phrase"; "copy" of an unknown word; "term" of the glossary; "memory", a correction; "upstream"; "guess"
    )
    replaces: str = ""  # another engine's answer for it, if the words are others
    guessed_from: tuple[str, ...] = ()  # known words that a translation of an unknown one was guessed from


SAYING = {"term": "the glossary says", "upstream": "another of its translations says"}  # by kind of phrase


class Change(NamedTuple):
    """Words of a translation that stand in the place of another engine's, and what they come from."""

    said: str  # by the engine
    words: str  # of the translation
    corrections: tuple[int, ...] = ()
    kind: str = "phrase"  # of the phrase that says so

    @property
    def sentence(self) -> str:
        """The change in words.

        >>> Change("la tapadera", "la tapa", (40, 12)).sentence
        'The engine said “la tapadera”; corrections 12 and 40 say “la tapa”.'
        >>> Change("archivo", "fichero", kind="term").sentence
        'The engine said “archivo”; the glossary says “fichero”.'
        """
        numbers = [str(number) for number in sorted(self.corrections)]
        listed = " and ".join(filter(None, [", ".join(numbers[:-1]), *numbers[-1:]]))
        who = f"corrections {listed} say" if numbers else SAYING.get(self.kind, "the models say")
        if len(numbers) == 1:
            who = f"correction {listed} says"
        return f"The engine said “{self.said}”; {who} “{self.words}”."


class ProposedChange(NamedTuple):
    """A change of another engine's answer, and what speaks for it."""

    place: tuple[int, int]  # among the words of the answer: the first, one past the last
    said: str  # by the engine
    words: tuple[str, ...]  # instead, as the models see them
    used: bool
    probability: float  # that it saves edits
    times: int  # that corrections made this change of this piece
    seen: int  # times that the piece was seen
    last: datetime | None = None  # when a correction last made it, if that was looked up

    @property
    def sentence(self) -> str:
        """The change in words, with its evidence.

        >>> ProposedChange((2, 3), "archivo", ("fichero",), True, 0.83, 5, 6).sentence
        '“archivo” → “fichero”: replaced 5 of 6 times, 83 % likely to help'
        >>> ProposedChange((2, 3), "archivo", ("ficha",), False, 0.12, 0, 6).sentence
        '“archivo” → “ficha”: never replaced so, 12 % likely to help, not made'
        >>> ProposedChange((2, 3), "archivo", ("fichero",), True, 0.83, 5, 6, datetime(2026, 5, 1)).sentence
        '“archivo” → “fichero”: replaced 5 of 6 times, last on 2026-05-01, 83 % likely to help'
        """
        often = f"replaced {self.times} of {self.seen} times" if self.times else "never replaced so"
        often += f", last on {self.last:%Y-%m-%d}" if self.last else ""
        likely = f"{round(100 * self.probability)} % likely to help"
        return f"“{self.said}” → “{' '.join(self.words)}”: {often}, {likely}{'' if self.used else ', not made'}"

    def as_dict(self) -> dict[str, Any]:
        """The change for programs: plain values."""
        return {
            "said": self.said,
            "words": " ".join(self.words),
            "used": self.used,
            "probability": self.probability,
            "times": self.times,
            "seen": self.seen,
            "last": self.last and self.last.isoformat(),
        }


@dataclass(frozen=True)
class Translation:
    """A text in the target language, and how it was produced."""

    text: str
    score: float  # Σ λ h
    features: dict[str, float]
    alignment: list[tuple[int, int]]  # (source token, target token), from 0
    source: Sentence
    target: Sentence
    phrases: tuple[Phrase, ...] = ()
    nbest: list[Translation] = field(default_factory=list)  # this one first, if more than one was requested
    memory: int | None = None  # id of the correction that the text was taken from, if it was
    upstream: str | None = None  # another engine's answer, if it was asked
    upstream_flaw: str | None = None  # what looks wrong with that: "wrong language", "rambling", …
    matches: list[Match] = field(default_factory=list)  # corrections of the same source and of similar ones, best first
    lines: tuple[Translation, ...] = ()  # the translation of each line, if the text has several
    changes: tuple[ProposedChange, ...] = ()  # of another engine's answer that were weighed, used or not

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """The translation as notebooks show it: source above target, and where it comes from."""
        origin = "" if self.memory is None else f"<br><small>correction {self.memory}</small>"
        shown = f"<small>{escape(self.source.text)}</small><br><b>{escape(self.text)}</b>{origin}"
        return f'<div style="white-space: pre-wrap">{shown}</div>'  # the lines of a text of several stay apart
