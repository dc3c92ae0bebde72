"""Word error rate: words to insert, delete or replace, for each hundred words of the references.

>>> round(wer(["press the button"], ["press the green button"]), 1)
25.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.kernels import exercise
from dragoman.measure import wer_kernels as kernels
from dragoman.measure.measure import Counts, Floats, Measure, counted
from dragoman.measure.sentences import Sentences


def wer(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Word error rate of a corpus, in percent. Words are separated by spaces, and case matters."""
    return Wer()(hypotheses, references)


class EditRate(Measure):
    """A measure whose counts are edits and reference words."""

    def scores(self, totals: NDArray[Any]) -> Floats:
        """Edits per hundred reference words; without reference words, 100 if there are edits and 0 if not."""
        edits, words = counted(totals, 2).T
        result: Floats = 100 * np.where(words > 0, edits / np.maximum(words, 1), edits > 0)
        return result


class Wer(EditRate):
    """Word error rate; its counts are edits and reference words."""

    name = "WER"

    def _settings(self) -> dict[str, str]:
        return {"case": "mixed", "tok": "spaces"}

    def _words(self, text: str) -> Sequence[str]:
        return text.split()

    def _count(self, hypotheses: Sentences, references: Sentences, which: Counts) -> Counts:
        result: Counts = kernels.statistics(hypotheses, references, which)
        return result


@exercise
def _exercise() -> None:
    wer(["a b"], ["b a"])
