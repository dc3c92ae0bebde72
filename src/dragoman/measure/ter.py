"""Translation edit rate (Snover et al. 2006): like the word error rate, but moving a block of words is one edit.

Equal to sacrebleu's with its default options, sentence by sentence: words are separated by spaces and lowercased, and
punctuation counts. sacrebleu itself does the rare sentences that are too long for the kernels: references over 4,096
words, or over 50 times as long as the hypothesis.

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
    """Translation edit rate; its counts are edits, moves included, and reference words."""

    name = "TER"

    def _settings(self) -> dict[str, str]:
        return {"case": "lc", "tok": "tercom", "norm": "no", "punct": "yes", "asian": "no"}  # as sacrebleu names them

    def _words(self, text: str) -> Sequence[str]:
        return text.lower().split()

    def _count(self, hypotheses: Sentences, references: Sentences, which: Counts) -> Counts:
        result: Counts = kernels.statistics(hypotheses, references, which)
        left: dict[tuple[str, str], int] = {}  # entries of an n-best list are often equal
        for n in (result[:, 0] < 0).nonzero()[0].tolist():
            pair = _joined(hypotheses, n), _joined(references, int(which[n]))
            if pair not in left:
                left[pair] = _counted_by_sacrebleu(*pair)
            result[n, 0] = left[pair]
        return result


def _counted_by_sacrebleu(hypothesis: str, reference: str) -> int:
    from sacrebleu import TER  # slow to import, and seldom needed

    return int(TER().sentence_score(hypothesis, [reference]).num_edits)


def _joined(sentences: Sentences, n: int) -> str:
    """The ids of sentence n as the words of a text."""
    return " ".join(map(str, sentences.ids[sentences.starts[n] : sentences.starts[n + 1]].tolist()))


@exercise
def _exercise() -> None:
    ter(["a b c"], ["b c a"])
