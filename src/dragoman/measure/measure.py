"""What all measures have in common: sentences are counted once, and every score is computed from sums of the counts.

1. `statistics` compares hypotheses with references and returns a row of counts for each hypothesis.
2. Rows are summed: over a corpus, over a random sample of it, over what some weights choose from n-best lists.
3. `score` turns such a sum into a percentage; `scores` does so for many sums at once, `sentence_scores` for rows.

So a bootstrap and a tuner never compare two sentences twice.

>>> from dragoman.measure.wer import Wer
>>> statistics = Wer().statistics(["a b c", "d"], ["a b x", "d e f"])
>>> statistics
array([[1, 3],
       [2, 3]])
>>> Wer().score(statistics.sum(0)), Wer().sentence_scores(statistics).round(1).tolist()
(50.0, [33.3, 66.7])
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman import __version__
from dragoman.errors import BadInputError
from dragoman.measure.sentences import Sentences, Text, check, number, pack

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Measure(ABC):
    """A way to compare hypotheses with references.

    A sentence is a string, or an array with the ids of its words. Ids are compared as they are; a string is split into
    words, and perhaps lowercased, as each measure does it.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = False

    def __call__(self, hypotheses: Sequence[str], references: Sequence[str]) -> float:
        """Score of a corpus, in percent: hypothesis n is compared with reference n."""
        return self.score(self.statistics(hypotheses, references).sum(0))

    def statistics(
        self, hypotheses: Sequence[Text], references: Sequence[Text], which: ArrayLike | None = None
    ) -> Counts:
        """Counts [N, k], one row per hypothesis.

        `which` [N] is the reference of each hypothesis if they are not one to one, so that the n-best lists of a whole
        development set are counted in one call.
        """
        both = self._numbered(hypotheses, references)
        return self._count(*both, _pairing(len(hypotheses), len(references), which))

    def _numbered(self, hypotheses: Sequence[Text], references: Sequence[Text]) -> tuple[Sentences, Sentences]:
        if not check(hypotheses, references):
            return pack(list(map(np.asarray, hypotheses))), pack(list(map(np.asarray, references)))
        ids: dict[str, int] = {}
        of_hypotheses = number((self._words(str(sentence)) for sentence in hypotheses), ids)
        return of_hypotheses, number((self._words(str(sentence)) for sentence in references), ids)

    def score(self, total: ArrayLike) -> float:
        """Score, in percent, of summed counts [k]."""
        return float(self.scores(np.asarray(total)[None])[0])

    def losses(self, nbest: Sequence[Text] | Sentences, reference: Text) -> Floats:
        """Loss [N] of each entry of an n-best list, in percent: lower is better, whatever the measure.

        Entries may already be ids in one array, which saves packing them; then the reference is an array of ids too.
        """
        if isinstance(nbest, Sentences):
            entries, wanted = nbest, pack([np.asarray(reference)])
        else:
            entries, wanted = self._numbered(nbest, [reference])
        scores = self.sentence_scores(self._count(entries, wanted, np.zeros(entries.starts.size - 1, np.int64)))
        return 100 - scores if self.higher_is_better else scores

    @abstractmethod
    def scores(self, totals: NDArray[Any]) -> Floats:
        """Scores [n], in percent, of n sums of counts [n, k]."""

    def sentence_scores(self, statistics: NDArray[Any]) -> Floats:
        """Scores [n], in percent, of the counts [n, k] of single sentences."""
        return self.scores(statistics)

    @property
    def signature(self) -> str:
        """The name and every setting that the score depends on; report it with the score."""
        settings = "".join(f"|{name}:{value}" for name, value in self._settings().items())
        return f"{self.name}{settings}|dragoman:{__version__}"

    @abstractmethod
    def _settings(self) -> dict[str, str]: ...

    @abstractmethod
    def _words(self, text: str) -> Sequence[str]: ...

    @abstractmethod
    def _count(self, hypotheses: Sentences, references: Sentences, which: Counts) -> Counts: ...


def counted(totals: ArrayLike, kinds: int) -> Floats:
    """Counts [n, kinds] as floats; counts of another shape, as other measures have, are refused."""
    found = np.asarray(totals, np.float64)
    if found.ndim != 2 or found.shape[1] != kinds:
        what = f"counts have shape {list(found.shape)}, expected [n, {kinds}]"
        raise BadInputError(what, remedy="pass what `statistics` of this measure returns, or its sum to `score`")
    return found


def _pairing(hypotheses: int, references: int, which: ArrayLike | None) -> Counts:
    if which is None:
        if hypotheses != references:
            raise BadInputError(
                f"{hypotheses} hypotheses, but {references} references",
                remedy="pass one reference per hypothesis",
            )
        return np.arange(references)
    pairing = np.asarray(which, np.int64)
    if pairing.shape != (hypotheses,) or pairing.min() < 0 or pairing.max() >= references:
        raise BadInputError(f"`which` must name one of {references} references for each of {hypotheses} hypotheses")
    return pairing
