"""What holds for every tuner: it never makes the pool worse, it learns what can be learned, and it is repeatable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from dragoman import extras
from dragoman.errors import BadInputError
from dragoman.measure import Wer
from dragoman.tune import METHODS, Pool, mira
from dragoman.tune.pool import rescaled
from tests.tune.support import MEASURES, measures, random_pool, seeds, separable_pool

pytestmark = pytest.mark.kernels

START = np.array([1.0, 0.5, -0.5])


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None, max_examples=15)
@given(measures, seeds)
def test_a_tuner_never_makes_the_pool_worse(method: str, measure: str, seed: int) -> None:
    pool = random_pool(MEASURES[measure], seed)
    found = METHODS[method](pool, START, seed=seed)
    assert pool.quality(found) >= pool.quality(START) - 1e-9
    assert np.isfinite(found).all()
    assert np.abs(found).sum() == pytest.approx(np.abs(START).sum())


@pytest.mark.parametrize("method", METHODS)
def test_a_tuner_makes_a_pool_better(method: str) -> None:
    pool = separable_pool(np.array([0.6, 0.3, -0.8]))
    found = METHODS[method](pool, np.array([0.5, 0.5, 0.5]), seed=1)
    assert pool.quality(found) > pool.quality(np.array([0.5, 0.5, 0.5])) + 5


@pytest.mark.parametrize("method", ["mira", "pro"])
def test_ranking_recovers_the_direction_that_orders_the_hypotheses(method: str) -> None:
    direction = np.array([0.7, -0.2, 0.4, 0.1])
    found = METHODS[method](separable_pool(direction), np.ones(4), seed=3)
    cosine = found @ direction / np.linalg.norm(found) / np.linalg.norm(direction)
    assert cosine > 0.95


def test_mira_does_not_depend_on_the_unit_of_a_feature() -> None:
    pool, start = separable_pool(np.array([0.6, 0.3, -0.8])), np.array([0.5, 0.5, 0.5])
    units = np.array([64.0, 0.125, 0.125])  # their product is 1, so the features are as large as before on the whole
    other = Pool(pool.measure)
    other.add([rows * units for rows in pool.features], pool.statistics)
    found, again = mira(pool, start), mira(other, start / units)
    assert pool.choose(found).tolist() == other.choose(again).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_weights_and_nothing_is_changed(method: str) -> None:
    pool, start = random_pool(MEASURES["bleu"], 11, sentences=20), START.copy()
    once, again = (METHODS[method](pool, start, seed=5) for _ in range(2))
    assert once.tolist() == again.tolist()
    assert start.tolist() == START.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_lists_of_one_and_a_single_sentence_leave_nothing_to_choose(method: str) -> None:
    pool = Pool(MEASURES["bleu"])
    pool.add([np.ones((1, 3))], [np.ones((1, 10))])
    assert pool.quality(METHODS[method](pool, START, seed=1)) == pool.quality(START)


def test_a_pool_keeps_what_is_new() -> None:
    pool = Pool(Wer())
    rows = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[2.0, 2.0]])]
    counts = [np.array([[1, 2], [0, 2]]), np.array([[3, 3]])]
    assert pool.add(rows, counts) == 3
    assert pool.add(rows, counts) == 0
    assert pool.add([rows[0][1:] * 2, rows[1]], [counts[0][1:], counts[1]]) == 1
    assert [len(each) for each in pool.features] == [3, 1]
    assert pool.quality(np.array([0.0, 1.0])) == -100 * 3 / 5
    assert pool.choose(np.array([1.0, 0.1])).tolist() == [0, 0]


def test_bad_lists_are_refused() -> None:
    pool = Pool(Wer())
    with pytest.raises(BadInputError, match="the pool is empty"):
        pool.quality(np.ones(2))
    with pytest.raises(BadInputError, match="sentence 2 has features that are not finite"):
        pool.add([np.ones((1, 2)), np.array([[1.0, np.nan]])], [np.ones((1, 2))] * 2)
    with pytest.raises(BadInputError, match="n-best list of sentence 1 has 0 features"):
        pool.add([np.ones((0, 2))], [np.ones((0, 2))])
    pool.add([np.ones((1, 2))], [np.ones((1, 2))])
    with pytest.raises(BadInputError, match=r"2 n-best lists .* for a pool of 1 sentences"):
        pool.add([np.ones((1, 2))] * 2, [np.ones((1, 2))] * 2)


def test_weights_of_zero_cannot_be_rescaled() -> None:
    assert rescaled(np.zeros(2), like=np.ones(2)).tolist() == [0, 0]
    assert rescaled(np.ones(2), like=np.zeros(2)).tolist() == [1, 1]


def test_joined_pools_hold_the_sentences_of_both() -> None:
    one, other = (random_pool(MEASURES["ter"], seed) for seed in (1, 2))
    joined = one.joined(other)
    assert len(joined) == len(one) + len(other)
    assert joined.size == one.size + other.size


def test_a_library_that_is_missing_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", missing)
    with pytest.raises(BadInputError, match=r"needs scipy; install it with: pip install 'dragoman\[tune\]'"):
        METHODS["simplex"](random_pool(MEASURES["wer"], 1), START, seed=1)
