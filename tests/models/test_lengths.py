"""The length model equals the normal distribution of the running update, and never says minus infinity."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import NormalDist, mean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.files import open_arrays, write_arrays
from dragoman.models.lengths import LengthModel
from dragoman.models.lengths_kernels import LEAST_DEVIATION, LEAST_PROBABILITY, RATIO, RATIO_DEVIATION

pytestmark = pytest.mark.kernels

Pairs = list[tuple[int, int]]
pairs = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 4)), max_size=12)


def model_of(chosen: Pairs, base: LengthModel | None = None) -> LengthModel:
    model = LengthModel(base)
    for J, I in chosen:
        model.add(J, I)
    return model


def test_a_translation_far_shorter_than_others_is_told_once_enough_are_known() -> None:
    model = model_of([(10, 12), (8, 10), (20, 23), (9, 9)] * 4)
    assert not model.is_short(20, 3)
    for base in (None, model_of([(10, 12), (8, 10), (20, 23), (9, 9)] * 5)):
        model = model_of([(10, 12), (8, 10), (20, 23), (9, 9)] * (1 if base else 5), base)
        assert model.is_short(20, 8)
        assert model.is_short(20, 0)
        assert not model.is_short(20, 15)
        assert not model.is_short(5, 1)


def running(values: list[int]) -> tuple[float, float]:
    """Mean and deviation by the update of [O] Eq. 10–13."""
    mu = s = 0.0
    for count, value in enumerate(values, 1):
        old = mu
        mu += (value - mu) / count
        s += (value - old) * (value - mu)
    return mu, math.sqrt(s / (len(values) - 1))


def expected(seen: Pairs, J: int, I: int) -> float:
    same = [j for j, i in seen if i == I]
    if len(same) >= 2:
        mu, sigma = running(same)
    else:
        ratios = [j / i for j, i in seen]
        mu = I * (mean(ratios) if ratios else RATIO)
        sigma = I * (stdev(ratios) if len(ratios) >= 2 else RATIO_DEVIATION)
    normal = NormalDist(mu, max(sigma, LEAST_DEVIATION))
    return math.log(max(normal.cdf(J + 0.5) - normal.cdf(J - 0.5), LEAST_PROBABILITY))


@settings(deadline=None, max_examples=100)
@given(pairs, pairs)
def test_scores_are_those_of_the_running_update_base_and_layer_together(below: Pairs, above: Pairs) -> None:
    model = model_of(above, model_of(below))
    for I in range(1, 6):
        for J in (1, 3, 7, 20):
            assert model.score(J, I) == pytest.approx(expected([*below, *above], J, I), rel=1e-3, abs=1e-3)


@settings(deadline=None, max_examples=50)
@given(pairs, st.data())
def test_what_is_taken_back_leaves_no_trace(added: Pairs, data: st.DataObject) -> None:
    model = model_of(added)
    for J, I in data.draw(st.permutations(added)):
        model.remove(J, I)
    assert len(model.table) == 0
    assert not model.pooled.any()
    assert not any(column.any() for column in model.table.columns.values())


@settings(deadline=None, max_examples=30)
@given(pairs, pairs)
def test_shards_merge_in_any_order(one: Pairs, two: Pairs) -> None:
    merged, reverse = model_of(one), model_of(two)
    merged.merge(model_of(two))
    reverse.merge(model_of(one))
    together = LengthModel()
    together.add([J for J, _ in one + two], [I for _, I in one + two])
    for model in (merged, reverse, together):
        model.compact()
    for name, array in together.arrays().items():
        np.testing.assert_array_equal(array, merged.arrays()[name], err_msg=name)
        np.testing.assert_array_equal(array, reverse.arrays()[name], err_msg=name)


def test_works_before_any_learning_and_for_any_length() -> None:
    model = LengthModel()
    for J, I in ((1, 1), (5, 0), (0, 5), (500, 1), (1, 10_000)):
        assert math.isfinite(model.score(J, I))
    assert model.score(10, 10) > model.score(5, 10) > model.score(1, 10)


def test_equal_lengths_do_not_rule_out_others() -> None:
    model = model_of([(7, 5), (7, 5)])
    assert model.score(7, 5) > model.score(8, 5) > model.score(9, 5) > math.log(LEAST_PROBABILITY)
    assert model.score(500, 5) == math.log(LEAST_PROBABILITY)


def test_saved_models_open_equal(tmp_path: Path) -> None:
    base = model_of([(5, 4), (6, 4), (9, 9)])
    layer = model_of([(5, 4), (2, 2)], base)
    write_arrays(tmp_path, layer.arrays(), {})
    opened = LengthModel.from_arrays(open_arrays(tmp_path)[0], base)
    for I in range(1, 10):
        assert opened.score(5, I) == layer.score(5, I)
    opened.remove(2, 2)
    layer.remove(2, 2)
    assert opened.score(3, 3) == layer.score(3, 3)


@pytest.mark.parametrize(("J", "I"), [(0, 1), (1, 0), (-1, 2), ([1, 2], [1])])
def test_empty_sides_are_refused_and_change_nothing(J: int, I: int) -> None:
    model = model_of([(5, 4)])
    before = {name: array.copy() for name, array in model.arrays().items()}
    for change in (model.add, model.remove):
        with pytest.raises(BadInputError, match="at least one word"):
            change(J, I)
    for name, array in model.arrays().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
