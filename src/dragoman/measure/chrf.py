"""chrF (Popović 2015): the F-score of character n-grams, recall counting twice; equal to sacrebleu's.

>>> round(chrf(["el botón verdes"], ["el botón verde"]), 1)
97.9
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.measure import bleu_kernels as kernels
from dragoman.measure.measure import Counts, Floats, Measure, counted
from dragoman.measure.sentences import Sentences

ORDER = 6
BETA = 2  # so many times does recall weigh more than precision


def chrf(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Score of a corpus, in percent."""
    return Chrf()(hypotheses, references)


class Chrf(Measure):
    """chrF; its counts are, for 1…6 characters, n-grams of the hypothesis, of the reference, and of both."""

    name = "chrF2"
    higher_is_better = True

    def scores(self, totals: NDArray[Any]) -> Floats:
        """chrF, in percent, of sums of counts; orders without n-grams on either side are left out."""
        n_hypothesis, n_reference, matched = counted(totals, 3 * ORDER).reshape(-1, ORDER, 3).transpose(2, 0, 1)
        present = (n_hypothesis > 0) & (n_reference > 0)
        orders = np.maximum(present.sum(1), 1)
        precision = (present * matched / np.maximum(n_hypothesis, 1)).sum(1) / orders
        recall = (present * matched / np.maximum(n_reference, 1)).sum(1) / orders
        weighted = BETA**2 * precision + recall
        result: Floats = 100 * (1 + BETA**2) * precision * recall / np.where(weighted > 0, weighted, 1)
        return result

    def _settings(self) -> dict[str, str]:
        return {"case": "mixed", "eff": "yes", "nc": str(ORDER), "nw": "0", "space": "no"}  # as sacrebleu names them

    def _words(self, text: str) -> Sequence[str]:
        return "".join(text.split())

    def _count(self, hypotheses: Sentences, references: Sentences, which: Counts) -> Counts:
        matched = kernels.matches(hypotheses, references, which, ORDER)
        of_hypothesis = np.maximum(hypotheses.lengths[:, None] - np.arange(ORDER), 0)
        of_reference = np.maximum(references.lengths[which, None] - np.arange(ORDER), 0)
        of_hypothesis[of_reference == 0] = 0  # as sacrebleu: nothing can match, nothing is missed
        return np.stack([of_hypothesis, of_reference, matched], 2).reshape(len(which), -1)
