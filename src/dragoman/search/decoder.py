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
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import NO_PREFIX, Prefix
from dragoman.search.hypotheses import Hypothesis, NBest, Step
from dragoman.search.options import Estimates, Factors, SentenceOptions, as_factors
from dragoman.search.pieces import MAX_UNCUT_WORDS, search_pieces
from dragoman.search.sentence_search import Search, search_sentence
from dragoman.search.upstream_options import UpstreamWords
from dragoman.tables import Table
from dragoman.types import Term

__all__ = ["PROFILES", "Beam", "Decoder", "Estimates", "Hypothesis", "NBest", "Prefix", "Search", "Step"]

Words = Sequence[str]


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
    ) -> Search:
        """Search for translations of a sentence, or for those that begin with a prefix.

        Words marked as placeable are copied, and terms, which must not overlap, get the translation they prescribe. A
        sentence of more than MAX_UNCUT_WORDS words is cut into pieces unless there is a prefix; either way the time
        grows linearly with the number of words. Another engine's answer (`upstream`) is on offer too; for a sentence
        that is cut, only if it has `parts`.
        """
        if isinstance(source, str):
            raise BadInputError("a sentence is a list of words, not one string", remedy="split it first")
        if not len(source):
            raise BadInputError("no words to translate")
        if placeable is not None and len(placeable) != len(source):
            raise BadInputError(f"{len(placeable)} placeable marks for {len(source)} words")
        wanted = Prefix.of(prefix)
        if len(source) > MAX_UNCUT_WORDS and not wanted.words:
            return search_pieces(self, tuple(source), placeable, terms, upstream)
        options = self.options(source, placeable, terms, upstream, lenient=bool(wanted.words))
        return search_sentence(self, options, wanted)

    def search_among(self, options: SentenceOptions, prefix: Prefix = NO_PREFIX) -> Search:
        """The same among options that were collected before, with the same models and as many options to a phrase."""
        return search_sentence(self, options.for_search(), prefix)


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
