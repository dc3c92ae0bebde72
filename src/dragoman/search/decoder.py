"""The decoder: it searches for the best translation of a sentence under the log-linear model.

>>> models = ModelSet()
>>> pairs = [("press the button", "pulse el botón"), ("the lamp", "la lámpara"), ("the red lamp", "la lámpara roja")]
>>> for f, e in pairs * 2:
...     _ = models.add(f.split(), e.split())
>>> decoder = Decoder(models, Weights("moses"))
>>> " ".join(decoder.search("press the lamp".split()).best.words)
'pulse la lámpara'
>>> " ".join(decoder.search("press the lamp".split(), prefix=["apriete"]).best.words)
'apriete la lámpara'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models.lengths_kernels import LengthArrays
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.records import Term
from dragoman.search import decoder_kernels
from dragoman.search.constrained import NO_BLOCKS, NO_PREFIX, Blocks, Prefix, constrain
from dragoman.search.decoder_kernels import Task
from dragoman.search.hypotheses import Hypothesis, NBest, Step
from dragoman.search.hypotheses_kernels import (
    ARC,
    ARCS,
    CUBE,
    ITEM,
    PLACES,
    STATE,
    STATES,
    SearchLimits,
    Workspace,
)
from dragoman.search.options import Estimates, Factors, LanguageStates, SentenceOptions, as_factors
from dragoman.search.options_kernels import SpanOptions
from dragoman.search.sentence_search import SearchResult
from dragoman.search.upstream_options import UpstreamWords
from dragoman.tables import Table

__all__ = ["PROFILES", "Beam", "Decoder", "Estimates", "Hypothesis", "NBest", "Prefix", "SearchResult", "Step"]

Words = Sequence[str]
LENGTH = "source_length"  # a feature


@dataclass(frozen=True)
class Beam:
    """Limits on the effort of a search; time grows roughly in proportion to each number."""

    pops: int = 300  # hypotheses expanded for each number of covered words
    stack: int = 75  # states kept of these, from which the search continues
    threshold: float = 10.0  # a state whose log score is this far below the best is dropped
    distortion: int = 6  # source words that may be jumped over at once; −1 for any number
    options: int = 20  # translations considered for each source phrase

    def __post_init__(self) -> None:
        for field in fields(self):
            least = {"threshold": 0.0, "distortion": -1}.get(field.name, 1)
            if not getattr(self, field.name) >= least:
                raise BadInputError(f"{field.name} of a beam must be at least {least}, not {getattr(self, field.name)}")

    @classmethod
    def of(cls, beam: Beam | str) -> Beam:
        """The beam itself, or the one of the named profile."""
        if isinstance(beam, str) and beam not in PROFILES:
            raise BadInputError(f"unknown profile {beam!r}", remedy=f"choose one of {', '.join(PROFILES)}")
        return PROFILES[beam] if isinstance(beam, str) else beam


PROFILES = {"fast": Beam(pops=100, stack=50, options=10), "best": Beam()}


class Decoder:
    """Searches for translations with the models as they are at that moment; never changes them.

    `beam` limits the effort of a search: a Beam, or the name of a profile. `factors` are the learned factors u of
    phrase pairs ([M] Eq. 7), by the pair's key in the phrase model: a function, or a table whose only column holds
    u − 1. `slots` [V] marks target words that are only used where the source has them, such as tags. `banned` are words
    in a row that are not used if there is any other way to say it. With `guess`, unknown words may be translated like
    other forms of them, or like their parts (see guesses.py).
    """

    def __init__(
        self,
        models: ModelSet,
        weights: Weights,
        beam: Beam | str = "best",
        estimates: Estimates | None = None,
        factors: Factors | Table | None = None,
        slots: NDArray[np.bool_] | None = None,
        banned: Sequence[tuple[str, ...]] = (),
        *,
        guess: bool = False,
    ) -> None:
        self.models, self.weights, self.beam = models, weights, Beam.of(beam)
        self.estimates, self.factors, self.slots = estimates or Estimates(), as_factors(factors), slots
        self.banned, self.guess = tuple(banned), guess

    def options(
        self,
        source: Words,
        placeable: Sequence[bool] | None = None,
        terms: Sequence[Term] = (),
        upstream: UpstreamWords | None = None,
        *,
        lenient: bool = False,
    ) -> SentenceOptions:
        """Collect the options of a sentence; if lenient, for a prefix that may have said terms in other words."""
        return SentenceOptions(self, tuple(source), placeable, terms, upstream).collect(lenient=lenient)

    def search(
        self,
        source: Words,
        placeable: Sequence[bool] | None = None,
        *,
        prefix: Prefix | Words | None = None,
        terms: Sequence[Term] = (),
        upstream: UpstreamWords | None = None,
    ) -> SearchResult:
        """Search for translations of a sentence, or for those that begin with a prefix.

        Words marked as placeable are copied, and terms, which must not overlap, get the translation they prescribe.
        The time grows linearly with the number of words. Another engine's answer (`upstream`) is on offer too.
        """
        if isinstance(source, str):
            raise BadInputError("a sentence is a list of words, not one string", remedy="split it first")
        if not len(source):
            raise BadInputError("no words to translate")
        if placeable is not None and len(placeable) != len(source):
            raise BadInputError(f"{len(placeable)} placeable marks for {len(source)} words")
        wanted = Prefix.of(prefix)
        return self.search_among(self.options(source, placeable, terms, upstream, lenient=bool(wanted.words)), wanted)

    def search_among(self, options: SentenceOptions, prefix: Prefix = NO_PREFIX) -> SearchResult:
        """Search a sentence among the options that were collected for it."""
        spans, blocks = (
            constrain(options, prefix, options.start.language) if prefix.words else (options.options, NO_BLOCKS)
        )
        known = options.weights, options.inside, options.after, options.memo
        task = Task(len(options.words), spans, *known, *blocks, options.answer, options.classes)
        work = _workspace(len(options.words), len(prefix.words), self.beam, spans, blocks)
        lengths = self.models.lengths.view
        if LENGTH in self.weights:  # otherwise nobody asks
            lengths = _own(lengths)
        decoder_kernels.search(work, task, _limits(self, prefix, options.start), options.language, lengths)
        return SearchResult(self, options, spans, lengths, _found(work))


def _own(lengths: LengthArrays) -> LengthArrays:
    """The length model as it is now: its layer is copied, since learning changes it in place; a base never changes."""
    layer = {name: getattr(lengths, name).copy() for name in ("samples", "sums", "squares", "pooled")}
    index = type(lengths.table.layer)(*(array.copy() for array in lengths.table.layer))
    return lengths._replace(table=lengths.table._replace(layer=index), **layer)


def _limits(decoder: Decoder, prefix: Prefix, start: LanguageStates) -> SearchLimits:
    beam, weights = decoder.beam, decoder.weights
    return SearchLimits(
        pops=beam.pops,
        stack=beam.stack,
        threshold=float(beam.threshold),
        distortion=beam.distortion,
        delta=decoder.estimates.delta,
        reordering="previous_monotone" in weights,
        length=LENGTH in weights,
        lm_state=start.language,
        class_state=start.classes,
        ends=True,
        prefix=len(prefix.words),
        exact=prefix.whole,
    )


def _workspace(J: int, P: int, beam: Beam, options: SpanOptions, blocks: Blocks) -> Workspace:
    """Enough room for the largest search that these options and this beam allow."""
    longest = options.first.shape[1] - 1
    states = (J + P) * beam.pops + 2
    reach = J if beam.distortion < 0 else min(J, 2 * beam.distortion + 1)
    spans = min(int(np.count_nonzero(np.diff(options.first, axis=1))), reach * longest)
    kept = min(beam.stack, beam.pops)
    cubes = longest * kept * (spans + int(np.diff(blocks.first).max(initial=0))) + 1
    items = cubes + 2 * beam.pops + 1
    return Workspace(
        sizes=np.zeros(PLACES, np.int64),
        states=np.empty(states, STATE),
        arcs=np.empty(states + (J + 1 if P else 1) * kept, ARC),
        slots=np.empty(1 << (2 * beam.pops).bit_length(), np.int32),
        kept=np.empty(beam.pops + 1, np.int64),
        grouped=np.empty(states, np.int64),
        cubes=np.empty(cubes, CUBE),
        queue=np.empty(J + P + 1, np.int64),
        items=np.empty(items, ITEM),
        heap=np.empty(items, np.int64),
        ranks=np.empty(items),
    )


def _found(work: Workspace) -> Workspace:
    """What a search has found, without its scratch space."""
    kept = {name: array[:0].copy() for name, array in work._asdict().items()}
    # Views: pages of these arrays that were never written to take no memory, and `thin` copies what is kept for long.
    kept["states"], kept["arcs"] = work.states[: work.sizes[STATES]], work.arcs[: work.sizes[ARCS]]
    return Workspace(**(kept | {"sizes": work.sizes}))


@exercise
def _exercise() -> None:
    models = ModelSet()
    models.add(["a", "b"], ["c", "d"])
    search = Decoder(models, Weights("full")).search(["a", "b"], prefix=Prefix(("c",), unfinished=True))
    Decoder(models, Weights("full", upstream=True)).search(["a", "b"], upstream=UpstreamWords(("c", "x")))
    search.nbest(2, distinct=True)
    graph = search.graph()
    graph.confidences(graph.pruned(arcs=1).best)
    graph.to_end.sum()
