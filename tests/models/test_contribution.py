"""A contribution goes into few bytes and comes out the same; damaged bytes are refused."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import DamagedFileError
from dragoman.models import alignment
from dragoman.models.contribution import Contribution
from dragoman.models.modelset import ModelSet

pytestmark = pytest.mark.kernels

position = st.integers(0, 500)
ids = st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=5).map(lambda words: np.array(words, np.int64))


def rows(width: int) -> st.SearchStrategy[np.ndarray]:
    units = st.integers(0, 2**31 - 1)
    row = st.tuples(position, position, units) if width == 3 else st.tuples(position, position)
    return st.lists(row, max_size=6).map(lambda found: np.array(found, np.int32).reshape(-1, width))


models = st.builds(alignment.Contribution, rows(3), rows(3))
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
