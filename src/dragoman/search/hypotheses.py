"""What a search gives back: translations with their scores, features and derivations, one or a list of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.search import nbest_kernels

KINDS = ("phrase", "copy", "term", "given", "inserted", "end")  # from "copy" to "inserted" as -COPY … -INSERTED
PATIENCE = 5  # partial ways looked at, for each translation of an n-best list and each source word

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One phrase of a translation: which source words gave which target words.

    Its kind is "phrase"; or "copy", of a source word for want of a translation; or "term", whose translation is
    settled; or "given", words that stand for source words only because a prefix says so; or "inserted", a word that
    stands for none.
    """

    source: tuple[int, int]  # first source word, one past the last
    words: tuple[str, ...]
    kind: str = "phrase"
    pair: int = field(default=-1, compare=False)  # key of the phrase pair in the phrase model, below 0 if it is none


@dataclass(frozen=True)
class Hypothesis:
    """One translation with its score, its features by name, and how it came about.

    The score is the weighted sum of the features, plus as many SURCHARGEs as were paid for what the models did not
    want: given words in place of others, words inserted, source words that a whole reference leaves over.
    """

    words: tuple[str, ...]
    score: float
    features: dict[str, float]
    steps: tuple[Step, ...]
    surcharges: int = 0

    @classmethod
    def made_of(cls, steps: tuple[Step, ...], score: float, features: dict[str, float], surcharges: int) -> Hypothesis:
        """The translation that the steps say."""
        return cls(tuple(word for step in steps for word in step.words), score, features, steps, surcharges)


class Parts(NamedTuple):
    """What the entries of an n-best list are made of: entry n of steps[k], k in places[ends[n - 1] : ends[n]]."""

    ends: Ids  # [N]
    places: Ids  # [ends[N - 1]]
    steps: list[Step | None]  # each once; None for the end of a sentence


def patience(n: int, J: int) -> int:
    """How many partial ways are looked at for n translations of J words, before a list is left too short."""
    if n < 1:
        raise BadInputError(f"an n-best list has at least one entry, not {n}")
    return PATIENCE * (n + 10) * (J + 10)


class NBest(Sequence[Hypothesis]):
    """A list of translations, best first, with the matrix that learners want; entries are made when asked for."""

    def __init__(
        self,
        names: tuple[str, ...],
        ways: tuple[Ids, Ids, Floats],
        rows: Ids,
        features: Floats,
        surcharges: Ids,
        step: Callable[[int], Step | None],
    ) -> None:
        """List ways through a graph: (ends [N] among the arcs, arcs one after another, scores [N]).

        Features and surcharges of the arcs are features[rows] and surcharges[rows]; `step` is what an arc says, or
        None for the end.
        """
        ends, arcs, self.scores = ways  # scores [N]
        self.names = names  # [M] of the features
        self.features = np.zeros((ends.size, len(names)))  # [N, M]
        nbest_kernels.add_features(ends, rows, features, self.features)
        self._ends, self._arcs = ends, arcs
        self._surcharges = np.add.reduceat(surcharges[rows], np.r_[0, ends[:-1]])
        self._step = step
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
            way = self._arcs[self._ends[n - 1] if n else 0 : self._ends[n]]
            steps = tuple(step for arc in way.tolist() if (step := self._step(arc)))
            features = dict(zip(self.names, self.features[n].tolist(), strict=True))
            self._made[n] = Hypothesis.made_of(steps, float(self.scores[n]), features, int(self._surcharges[n]))
        return self._made[n]

    @cached_property
    def parts(self) -> Parts:
        """The steps of all translations: cheaper than all entries, since most steps are in many of them."""
        used = np.zeros(self._arcs.max(initial=0) + 1, np.bool_)
        used[self._arcs] = True
        steps = [self._step(arc) for arc in np.flatnonzero(used).tolist()]
        return Parts(self._ends, (np.cumsum(used) - 1)[self._arcs], steps)

    @cached_property
    def words(self) -> list[tuple[str, ...]]:
        """[N] the words of each translation: cheaper than all entries, where nothing else is wanted."""
        ends, places, steps = self.parts
        said = [step.words if step else () for step in steps]
        spoken = [said[place] for place in places.tolist()]
        return [tuple(chain.from_iterable(spoken[begin:end])) for begin, end in pairwise([0, *ends.tolist()])]
