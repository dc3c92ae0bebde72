"""Immediate adaptation: whether new words are right at once, or the second time (Simianer et al., NAACL 2019).

Over segments in the order in which people correct them, each content word of a reference is

- *new* if no earlier reference has it: R0 is the share of those that the translations have (zero-shot recall);
- *seen once* if exactly one earlier reference has it: R1 is the share of those (one-shot recall). A system that learns
  from each correction shows it here.

R0+1 is the share of both together. A word counts once for a segment. Content words are those with at least
`LEAST_LETTERS` letters, in scripts without spaces those with any: short words are mostly grammar.

>>> references = ["Close the lid", "Open the lid", "Lift the lid gently"]
>>> found = recall(["Close the cover", "Open the cover", "Lift the lid"], references)
>>> found.r0, found.r1  # of close, open, lift and gently; of nothing, since "lid" has but three letters
(75.0, 0.0)
>>> statistics = ImmediateRecall().statistics(["el fichero", "el fichero"], ["el archivo", "un archivo"])
>>> statistics  # [found, all] of new words, then of those seen once
array([[0, 1, 0, 0],
       [0, 0, 0, 1]])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import BadInputError
from dragoman.measure.measure import Counts, Floats, Measure, counted
from dragoman.measure.sentences import Text
from dragoman.text.tokens import split

LEAST_LETTERS = 4
UNSPACED = 0x2E80  # letters from here on, as Chinese, Japanese and Korean have them, are words by themselves
COLUMNS = {"R0": (0,), "R1": (2,), "R0+1": (0, 2)}  # of the counts: words found; those to be found are next to them

Wanted = tuple[Set[str], Set[str]]  # new words, and words seen once


class Recall(NamedTuple):
    """Shares of content words that were found, in percent; 0 where there are none."""

    r0: float
    r1: float
    both: float


def recall(hypotheses: Sequence[str], references: Sequence[str]) -> Recall:
    """R0, R1 and R0+1 of translations in the order of the work."""
    total = ImmediateRecall().statistics(hypotheses, references).sum(0)
    return Recall(*(ImmediateRecall(kind).score(total) for kind in COLUMNS))


class ImmediateRecall(Measure):
    """R0, R1 or R0+1; counts are of single segments, so the usual bootstrap gives intervals."""

    name = "R0+1"
    higher_is_better = True

    def __init__(self, kind: str = "R0+1") -> None:
        if kind not in COLUMNS:
            raise BadInputError(f"{kind!r} is not a kind of recall", remedy=f"use one of {', '.join(COLUMNS)}")
        self.kind = kind

    def statistics(
        self, hypotheses: Sequence[Text], references: Sequence[Text], which: ArrayLike | None = None
    ) -> Counts:
        """Counts [N, 4] of each segment: new words found and all of them, words seen once found and all of them."""
        if which is not None or len(hypotheses) != len(references):
            what = f"{len(hypotheses)} translations and {len(references)} references are not one to one"
            raise BadInputError(what, remedy="pass one translation of each segment, in the order of the work")
        return recall_counts([str(each) for each in hypotheses], wanted_words(map(str, references)))

    def scores(self, totals: NDArray[Any]) -> Floats:
        """Words found of a hundred."""
        columns = counted(totals, 4)
        found = sum(columns[:, at] for at in COLUMNS[self.kind])
        wanted = sum(columns[:, at + 1] for at in COLUMNS[self.kind])
        result: Floats = 100 * np.where(wanted > 0, found / np.maximum(wanted, 1), 0.0)
        return result

    def _settings(self) -> dict[str, str]:
        return {"kind": self.kind, "letters": str(LEAST_LETTERS), "case": "lower"}

    def _words(self, text: str) -> Sequence[str]:
        return sorted(content_words(text))

    def _count(self, *_: object) -> Counts:
        raise BadInputError("words as ids have no letters", remedy="pass texts")


def wanted_words(references: Iterable[str]) -> list[Wanted]:
    """The new content words of each reference, and those that one earlier reference has."""
    seen: Counter[str] = Counter()  # how many references have a word
    found = list[Wanted]()
    for reference in references:
        words = content_words(reference)
        found.append(({each for each in words if not seen[each]}, {each for each in words if seen[each] == 1}))
        seen.update(words)
    return found


def recall_counts(hypotheses: Sequence[str], wanted: Sequence[Wanted]) -> Counts:
    """Counts [N, 4] of translations for which the words that are wanted are known."""
    counts = np.zeros((len(wanted), 4), np.int64)
    for row, hypothesis, kinds in zip(counts, hypotheses, wanted, strict=True):
        said = content_words(hypothesis)
        row[:] = [count for words in kinds for count in (len(words & said), len(words))]
    return counts


def content_words(text: str) -> frozenset[str]:
    """The content words of a text, in lower case.

    >>> sorted(content_words("Press the 2 green buttons (F12)."))
    ['buttons', 'green', 'press']
    >>> sorted(content_words("打开 文件 。"))
    ['件', '开', '打', '文']
    """
    return frozenset(word.lower() for word in split(text).words if _is_content(word))


def _is_content(word: str) -> bool:
    letters = [letter for letter in word if letter.isalpha()]
    return len(letters) >= LEAST_LETTERS or any(ord(letter) >= UNSPACED for letter in letters)
