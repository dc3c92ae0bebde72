"""Phrases that nearly match what was given, so that the words they translate are not translated again after it.

A person may use other words than the models would have. To find out which source words are translated by then, the
given words are matched with errors, as in a word graph ([O] §2.3), at SURCHARGEs for each word that is dropped, changed
or added:

- a phrase *changed*: some of its words are in the prefix, others are not; at the end of the prefix, its rest follows;
- a word *replaced*: given instead of the best translation of one or two source words;
- a phrase *widened*: given as it is, but also covering a neighbouring source word, whose translation is left out.

All of them produce the given words, from which the language model continues, and keep the features of the phrases that
they come from. These include what the language model thinks of the words that were left out: since all hypotheses begin
with the same prefix, the words that the language model likes least would otherwise be left out first.
"""

from __future__ import annotations

import numpy as np

from dragoman.kernels import exercise
from dragoman.models.loglinear import Weights
from dragoman.models.loglinear_kernels import LANGUAGE
from dragoman.models.modelset import ModelSet
from dragoman.search import constrained_edits_kernels as kernels
from dragoman.search.options import SentenceOptions, selected
from dragoman.search.options_kernels import GIVEN, SpanOptions
from dragoman.tables import Ids


def nearly(sentence: SentenceOptions, options: SpanOptions, prefix: Ids, near: Ids) -> tuple[SpanOptions, Ids]:
    """Options that nearly match the prefix; and [n, 3] the position of each, its number, and the position after it.

    near[at] is the range of source words with which an option at a position may begin.
    """
    weight = float(sentence.weights[LANGUAGE])
    given = prefix, near, sentence.fixed
    found, text = kernels.find_near(options, weight, sentence.memo, sentence.language, *given)
    made = selected(options, found["option"])._replace(words=text)
    row, beside = made.row, found["dropped"] != kernels.NONE
    for name in ("start", "end", "begin", "stop", "surcharges"):
        row[name] = found[name]
    row["path"], row["pair"], row["factor"] = GIVEN, GIVEN, 1.0
    made.features[beside] += options.features[found["dropped"][beside]]
    made.features[:, LANGUAGE] = found["language"]
    sentence.score(made)
    return made, np.stack([found["at"], np.arange(row.size), found["reached"]], axis=1)


@exercise
def _exercise() -> None:
    from dragoman.search.decoder import Decoder  # here, since it imports this

    models = ModelSet()
    models.add(["a", "b"], ["c", "d"])
    sentence = SentenceOptions(Decoder(models, Weights("full")), ("a", "b")).collect()
    nearly(sentence, sentence.options, np.zeros(1, np.int64), np.array([[0, 2]]))
