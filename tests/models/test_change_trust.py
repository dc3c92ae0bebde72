"""Trust in a change is a lower bound from integer counts: exact to add and take back, no rule from one lucky time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models.evidence_kernels import CONTEXTS
from dragoman.models.trust import (
    BINS,
    HARMED,
    HELPED,
    LEFT_OUT,
    NEITHER,
    PRIOR,
    PUT_IN,
    REPLACED,
    SPREAD,
    UNIT,
    WIDTH,
    ChangeOutcome,
    ChangeTrust,
    Kind,
    bin_of,
    features,
    operation_of,
    shipped_weights,
)
from dragoman.upstream.changes import SURE, Proposal, decide
from tests.oracles.change_trust import posterior

CENTRES = [(place - BINS // 2 + 0.5) * WIDTH / UNIT for place in range(BINS)]
SAID = ("there", "were", "clashes", "in", "town")

outcomes = st.lists(
    st.builds(
        ChangeOutcome,
        st.integers(0, len(Kind) - 1),
        st.integers(0, 2),
        st.integers(0, BINS - 1),
        st.integers(0, NEITHER),
    ),
    max_size=40,
)


@settings(max_examples=15, deadline=None)
@given(*(st.lists(st.integers(0, 9), min_size=BINS, max_size=BINS) for _ in range(2)))
def test_the_shift_of_a_group_is_that_of_the_oracle(helped: list[int], harmed: list[int]) -> None:
    trust = ChangeTrust()
    for place in range(BINS):
        trust.add([ChangeOutcome(Kind.BOTH, REPLACED, place, HELPED)] * helped[place])
        trust.add([ChangeOutcome(Kind.BOTH, REPLACED, place, HARMED)] * harmed[place])
    mean, error = posterior(helped, harmed, CENTRES, PRIOR)
    assert trust.shift(Kind.BOTH, REPLACED) == pytest.approx((mean, error), abs=0.002)
    assert trust.bound(Kind.BOTH, REPLACED, 500) == pytest.approx(0.5 + mean - np.hypot(error, SPREAD), abs=0.003)


@settings(max_examples=40, deadline=None)
@given(outcomes, outcomes)
def test_what_was_added_is_taken_back_in_any_order_and_tables_sum(
    one: list[ChangeOutcome], other: list[ChangeOutcome]
) -> None:
    both, first, second = ChangeTrust(), ChangeTrust(), ChangeTrust()
    first.add(one)
    second.add(other)
    both.add([*other, *one])
    assert np.array_equal(both.counts, first.counts + second.counts)
    summed = ChangeTrust(first.counts + second.counts)
    assert summed.bound(Kind.LEARNED, LEFT_OUT, 700) == both.bound(Kind.LEARNED, LEFT_OUT, 700)
    both.add(reversed(other), -1)
    assert np.array_equal(both.counts, first.counts)
    assert both.bound(Kind.LEARNED, LEFT_OUT, 700) == first.bound(Kind.LEARNED, LEFT_OUT, 700)
    again = ChangeTrust.from_arrays(both.arrays())
    assert np.array_equal(again.counts, both.counts)


def test_a_lucky_first_time_is_not_a_rule() -> None:
    trust, score = ChangeTrust(), 300
    bounds = [trust.bound(Kind.LEARNED, REPLACED, score)]
    for _ in range(40):
        trust.add([ChangeOutcome(Kind.LEARNED, REPLACED, bin_of(score), HELPED)])
        bounds.append(trust.bound(Kind.LEARNED, REPLACED, score))
    assert bounds[1] < 0 < bounds[-1]
    assert bounds == sorted(bounds)
    assert trust.probability(Kind.LEARNED, REPLACED, score) > 0.5
    assert trust.shift(Kind.LEARNED, LEFT_OUT) == (0, PRIOR)  # another operation has its own experience
    assert trust.bound(Kind.LEARNED, LEFT_OUT, score) < bounds[0]  # and needs more of it


def test_what_makes_no_difference_neither_speaks_for_a_change_nor_against_it() -> None:
    trust = ChangeTrust()
    before = trust.bound(Kind.BOTH, PUT_IN, 900)
    trust.add([ChangeOutcome(Kind.BOTH, PUT_IN, bin_of(900), NEITHER)] * 30)
    assert trust.bound(Kind.BOTH, PUT_IN, 900) == before


def test_a_sure_change_is_made_until_such_changes_harm() -> None:
    trust = ChangeTrust()
    assert trust.bound(Kind.SURE, REPLACED, SURE) > 0
    trust.add([ChangeOutcome(Kind.SURE, REPLACED, bin_of(SURE), HARMED)])
    assert trust.bound(Kind.SURE, REPLACED, SURE) > 0
    trust.add([ChangeOutcome(Kind.SURE, REPLACED, bin_of(SURE), HARMED)] * 4)
    assert trust.bound(Kind.SURE, REPLACED, SURE) < 0


def test_operations() -> None:
    assert operation_of(["a"], []) == LEFT_OUT
    assert operation_of([], ["a"]) == PUT_IN
    assert operation_of(["a"], ["b"]) == REPLACED


def proposal(begin: int, stop: int, bound: float, kind: Kind = Kind.LEARNED) -> Proposal:
    counts = np.zeros((CONTEXTS, 3), np.int64)
    return Proposal(begin, stop, ("x",), kind, counts, None, round(UNIT * bound), 0.9, bound)


def test_the_bound_decides_and_the_surest_of_two_that_overlap_is_made() -> None:
    proposals = [proposal(0, 2, 0.5), proposal(1, 3, 0.9), proposal(3, 4, -0.1), proposal(4, 5, 0.01)]
    assert [each.used for each in decide(proposals, SAID)] == [False, True, False, True]


def test_changes_in_force_come_first_but_need_a_bound_above_0_too() -> None:
    proposals = [proposal(0, 2, 0.1, Kind.IN_FORCE), proposal(1, 3, 0.9), proposal(3, 4, -0.1, Kind.IN_FORCE)]
    assert [each.used for each in decide(proposals, SAID)] == [True, False, False]


def test_how_long_ago_a_change_was_made_is_a_feature_with_a_weight() -> None:
    counts = np.ones((CONTEXTS, 3), np.int64)
    new, old = (set(features(counts, ["a"], ["b"], Kind.LEARNED, age)) for age in (1, 900))
    assert (new - old, old - new) == ({"age 0 1"}, {"age 5 1"})
    assert "age - 1" in features(counts, ["a"], ["b"], Kind.LEARNED)
    assert any(name.startswith("age ") for name in shipped_weights())
