"""The vocabulary of the whole package: plain frozen dataclasses that every room understands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple


@dataclass(frozen=True)
class Sentence:
    """A text cut into tokens, with everything needed to put it together again.

    >>> s = Sentence(words=("Hi", ","), gaps=("", "", " "), placeable=(False, False))
    >>> s.text, s.spans
    ('Hi, ', ((0, 2), (2, 3)))
    """

    words: tuple[str, ...]  # [n] the tokens, as written
    gaps: tuple[str, ...]  # [n + 1] the characters before each token, and those after the last
    placeable: tuple[bool, ...]  # [n] true for tags and placeholders, to be copied verbatim

    @cached_property
    def text(self) -> str:
        """The characters the sentence was made from."""
        return "".join(gap + word for gap, word in zip(self.gaps, self.words, strict=False)) + self.gaps[-1]

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where each token stands in the text: (first character, one past the last)."""
        ends = accumulate(len(gap) + len(word) for gap, word in zip(self.gaps, self.words, strict=False))
        return tuple((end - len(word), end) for word, end in zip(self.words, ends, strict=True))

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Pair:
    """A source text and its translation, read once: as tokens, and as the words that the models saw at that moment."""

    source: Sentence
    target: Sentence
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]


class Alignment(NamedTuple):
    """Two texts that mean the same, and which of their tokens go together."""

    source: Sentence
    target: Sentence
    links: list[tuple[int, int]]  # (source token, target token), from 0


class Check(NamedTuple):
    """What there is to say about a pair of texts before it is learned; nothing if all is well."""

    unlearnable: str | None  # why the models cannot learn it at all
    suspicious: str | None  # why the guard would flag it


class Match(NamedTuple):
    """A correction whose source is like a text."""

    similarity: float  # of the two sources, in percent; 100 if they are the same
    id: int
    source: str
    target: str


class Term(NamedTuple):
    """A place in a sentence whose translation is settled."""

    start: int  # first source word
    end: int  # one past the last
    words: tuple[str, ...]  # of the target


@dataclass(frozen=True)
class Phrase:
    """A piece of a translation, and the piece of the source that it stands for."""

    source: tuple[int, int]  # first token, one past the last
    target: tuple[int, int]
    source_words: tuple[str, ...]  # as the models see them
    target_words: tuple[str, ...]
    kind: str  # "phrase"; "copy" for want of a translation; "term" of the glossary; "memory", a whole correction


@dataclass(frozen=True)
class Translation:
    """A text in the target language, and how it came about."""

    text: str
    score: float  # Σ λ h
    features: dict[str, float]
    alignment: list[tuple[int, int]]  # (source token, target token), from 0
    source: Sentence
    target: Sentence
    phrases: tuple[Phrase, ...] = ()
    nbest: list[Translation] = field(default_factory=list)  # this one first, if more than one was asked for
    memory: int | None = None  # id of the correction that the text was taken from, if it was
    matches: list[Match] = field(default_factory=list)  # corrections of the same source and of similar ones, best first
    lines: tuple[Translation, ...] = ()  # that a text of several lines was translated by, one after another
