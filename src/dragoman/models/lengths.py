"""The source-sentence length model h2 ([O] §3.4, §3.5.2).

>>> model = LengthModel()
>>> for J in (9, 10, 10, 11):
...     model.add(J, 8)
>>> round(model.score(10, 8), 3), round(model.score(13, 8), 3)  # of 10 and of 13 source words for 8 target words
(-0.777, -6.821)
>>> model.score(5, 4) > model.score(9, 4)  # a length not seen yet: the ratio of those seen
True
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from dragoman.arrays import Restorable
from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models import lengths_kernels as kernels
from dragoman.models.lengths_kernels import LengthArrays
from dragoman.tables import Table

# Of 1,000 answers of a neural engine each, 0 (desktop), 35 (pydocs) and 4 (tico19) are taken for short; all but one had
# lost two fifths of the reference. Of answers of 8 source words or more that are cut to a half, 91, 96 and 72 %.
SHORT_FROM, SHORT_PAIRS = 8, 20  # source words, and pairs that were learned
SHORT_DEVIATIONS, SHORT_SPREAD = 4.0, 0.15  # of the ratio of lengths; the least that its deviation is taken for

COLUMNS = {"samples": np.int64, "sums": np.int64, "squares": np.int64}


class LengthModel(Restorable):
    """Lengths of source sentences by the length of their translation; over a base, the differences from it."""

    parts = ("table",)
    own_arrays = ("pooled",)

    table: Table

    def __init__(self, base: LengthModel | None = None) -> None:
        self.base = base
        self.table = Table(COLUMNS, None if base is None else base.table)
        self.pooled = np.zeros(3, np.int64)

    @property
    def view(self) -> LengthArrays:
        """What kernels read and change. Valid until the table grows, so never kept between calls."""
        below = _nothing() if self.base is None else self.base
        base_columns = {f"base_{name}": column for name, column in below.table.columns.items()}
        pooled = {"pooled": self.pooled, "base_pooled": below.pooled}
        return LengthArrays(table=self.table.layered, **self.table.columns, **base_columns, **pooled)

    def add(self, J: ArrayLike, I: ArrayLike) -> None:
        """Count a sentence pair of J source and I target words, or many when these are arrays."""
        self._change(J, I, 1)

    def remove(self, J: ArrayLike, I: ArrayLike) -> None:
        """Undo `add`."""
        self._change(J, I, -1)

    def _change(self, J: ArrayLike, I: ArrayLike, sign: int) -> None:
        source, target = (np.atleast_1d(np.asarray(lengths, np.int64)) for lengths in (J, I))
        if source.shape != target.shape or source.ndim != 1 or min(source.min(initial=1), target.min(initial=1)) < 1:
            raise BadInputError("both sides of a sentence pair need at least one word")
        self.table.reserve(target.size)
        kernels.add_lengths(self.view, source, target, sign)

    def score(self, J: int, I: int) -> float:
        """Log p(J | I), that a target sentence of I words has a source sentence of J words."""
        return float(kernels.length_score(self.view, J, I))

    def is_short(self, J: int, I: int) -> bool:
        """Whether I target words are improbably few for J source words; never before many pairs have been counted."""
        below = _nothing() if self.base is None else self.base
        if J < SHORT_FROM or self.pooled[0] + below.pooled[0] < SHORT_PAIRS:
            return False
        ratio, spread = kernels.pooled_ratio(self.pooled, below.pooled)
        return bool(I * (ratio + SHORT_DEVIATIONS * max(spread, SHORT_SPREAD)) < J)

    def merge(self, other: LengthModel) -> None:
        """Add all counts of another model, excluding its base."""
        self.table.merge(other.table)
        self.pooled += other.pooled

    def compact(self) -> None:
        """Sort the entries by length and free spare room."""
        self.table.compact()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], base: LengthModel | None = None) -> LengthModel:
        """Restore a model from its `arrays()`, which are used directly, not copied."""
        model = cls(base)
        model.restore(arrays)
        return model


@cache
def _nothing() -> LengthModel:
    """The stand-in base of a model without one."""
    return LengthModel()


@exercise
def _exercise() -> None:
    model = LengthModel(LengthModel())
    model.add(5, 4)
    model.score(5, 4)
    kernels.pooled_ratio(model.pooled, model.pooled)
