"""Reordering scores are smoothed relative frequencies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models.reordering import reordering_scores

pytestmark = pytest.mark.kernels

counts = st.lists(st.integers(0, 50), min_size=6, max_size=6).map(lambda numbers: np.array(numbers).reshape(2, 3))


@settings(deadline=None, max_examples=50)
@given(counts, counts)
def test_scores_equal_the_formula_and_sum_to_one(pair: np.ndarray, totals: np.ndarray) -> None:
    scores = reordering_scores(pair, totals)
    overall = (totals + np.array([8, 1, 1])) / (totals.sum(axis=1, keepdims=True) + 10)
    expected = (pair + 0.5 * overall) / (pair.sum(axis=1, keepdims=True) + 0.5)
    np.testing.assert_allclose(np.exp(scores), expected, rtol=1e-12)
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1.0, rtol=1e-12)


def test_before_any_learning_phrases_are_taken_to_go_on_side_by_side() -> None:
    scores = np.exp(reordering_scores(np.zeros((2, 3)), np.zeros((2, 3))))
    np.testing.assert_allclose(scores, [[0.8, 0.1, 0.1]] * 2)
