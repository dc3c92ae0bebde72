"""The decoder: from source words to the best translation under the log-linear model, and all that was searched.

>>> models = ModelSet()
>>> for f, e in [("press the green button", "pulse el botón verde"), ("press the red button", "pulse el botón rojo")]:
...     _ = models.add(f.split(), e.split())
>>> decoder = Decoder(models, Weights("thot"))
>>> " ".join(decoder.search("press the red button".split()).best.words)
'pulse el botón rojo'
>>> " ".join(decoder.search("press the red button".split(), prefix=["ya", "pulse"]).best.words)
'ya pulse el botón rojo'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models import language_kernels
from dragoman.models.loglinear import FEATURES, Weights
from dragoman.models.modelset import ModelSet
from dragoman.search import decoder_kernels, hypotheses_kernels, nbest_kernels
from dragoman.search.constrained import Blocks, Prefix, constrain
from dragoman.search.decoder_kernels import Task
from dragoman.search.hypotheses import KINDS, Hypothesis, NBest, Step
from dragoman.search.hypotheses_kernels import ARCS, FINAL, NONE, STATES, Settings, Workspace
from dragoman.search.options import Estimates, Factors, Scorer, Source, as_factors, find_options, future
from dragoman.search.options_kernels import SpanOptions
from dragoman.tables import Table

__all__ = ["PROFILES", "Beam", "Decoder", "Estimates", "Hypothesis", "NBest", "Prefix", "Search", "Step"]

PATIENCE = 200  # partial ways looked at, for each translation of an n-best list

Words = Sequence[str]
Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Beam:
    """What a search may spend; each number costs time about in proportion."""

    pops: int = 400  # hypotheses worked out for each number of covered words
    stack: int = 100  # of these, states from which the search goes on
    threshold: float = 10.0  # but none whose log score is this much below the best
    distortion: int = 6  # source words that may be jumped over at once; −1 for any number
    options: int = 20  # translations looked at for each source phrase

    def __post_init__(self) -> None:
        for field in fields(self):
            least = {"threshold": 0.0, "distortion": -1}.get(field.name, 1)
            if not getattr(self, field.name) >= least:
                raise BadInputError(f"{field.name} of a beam is at least {least}, not {getattr(self, field.name)}")


PROFILES = {"fast": Beam(pops=100, stack=50, options=10), "best": Beam()}


class Decoder:
    """Searches translations with the models as they are at the moment; never changes them.

    `factors` are the learned factors u of phrase pairs ([M] Eq. 7), by the pair's key in the phrase model: a function,
    or a table whose only column holds u − 1.
    """

    def __init__(
        self,
        models: ModelSet,
        weights: Weights,
        beam: Beam | str = "best",
        estimates: Estimates | None = None,
        factors: Factors | Table | None = None,
    ) -> None:
        if isinstance(beam, str) and beam not in PROFILES:
            raise BadInputError(f"there is no profile {beam!r}", remedy=f"choose one of {', '.join(PROFILES)}")
        self.models = models
        self.weights = weights
        self.beam = PROFILES[beam] if isinstance(beam, str) else beam
        self.estimates = estimates or Estimates()
        self.factors = as_factors(factors)

    def search(
        self, source: Words, placeable: Sequence[bool] | None = None, *, prefix: Prefix | Words | None = None
    ) -> Search:
        """Search the translations of a sentence, or those that begin with a prefix.

        Words marked as placeable come out as they are.
        """
        if isinstance(source, str):
            raise BadInputError("a sentence is a list of words, not one string", remedy="split it first")
        if not len(source):
            raise BadInputError("there are no words to translate")
        if placeable is not None and len(placeable) != len(source):
            raise BadInputError(f"{len(placeable)} marks do not fit {len(source)} words")
        return Search(self, tuple(source), placeable, Prefix.of(prefix))


class Search:
    """All that one search has found: the best translation, n-best lists, and the graph they come from.

    Valid until the models change; a word graph made before that remains valid.
    """

    def __init__(
        self,
        decoder: Decoder,
        source: tuple[str, ...],
        placeable: Sequence[bool] | None,
        prefix: Prefix,
        memory: int | None = None,
        ends: bool = True,
    ) -> None:
        self.models, self.weights, self.estimates = decoder.models, decoder.weights, decoder.estimates
        self.sentence = Source(self.models, source, placeable)
        vector = self.weights.vector()
        scorer = Scorer(self.models, self.sentence, vector, self.estimates)
        start = int(language_kernels.start(scorer.language)) if memory is None else memory
        options = find_options(scorer, decoder.beam.options, decoder.factors)
        inside, after = future(options)
        self.options, blocks = constrain(scorer, options, prefix, start)
        task = Task(len(source), self.options, vector, inside, after, scorer.recall, *blocks)
        self.work = _workspace(len(source), len(prefix.words), decoder.beam, self.options, blocks)
        self._lengths = self.models.lengths.view
        settings = _settings(decoder, prefix, start, ends)
        decoder_kernels.search(self.work, task, settings, scorer.language, self._lengths)

    @property
    def source(self) -> tuple[str, ...]:
        """The words that were to be translated."""
        return self.sentence.words

    @cached_property
    def best(self) -> Hypothesis:
        """The best translation found."""
        work, arcs = self.work, []
        arc = int(work.best[work.sizes[FINAL]])
        while arc != NONE:
            arcs.append(arc)
            arc = int(work.best[work.origin[arc]])
        ways = np.array([len(arcs)]), np.array(arcs[::-1]), np.array([work.score[work.sizes[FINAL]]])
        return self._listed(*ways)[0]

    def nbest(self, n: int, *, distinct: bool = False) -> NBest:
        """The n best translations of the search graph, or as many as there are."""
        if n < 1:
            raise BadInputError(f"an n-best list has at least one entry, not {n}")
        final = int(self.work.sizes[FINAL])
        return self._listed(*nbest_kernels.best_ways(self._graph, final, n, distinct, PATIENCE * (n + 100)))

    @cached_property
    def _graph(self) -> nbest_kernels.Graph:
        work, options = self.work, self.options
        states, arcs = int(work.sizes[STATES]), int(work.sizes[ARCS])
        begin, order = nbest_kernels.arcs_by_target(work.target[:arcs], states)
        return nbest_kernels.Graph(
            score=work.score[:states],
            begin=begin,
            arcs=order,
            origin=work.origin[:arcs],
            gain=work.gain[:arcs],
            label=work.option[:arcs],
            first=options.begin,
            last=options.stop,
            words=options.words,
        )

    def _listed(self, ends: Ids, arcs: Ids, scores: Floats) -> NBest:
        """Ways through the graph, their arcs one after another, as a list of translations."""
        together, rows = np.unique(arcs, return_inverse=True)
        return NBest(tuple(self.weights), (ends, arcs, scores), rows, self.arc_features(together), self._hypothesis)

    def arc_features(self, arcs: Ids) -> Floats:
        """[n, M] the features of each of the arcs, in the order of the preset."""
        each = np.empty((arcs.size, len(FEATURES)))
        hypotheses_kernels.fill_arc_features(
            self.work, self.options, len(self.source), self.estimates.delta, arcs, self._lengths, each
        )
        return each[:, self.weights.places]

    def arc_surcharges(self, arcs: Ids) -> Ids:
        """[n] how often the SURCHARGE is in the score of each of the arcs."""
        each = np.empty(arcs.size, np.int64)
        hypotheses_kernels.fill_surcharges(self.work, self.options, len(self.source), arcs, each)
        return each

    def _hypothesis(self, way: Ids, score: float, features: dict[str, float]) -> Hypothesis:
        chosen = self.work.option[way]
        steps = tuple(self.step(option) for option in chosen[chosen != NONE].tolist())
        return Hypothesis.made_of(steps, score, features, int(self.arc_surcharges(way).sum()))

    def step(self, option: int) -> Step:
        """An option in words."""
        options = self.options
        return Step(
            source=(int(options.start[option]), int(options.end[option])),
            words=tuple(self.sentence.spelling.words(options.words[options.begin[option] : options.stop[option]])),
            kind=KINDS[max(-int(options.path[option]), 0)],
            pair=int(options.pair[option]),
        )

    def alignment(self, hypothesis: Hypothesis) -> list[tuple[int, int]]:
        """Which source word goes with which target word: as the alignment models say, within each phrase."""
        links, at = [], 0
        for step in hypothesis.steps:
            (begin, end), size = step.source, len(step.words)
            if end - begin == 1 or size == 1:
                inside = [(j, i) for j in range(end - begin) for i in range(size)]
            else:
                target = self.models.target.ids(step.words)
                inside = self.models.align(self.sentence.ids[begin:end], target).tolist()
            links += [(begin + j, at + i) for j, i in inside]
            at += size
        return sorted(links)


def _settings(decoder: Decoder, prefix: Prefix, memory: int, ends: bool) -> Settings:
    beam, weights = decoder.beam, decoder.weights
    return Settings(
        pops=beam.pops,
        stack=beam.stack,
        threshold=float(beam.threshold),
        distortion=beam.distortion,
        delta=decoder.estimates.delta,
        reordering="previous_monotone" in weights,
        length="source_length" in weights,
        memory=memory,
        ends=ends,
        prefix=len(prefix.words),
        exact=prefix.whole,
    )


def _workspace(J: int, P: int, beam: Beam, options: SpanOptions, blocks: Blocks) -> Workspace:
    """Room for the largest search that these options and this beam allow."""
    longest = options.first.shape[1] - 1
    states = (J + P) * beam.pops + 2
    reach = J if beam.distortion < 0 else min(J, 2 * beam.distortion + 1)
    spans = min(int(np.count_nonzero(np.diff(options.first, axis=1))), reach * longest)
    kept = min(beam.stack, beam.pops)
    on_prefix = kept * len(blocks.block)
    items = longest * kept * spans + on_prefix + 2 * beam.pops + 1
    arcs = states + (J + 1 if P else 1) * kept
    ints = {name: np.empty(states, np.int64) for name in ("gap", "mask", "last", "memory", "kin", "length", "best")}
    return Workspace(
        sizes=np.zeros(5, np.int64),
        **ints,
        score=np.empty(states),
        total=np.empty(states),
        origin=np.empty(arcs, np.int64),
        option=np.empty(arcs, np.int64),
        target=np.empty(arcs, np.int64),
        gain=np.empty(arcs),
        language=np.empty(arcs),
        slots=np.empty(1 << (2 * beam.pops).bit_length(), np.int64),
        kept=np.empty(beam.pops + 1, np.int64),
        cube=np.empty((J * kept * spans + on_prefix + 1, 5), np.int64),
        queue=np.empty(J + P + 1, np.int64),
        grouped=np.empty(states, np.int64),
        item=np.empty((items, 4), np.int64),
        value=np.empty((items, 3)),
        heap=np.empty(items, np.int64),
    )


@exercise
def _exercise() -> None:
    models = ModelSet()
    models.add(["a", "b"], ["c", "d"])
    search = Decoder(models, Weights("full")).search(["a", "b"], prefix=Prefix(("c",), unfinished=True))
    search.nbest(2, distinct=True)
