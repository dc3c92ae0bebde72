"""Evidence of changes equals a slow count, in every context; what is added and taken back leaves nothing behind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models.evidence import AnswerChange, Evidence, find_changes, is_worth_proposing
from tests.oracles.evidence import Corrected, evidence

pytestmark = pytest.mark.kernels

CONTEXTS = ("piece", "source", "left", "right", "both", "wide")
words = st.lists(st.integers(4, 7), min_size=1, max_size=7)  # lower ids are of no words


@st.composite
def corrections(draw: st.DrawFn) -> tuple[Corrected, list[int]]:
    source, answer, right = draw(words), draw(words), draw(words)
    cells = [(j, i) for j in range(len(source)) for i in range(len(answer))]
    links = frozenset(draw(st.lists(st.sampled_from(cells), max_size=8)))
    changes = [(each.begin, each.stop, each.words) for each in find_changes(answer, right)]
    return Corrected(source, answer, links, changes), right


def count(found: Evidence, each: tuple[Corrected, list[int]], sign: int = 1, when: int = 0) -> None:
    given_, right = each
    found.count(np.array(given_.source), np.array(given_.answer), linked(given_), np.array(right), sign, when=when)


def linked(each: Corrected) -> np.ndarray:
    matrix = np.zeros((len(each.source), len(each.answer)), np.bool_)
    for j, i in each.links:
        matrix[j, i] = True
    return matrix


@settings(max_examples=60, deadline=None)
@given(st.lists(corrections(), min_size=1, max_size=4), corrections())
def test_counts_are_those_of_the_oracle(
    history: list[tuple[Corrected, list[int]]], now: tuple[Corrected, list[int]]
) -> None:
    found = Evidence()
    for each in history:
        count(found, each)
    current = now[0]
    changes = [*(AnswerChange(*each) for each in current.changes), *found.propose(np.array(current.answer))]
    table = found.find(np.array(current.source), np.array(current.answer), linked(current), changes)
    old = [each for each, _ in history]
    for change, rows in zip(changes, table.tolist(), strict=True):
        assert rows == [evidence(old, current, name, change) for name in CONTEXTS]


@settings(max_examples=40, deadline=None)
@given(st.lists(corrections(), max_size=3), st.lists(corrections(), min_size=1, max_size=3))
def test_taking_back_what_was_counted_restores_everything(
    first: list[tuple[Corrected, list[int]]], then: list[tuple[Corrected, list[int]]]
) -> None:
    found, again = Evidence(), Evidence()
    for each in first:
        count(found, each)
        count(again, each)
    for when, each in enumerate(then):
        count(found, each, when=when)
    for when, each in enumerate(then):
        count(found, each, -1, when)
    assert {key: array.tolist() for key, array in found.table.contents().items()} == {
        key: array.tolist() for key, array in again.table.contents().items()
    }
    for name in ("counts", "times", "ends", "words"):
        assert found.arrays()[name].tolist() == again.arrays()[name].tolist()


@settings(max_examples=20, deadline=None)
@given(st.lists(corrections(), max_size=3), words)
def test_what_is_saved_is_restored(history: list[tuple[Corrected, list[int]]], answer: list[int]) -> None:
    found = Evidence()
    for when, each in enumerate(history):
        count(found, each, when=when)
    again = Evidence.from_arrays(found.arrays())
    assert again.propose(np.array(answer)) == found.propose(np.array(answer))
    assert all(np.array_equal(again.arrays()[name], array) for name, array in found.arrays().items())


def test_changes_are_maximal_stretches() -> None:
    assert find_changes(["a", "b", "c", "d", "e"], ["a", "x", "y", "d", "e", "f"]) == [
        AnswerChange(1, 3, ("x", "y")),
        AnswerChange(5, 5, ("f",)),
    ]


def test_a_change_is_as_old_as_the_newest_correction_that_made_it() -> None:
    found, links = Evidence(), np.eye(2, dtype=np.bool_)
    source, answer, right = np.array([4, 5]), np.array([6, 7]), np.array([6, 8])
    change = AnswerChange(1, 2, (8,))
    assert found.age(answer, change, 9) is None
    for when in (5, 2):  # a replay of two shards may bring them in any order
        found.count(source, answer, links, right, when=when)
    assert found.age(answer, change, 9) == 4
    found.count(source, answer, links, right, -1, when=5)
    assert found.age(answer, change, 9) == 7


def test_a_rare_change_of_a_frequent_word_is_proposed_only_in_its_context() -> None:
    nowhere, beside = np.zeros((6, 3), np.int64), np.zeros((6, 3), np.int64)
    nowhere[0] = beside[0] = 1, 20, 60
    beside[2] = 1, 0, 0
    assert not is_worth_proposing(nowhere)
    assert is_worth_proposing(beside)
