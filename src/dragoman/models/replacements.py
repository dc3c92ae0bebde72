"""What became of the pieces of another engine's translation: kept, or replaced by what, given the source words.

For each piece m̃ that stands for a source phrase f̃, what the correction says for f̃ is counted: so
p(ẽ | f̃, m̃) is known, where the phrase model only knows p(ẽ | f̃). How often pieces are kept at all, by their number of
source words, is the measure of trust in that engine.

>>> replacements = Replacements()
>>> source, answer, corrected = np.array([4, 5]), np.array([7, 8]), np.array([7, 9])
>>> links = np.array([[0, 0], [1, 1]], np.int32)
>>> replacements.count(source, answer, links, corrected, links)
>>> replacements.kept(1)  # of two pieces of one word
(1, 2)
>>> replacements.count(source, answer, links, corrected, links, sign=-1)
>>> len(replacements.table)
0
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dragoman.files import Arrays
from dragoman.kernels import exercise
from dragoman.models import extraction_kernels
from dragoman.models import replacements_kernels as kernels
from dragoman.models.extraction import MAX_PHRASE_WORDS
from dragoman.models.replacements_kernels import LENGTHS
from dragoman.tables import Table

Ids = NDArray[np.int64]
Links = NDArray[np.int32]


class Replacements:
    """Counts of pieces by what they were replaced by; keys are hashes of words."""

    def __init__(self, base: Replacements | None = None) -> None:
        self.base = base
        self.table: Table = Table({"count": np.int64}, None if base is None else base.table)

    def count(self, source: Ids, answer: Ids, answer_links: Links, target: Ids, links: Links, sign: int = 1) -> None:
        """Count what became of each piece (sign 1), or take it back (sign −1)."""
        pieces, spans = _spans(answer_links, source.size, answer.size), _spans(links, source.size, target.size)
        self.table.add(kernels.outcomes(source, answer, pieces, target, spans), count=sign)

    def kept(self, length: int) -> tuple[int, int]:
        """How many pieces of so many source words were kept, of how many."""
        length = min(length, LENGTHS - 1)
        seen, kept = self.table.get([length, LENGTHS + length], "count").tolist()
        return kept, seen

    def rates(self) -> NDArray[np.int64]:
        """[2, LENGTHS] pieces seen and kept, by their number of source words."""
        return self.table.get(np.arange(2 * LENGTHS), "count").reshape(2, LENGTHS)

    def counts(self, source: Ids, answer: Ids, words: Ids, row: NDArray[np.void]) -> NDArray[np.int64]:
        """[n, 2] how often what stands in `answer` at the place of each option was seen, and replaced by its words."""
        keys = np.empty((row.size, 2), np.int64)
        kernels.fill_keys(source, answer, words, row, keys)
        return self.table.get(keys.ravel(), "count").reshape(-1, 2)

    def arrays(self) -> Arrays:
        """Everything needed to open this again, the base not counted."""
        return self.table.arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], base: Replacements | None = None) -> Replacements:
        """The counts whose `arrays()` these are."""
        made = cls(base)
        made.table = Table.from_arrays(dict(arrays), None if base is None else base.table)
        return made

    def compact(self) -> None:
        """Put the entries into the order of their keys and give back spare room."""
        self.table.compact()


def _spans(links: Links, J: int, I: int) -> NDArray[np.int32]:
    found, n = extraction_kernels.extract(links, J, I, MAX_PHRASE_WORDS, np.empty((64, 6), np.int32), 0)
    spans: NDArray[np.int32] = found[:n]
    return spans


@exercise
def _exercise() -> None:
    one, links = np.ones(1, np.int64), np.zeros((1, 2), np.int32)
    Replacements().count(one, one, links, one, links)
