"""The phrase model equals a dictionary counted from scratch, whatever is added, taken back, layered or merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.files import open_arrays, write_arrays
from dragoman.models import phrases_options_kernels
from dragoman.models.phrases import PhraseModel, new_options
from tests.oracles.phrases import PhraseCounts, Sample

pytestmark = pytest.mark.kernels


@st.composite
def sample(draw: st.DrawFn) -> Sample:
    f = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    e = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    link = st.tuples(st.integers(0, len(f) - 1), st.integers(0, len(e) - 1))
    return f, e, draw(st.lists(link, max_size=6, unique=True))


samples = st.lists(sample(), max_size=6)


def model_of(chosen: Iterable[Sample], base: PhraseModel | None = None) -> PhraseModel:
    model = PhraseModel(base)
    for one in chosen:
        model.add(*one)
    return model


def base_of(chosen: Iterable[Sample]) -> PhraseModel:
    model = model_of(chosen)
    model.compact()
    return model


def counts_of(chosen: Iterable[Sample]) -> PhraseCounts:
    counts = PhraseCounts()
    for one in chosen:
        counts.add(one)
    return counts


def assert_same_arrays(one: PhraseModel, two: PhraseModel) -> None:
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, two.arrays()[name], err_msg=name)


def assert_equals(model: PhraseModel, counts: PhraseCounts, limit: int = 20) -> None:
    """Everything that can be read of the model, base and layer together."""
    contents = counts.contents()
    assert model.phrase_count == len(contents)
    for phrase in {f for f, _, _ in contents}:
        options = [
            (o.target, o.count, o.source_total, o.target_total, o.previous, o.next)
            for o in model.options(phrase, limit)
        ]
        assert options == counts.options(phrase, limit)
    rows = np.array([row for _, _, row in contents]).reshape(-1, 5).sum(axis=0)
    totals = model.orientations + (model.base.orientations if model.base else 0)
    assert totals[:, :2].ravel().tolist() == rows[1:].tolist()
    assert totals.sum(axis=1).tolist() == [rows[0], rows[0]]


@settings(deadline=None, max_examples=60)
@given(samples, st.data())
def test_adding_and_taking_back_in_any_order_equals_counting_what_is_left(
    added: list[Sample], data: st.DataObject
) -> None:
    model, counts = model_of(added), counts_of(added)
    assert model.contents() == counts.contents()
    for one in data.draw(st.permutations(added)):
        assert_equals(model, counts)
        model.remove(*one)
        counts.add(one, -1)
        assert model.contents() == counts.contents()
    assert [len(model.sources), len(model.targets), len(model.pairs)] == [0, 0, 0]
    assert not model.orientations.any()
    assert not any(
        column.any() for table in (model.sources, model.targets, model.pairs) for column in table.columns.values()
    )


@settings(deadline=None, max_examples=40)
@given(samples, sample())
def test_taking_back_the_newest_pair_leaves_the_tables_as_they_were(added: list[Sample], one: Sample) -> None:
    model = model_of(added)
    model.reserve(50, 50, 500)
    expected = {name: array.copy() for name, array in model.arrays().items()}
    model.add(*one)
    model.remove(*one)
    for name, array in model.arrays().items():
        if name not in ("pairs.column.after", "pairs.column.before", "sources.column.head"):  # the order of the rings
            np.testing.assert_array_equal(array, expected[name], err_msg=name)


@settings(deadline=None, max_examples=60)
@given(samples, samples, st.booleans(), st.integers(1, 4), st.data())
def test_a_layer_over_a_base_equals_one_model(
    below: list[Sample], above: list[Sample], compacted: bool, limit: int, data: st.DataObject
) -> None:
    base = base_of(below) if compacted else model_of(below)
    before = {name: array.copy() for name, array in base.arrays().items()}
    layer, counts = model_of(above, base), counts_of([*below, *above])
    assert_equals(layer, counts)
    assert_equals(layer, counts, limit)
    for one in data.draw(st.permutations([*below, *above])):  # what the base knows can be taken back too
        layer.remove(*one)
        counts.add(one, -1)
        assert_equals(layer, counts, limit)
    assert layer.statistics()["skipped"] == 0
    for name, array in base.arrays().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
    for one in below:
        layer.add(*one)
    assert [len(layer.sources), len(layer.targets), len(layer.pairs)] == [0, 0, 0]


@settings(deadline=None, max_examples=40)
@given(samples, samples, samples)
def test_shards_merged_in_any_order_compact_to_the_same_arrays(
    a: list[Sample], b: list[Sample], c: list[Sample]
) -> None:
    shards = [model_of(part) for part in (a, b, c)]
    merged, reverse, trained = PhraseModel(), PhraseModel(), PhraseModel()
    for shard in shards:
        merged.merge(shard)
    for shard in shards[::-1]:
        reverse.merge(shard)
    trained.train([*c, *a, *b])
    assert merged.contents() == counts_of([*a, *b, *c]).contents()
    for model in (merged, reverse, trained):
        model.compact()
        assert_equals(model, counts_of([*a, *b, *c]))
    assert_same_arrays(merged, reverse)
    assert_same_arrays(merged, trained)
    for one in (*a, *b, *c):  # a compacted model goes on learning and forgetting
        merged.remove(*one)
    assert merged.contents() == []


@settings(deadline=None, max_examples=30)
@given(samples, samples, samples)
def test_a_shard_merged_into_a_layer_is_as_if_added(
    below: list[Sample], above: list[Sample], shard: list[Sample]
) -> None:
    base = base_of(below)
    layer = model_of(above, base)
    layer.merge(model_of(shard))
    assert layer.contents() == model_of([*above, *shard], base).contents()
    assert_equals(layer, counts_of([*below, *above, *shard]))


@settings(deadline=None, max_examples=40)
@given(samples, samples, st.integers(0, 30))
def test_pruning_keeps_to_the_limit_and_totals_stay_consistent(
    below: list[Sample], above: list[Sample], limit: int
) -> None:
    base = base_of(below)
    model = model_of(above, base)
    entries, total = len(model.pairs), int(model.orientations[0].sum())
    dropped = model.prune(limit)
    assert len(model.pairs) == min(entries, limit) == entries - dropped
    assert model.statistics()["dropped"] == total - int(model.orientations[0].sum())
    for phrase in {f for f, _, _ in (*model.contents(), *base.contents())}:
        options = model.options(phrase, 100)
        assert all(option.source_total == sum(other.count for other in options) for option in options)
    for one in above:
        model.remove(*one)
    assert all(option.count > 0 for f, _, _ in base.contents() for option in model.options(f, 100))
    if not below:
        assert all(row[0] > 0 for _, _, row in model.contents())


def test_pruning_drops_the_oldest_of_those_seen_once() -> None:
    model = PhraseModel()
    for word in (1, 2, 3, 1):
        model.add([word], [word], [[0, 0]])
    assert model.prune(2) == 1
    assert [f for f, _, _ in model.contents()] == [(1,), (3,)]
    model.add([4], [4], [[0, 0]])
    assert model.prune(2) == 1
    assert [f for f, _, _ in model.contents()] == [(1,), (4,)]
    model.remove([3], [3], [[0, 0]])
    assert model.statistics()["skipped"] == 1
    assert model.prune(0) == 2
    assert model.statistics()["dropped"] == 5


def test_what_was_taken_back_from_the_base_is_not_pruned() -> None:
    base = base_of([([1], [1], [(0, 0)])])
    model = PhraseModel(base)
    model.remove([1], [1], [[0, 0]])
    assert model.prune(0) == 0
    assert model.options([1]) == []


@settings(deadline=None, max_examples=30)
@given(samples, samples, st.integers(1, 3))
def test_all_phrases_from_a_word_on_are_listed_in_one_walk(
    below: list[Sample], above: list[Sample], limit: int
) -> None:
    model = model_of(above, base_of(below))
    counts = counts_of([*below, *above])
    sentence = np.array([0, 1, 2, 0, 3, 1], np.int64)
    found, words = new_options(model.longest, limit), np.empty(10, np.int64)
    for start in range(sentence.size):
        n = phrases_options_kernels.options(model.view, sentence, start, limit, found)
        listed = []
        for length in range(1, model.longest + 1):
            for at in range(found.ends[length - 1], found.ends[length]):
                size = phrases_options_kernels.target_words(model.view, found.target[at], words)
                listed.append((length, tuple(words[:size].tolist()), int(found.counts[at])))
        expected = [
            (length, option[0], option[1])
            for length in range(1, sentence.size - start + 1)
            for option in counts.options(tuple(sentence[start : start + length].tolist()), limit)
        ]
        assert listed == expected
        assert n == len(listed)


def test_probabilities_are_relative_frequencies() -> None:
    model = model_of([([1, 2], [5, 6], [(0, 0), (1, 1)]), ([1, 3], [6, 5], [(0, 0), (1, 1)]), ([1], [5], [(0, 0)])])
    assert model.probabilities([1], [5]) == (2 / 3, 2 / 3)
    assert model.probabilities([1], [6]) == (1 / 2, 1 / 3)
    assert model.probabilities([2], [5]) == (0.0, 0.0)
    layer = model_of([([1], [6], [(0, 0)])], model)
    assert layer.probabilities([1], [6]) == (2 / 3, 1 / 2)


def test_works_before_any_learning() -> None:
    model = PhraseModel(PhraseModel())
    assert model.options([1, 2]) == []
    assert model.probabilities([1], [1]) == (0.0, 0.0)
    assert model.phrase_count == model.prune(0) == 0
    model.remove([1], [1], [[0, 0]])
    assert model.statistics()["skipped"] == 1
    assert model.contents() == []
    empty = PhraseModel()
    empty.compact()
    empty.merge(PhraseModel())
    assert PhraseModel(empty).options([1]) == []


def test_saved_models_open_equal_and_go_on_learning(tmp_path: Path) -> None:
    first, second = ([1, 2, 3], [4, 5], [(0, 0), (1, 1), (2, 1)]), ([2, 3], [5, 6], [(0, 1), (1, 0)])
    base = base_of([first])
    layer = model_of([second], base)
    write_arrays(tmp_path / "base", base.arrays(), {})
    write_arrays(tmp_path / "layer", layer.arrays(), {})
    opened_base = PhraseModel.from_arrays(open_arrays(tmp_path / "base")[0])
    opened = PhraseModel.from_arrays(open_arrays(tmp_path / "layer")[0], opened_base)
    assert_same_arrays(opened, layer)
    assert_same_arrays(opened_base, base)
    for model in (opened, layer):
        model.add(*second)
        model.add(*first)
        model.remove(*second)
    assert opened.contents() == layer.contents()
    assert_equals(opened, counts_of([first, first, second]))
    assert_same_arrays(
        PhraseModel.from_arrays(open_arrays(tmp_path / "layer")[0], opened_base), model_of([second], base)
    )


BAD = [
    ([], [1], [], "source side has no words"),
    ([1], [], [], "target side has no words"),
    ([1], [1], [[0, 1]], "outside a sentence pair"),
    ([1], [1], [[0, 0, 0]], "a source position and a target position"),
    ([-1], [1], [[0, 0]], "from 0 to"),
    ([1], [2**31], [[0, 0]], "from 0 to"),
]


@pytest.mark.parametrize(("f", "e", "links", "message"), BAD)
def test_bad_input_is_refused_and_changes_nothing(
    f: Sequence[int], e: Sequence[int], links: Sequence[Sequence[int]], message: str
) -> None:
    model = model_of([([1, 2], [1, 2], [(0, 0), (1, 1)])])
    before = {name: array.copy() for name, array in model.arrays().items()}
    for change in (model.add, model.remove, lambda *sample: model.train([sample])):
        with pytest.raises(BadInputError, match=message):
            change(f, e, links)
    for name, array in model.arrays().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


def test_extreme_sentences_are_fine() -> None:
    model = PhraseModel()
    words = list(range(4, 504))
    diagonal = [(n, n) for n in range(500)]
    long: Sample = words, words, diagonal
    unlinked: Sample = words, [1], []
    lopsided: Sample = words, [7], [(250, 0)]
    for one in (long, unlinked, lopsided):
        model.add(*one)
    assert model.phrase_count == sum(500 - n for n in range(7)) + 28
    for one in (unlinked, long, lopsided):
        model.remove(*one)
    assert model.contents() == []


def test_what_cannot_be_done_is_refused() -> None:
    layer = PhraseModel(PhraseModel())
    with pytest.raises(BadInputError, match="cannot have a base of its own"):
        PhraseModel(layer)
    with pytest.raises(BadInputError, match="without a base"):
        PhraseModel().merge(layer)
    with pytest.raises(BadInputError, match="without a base"):
        layer.compact()
    with pytest.raises(BadInputError, match="at least 0"):
        layer.prune(-1)
    with pytest.raises(BadInputError, match="at least 1"):
        layer.options([1], limit=0)
