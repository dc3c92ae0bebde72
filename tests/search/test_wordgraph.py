"""A word graph holds the translations of its search, no more and no less."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.loglinear import PRESETS, Weights
from dragoman.search import hypotheses
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Beam, Decoder, SearchResult
from dragoman.search.wordgraph import WordGraph
from tests.oracles.search import Exhaustive
from tests.search.test_decoder import EVERYTHING, corpora, learned, sample, weights_of

pytestmark = pytest.mark.kernels

Pairs = list[tuple[list[str], list[str]]]
sources = st.lists(st.sampled_from("abe"), min_size=1, max_size=3)
ALL = 100_000


def searched(pairs: Pairs, weights: Weights, source: list[str], beam: Beam = EVERYTHING) -> SearchResult:
    return Decoder(learned(pairs), weights, beam).search(source)


def arcs_of(graph: WordGraph, state: int = 0) -> list[list[int]]:
    """The arcs of every way from a state to the end."""
    if state == graph.states - 1:
        return [[]]
    leaving = range(graph.first[state], graph.first[state + 1])
    return [[arc, *rest] for arc in leaving for rest in arcs_of(graph, int(graph.target[arc]))]


@settings(deadline=None, max_examples=40)
@given(corpora, weights_of(), sources)
def test_the_ways_of_the_graph_are_the_derivations_of_the_search(
    pairs: Pairs, weights: Weights, source: list[str]
) -> None:
    search = searched(pairs, weights, source)
    graph = search.graph()
    oracle = Exhaustive(search.models, weights, source)
    expected = sorted(map(oracle.score, oracle.derivations()))
    found = [graph.score[way].sum() for way in arcs_of(graph)]
    assert sorted(found) == pytest.approx(expected, abs=1e-8)
    assert graph.nbest(40, distinct=True)[:] == search.nbest(40, distinct=True)[:]
    assert graph.best.score == pytest.approx(search.best.score, abs=1e-9)
    assert graph.from_start[-1] == pytest.approx(max(expected), abs=1e-9)
    assert graph.to_end[0] == pytest.approx(max(expected), abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(corpora, weights_of(), sources, st.integers(1, 8))
def test_graph_and_search_agree_under_a_narrow_beam(
    pairs: Pairs, weights: Weights, source: list[str], pops: int
) -> None:
    search = searched(pairs, weights, source, Beam(pops=pops, stack=3, threshold=2.0, distortion=2))
    graph = search.graph()
    ours, theirs = graph.nbest(100), search.nbest(100)
    assert ours[:] == theirs[:]
    np.testing.assert_allclose(ours.features @ list(weights.values()), ours.scores, atol=1e-8)
    assert graph.best == search.best


@settings(deadline=None, max_examples=40)
@given(corpora, weights_of(), sources, st.sampled_from([0.0, 0.3, 1.0]))
def test_posteriors_are_shares_of_all_ways(pairs: Pairs, weights: Weights, source: list[str], scale: float) -> None:
    graph = searched(pairs, weights, source).graph()
    ways = arcs_of(graph)
    total = np.array([scale * graph.score[way].sum() for way in ways])
    share = np.exp(total - total.max())
    share /= share.sum()
    expected = np.zeros(len(graph))
    for way, probability in zip(ways, share, strict=True):
        expected[way] += probability
    np.testing.assert_allclose(graph.posteriors(scale), expected, atol=1e-9)
    best = graph.best
    said = [graph.step(arc) for arc in range(len(graph))]
    confidences = iter(graph.confidences(best, scale))
    for step in best.steps:
        for word in step.words:
            shares = [
                sum(
                    expected[arc] for arc, other in enumerate(said) if j in range(*other.source) and word in other.words
                )
                for j in range(*step.source)
            ]
            assert next(confidences) == pytest.approx(sum(shares) / len(shares), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(corpora, weights_of(), sources, st.sampled_from([0.0, 0.01, 0.2, 2.0]), st.sampled_from([None, 1, 2]))
def test_pruning_leaves_ways_of_the_graph_the_best_among_them(
    pairs: Pairs, weights: Weights, source: list[str], posterior: float, arcs: int | None
) -> None:
    graph = searched(pairs, weights, source).graph()
    small = graph.pruned(posterior=posterior, arcs=arcs)
    assert small.best == graph.best
    known = {(h.steps, round(h.score, 6)) for h in graph.nbest(ALL)}
    left = small.nbest(ALL)
    assert {(h.steps, round(h.score, 6)) for h in left} <= known
    if posterior == 2.0:
        assert len(left) == 1
    best = set(graph.posteriors()[graph._ways(1, False)[1]])
    if arcs is not None and posterior < 1:
        assert max(np.bincount(small.origin)) <= arcs + 1  # the best way may add one
    if arcs is None:
        assert all(p >= posterior - 1e-12 or p in best for p in graph.posteriors()[_kept(graph, small)])


def _kept(graph: WordGraph, small: WordGraph) -> list[int]:
    """Arcs of a graph that are left in a smaller one, told by what they are."""
    rows = {(graph.step(arc), round(float(graph.score[arc]), 9)): arc for arc in range(len(graph))}
    return [
        rows[small.step(arc), round(float(small.score[arc]), 9)] for arc in range(len(small)) if len(rows) == len(graph)
    ]


@settings(deadline=None, max_examples=30)
@given(corpora, st.sampled_from(sorted(PRESETS)), sources, st.data())
def test_other_weights_rescore_every_way_exactly(
    pairs: Pairs, preset: str, source: list[str], data: st.DataObject
) -> None:
    search = searched(pairs, Weights(preset), source)
    weights = Weights(preset, {name: data.draw(st.sampled_from([-0.5, 0.0, 0.7, 1.5])) for name in PRESETS[preset]})
    again = search.graph().rescored(weights)
    oracle = Exhaustive(search.models, weights, source)
    expected = sorted(map(oracle.score, oracle.derivations()), reverse=True)
    assert again.nbest(20).scores.tolist() == pytest.approx(expected[:20], abs=1e-8)


@settings(deadline=None, max_examples=20)
@given(corpora, weights_of(), sources, st.booleans())
def test_a_list_has_the_best_way_however_little_patience_there_is(
    pairs: Pairs, weights: Weights, source: list[str], distinct: bool
) -> None:
    found = searched(pairs, weights, source)
    with pytest.MonkeyPatch.context() as impatient:
        impatient.setattr(hypotheses, "PATIENCE", 0)
        for where in (found, found.graph()):
            (only,) = where.nbest(5, distinct=distinct)
            assert only.score == pytest.approx(found.best.score, abs=1e-9)
            assert only.score == pytest.approx(sum(weights[name] * value for name, value in only.features.items()))


def test_weights_of_another_preset_are_refused() -> None:
    graph = Decoder(sample(), Weights("thot")).search(["press"]).graph()
    with pytest.raises(BadInputError, match="features"):
        graph.rescored(Weights("moses"))
    with pytest.raises(BadInputError, match="at least one entry"):
        graph.nbest(0)


def test_a_graph_of_a_constrained_search_keeps_surcharges() -> None:
    weights = Weights("moses")
    search = Decoder(sample(), weights).search(["press", "the"], prefix=Prefix(("una", "pulse"), whole=True))
    graph = search.graph()
    assert graph.best == search.best
    assert graph.best.surcharges > 0
    again = graph.rescored(weights)
    assert again.best.score == pytest.approx(search.best.score)
    assert len(graph.confidences(graph.best)) == 2


def test_a_graph_outlives_what_the_models_learn() -> None:
    models = sample()
    graph = Decoder(models, Weights("moses")).search(["press", "the", "new", "button"]).graph()
    before = graph.nbest(20)[:]
    models.add(["the", "new"], ["el", "new"])
    assert graph.nbest(20)[:] == before


def test_graphs_one_after_another() -> None:
    decoder = Decoder(sample(), Weights("full"), Beam(pops=20, stack=10))
    parts = [decoder.search(words.split()).graph() for words in ("press the", "red", "button is on")]
    whole = WordGraph.joined(parts)
    assert whole.source == ("press", "the", "red", "button", "is", "on")
    assert whole.best.words == tuple(word for part in parts for word in part.best.words)
    assert whole.best.score == pytest.approx(sum(part.best.score for part in parts))
    covered = sorted(place for step in whole.best.steps for place in range(*step.source))
    assert covered == list(range(6))
    assert math.isclose(sum(whole.posteriors()[whole.origin == 0]), 1.0)
