"""Symmetrisation equals the same rules written down with sets, link by link in Moses' order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.symmetry import KINDS, symmetrise
from tests.oracles import symmetry as oracle

pytestmark = pytest.mark.kernels


@st.composite
def alignments(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    J, I = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    a = draw(st.lists(st.integers(0, I), min_size=J, max_size=J))
    b = draw(st.lists(st.integers(0, J), min_size=I, max_size=I))
    return a, b


@settings(deadline=None, max_examples=150)
@given(alignments(), st.sampled_from(list(KINDS)))
def test_links_equal_the_rules_with_sets(both: tuple[list[int], list[int]], kind: str) -> None:
    links = symmetrise(*both, kind)
    assert links.dtype == np.int32
    assert [tuple(link) for link in links.tolist()] == oracle.symmetrise(*both, kind)


@settings(deadline=None, max_examples=50)
@given(alignments())
def test_each_kind_lies_between_intersection_and_union(both: tuple[list[int], list[int]]) -> None:
    found = {kind: {tuple(link) for link in symmetrise(*both, kind).tolist()} for kind in KINDS}
    in_order = ["intersection", "grow-diag", "grow-diag-final-and", "union"]
    assert all(found[fewer] <= found[more] for fewer, more in pairwise(in_order))
    assert found["grow-diag"] <= found["grow-diag-final"] <= found["union"]


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
