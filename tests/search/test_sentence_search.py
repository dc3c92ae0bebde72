"""What a search has found stays the same when the models go on learning."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dragoman.models.loglinear import PRESETS, Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Decoder
from dragoman.search.explain import explain
from dragoman.search.hypotheses import Hypothesis
from dragoman.search.sentence_search import SearchResult
from dragoman.search.wordgraph import WordGraph
from tests.search.test_decoder import sample

pytestmark = pytest.mark.kernels

SOURCE = ["press", "the", "green", "lamp", "twice"]
PREFIXES = {
    "no prefix": Prefix(()),
    "prefix": Prefix(("apriete", "el")),
    "unfinished word": Prefix(("pulse", "bo"), unfinished=True),
    "whole reference": Prefix(("pulse", "dos", "veces"), whole=True),
}

Found = tuple[Hypothesis, list[Hypothesis], list[tuple[str, ...]], WordGraph, object]


def everything(search: SearchResult) -> Found:
    """Whatever a search can be asked, except for the alignment, which is up to the models."""
    nbest = search.nbest(30)
    return search.best, nbest[:], search.nbest(10, distinct=True).words, search.graph(), explain(search)


def learn_and_forget(models: ModelSet) -> None:
    """Change lengths, phrases, words and n-grams, so much that tables grow, and take one pair back."""
    pairs = [(["press", "the", f"lamp{n}"] * (n % 7 + 1), ["la", f"lámpara{n}"] * (n % 5 + 1)) for n in range(60)]
    learned = [models.add(source, target) for source, target in pairs]
    models.remove(learned[3])
    models.add(["press", "twice"], ["pulse", "dos", "veces"])


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=list(PREFIXES))
@pytest.mark.parametrize("layered", [False, True], ids=["no base", "over a base"])
def test_what_was_found_stays_valid_when_the_models_learn_and_forget(
    preset: str, prefix: Prefix, layered: bool
) -> None:
    models = ModelSet(sample()) if layered else sample()
    decoder = Decoder(models, Weights(preset), "fast")
    expected = everything(decoder.search(SOURCE, prefix=prefix))
    search = decoder.search(SOURCE, prefix=prefix)
    learn_and_forget(models)
    assert everything(search) == expected
    assert everything(decoder.search(SOURCE, prefix=prefix)) != expected


def test_other_weights_do_not_change_what_was_found() -> None:
    weights = Weights("full")
    decoder = Decoder(sample(), weights)
    expected = everything(decoder.search(SOURCE))
    search = decoder.search(SOURCE)
    for name in weights:
        weights[name] = -weights[name]
    assert everything(search) == expected


def said(search: SearchResult) -> Sequence[str]:
    return search.best.words


def test_a_decoder_searches_with_the_models_of_the_moment() -> None:
    models = sample()
    decoder = Decoder(models, Weights("moses"))
    before = said(decoder.search(["twice"]))
    models.add(["twice"], ["dos", "veces"])
    assert (before, said(decoder.search(["twice"]))) == (("twice",), ("dos", "veces"))
