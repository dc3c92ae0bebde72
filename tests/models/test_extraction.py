"""Extraction equals looking at every pair of spans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models import extraction_kernels as kernels
from dragoman.models.contribution import extract
from tests.oracles import extraction as oracle

pytestmark = pytest.mark.kernels


@st.composite
def linked(draw: st.DrawFn) -> tuple[list[tuple[int, int]], int, int]:
    J, I = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    link = st.tuples(st.integers(0, J - 1), st.integers(0, I - 1))
    return draw(st.lists(link, max_size=9)), J, I


@settings(deadline=None, max_examples=200)
@given(linked(), st.integers(1, 7))
def test_phrase_pairs_equal_all_consistent_boxes(pair: tuple[list[tuple[int, int]], int, int], longest: int) -> None:
    found = extract(*pair, longest)
    assert len(found) == len({(p.source, p.target) for p in found})
    assert {(p.source, p.target): (p.previous, p.next) for p in found} == oracle.extract(*pair, longest)


@settings(deadline=None, max_examples=50)
@given(st.lists(linked(), max_size=4))
def test_many_sentences_at_once_equal_one_at_a_time(samples: list[tuple[list[tuple[int, int]], int, int]]) -> None:
    links = np.array([link for sample in samples for link in sample[0]], np.int32).reshape(-1, 2)
    link_ends, source_ends, target_ends = (
        np.cumsum(np.array(sizes, np.int64))
        for sizes in ([len(s[0]) for s in samples], [s[1] for s in samples], [s[2] for s in samples])
    )
    spans, ends = kernels.extract_many(links, link_ends, source_ends, target_ends, 7)
    together = [part[:, :4].tolist() for part in np.split(spans, ends[:-1])] if samples else []
    assert together == [[[*p.source, *p.target] for p in extract(*sample)] for sample in samples]


def test_a_single_link_takes_unlinked_words_along() -> None:
    pairs = {(p.source, p.target) for p in extract([[1, 0]], 3, 2)}
    assert pairs == {((s, e), (0, i)) for s in (0, 1) for e in (2, 3) for i in (1, 2)}


def test_no_link_no_phrase_pairs() -> None:
    assert extract([], 5, 5) == []


def test_room_grows_with_the_phrase_pairs() -> None:
    assert len(extract([[10, 10]], 20, 20)) == 28 * 28  # spans of up to 7 words that hold a given word: 1 + 2 + … + 7


def test_long_sentences_are_fine() -> None:
    diagonal = np.stack([np.arange(500), np.arange(500)], axis=1)
    assert len(extract(diagonal, 500, 500)) == sum(500 - n for n in range(7))


@pytest.mark.parametrize("link", [[-1, 0], [0, -1], [2, 0], [0, 3]])
def test_links_outside_the_sentences_are_refused(link: list[int]) -> None:
    with pytest.raises(BadInputError, match="outside a sentence pair of 2 and 3 words"):
        extract([link], 2, 3)
