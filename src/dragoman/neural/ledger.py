"""Whether learning is ahead: how many more pieces of corrections the learned weights get right than the model's own.

    d = (pieces that the learned weights would have said - those that W₀ would have said) / pieces

of each correction before it is learned, each piece given those before it. How probable both find the correction is no
measure: learned weights become sure of the style of a text long before they translate more of it correctly.

How much of a source is made of words that were learned tells most of it, so the sums are kept by bands of familiarity.
In each band the learned weights answer as long as the mean of d is beyond chance above what is needed, newer
corrections counting more. A band begins with what two kinds of text gave, as if so many corrections had said so: the
user interface that was learned (desktop, 500 segments) and news (150 segments) translated by the same weights. Below
70 % the former gained nothing and the latter lost 2 to 6 words in 100, while d was up to 0.12 for the former.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

BANDS = (0.5, 0.6, 0.7, 0.8, 0.9)  # of familiarity: below 50 %, 50 to 60 %, … above 90 %
PRIOR = (  # corrections that each band begins with, and their mean d
    (20.0, -0.03),
    (20.0, -0.03),
    (20.0, -0.03),
    (20.0, 0.10),
    (20.0, 0.15),
    (20.0, 0.22),
)
NEEDED = (
    0.15,
    0.15,
    0.15,
    0.05,
    0.05,
    0.05,
)  # d from which on whole translations gain, too
SPREAD = 0.12  # of d, between the corrections of a band
KEPT = 0.98  # of what was counted before, at each correction of the same band
CHANCE = 1.64  # standard errors: 5 % on one side
WORD = re.compile(r"\w+")


class Standing(NamedTuple):
    """What one band of the ledger says."""

    least: float  # familiarity
    corrections: float  # counted, older ones less
    ahead: float  # pieces in each piece, on average
    error: float  # its standard error
    learned_answers: bool


class Ledger:
    """The sums of both, by bands."""

    def __init__(self, sums: np.ndarray | None = None) -> None:
        if sums is None:
            sums = np.array([[n, n * mean, n * (mean**2 + SPREAD**2)] for n, mean in PRIOR])
        self.sums = np.array(sums, np.float64)  # [bands, 3] number, Σ d, Σ d²

    def add(self, familiarity: float, difference: float) -> None:
        """Count a correction."""
        band = self.sums[band_of(familiarity)]
        band *= KEPT
        band += 1, difference, difference * difference

    def learned_answers(self, familiarity: float) -> bool:
        """Whether the learned weights answer for a text of which so much is familiar."""
        return self.standings()[band_of(familiarity)].learned_answers

    def standings(self) -> list[Standing]:
        """What each band says."""
        found = []
        for least, needed, (number, total, squares) in zip((0.0, *BANDS), NEEDED, self.sums.tolist(), strict=True):
            mean = total / number
            error = math.sqrt(max(squares / number - mean * mean, 0.0) / number)
            found.append(Standing(least, number, mean, error, mean - CHANCE * error > needed))
        return found

    def copy(self) -> Ledger:
        """Another one that says the same."""
        return Ledger(self.sums)


def band_of(familiarity: float) -> int:
    """The number of a band."""
    return sum(familiarity >= least for least in BANDS)


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return [word.lower() for word in WORD.findall(text)]


def familiarity(text: str, learned: Collection[str]) -> float:
    """The share of the words of a text that were learned.

    >>> familiarity("Open the other file", {"open", "the", "file"})
    0.75
    """
    words = words_of(text)
    return sum(word in learned for word in words) / len(words) if words else 0.0
