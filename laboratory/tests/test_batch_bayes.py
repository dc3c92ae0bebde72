"""Batch Bayesian predictive adaptation: sampling, likelihood, choice."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman.adapt.sampling import heuristic, log_prior
from dragoman.errors import BadInputError
from dragoman_laboratory.batch_bayes import Likelihood, adapt
from dragoman_laboratory.markov_chain import effective_size, metropolis
from tests.oracles import adaptation as oracle

pytestmark = pytest.mark.kernels

Floats = NDArray[np.float64]


def data(seed: int, sentences: int = 30) -> tuple[list[Floats], list[int], Floats]:
    random = np.random.default_rng(seed)
    true = np.array([0.6, -0.3, 0.1])
    lists = [random.normal(0, 4, (random.integers(1, 20), 3)) for _ in range(sentences)]
    return lists, [int(np.argmax(rows @ true)) for rows in lists], true


def test_a_chain_recovers_mean_and_variance_of_a_gaussian() -> None:
    mean, deviation = np.array([1.0, -2.0]), np.array([0.5, 2.0])

    def log_target(x: Floats) -> float:
        return float(-(((x - mean) / deviation) ** 2).sum() / 2)

    chain = metropolis(log_target, np.zeros(2), variance=1.0, count=60_000, burn_in=1_000)
    assert 0.2 < chain.acceptance < 0.9
    assert (chain.effective > 500).all()
    error = 5 / np.sqrt(chain.effective)  # standard errors of the mean, in deviations
    assert (np.abs(chain.samples.mean(axis=0) - mean) < error * deviation).all()
    assert np.allclose(chain.samples.std(axis=0), deviation, rtol=0.1)


def test_effective_size_of_chains_that_are_known() -> None:
    random = np.random.default_rng(3)
    values = [0.0]
    for step in random.normal(size=20_000):  # an autoregression: n (1 − ρ) / (1 + ρ)
        values.append(0.8 * values[-1] + step)
    assert effective_size(np.array(values)) == pytest.approx(20_000 * 0.2 / 1.8, rel=0.2)
    assert effective_size(np.ones(100)) == 1


def test_heuristic_samples_perturb_one_component_each() -> None:
    centre = np.array([2.0, 1.0, 1.0])
    samples = heuristic(centre, 6, seed=4)
    expected = oracle.samples_around(centre.tolist(), np.random.RandomState(4).uniform(-0.5, 0.5, 6).tolist())
    assert np.allclose(samples, expected)
    assert np.allclose(np.abs(samples).sum(axis=1), 1)
    assert log_prior(samples, centre, 0.1)[0] == 0


def test_likelihood_is_that_of_the_formula() -> None:
    lists, best, true = data(1)
    samples = np.array([true, true[::-1]])
    expected = [
        sum(oracle.log_probability(weights, rows.tolist(), n) for rows, n in zip(lists, best, strict=True))
        for weights in samples.tolist()
    ]
    assert Likelihood(lists, best)(samples).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("sampling", ["heuristic", "metropolis"])
@pytest.mark.parametrize("viterbi", [False, True])
def test_adapting_finds_better_entries(sampling: str, viterbi: bool) -> None:
    lists, best, true = data(2, 80)
    start = np.array([0.4, 0.4, 0.2])
    adapted = adapt(start, lists, best, sampling=sampling, viterbi=viterbi, samples=600, delta=10.0)  # type: ignore[arg-type]
    fresh, right, _ = data(3, 100)

    def hits(choose: object) -> int:
        return sum(choose(rows) == n for rows, n in zip(fresh, right, strict=True))  # type: ignore[operator]

    assert hits(adapted.rerank) > hits(lambda rows: int(np.argmax(rows @ start)))
    assert adapted.mean() @ true > start @ true
    if sampling == "metropolis":
        assert adapted.effective is not None
        assert 0 < adapted.acceptance < 1


def test_the_sum_and_the_best_term_are_those_of_the_formula() -> None:
    lists, best, _ = data(5, 6)
    start = np.array([0.4, 0.4, 0.2])
    rows = data(6, 1)[0][0]
    seen = [(each.tolist(), n) for each, n in zip(lists, best, strict=True)]
    adapted = adapt(start, lists, best, sampling="heuristic", samples=5, delta=3.0, variance=0.1)
    scores = oracle.bayes_scores(adapted.samples.tolist(), seen, rows.tolist(), 3.0, 0.1)
    assert scores[adapted.rerank(rows)] == pytest.approx(max(scores))


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInputError, match="do not go with"):
        adapt(np.ones(2), [], [])
    with pytest.raises(BadInputError, match="choose one of heuristic, metropolis"):
        adapt(np.ones(2), [np.ones((1, 2))], [0], sampling="gibbs")  # type: ignore[arg-type]
    for wrong in (-1, 1):
        with pytest.raises(BadInputError, match=f"the best entry of list 2 is {wrong}, of 1; count from 0"):
            adapt(np.ones(2), [np.ones((3, 2)), np.ones((1, 2))], [2, wrong])
    with pytest.raises(BadInputError, match=r"features of shape \[1, 2\] do not fit weights of shape \[3\]"):
        adapt(np.ones(3), [np.ones((1, 2))], [0])
    with pytest.raises(BadInputError, match="is nan, not a finite number"):
        adapt(np.ones(2), [np.full((1, 2), np.nan)], [0])
    with pytest.raises(BadInputError, match="must be above 0"):
        adapt(np.ones(2), [np.ones((1, 2))], [0], delta=0)
    with pytest.raises(BadInputError, match="at least one sample"):
        metropolis(lambda _: 0.0, np.ones(1), count=0)
    assert math.isfinite(Likelihood([np.zeros((1, 2))], [0])(np.ones((1, 2)))[0])
