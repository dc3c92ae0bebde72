"""BLEU (Papineni et al. 2002) of corpora, equal to sacrebleu's, and of single sentences, smoothed.

>>> hypotheses = ["Pulse el botón verde.", "Abra la tapa."]
>>> references = ["Pulse el botón verde.", "Cierre la tapa."]
>>> round(bleu(hypotheses, references), 2)
79.84
>>> measure = Bleu(smoothing="plus-one")
>>> statistics = measure.statistics(hypotheses, references)
>>> measure.sentence_scores(statistics).round(1).tolist()
[100.0, 65.8]
>>> [round(precision, 1) for precision in measure.parts(statistics.sum(0)).precisions]
[88.9, 85.7, 80.0, 66.7]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.measure import bleu_kernels as kernels
from dragoman.measure.measure import Counts, Floats, Measure, counted
from dragoman.measure.sentences import Sentences

ORDER = 4
KINDS = 2 + 2 * ORDER  # of counts: words, reference words, for each order matches and n-grams
Smoothing = Literal["exponential", "plus-one"]


def bleu(hypotheses: Sequence[str], references: Sequence[str], tokenize: str = "13a") -> float:
    """BLEU of a corpus, in percent; `tokenize` as in sacrebleu: "none" for tokenised text."""
    return Bleu(tokenize)(hypotheses, references)


@dataclass(frozen=True)
class BleuParts:
    """The components of BLEU."""

    precisions: tuple[float, ...]  # of n-grams of 1, 2, 3 and 4 words, in percent, not smoothed
    brevity_penalty: float
    length_ratio: float  # words of the hypotheses per word of the references


class Bleu(Measure):
    """BLEU; its counts are words, reference words, matches of 1…4 words, n-grams of 1…4 words.

    Corpora are scored as sacrebleu does. `smoothing` is for single sentences, where a zero is common: "exponential"
    counts ½, ¼ … for orders without a match, "plus-one" adds one to matches and n-grams of two or more words.
    """

    name = "BLEU"
    higher_is_better = True

    def __init__(self, tokenize: str = "13a", smoothing: Smoothing = "exponential") -> None:
        import sacrebleu  # takes a tenth of a second, which those who only translate need not spend

        tokenizers = sacrebleu.BLEU.TOKENIZERS
        if tokenize not in tokenizers:
            raise BadInputError(f"there is no tokenizer {tokenize!r}", remedy=f"choose one of {', '.join(tokenizers)}")
        if smoothing not in get_args(Smoothing):
            raise BadInputError(f"there is no smoothing {smoothing!r}", remedy=f"choose one of {get_args(Smoothing)}")
        self.tokenize = tokenize
        self.smoothing = smoothing
        try:
            self._tokenizer = sacrebleu.BLEU(tokenize=tokenize).tokenizer
        except (ImportError, RuntimeError) as error:  # it says what to install, on several lines
            raise BadInputError(f"tokenizer {tokenize!r} is unavailable", remedy=" ".join(str(error).split())) from None

    def scores(self, totals: NDArray[Any]) -> Floats:
        """BLEU, in percent, of sums of counts."""
        result: Floats = kernels.scores(counted(totals, KINDS), False, False)
        return result

    def sentence_scores(self, statistics: NDArray[Any]) -> Floats:
        """Smoothed BLEU, in percent, of single sentences."""
        result: Floats = kernels.scores(counted(statistics, KINDS), self.smoothing == "plus-one", True)
        return result

    def parts(self, total: ArrayLike) -> BleuParts:
        """Precisions, brevity penalty and length ratio of summed counts [10]."""
        words, reference_words, *counts = counted(np.asarray(total)[None], KINDS)[0]
        precisions = 100 * np.array(counts[:ORDER]) / np.maximum(counts[ORDER:], 1)
        penalty = np.exp(1 - reference_words / max(words, 1)) if words < reference_words else 1.0
        return BleuParts(tuple(precisions.tolist()), float(penalty), float(words / max(reference_words, 1)))

    def _settings(self) -> dict[str, str]:
        from sacrebleu import __version__

        smooth = "exp" if self.smoothing == "exponential" else self.smoothing  # sacrebleu's name, where it has one
        return {"case": "mixed", "tok": self.tokenize, "smooth": smooth, "sacrebleu": __version__}

    def _words(self, text: str) -> Sequence[str]:
        words: list[str] = self._tokenizer(text.rstrip()).split()
        return words

    def _count(self, hypotheses: Sentences, references: Sentences, which: Counts) -> Counts:
        matched = kernels.matches(hypotheses, references, which, ORDER)
        words = hypotheses.lengths[:, None]
        return np.hstack([words, references.lengths[which, None], matched, np.maximum(words - np.arange(ORDER), 0)])


@exercise
def _exercise() -> None:
    measure = Bleu()
    measure.sentence_scores(measure.statistics(["a b"], ["a c"]))
