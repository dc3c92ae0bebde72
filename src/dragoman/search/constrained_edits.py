"""Phrases that say nearly what was given, so that what they translate is not said again behind it.

A person may say in other words what the models would have said. To know which source words that takes care of, the
given words are explained with errors, as in a word graph ([O] §2.3), at SURCHARGEs for each word that is dropped,
changed or added:

- a phrase *changed*: some of its words stand in the prefix, others do not; at the end of the prefix, its rest follows;
- a word *replaced*: given instead of the best that one or two source words would come to;
- a phrase *widened*: given as it is, for a source word beside its own as well, of which nothing is said.

All of them say the given words, which is what the language model goes on from, and keep the features of the phrases
that they come from. What the language model thinks of words that were not said is among these: all hypotheses say the
same prefix, so that otherwise the words it likes least would be passed over first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dragoman.kernels import exercise
from dragoman.models.loglinear import Weights
from dragoman.models.loglinear_kernels import LANGUAGE
from dragoman.models.modelset import ModelSet
from dragoman.search import constrained_edits_kernels as kernels
from dragoman.search import options_kernels
from dragoman.search.options import Estimates, Scorer, Source, find_options, selected
from dragoman.search.options_kernels import GIVEN, SpanOptions

Ids = NDArray[np.int64]


def nearly(scorer: Scorer, options: SpanOptions, prefix: Ids, near: Ids) -> tuple[SpanOptions, Ids]:
    """What says nearly the words of a prefix, and [n, 3] the place of each, its number, and the words then reached.

    near[at] is the range of source words to begin with at a place.
    """
    weight = float(scorer.weights[LANGUAGE])
    given = prefix, near, scorer.sentence.fixed
    found, text = kernels.find_near(options, weight, scorer.recall, scorer.language, *given)
    made = selected(options, found["option"])._replace(words=text)
    row, beside = made.row, found["dropped"] != kernels.NONE
    for name in ("start", "end", "begin", "stop", "surcharges"):
        row[name] = found[name]
    row["path"], row["pair"], row["factor"] = GIVEN, GIVEN, 1.0
    made.features[beside] += options.features[found["dropped"][beside]]
    made.features[:, LANGUAGE] = found["language"]
    options_kernels.score_options(made, scorer.weights, scorer.recall, scorer.language)
    return made, np.stack([found["at"], np.arange(row.size), found["reached"]], axis=1)


@exercise
def _exercise() -> None:
    models = ModelSet()
    models.add(["a", "b"], ["c", "d"])
    scorer = Scorer(models, Source(models, ("a", "b"), None), Weights("full").vector(), Estimates())
    nearly(scorer, find_options(scorer, 1, None), np.zeros(1, np.int64), np.array([[0, 2]]))
