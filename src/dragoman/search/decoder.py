"""The decoder: from source words to the best translation under the log-linear model, and all that was searched.

>>> models = ModelSet()
>>> for f, e in [("press the green button", "pulse el botón verde"), ("press the red button", "pulse el botón rojo")]:
...     _ = models.add(f.split(), e.split())
>>> found = Decoder(models, Weights("thot")).search("press the red button".split())
>>> " ".join(found.best.words)
'pulse el botón rojo'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models.loglinear import FEATURES, Weights
from dragoman.models.modelset import ModelSet
from dragoman.search import decoder_kernels as kernels
from dragoman.search import nbest_kernels
from dragoman.search.decoder_kernels import ARCS, FINAL, NONE, STATES, Settings, Workspace
from dragoman.search.options import Estimates, find_options, future
from dragoman.search.options_kernels import COPY, SpanOptions
from dragoman.text.vocabulary import UNKNOWN

Words = Sequence[str]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Beam:
    """What a search may spend; each number costs time about in proportion."""

    pops: int = 400  # hypotheses worked out for each number of covered words
    stack: int = 100  # of these, states from which the search goes on
    threshold: float = 10.0  # but none whose log score is this much below the best
    distortion: int = 6  # source words that may be jumped over at once; −1 for any number
    options: int = 20  # translations looked at for each source phrase


PROFILES = {"fast": Beam(pops=100, stack=50, options=10), "best": Beam()}


@dataclass(frozen=True)
class Step:
    """One phrase of a translation: which source words gave which target words."""

    source: tuple[int, int]  # first source word, one past the last
    words: tuple[str, ...]
    copied: bool  # the source word itself, for want of a translation


@dataclass(frozen=True)
class Hypothesis:
    """One translation with its score, its features by name, and how it came about."""

    words: tuple[str, ...]
    score: float
    features: dict[str, float]
    steps: tuple[Step, ...]


class Decoder:
    """Searches translations with the models as they are at the moment; never changes them."""

    def __init__(
        self, models: ModelSet, weights: Weights, beam: Beam | str = "best", estimates: Estimates | None = None
    ) -> None:
        if isinstance(beam, str) and beam not in PROFILES:
            raise BadInputError(f"there is no profile {beam!r}", remedy=f"choose one of {', '.join(PROFILES)}")
        self.models = models
        self.weights = weights
        self.beam = PROFILES[beam] if isinstance(beam, str) else beam
        self.estimates = estimates or Estimates()

    def search(self, source: Words, placeable: Sequence[bool] | None = None) -> Search:
        """Search the translations of a sentence; words marked as placeable come out as they are."""
        if not len(source):
            raise BadInputError("there are no words to translate")
        return Search(self, tuple(source), placeable)


class Search:
    """All that one search has found: the best translation, n-best lists, and the graph they come from."""

    def __init__(self, decoder: Decoder, source: tuple[str, ...], placeable: Sequence[bool] | None) -> None:
        self.models, self.weights, self.estimates = decoder.models, decoder.weights, decoder.estimates
        self.source = source
        models, J = self.models, len(source)
        ids, copies = models.source.ids(source), models.target.ids(source)
        fixed = np.zeros(J, np.bool_) if placeable is None else np.array(placeable, np.bool_) & (copies != UNKNOWN)
        vector = self.weights.vector()
        self.options = find_options(models, ids, copies, fixed, vector, decoder.beam.options, self.estimates)
        settings = _settings(decoder)
        self.work = _workspace(J, decoder.beam, self.options)
        inside, after = future(self.options)
        self._views = models.language.view(), models.lengths.view
        kernels.search(self.work, self.options, vector, settings, J, inside, after, *self._views)
        if self.work.sizes[FINAL] == NONE:
            raise AssertionError("a search always ends in a translation")

    @property
    def best(self) -> Hypothesis:
        """The best translation found."""
        work, arcs = self.work, []
        arc = int(work.best[work.sizes[FINAL]])
        while arc != NONE:
            arcs.append(arc)
            arc = int(work.best[work.origin[arc]])
        return self._hypotheses([np.array(arcs[::-1])], [float(work.score[work.sizes[FINAL]])])[0]

    def nbest(self, n: int, *, distinct: bool = False) -> list[Hypothesis]:
        """The n best translations of the search graph, or as many as there are."""
        ways, scores = self.ways(n, distinct=distinct)
        return self._hypotheses(ways, scores.tolist())

    def ways(self, n: int, *, distinct: bool = False) -> tuple[list[Ids], NDArray[np.float64]]:
        """The arcs of the n best ways through the graph, and their scores."""
        final = int(self.work.sizes[FINAL])
        ends, arcs, scores = nbest_kernels.best_ways(self._graph, final, n, distinct, 100 * n)
        return np.split(arcs, ends[:-1]), scores

    @cached_property
    def _graph(self) -> nbest_kernels.Graph:
        work, options = self.work, self.options
        states, arcs = int(work.sizes[STATES]), int(work.sizes[ARCS])
        into = nbest_kernels.arcs_by_target(work.target[:arcs], states)
        phrases = options.begin, options.stop, options.words
        return nbest_kernels.Graph(
            work.score[:states], *into, work.origin[:arcs], work.gain[:arcs], work.option[:arcs], *phrases
        )

    def features(self, ways: list[Ids]) -> NDArray[np.float64]:
        """[N, M] the features of each way, in the order of the preset: ready for the learners."""
        together = np.unique(np.concatenate(ways))
        each = np.empty((together.size, len(FEATURES)))
        kernels.fill_arc_features(
            self.work, self.options, len(self.source), self.estimates.delta, together, *self._views, each
        )
        each = each[:, self.weights.places]
        return np.stack([each[np.searchsorted(together, way)].sum(axis=0) for way in ways])

    def _hypotheses(self, ways: list[Ids], scores: list[float]) -> list[Hypothesis]:
        rows = self.features(ways)
        made = []
        for way, score, row in zip(ways, scores, rows, strict=True):
            steps = tuple(self._step(int(self.work.option[arc])) for arc in way if self.work.option[arc] != NONE)
            words = tuple(word for step in steps for word in step.words)
            made.append(Hypothesis(words, score, dict(zip(self.weights, row.tolist(), strict=True)), steps))
        return made

    def _step(self, option: int) -> Step:
        options = self.options
        span = int(options.start[option]), int(options.end[option])
        if options.path[option] == COPY:
            return Step(span, self.source[slice(*span)], copied=True)
        ids = options.words[options.begin[option] : options.stop[option]]
        return Step(span, tuple(self.models.target.words(ids)), copied=False)


def _settings(decoder: Decoder) -> Settings:
    beam, weights = decoder.beam, decoder.weights
    return Settings(
        pops=beam.pops,
        stack=beam.stack,
        threshold=float(beam.threshold),
        distortion=beam.distortion,
        delta=decoder.estimates.delta,
        reordering="previous_monotone" in weights,
        length="source_length" in weights,
    )


def _workspace(J: int, beam: Beam, options: SpanOptions) -> Workspace:
    """Room for the largest search that these options and this beam allow."""
    states = J * beam.pops + 2
    reach = J if beam.distortion < 0 else min(J, 2 * beam.distortion + 1)
    spans = min(int(np.count_nonzero(np.diff(options.first, axis=1))), reach * (options.first.shape[1] - 1))
    per_stack = min(beam.stack, beam.pops) * spans
    cubes = J * per_stack + 1
    items = (options.first.shape[1] - 1) * per_stack + 2 * beam.pops + 1
    ints = {name: np.empty(states, np.int64) for name in ("gap", "mask", "last", "memory", "kin", "length", "best")}
    arcs = states + beam.stack + 1
    return Workspace(
        sizes=np.zeros(5, np.int64),
        **ints,
        score=np.empty(states),
        total=np.empty(states),
        origin=np.empty(arcs, np.int64),
        option=np.empty(arcs, np.int64),
        target=np.empty(arcs, np.int64),
        gain=np.empty(arcs),
        slots=np.empty(1 << (2 * beam.pops).bit_length(), np.int64),
        kept=np.empty(beam.pops + 1, np.int64),
        cube=np.empty((cubes, 5), np.int64),
        queue=np.empty(J + 1, np.int64),
        grouped=np.empty(states, np.int64),
        item=np.empty((items, 4), np.int64),
        value=np.empty((items, 2)),
        heap=np.empty(items, np.int64),
    )


@exercise
def _exercise() -> None:
    models = ModelSet()
    models.add(["a", "b"], ["c", "d"])
    Decoder(models, Weights("full")).search(["a", "b"]).nbest(2, distinct=True)
