"""The line search of MERT is exact: equal to trying every interval of the line, with exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.tune import mert_kernels as kernels
from dragoman.tune.mert import climb, line_search, mert
from tests.oracles import tuning as oracle
from tests.tune.support import MEASURES, measures, random_pool, seeds

pytestmark = pytest.mark.kernels

whole = st.integers(-5, 5)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(whole, whole), min_size=1, max_size=12))
def test_the_envelope_has_the_lines_that_are_highest_somewhere(lines: list[tuple[int, int]]) -> None:
    heights, slopes = ([line[part] for line in lines] for part in (0, 1))
    found, corners = kernels.envelope(np.array(heights, float), np.array(slopes, float))
    assert found.tolist() == oracle.envelope(heights, slopes)
    for left, right, corner in zip(found[:-1], found[1:], corners, strict=True):
        assert heights[left] + corner * slopes[left] == pytest.approx(heights[right] + corner * slopes[right])
    assert (np.diff(corners) > 0).all()


@settings(deadline=None, max_examples=100)
@given(measures, seeds, st.lists(whole, min_size=3, max_size=3), st.lists(whole, min_size=3, max_size=3))
def test_the_line_search_finds_what_a_sweep_of_the_whole_line_finds(
    measure: str, seed: int, weights: list[int], direction: list[int]
) -> None:
    pool = random_pool(MEASURES[measure], seed)
    found = line_search(pool, np.array(weights, float), np.array(direction, float))
    assert found.quality == pytest.approx(oracle.best_quality(pool, weights, direction))


@settings(deadline=None, max_examples=50)
@given(measures, seeds)
def test_the_weights_found_on_a_line_are_as_good_as_promised(measure: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    pool, weights, direction = random_pool(MEASURES[measure], seed), random.normal(0, 1, 3), random.normal(0, 1, 3)
    found = line_search(pool, weights, direction)
    assert pool.quality(weights + found.x * direction) == pytest.approx(found.quality)
    assert found.quality >= pool.quality(weights)


def test_of_equally_good_places_the_nearest_is_taken() -> None:
    pool = random_pool(MEASURES["wer"], 1)
    found = line_search(pool, np.ones(3), np.zeros(3))
    assert found.x == 0
    assert found.quality == pool.quality(np.ones(3))


@settings(deadline=None, max_examples=50)
@given(seeds, st.lists(whole, min_size=3, max_size=3))
def test_a_search_between_bounds_stays_there(seed: int, direction: list[int]) -> None:
    pool = random_pool(MEASURES["wer"], seed)
    assert 0 < line_search(pool, np.ones(3), np.array(direction, float), 0.0, 1.0).x < 1


@settings(deadline=None, max_examples=20)
@given(measures, seeds)
def test_no_single_direction_gains_after_a_climb(measure: str, seed: int) -> None:
    pool = random_pool(MEASURES[measure], seed)
    weights, quality = climb(pool, np.ones(3), np.random.default_rng(seed), directions=2)
    assert quality == pool.quality(weights) >= pool.quality(np.ones(3))
    for direction in np.eye(3):
        found = line_search(pool, weights, direction)
        assert pool.quality(weights + found.x * direction) <= quality + 1e-3


def test_restarts_do_not_depend_on_threads_but_on_the_seed() -> None:
    pool = random_pool(MEASURES["bleu"], 7, sentences=30)
    one, again, other = (mert(pool, np.ones(3), seed=seed) for seed in (1, 1, 2))
    assert one.tolist() == again.tolist()
    assert one.tolist() != other.tolist()
