"""Translation edit rate (Snover et al. 2006): like the word error rate, but moving a block of words is one edit.

The same as sacrebleu's with its default options, sentence by sentence: words are what stands between spaces, in lower
case, punctuation included.

>>> ter(["the button green, press"], ["press the button green,"])
25.0
>>> Ter().losses(["Press it", "press the button", "the button press"], "press the button").round(1).tolist()
[66.7, 0.0, 33.3]
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.kernels import exercise
from dragoman.measure import ter_kernels as kernels
from dragoman.measure.measure import Counts
from dragoman.measure.sentences import Sentences
from dragoman.measure.wer import EditRate


def ter(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Translation edit rate of a corpus, in percent."""
    return Ter()(hypotheses, references)


class Ter(EditRate):
    """Translation edit rate; its counts are edits, moves among them, and reference words."""

    name = "TER"

    def _settings(self) -> dict[str, str]:
        return {"case": "lc", "tok": "tercom", "norm": "no", "punct": "yes", "asian": "no"}  # as sacrebleu names them

    def _words(self, text: str) -> Sequence[str]:
        return text.lower().split()

    def _count(self, hypotheses: Sentences, references: Sentences, which: Counts) -> Counts:
        result: Counts = kernels.statistics(hypotheses, references, which)
        return result


@exercise
def _exercise() -> None:
    ter(["a b c"], ["b c a"])
