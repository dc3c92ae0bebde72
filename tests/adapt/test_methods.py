"""Every update is the one of its formula, transcribed in tests/oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dragoman.adapt import Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.adapt import bayes_kernels as kernels
from dragoman.adapt.ridge import dual, primal, regress
from tests.oracles import adaptation as oracle

pytestmark = pytest.mark.kernels

Floats = NDArray[np.float64]


@st.composite
def lists(draw: st.DrawFn) -> tuple[Floats, Floats, Floats]:
    """Weights, features and losses, with equal entries among them."""
    M, N = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    features = random.normal(0, 2, (N, M)).round(1)
    if draw(st.booleans()):
        features[-1] = features[0]
    return random.normal(0, 1, M), features, random.choice([0.0, 0.1, 0.25, 0.5, 1.0], N)


@settings(deadline=None, max_examples=100)
@given(lists(), st.sampled_from([0.01, 0.5, 1.0]), st.sampled_from([0.1, math.inf]), st.booleans(), st.booleans())
def test_passive_aggressive(
    sample: tuple[Floats, Floats, Floats], alpha: float, C: float, heuristic: bool, printed: bool
) -> None:
    adapter = PassiveAggressive(alpha=alpha, C=C, heuristic=heuristic, printed=printed)
    weights, features, losses = (array.tolist() for array in sample)
    expected = oracle.passive_aggressive(weights, features, losses, alpha, C, heuristic, printed)
    assert np.allclose(adapter.update(*sample), expected)


@settings(deadline=None, max_examples=100)
@given(lists())
def test_passive_aggressive_meets_its_constraint_exactly(sample: tuple[Floats, Floats, Floats]) -> None:
    weights, features, losses = sample
    best = int(np.argmin(losses))
    phi, margin = features[best] - features[0], math.sqrt(losses[0] - losses[best])
    after = PassiveAggressive(alpha=1.0).update(weights, features, losses)
    if weights @ phi >= margin or not phi.any():
        assert np.array_equal(after, weights)
    else:
        assert after @ phi == pytest.approx(margin)
        step = after - weights
        assert step @ phi == pytest.approx(np.linalg.norm(step) * np.linalg.norm(phi))  # straight, no further


@settings(deadline=None, max_examples=50)
@given(lists(), st.sampled_from([0.01, 1.0]))
def test_perceptron(sample: tuple[Floats, Floats, Floats], alpha: float) -> None:
    weights, features, losses = (array.tolist() for array in sample)
    expected = oracle.perceptron(weights, features, losses, alpha)
    assert np.allclose(Perceptron(alpha=alpha).update(*sample), expected)


@settings(deadline=None, max_examples=50)
@given(lists(), st.sampled_from([0.01, 1.0]), st.sampled_from([0.01, 3.0]))
def test_ridge_is_what_numpy_solves(sample: tuple[Floats, Floats, Floats], alpha: float, beta: float) -> None:
    weights, features, losses = sample
    R = features[np.argmin(losses)] - features
    solved = np.linalg.solve(R.T @ R + beta * np.eye(weights.size), R.T @ (losses - losses.min()))
    after = Ridge(alpha=alpha, beta=beta).update(weights, features, losses)
    expected = (1 - alpha) * weights + alpha * solved if np.ptp(losses) else weights
    assert np.allclose(after, expected)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32))
def test_dual_form_is_primal_form(N: int, K: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    R, losses = random.normal(size=(N, K)), random.uniform(size=N)
    R[:, random.uniform(size=K) < 0.3] = 0
    assert np.allclose(dual(R, losses, 0.1), primal(R, losses, 0.1))
    assert np.allclose(regress(R, losses, 0.1), primal(R, losses, 0.1))
    assert not regress(R, losses, 0.1)[~R.any(axis=0)].any()


def test_parameters_that_a_list_says_nothing_about_decay_unless_only_touched_ones_are_updated() -> None:
    features, losses = np.array([[2.0, 2.0, 0.0], [1.0, 2.0, 0.0]]), np.array([0.5, 0.0])
    for adapter in (Perceptron(alpha=0.1), Ridge(alpha=0.1), PassiveAggressive(alpha=0.1, printed=True)):
        after = adapter.update_touched(np.ones(3), features, losses)
        assert after[0] != 1
        assert after[1:].tolist() == [1, 1]
        assert np.allclose(adapter.update(np.ones(3), features, losses)[1:], 0.9)
        assert adapter.remains == pytest.approx(0.9)


def test_the_closest_weights_leave_what_a_list_says_nothing_about() -> None:
    features, losses = np.array([[2.0, 2.0, 0.0], [1.0, 2.0, 0.0]]), np.array([0.5, 0.0])
    adapter = PassiveAggressive(alpha=0.1)
    assert adapter.update(np.ones(3), features, losses)[1:].tolist() == [1, 1]
    assert adapter.remains == 1


@pytest.mark.parametrize("N", [3, 40])
def test_what_all_entries_have_alike_is_not_touched_by_ridge_regression(N: int) -> None:
    random = np.random.default_rng(N)
    R, losses = random.normal(size=(N, 12)), random.uniform(size=N)
    R[:, [2, 7, 11]] = 0
    assert np.flatnonzero(regress(R, losses, 0.01) == 0).tolist() == [2, 7, 11]


# ── Bayes ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from([1.0, 20.0]), st.integers(1, 4))
def test_bayes_chooses_as_its_formula_does(seed: int, delta: float, window: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.normal(size=3)
    adapter = Bayes(samples=7, window=window, delta=delta, variance=0.2, seed=5)
    samples = oracle.samples_around(weights.tolist(), np.random.RandomState(5).uniform(-0.5, 0.5, 7).tolist())
    assert np.allclose(adapter.drawn(weights), samples)
    seen: list[tuple[list[list[float]], int]] = []
    for _ in range(6):
        features, losses = random.normal(0, 3, (5, 3)), random.uniform(size=5)
        scores = oracle.bayes_scores(samples, seen[-window:], features.tolist(), delta, 0.2)
        assert scores[adapter.rerank(weights, features)] == pytest.approx(max(scores))
        adapter.update(weights, features, losses)
        seen.append((features.tolist(), int(np.argmin(losses))))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 8), st.integers(0, 12))
def test_the_running_product_is_the_product_over_the_window(seed: int, window: int, sentences: int) -> None:
    random = np.random.default_rng(seed)
    adapter, weights = Bayes(samples=5, window=window), random.normal(size=2)
    seen = []
    for _ in range(sentences):
        features, losses = random.normal(size=(4, 2)), random.uniform(size=4)
        adapter.update(weights, features, losses)
        seen.append((features.tolist(), int(np.argmin(losses))))
    for sample, total in zip(adapter.drawn(weights).tolist(), adapter._total * 2.0**-32, strict=True):
        expected = sum(oracle.log_probability(sample, rows, best) for rows, best in seen[-window:])
        assert total == pytest.approx(expected, abs=1e-8)


def test_the_posterior_mean_goes_where_the_evidence_is() -> None:
    random = np.random.default_rng(1)
    true, weights = np.array([0.8, -0.1, 0.1]), np.array([1.0, 1.0, 1.0])
    adapter = Bayes(samples=600, delta=1.0)
    for _ in range(60):
        features = random.normal(0, 5, (30, 3))
        adapter.update(weights, features, -(features @ true))
    mean = adapter.mean()

    def angle(a: Floats) -> float:
        return float(a @ true / np.linalg.norm(a) / np.linalg.norm(true))

    assert angle(mean) > angle(weights)
    assert np.abs(mean).sum() <= np.abs(weights).sum() + 1e-9


def test_a_sentence_that_is_forgotten_leaves_the_window_exactly() -> None:
    random = np.random.default_rng(2)
    adapter, other, weights = Bayes(samples=9), Bayes(samples=9), np.ones(3)
    forgotten = adapter.addition()
    for n in range(5):
        sample = random.normal(size=(6, 3)), random.uniform(size=6)
        adapter.update(weights, *sample)
        if n == 2:
            forgotten = adapter.addition()
        else:
            other.update(weights, *sample)
    adapter.retract(forgotten)
    assert np.array_equal(adapter._total, other._total)
    assert np.array_equal(adapter.mean(), other.mean())
    adapter.retract(forgotten)  # it is not there any more
    assert np.array_equal(adapter._total, other._total)


@pytest.mark.parametrize("N", [1, 2, 3, 7, 64, 1001])
def test_sums_and_maxima_of_many_values(N: int) -> None:
    values = np.random.default_rng(N).uniform(-700, 0, N)
    assert kernels.greatest(values.copy()) == values.max()
    assert kernels.sum_of(values.copy()) == pytest.approx(values.sum())


def test_bayes_is_stable_in_logarithms() -> None:
    adapter, weights = Bayes(delta=1.0), np.ones(2)
    features = np.array([[-1e5, 0.0], [0.0, -1e5], [-5e4, -5e4]])
    for _ in range(150):
        adapter.update(weights, features, np.array([1.0, 0.0, 0.5]))
    assert np.isfinite(adapter.mean()).all()
    assert adapter.rerank(weights, features) in (0, 1, 2)


@pytest.mark.parametrize("entries", [2, 9])
def test_a_beta_too_small_to_be_noticed_is_no_error(entries: int) -> None:
    features = np.zeros((entries, 4))
    features[:, 0] = np.arange(entries)
    found = Ridge(beta=1e-300, alpha=1.0).update(np.ones(4), features, np.arange(entries)[::-1])
    assert found == pytest.approx([1.0, 0.0, 0.0, 0.0])


def test_weights_stay_within_what_scores_can_bear() -> None:
    features = np.array([[0.0, 1.0], [1e-100, 1.0]])
    found = PassiveAggressive(alpha=1.0).update(np.ones(2), features, [1.0, 0.0])
    assert np.abs(found).max() <= 1_000_000
