"""Ridge regression on word graphs, with the effort of a simulated user as the loss."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.errors import BadInputError
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.sample import pairs
from dragoman.search.decoder import Decoder
from dragoman.search.wordgraph import WordGraph
from dragoman.text.tokens import split
from dragoman_laboratory.graph_ridge import GraphRidge, ksmr

pytestmark = pytest.mark.kernels

TEXTS = [(split(source.lower()).words, split(target.lower()).words) for source, target in pairs()[:120]]


@pytest.fixture(scope="module")
def models() -> ModelSet:
    models = ModelSet()
    for source, target in TEXTS[:100]:
        models.add(source, target)
    return models


def graph_of(models: ModelSet, n: int) -> WordGraph:
    return Decoder(models, Weights("moses")).search(TEXTS[n][0]).graph().pruned(arcs=5)


def test_no_effort_where_the_graph_says_the_reference(models: ModelSet) -> None:
    graph = graph_of(models, 105)
    assert ksmr(graph, graph.best.words) == 0
    assert 0 < ksmr(graph, [*graph.best.words[:-1], "completamente"]) < 1
    assert ksmr(graph, ["zzz", "qqq"]) >= 1


@pytest.mark.parametrize("strategy", ["gaussian", "simplex"])
def test_the_update_is_ridge_regression_over_the_graphs_tried(models: ModelSet, strategy: str) -> None:
    graph, reference = graph_of(models, 110), TEXTS[110][1]
    weights = np.array(list(Weights("moses").values()))
    ridge = GraphRidge(strategy=strategy, size=25, alpha=0.1, spread=0.5)  # type: ignore[arg-type]
    again = GraphRidge(strategy=strategy, size=25, alpha=0.1, spread=0.5)  # type: ignore[arg-type]
    rows, losses = ridge.tried(weights, graph, lambda each: ksmr(each, reference))
    assert rows.shape == (len(losses), weights.size)
    assert 1 < len(losses) <= 25
    assert losses[0] == ksmr(graph.rescored(Weights("moses")), reference)
    R, l = rows[np.argmin(losses)] - rows, losses - losses.min()
    solved = np.linalg.solve(R.T @ R + 0.01 * np.eye(weights.size), R.T @ l)
    after = again.update(weights, graph, lambda each: ksmr(each, reference))
    expected = 0.9 * weights + 0.1 * solved if l.any() else weights
    assert np.allclose(after, expected)


def test_the_loss_may_be_any_function(models: ModelSet) -> None:
    graph, weights = graph_of(models, 103), np.array(list(Weights("moses").values()))
    after = GraphRidge(size=30, alpha=0.5, spread=1.0).update(weights, graph, lambda each: float(len(each.best.words)))
    assert np.isfinite(after).all()
    same = GraphRidge(size=5).update(weights, graph, lambda _: 1.0)
    assert np.array_equal(same, weights)
    assert same is not weights


def test_bad_options_are_refused() -> None:
    with pytest.raises(BadInputError, match="choose gaussian or simplex"):
        GraphRidge(strategy="magic")  # type: ignore[arg-type]
    with pytest.raises(BadInputError):
        GraphRidge(size=0)
    with pytest.raises(BadInputError):
        GraphRidge(alpha=2)


def test_weights_are_those_of_the_graph_as_any_numbers(models: ModelSet) -> None:
    graph, weights = graph_of(models, 110), Weights("moses")

    def updated(given: object) -> list[float]:
        found: list[float] = GraphRidge(size=3).update(given, graph, lambda _: 1.0).tolist()  # type: ignore[arg-type]
        return found

    assert updated(list(weights.values())) == list(weights.values())
    with pytest.raises(BadInputError, match=rf"14\] do not fit weights of shape \[{weights.vector().size}\]"):
        updated(weights.vector())
