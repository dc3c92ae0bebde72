"""Symmetrisation equals the same rules written down with sets, link by link in Moses' order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.modelset import ModelSet
from dragoman.models.symmetry import KINDS, link_agreed, symmetrise
from dragoman.models.symmetry_kernels import THRESHOLD
from tests.oracles import symmetry as oracle

pytestmark = pytest.mark.kernels

HEURISTICS = [kind for kind in KINDS if kind != "posterior"]


@st.composite
def alignments(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    J, I = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    a = draw(st.lists(st.integers(0, I), min_size=J, max_size=J))
    b = draw(st.lists(st.integers(0, J), min_size=I, max_size=I))
    return a, b


@settings(deadline=None, max_examples=150)
@given(alignments(), st.sampled_from(HEURISTICS))
def test_links_equal_the_rules_with_sets(both: tuple[list[int], list[int]], kind: str) -> None:
    links = symmetrise(*both, kind)
    assert links.dtype == np.int32
    assert [tuple(link) for link in links.tolist()] == oracle.symmetrise(*both, kind)


@settings(deadline=None, max_examples=50)
@given(alignments())
def test_each_kind_lies_between_intersection_and_union(both: tuple[list[int], list[int]]) -> None:
    found = {kind: {tuple(link) for link in symmetrise(*both, kind).tolist()} for kind in HEURISTICS}
    in_order = ["intersection", "grow-diag", "grow-diag-final-and", "union"]
    assert all(found[fewer] <= found[more] for fewer, more in pairwise(in_order))
    assert found["grow-diag"] <= found["grow-diag-final"] <= found["union"]


@st.composite
def posteriors(draw: st.DrawFn) -> tuple[list[list[float]], list[list[float]]]:
    J, I = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    share = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    one = draw(st.lists(st.lists(share, min_size=I + 1, max_size=I + 1), min_size=J, max_size=J))
    other = draw(st.lists(st.lists(share, min_size=J + 1, max_size=J + 1), min_size=I, max_size=I))
    return one, other


@settings(deadline=None, max_examples=150)
@given(posteriors(), st.sampled_from([0.05, 0.1, 0.25, 0.5]))
def test_words_are_linked_where_the_product_of_posteriors_is_above_the_threshold(
    both: tuple[list[list[float]], list[list[float]]], threshold: float
) -> None:
    links = link_agreed(*both, threshold)
    assert links.dtype == np.int32
    assert [tuple(link) for link in links.tolist()] == oracle.agree(*both, threshold)


@settings(deadline=None, max_examples=150)
@given(posteriors(), st.data())
def test_words_without_a_link_are_linked_as_the_best_alignments_say(
    both: tuple[list[list[float]], list[list[float]]], data: st.DataObject
) -> None:
    J, I = len(both[0]), len(both[1])
    a = data.draw(st.lists(st.integers(0, I), min_size=J, max_size=J))
    b = data.draw(st.lists(st.integers(0, J), min_size=I, max_size=I))
    links = link_agreed(*both, 0.25, best=(a, b))
    assert [tuple(link) for link in links.tolist()] == oracle.complete(oracle.agree(*both, 0.25), a, b)


def learned(symmetrisation: str) -> ModelSet:
    models = ModelSet(symmetrisation=symmetrisation)
    for source, target in [("la casa verde", "the green house"), ("la mesa", "the table"), ("una casa", "a house")] * 2:
        models.add(source.split(), target.split())
    return models


@pytest.mark.parametrize("source", ["una mesa verde", "la casa", "la mesa nueva del jardín grande"])
@pytest.mark.parametrize("target", ["a green table", "the house", "the new table in the big garden"])
def test_a_model_set_links_words_by_the_posteriors_of_both_models(source: str, target: str) -> None:
    models, f, e = learned("posterior"), source.split(), target.split()
    inverse, direct = models.inverse.expectations(f, e), models.direct.expectations(e, f)
    agreed = oracle.agree(inverse.tolist(), direct.tolist(), THRESHOLD)
    best = models.inverse.viterbi(f, e), models.direct.viterbi(e, f)
    links = models.align(models.source.ids(f), models.target.ids(e))
    assert [tuple(link) for link in links.tolist()] == oracle.complete(agreed, *best)


def test_a_model_set_that_knows_nothing_links_words_as_its_best_alignments_say() -> None:
    models, words = ModelSet(), [str(n) for n in range(20)]
    ids = models.source.ids(words, add=True), models.target.ids(words, add=True)
    assert models.align(*ids).tolist() == [[n, n] for n in range(20)]


def test_a_model_set_may_still_symmetrise_viterbi_alignments() -> None:
    models, source, target = learned("grow-diag-final-and"), ["una", "mesa", "verde"], ["a", "green", "table"]
    links = models.align(models.source.ids(source), models.target.ids(target))
    best = models.inverse.viterbi(source, target), models.direct.viterbi(target, source)
    assert [tuple(link) for link in links.tolist()] == oracle.symmetrise(*best, "grow-diag-final-and")


def test_posteriors_of_different_sentences_are_refused() -> None:
    with pytest.raises(BadInputError, match="not of one sentence pair"):
        link_agreed([[0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(BadInputError, match="do not match"):
        link_agreed([[0.5, 0.5]], [[0.5, 0.5]], best=([1, 1], [1, 2]))


def test_alignments_have_no_posteriors() -> None:
    with pytest.raises(BadInputError, match="use link_agreed"):
        symmetrise([1], [1], "posterior")


def test_an_alignment_to_null_has_no_links() -> None:
    assert symmetrise([0, 0], [0]).shape == (0, 2)


def test_long_sentences_are_fine() -> None:
    positions = np.arange(1, 501)
    assert len(symmetrise(positions, positions)) == 500


@pytest.mark.parametrize(("a", "b"), [([3], [1, 1]), ([-1], [1]), ([1], [2]), ([[1]], [1])])
def test_positions_outside_the_sentence_are_refused(a: list[int], b: list[int]) -> None:
    with pytest.raises(BadInputError, match="must be from 0 to"):
        symmetrise(a, b)


def test_an_unknown_kind_is_refused_with_the_choice() -> None:
    with pytest.raises(BadInputError, match="choose one of intersection, union"):
        symmetrise([1], [1], "grow")
