"""A contribution goes into few bytes and comes out the same; damaged bytes are refused."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import DamagedFileError
from dragoman.models import alignment, contribution_kernels
from dragoman.models.alignment_kernels import MAX_SENTENCE_WORDS, POSITION_BITS, jump_key
from dragoman.models.contribution import Contribution
from dragoman.models.contribution_kernels import PACKED_POSITION_BITS
from dragoman.models.modelset import ModelSet

pytestmark = pytest.mark.kernels

position = st.integers(0, 500)
ids = st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=5).map(lambda words: np.array(words, np.int64))


def rows(width: int) -> st.SearchStrategy[np.ndarray]:
    units = st.integers(0, 2**31 - 1)
    row = st.tuples(position, position, units) if width == 3 else st.tuples(position, position)
    return st.lists(row, max_size=6).map(lambda found: np.array(found, np.int32).reshape(-1, width))


models = st.builds(alignment.AlignmentContribution, rows(3), rows(3))
contributions = st.builds(Contribution, ids, ids, rows(2), models, models)


def parts(contribution: Contribution) -> list[np.ndarray]:
    one = contribution
    return [one.source, one.target, one.links, *one.inverse, *one.direct]


def plain(contribution: Contribution) -> bytes:
    """The form of the journal's first version."""
    sizes = np.array([len(part) for part in parts(contribution)])
    return b"".join(np.ascontiguousarray(part, "<i4").tobytes() for part in (sizes, *parts(contribution)))


@given(contributions)
@settings(deadline=None, max_examples=60)
def test_it_comes_back_the_same_from_either_form(contribution: Contribution) -> None:
    for data in (contribution.to_bytes(), plain(contribution)):
        for before, after in zip(parts(contribution), parts(Contribution.from_bytes(data)), strict=True):
            assert before.dtype == after.dtype
            assert np.array_equal(before, after)


@given(contributions, st.data())
@settings(deadline=None, max_examples=60)
def test_what_is_cut_short_is_refused(contribution: Contribution, data: st.DataObject) -> None:
    for code in (contribution.to_bytes(), plain(contribution)):
        with pytest.raises(DamagedFileError):
            Contribution.from_bytes(code[: data.draw(st.integers(0, len(code) - 1))])


@given(st.binary(max_size=60))
@settings(deadline=None, max_examples=60)
def test_other_bytes_are_refused_or_read_but_never_break(code: bytes) -> None:
    for data in (code, b"\0dc2" + code):
        with contextlib.suppress(DamagedFileError):
            Contribution.from_bytes(data)


def test_a_sentence_pair_takes_a_third_of_the_plain_form() -> None:
    words = [str(n) for n in range(30)]
    contribution = ModelSet().add(words, words)
    assert 3 * len(contribution.to_bytes()) < len(plain(contribution))


def test_the_longest_pair_comes_back_the_same() -> None:
    words = [str(n % 3) for n in range(MAX_SENTENCE_WORDS)]
    contribution = ModelSet().add(words, words)
    assert contribution.inverse.links[:, 1].max() == contribution.direct.jumps[:, :2].max() == MAX_SENTENCE_WORDS
    for before, after in zip(parts(contribution), parts(Contribution.from_bytes(contribution.to_bytes())), strict=True):
        assert np.array_equal(before, after)


def test_positions_of_the_longest_sentence_fit_where_they_are_packed() -> None:
    assert MAX_SENTENCE_WORDS < 1 << PACKED_POSITION_BITS, (
        "the journal packs the second of two positions into fewer bits"
    )
    assert MAX_SENTENCE_WORDS < 1 << POSITION_BITS, "keys of the alignment tables have fewer bits for each position"


def test_keys_of_the_longest_sentence_are_all_different() -> None:
    ends = (1, 2, MAX_SENTENCE_WORDS - 1, MAX_SENTENCE_WORDS)
    keys = {jump_key(I, previous, i) for I in ends for previous in (0, *ends) for i in ends}
    assert len(keys) == len(ends) * (len(ends) + 1) * len(ends)


def test_kernels_see_one_layout_of_links_and_need_not_be_compiled_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.zeros((2, 3), np.int32)
    both = alignment.AlignmentContribution(rows, rows)
    links = np.array([[0, 0], [1, 2]], np.int32)
    made = [
        Contribution(np.ones(2, int), np.ones(3, int), each, both, both) for each in (links, np.asfortranarray(links))
    ]
    steps, layouts = contribution_kernels.steps, set[bool]()

    def spy(part: np.ndarray) -> np.ndarray:
        layouts.add(part.flags.c_contiguous)
        found: np.ndarray = steps(part)
        return found

    monkeypatch.setattr(contribution_kernels, "steps", spy)
    assert made[0].to_bytes() == made[1].to_bytes()
    assert layouts == {True}
