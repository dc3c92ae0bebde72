"""The results of a search: translations with their scores, features and derivations, one or a list of them."""

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
from dragoman.tables import Ids

# From "copy" to "inserted" as -COPY … -INSERTED, "upstream" as -FROM_ANSWER, "guess" as -GUESSED
KINDS = ("phrase", "copy", "term", "given", "inserted", "end", "upstream", "guess")
PATIENCE = 5  # partial paths examined, for each translation of an n-best list and each source word
MAX_PATIENT_WORDS = 2_000  # source words that count for this

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One phrase of a translation: which source words gave which target words.

    Its kind is "phrase"; or "copy", a source word without a known translation; or "term", whose translation is
    prescribed; or "given", words that translate source words only because a prefix says so; or "inserted", a word that
    translates none; or "upstream", words of another engine's translation that no learned phrase says; or "guess", the
    translation of other forms of an unknown word, or of its parts.
    """

    source: tuple[int, int]  # first source word, one past the last
    words: tuple[str, ...]
    kind: str = "phrase"
    pair: int = field(default=-1, compare=False)  # key of the phrase pair in the phrase model, below 0 if it is none
    upstream: tuple[int, int] | None = field(default=None, compare=False)  # where the words stand in that translation
    replaces: tuple[int, int] | None = field(default=None, compare=False)  # or the words of it that they stand for
    guessed_from: tuple[str, ...] = field(default=(), compare=False)  # known words, if it is a guess

    @property
    def account(self) -> str:
        """The kind of step, for people."""
        return f"guessed from {' + '.join(self.guessed_from)}" if self.guessed_from else self.kind


@dataclass(frozen=True)
class Hypothesis:
    """One translation with its score, its features by name, and its derivation.

    The score is the weighted sum of the features, plus a SURCHARGE for each thing that a prefix forced on the models:
    given words in place of others, inserted words, source words that a whole reference leaves untranslated.
    """

    words: tuple[str, ...]
    score: float
    features: dict[str, float]
    steps: tuple[Step, ...]
    surcharges: int = 0

    @classmethod
    def made_of(cls, steps: tuple[Step, ...], score: float, features: dict[str, float], surcharges: int) -> Hypothesis:
        """The translation that consists of these steps."""
        return cls(tuple(word for step in steps for word in step.words), score, features, steps, surcharges)


class ListedSteps(NamedTuple):
    """The steps of all entries of an n-best list: entry n has steps[k] for k in places[ends[n - 1] : ends[n]]."""

    ends: Ids  # [N]
    places: Ids  # [ends[N - 1]]
    steps: list[Step | None]  # each once; None for the end of a sentence


def patience(n: int, J: int) -> int:
    """How many partial paths are examined for n translations of J words before a shorter list is returned."""
    if n < 1:
        raise BadInputError(f"an n-best list needs at least one entry, not {n}")
    return PATIENCE * (n + 10) * (min(J, MAX_PATIENT_WORDS) + 10)


class Shares(NamedTuple):
    """An n-best list, as far as one must know it to see what more or less trust in another engine would have said."""

    scores: Floats  # [N]
    taken: Floats  # [N] words that each entry takes from the engine's answer
    words: Callable[[int], Sequence[str]]  # of an entry


class NBest(Sequence[Hypothesis]):
    """A list of translations, best first, with the feature matrix that learners need; entries are made on demand."""

    def __init__(
        self,
        names: tuple[str, ...],
        ways: tuple[Ids, Ids, Floats],
        rows: Ids,
        features: Floats,
        surcharges: Ids,
        step: Callable[[int], Step | None],
    ) -> None:
        """List paths through a graph, given as (ends [N] among the arcs, arcs of all paths, scores [N]).

        Features and surcharges of the arcs are features[rows] and surcharges[rows]; `step` gives the step of an arc, or
        None for the end of the sentence.
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
            raise IndexError(f"index {place} is out of range: the list has {len(self)} hypotheses")
        if n not in self._made:
            way = self._arcs[self._ends[n - 1] if n else 0 : self._ends[n]]
            steps = tuple(step for arc in way.tolist() if (step := self._step(arc)))
            features = dict(zip(self.names, self.features[n].tolist(), strict=True))
            self._made[n] = Hypothesis.made_of(steps, float(self.scores[n]), features, int(self._surcharges[n]))
        return self._made[n]

    @cached_property
    def parts(self) -> ListedSteps:
        """The steps of all translations: cheaper than making all entries, since they share most steps."""
        used = np.zeros(self._arcs.max(initial=0) + 1, np.bool_)
        used[self._arcs] = True
        steps = [self._step(arc) for arc in np.flatnonzero(used).tolist()]
        return ListedSteps(self._ends, (np.cumsum(used) - 1)[self._arcs], steps)

    @cached_property
    def words(self) -> list[tuple[str, ...]]:
        """[N] the words of each translation: cheaper than making all entries if only the words are needed."""
        ends, places, steps = self.parts
        said = [step.words if step else () for step in steps]
        spoken = [said[place] for place in places.tolist()]
        return [tuple(chain.from_iterable(spoken[begin:end])) for begin, end in pairwise([0, *ends.tolist()])]
