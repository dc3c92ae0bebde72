"""Models put into one order: equal for equal contents, and as good for learning as before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.alignment import AlignmentModel
from dragoman.models.language import LanguageModel

pytestmark = pytest.mark.kernels

SENTENCES = st.lists(st.lists(st.integers(4, 8), max_size=6), min_size=1, max_size=8)


def trained(sentences: list[list[int]], order: int) -> LanguageModel:
    model = LanguageModel(order)
    model.vocabulary.ids("abcde", add=True)
    model.train([np.array(words, np.int64) for words in sentences])
    return model


@settings(max_examples=40, deadline=None)
@given(sentences=SENTENCES, order=st.integers(1, 4))
def test_language_models_of_the_same_sentences_become_the_same_arrays(sentences: list[list[int]], order: int) -> None:
    one, other = trained(sentences, order), trained(sentences[::-1], order)
    counts = one.counts()
    one.compact()
    other.compact()
    for name, array in one.arrays().items():
        assert np.array_equal(array, other.arrays()[name]), name
    assert one.counts() == counts
    one.add(["a", "f"])
    one.remove(["a", "f"])
    assert one.counts() == counts
    for words in sentences:
        one.remove_ids(np.array(words, np.int64))
    assert not any(count for gram, row in one.counts().items() if gram for count in row)


def test_alignment_models_of_the_same_counts_become_the_same_arrays() -> None:
    one, other = AlignmentModel(), AlignmentModel()
    for model in (one, other):
        model.source.ids("ab", add=True)
        model.target.ids("xy", add=True)
    pairs = [("ab", "xy"), ("a", "x"), ("b", "y")]
    added = [(f, e, one.add([*f], [*e])) for f, e in pairs]
    for f, e, contribution in reversed(added):
        other.apply(other.source.ids([*f]), other.target.ids([*e]), contribution)
    one.compact()
    other.compact()
    for name, array in one.arrays().items():
        assert np.array_equal(array, other.arrays()[name]), name
    for f, e, contribution in added:
        one.remove([*f], [*e], contribution)
    assert all(len(table) == 0 for table in one.tables.values())


def test_a_layer_stays_in_the_order_of_its_base() -> None:
    with pytest.raises(BadInputError, match="without a base can be compacted"):
        LanguageModel(2, base=LanguageModel(2)).compact()
