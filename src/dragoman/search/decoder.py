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

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import Prefix
from dragoman.search.hypotheses import Hypothesis, NBest, Step
from dragoman.search.options import Estimates, Factors, Offers, as_factors
from dragoman.search.pieces import MAX_UNCUT_WORDS, search_pieces
from dragoman.search.plan import PROFILES, Beam, Plan
from dragoman.search.searching import Search, search_sentence
from dragoman.search.upstream_options import Suggestion
from dragoman.tables import Table
from dragoman.types import Term

__all__ = ["PROFILES", "Beam", "Decoder", "Estimates", "Hypothesis", "NBest", "Prefix", "Search", "Step"]

Words = Sequence[str]


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
        made = estimates or Estimates()
        self.plan = Plan(models, weights, Beam.of(beam), made, as_factors(factors), slots, tuple(banned), guess)

    def search(
        self,
        source: Words,
        placeable: Sequence[bool] | None = None,
        *,
        prefix: Prefix | Words | None = None,
        terms: Sequence[Term] = (),
        upstream: Suggestion | None = None,
        offers: Offers | None = None,
    ) -> Search:
        """Search for translations of a sentence, or for those that begin with a prefix.

        Words marked as placeable are copied, and terms, which must not overlap, get the translation they prescribe. A
        sentence of more than MAX_UNCUT_WORDS words is cut into pieces unless there is a prefix; either way the time
        grows linearly with the number of words. What another engine says (`upstream`) is on offer too; for a sentence
        that is cut, only if it has `parts`. `offers` are those that `collect_offers` has found for this sentence, with
        the same terms and upstream.
        """
        if isinstance(source, str):
            raise BadInputError("a sentence is a list of words, not one string", remedy="split it first")
        if not len(source):
            raise BadInputError("no words to translate")
        if placeable is not None and len(placeable) != len(source):
            raise BadInputError(f"{len(placeable)} placeable marks for {len(source)} words")
        wanted = Prefix.of(prefix)
        if len(source) > MAX_UNCUT_WORDS and not wanted.words:
            return search_pieces(self.plan, tuple(source), placeable, terms, upstream)
        return search_sentence(self.plan, tuple(source), placeable, wanted, terms, upstream=upstream, offers=offers)


@exercise
def _exercise() -> None:
    models = ModelSet()
    models.add(["a", "b"], ["c", "d"])
    search = Decoder(models, Weights("full")).search(["a", "b"], prefix=Prefix(("c",), unfinished=True))
    Decoder(models, Weights("full", upstream=True)).search(["a", "b"], upstream=Suggestion(("c", "x")))
    search.nbest(2, distinct=True)
    graph = search.graph()
    graph.confidences(graph.pruned(arcs=1).best)
    graph.to_end.sum()
