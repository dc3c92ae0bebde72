"""N-best lists as learners see them say the same as their entries, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.adapt.lists import ListedTranslations, candidates, losses, uses
from dragoman.measure import Bleu, Measure, Ter, Wer
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.records import Term
from dragoman.sample import pairs
from dragoman.search.decoder import Decoder, NBest, SearchResult
from dragoman.text.tokens import split

pytestmark = pytest.mark.kernels

TEXTS = [(split(source.lower()).words, split(target.lower()).words) for source, target in pairs()[:80]]
REFERENCE = TEXTS[70][1]


@pytest.fixture(scope="module")
def search() -> SearchResult:
    models = ModelSet()
    for source, target in TEXTS[:60]:
        models.add(source, target)
    return Decoder(models, Weights("moses")).search(TEXTS[70][0])


@pytest.fixture(scope="module", params=[1, 50])
def nbest(search: SearchResult, request: pytest.FixtureRequest) -> NBest:
    return search.nbest(request.param, distinct=True)


def test_parts_are_the_steps_of_the_entries(nbest: NBest) -> None:
    ends, places, steps = nbest.parts
    bounds = [0, *ends.tolist()]
    for n, entry in enumerate(nbest):
        made_of = [steps[place] for place in places[bounds[n] : bounds[n + 1]].tolist()]
        assert tuple(step for step in made_of if step) == entry.steps


def test_words_are_those_of_the_entries(nbest: NBest) -> None:
    words, ids = ListedTranslations(nbest), dict[str, int]()
    assert list(words) == [entry.words for entry in nbest]
    assert words[-1:] == [nbest[-1].words]
    numbered = words.numbered(ids)
    spelled = {number: word for word, number in ids.items()}
    for n, entry in enumerate(nbest):
        said = numbered.ids[numbered.starts[n] : numbered.starts[n + 1]].tolist()
        assert tuple(spelled[number] for number in said) == entry.words


def test_uses_are_the_phrase_pairs_of_the_entries(nbest: NBest) -> None:
    expected = [(n, step.pair) for n, entry in enumerate(nbest) for step in entry.steps if step.pair >= 0]
    entry, pair = uses(nbest)
    assert list(zip(entry.tolist(), pair.tolist(), strict=True)) == expected


def test_terms_are_not_phrase_pairs() -> None:
    models = ModelSet()
    models.add(["press"], ["pulse"])
    found = Decoder(models, Weights("thot")).search(["press", "start"], terms=[Term(1, 2, ("Inicio",))])
    nbest = found.nbest(5)
    assert min(candidates(found, nbest, factors=True).pairs) >= 0
    assert len(uses(nbest)[0]) == sum(step.pair >= 0 for entry in nbest for step in entry.steps)


def test_scores_of_phrase_pairs_are_summed_entry_by_entry(search: SearchResult, nbest: NBest) -> None:
    offered = candidates(search, nbest, factors=True)
    options = search.options.row
    value = dict(zip(options["pair"].tolist(), options["translation"].tolist(), strict=True))
    for n, entry in enumerate(nbest):
        said = [step.pair for step in entry.steps if step.pair >= 0]
        expected = [said.count(pair) * value[pair] for pair in offered.pairs.tolist()]
        assert offered.scores[n].tolist() == pytest.approx(expected)


def test_a_list_without_phrase_pairs() -> None:
    models = ModelSet()
    models.add(["a"], ["b"])
    found = Decoder(models, Weights("moses")).search(["unheard", "of"])
    offered = candidates(found, found.nbest(5, distinct=True), factors=True)
    assert offered.pairs.size == 0
    assert offered.scores.shape == (len(offered), 0)


@pytest.mark.parametrize("measure", [Ter(), Wer(), Bleu("none", "plus-one")], ids=lambda measure: measure.name)
def test_losses_are_those_of_the_words(search: SearchResult, nbest: NBest, measure: Measure) -> None:
    offered = candidates(search, nbest, factors=False)
    found = losses(measure, offered.words, REFERENCE)
    assert found.tolist() == losses(measure, [entry.words for entry in nbest], REFERENCE).tolist()
    assert found[0] == pytest.approx(measure.losses([" ".join(nbest[0].words)], " ".join(REFERENCE))[0] / 100)
    assert np.all(found >= 0)
