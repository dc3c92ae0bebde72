"""Whether learning is ahead: how much more probable corrections were to the learned weights than to the model's own.

    d = (nats of W₀ - nats of the learned weights) / pieces      of each correction, before it is learned

How alike a source is to the most similar one learned tells most of it, so the sums are kept by bands of likeness.
In each band the learned weights answer from when the mean of d is above zero beyond chance, newer corrections counting
more, until it no longer is. A band begins with what four development sets gave, as if so many corrections had said so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

BANDS = (50.0, 55.0, 60.0, 70.0, 85.0)  # of likeness, 0 to 100: below 50, 50 to 55, … above 85
PRIOR = ((10.0, 0.0, 1.0),) * 6
COMPARED = 1_000  # sources learned last
KEPT = 0.98  # of what was counted before, at each correction of the same band
MOST = 2.0  # nats a piece: one correction says no more than that
CHANCE = 1.64  # standard errors: 5 % on one side


class Standing(NamedTuple):
    """What one band of the ledger says."""

    least: float  # likeness
    corrections: float  # counted, older ones less
    ahead: float  # nats a piece, on average
    error: float  # its standard error
    learned_answers: bool


class Ledger:
    """The sums of both, by bands."""

    def __init__(self, sums: np.ndarray | None = None) -> None:
        self.sums = np.array(PRIOR if sums is None else sums, np.float64)  # [bands, 3] number, Σ d, Σ d²

    def add(self, likeness: float, difference: float) -> None:
        """Count a correction."""
        d, band = min(max(difference, -MOST), MOST), self.sums[band_of(likeness)]
        band *= KEPT
        band += 1, d, d * d

    def learned_answers(self, likeness: float) -> bool:
        """Whether the learned weights answer for a text that is so much like one that was learned."""
        return self.standing(band_of(likeness)).learned_answers

    def standing(self, band: int) -> Standing:
        """What a band says."""
        number, total, squares = self.sums[band]
        mean = total / number
        error = math.sqrt(max(squares / number - mean * mean, 0.01) / number)
        return Standing((0.0, *BANDS)[band], number, mean, error, mean - CHANCE * error > 0)


def band_of(likeness: float) -> int:
    """The number of a band."""
    return sum(likeness >= least for least in BANDS)


def likeness(text: str, learned: Sequence[str]) -> float:
    """How alike a source is to the most similar of those learned last, 0 to 100; 0 if there is none."""
    recent = learned[-COMPARED:]
    return float(process.extractOne(text, recent, scorer=fuzz.token_set_ratio)[1]) if recent else 0.0
