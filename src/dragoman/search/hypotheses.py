"""What a search gives back: translations with their scores, features and derivations, one or a list of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Step:
    """One phrase of a translation: which source words gave which target words."""

    source: tuple[int, int]  # first source word, one past the last; equal for words that nothing gave
    words: tuple[str, ...]
    kind: str = "phrase"  # or "copy" of a source word for want of a translation, or "given" by nothing but a prefix
    pair: int = field(default=-1, compare=False)  # key of the phrase pair in the phrase model, below 0 if none


@dataclass(frozen=True)
class Hypothesis:
    """One translation with its score, its features by name, and how it came about.

    The score is the weighted sum of the features, plus SURCHARGE for what the models did not want: one for a word of a
    prefix in place of a source word and for a source word that a whole reference leaves over, two for a word inserted.
    """

    words: tuple[str, ...]
    score: float
    features: dict[str, float]
    steps: tuple[Step, ...]
    surcharges: int = 0


class NBest(Sequence[Hypothesis]):
    """A list of translations, best first, with the matrix that learners want; entries are made when asked for."""

    def __init__(
        self,
        names: tuple[str, ...],
        scores: NDArray[np.float64],
        features: NDArray[np.float64],
        make: Callable[[int], Hypothesis],
    ) -> None:
        self.names = names  # [M] of the features
        self.scores = scores  # [N]
        self.features = features  # [N, M]
        self._make = make
        self._made: dict[int, Hypothesis] = {}

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, place: int) -> Hypothesis: ...

    @overload
    def __getitem__(self, place: slice) -> list[Hypothesis]: ...

    def __getitem__(self, place: int | slice) -> Hypothesis | list[Hypothesis]:
        if isinstance(place, slice):
            return [self[n] for n in range(*place.indices(len(self)))]
        n = place + len(self) if place < 0 else place
        if not 0 <= n < len(self):
            raise IndexError(f"there are {len(self)} hypotheses, none at {place}")
        if n not in self._made:
            self._made[n] = self._make(n)
        return self._made[n]
