"""The alignment model against the enumeration of all alignments, and its statistics as a group."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models import alignment_kernels as kernels
from dragoman.models.alignment import AlignmentModel
from dragoman.models.lattice_kernels import phrase_sum
from dragoman.text.vocabulary import NULL
from tests.oracles.hmm import UNIT, EnumeratedHmm

pytestmark = pytest.mark.kernels

Pair = tuple[list[str], list[str]]
Learned = tuple[AlignmentModel, EnumeratedHmm]

sources = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
targets = st.lists(st.sampled_from("xyz"), min_size=1, max_size=3)
corpora = st.lists(st.tuples(sources, targets), max_size=6)


def learned(corpus: list[Pair]) -> Learned:
    """A model that has learned the corpus, and an oracle with the same counts."""
    model, oracle = AlignmentModel(), EnumeratedHmm()
    for source, target in corpus:
        links, jumps = model.add(source, target)
        oracle.apply(source, target, links.tolist(), jumps.tolist())
    return model, oracle


def phrase_probability(model: AlignmentModel, source: list[str], target: list[str]) -> float:
    """As the search asks for it: jumps prepared for phrases of up to seven words, and scratch of that size."""
    jumps, emission, work = np.full((8, 8, 8), np.nan), np.full((7, 8), np.nan), np.full((2, 8), np.nan)
    kernels.fill_jumps(model.view, jumps)
    kernels.fill_emission(model.view, model.source.ids(source), model.target.ids(target), emission)
    return float(phrase_sum(emission, len(source), len(target), jumps, work))


def same(a: AlignmentModel, b: AlignmentModel) -> bool:
    here, there = a.contents(), b.contents()
    return here.keys() == there.keys() and all(np.array_equal(here[name], there[name]) for name in here)


@given(corpora, sources, targets)
@settings(deadline=None, max_examples=60)
def test_everything_equals_the_sum_over_all_alignments(
    corpus: list[Pair], source: list[str], target: list[str]
) -> None:
    model, oracle = learned(corpus)
    expected, _ = oracle.expectations(source, target)
    found = model.expectations(source, target)
    assert found.shape == (len(source), len(target) + 1)
    for (j, i), posterior in expected.items():
        assert found[j, i] == pytest.approx(posterior, abs=1e-12)
    probability = oracle.probability(source, target)
    assert model.loglikelihood([(source, target)] * 2) == pytest.approx(2 * math.log(probability))
    assert model.phrase_probability(source, target) == pytest.approx(probability)
    assert phrase_probability(model, source, target) == pytest.approx(probability)
    alignments = dict(oracle.alignments(source, target))
    assert alignments[tuple(model.viterbi(source, target))] == pytest.approx(max(alignments.values()))


@given(corpora, sources, targets)
@settings(deadline=None, max_examples=40)
def test_a_sample_contributes_its_expected_counts(corpus: list[Pair], source: list[str], target: list[str]) -> None:
    model, oracle = learned(corpus)
    links, jumps = model.add(source, target)
    for found, expected in zip((links, jumps), oracle.expectations(source, target), strict=True):
        units = {(row, column): amount for row, column, amount in found.tolist()}
        for cell, count in expected.items():
            if UNIT * count > kernels.NEGLIGIBLE:
                assert units[cell] == pytest.approx(UNIT * count, abs=1)
            else:
                assert units.get(cell, 0) in (0, kernels.NEGLIGIBLE)


@given(corpora)
@settings(deadline=None, max_examples=40)
def test_probabilities_are_those_of_the_counts_and_sum_to_one(corpus: list[Pair]) -> None:
    model, oracle = learned(corpus)
    for e in ("x", "y", "z", "never seen", None):
        for f in ("a", "b", "c", "never seen"):
            assert model.lexical(f, e) == pytest.approx(oracle.lexical(f, e))
        if corpus:
            assert sum(model.lexical(f, e) for f in oracle.sources) == pytest.approx(1)
    for I in (1, 2, 3, 7):
        for previous in range(I + 1):
            jumps = [model.jump(i, previous, I) for i in range(1, I + 1)]
            assert jumps == pytest.approx([oracle.jump(i, previous, I) for i in range(1, I + 1)])
            assert sum(jumps) == pytest.approx(1)


@given(corpora, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_removing_leaves_no_trace(corpus: list[Pair], random: object) -> None:
    model, _ = learned(corpus)
    before = model.contents()
    added = [(source, target, model.add(source, target)) for source, target in corpus]
    random.shuffle(added)  # type: ignore[attr-defined]
    for source, target, contribution in added:
        model.remove(source, target, contribution)
    after = model.contents()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@given(corpora, corpora, sources, targets)
@settings(deadline=None, max_examples=40)
def test_a_layer_over_a_base_is_one_model(
    first: list[Pair], second: list[Pair], source: list[str], target: list[str]
) -> None:
    whole, _ = learned(first)
    base, _ = learned(first)
    before = base.contents()
    layer = AlignmentModel(base=base)
    for pair in [*second, (source, target)]:
        for mine, theirs in zip(layer.add(*pair), whole.add(*pair), strict=True):
            assert np.array_equal(mine, theirs)
    assert layer.size[0] == whole.size[0]
    assert layer.viterbi(source, target) == whole.viterbi(source, target)
    assert layer.lexical("a", "x") == whole.lexical("a", "x")
    assert all(np.array_equal(before[name], array) for name, array in base.contents().items())


def test_a_layer_can_take_away_what_its_base_has_learned() -> None:
    base = AlignmentModel()
    contribution = base.add(["a"], ["x"])
    layer = AlignmentModel(base=base)
    layer.remove(["a"], ["x"], contribution)
    assert layer.size[0] == 0
    assert layer.lexical("a", "x") == AlignmentModel().lexical("a", "x")
    layer.apply(*layer._ids(["a"], ["x"]), contribution)
    assert same(layer, AlignmentModel(base=base))


@given(corpora, corpora)
@settings(deadline=None, max_examples=40)
def test_merging_is_adding_the_same_contributions(first: list[Pair], second: list[Pair]) -> None:
    one, other, both = AlignmentModel(), AlignmentModel(), AlignmentModel()
    for model, corpus in ((one, first), (other, second)):
        for source, target in corpus:
            contribution = model.add(source, target)
            both.apply(both.source.ids(source, add=True), both.target.ids(target, add=True), contribution)
    one.merge(other)
    assert same(one, both)


@given(corpora, sources, targets)
@settings(deadline=None, max_examples=30)
def test_a_model_opened_again_goes_on_the_same(corpus: list[Pair], source: list[str], target: list[str]) -> None:
    model, _ = learned(corpus)
    copies = {name: array.copy() for name, array in model.arrays().items()}
    again = AlignmentModel.from_arrays(copies, model.source, model.target)
    assert same(model, again)
    for mine, theirs in zip(again.add(source, target), model.add(source, target), strict=True):
        assert np.array_equal(mine, theirs)
    assert same(model, again)


def test_an_empty_model_knows_only_uniform_distributions() -> None:
    model = AlignmentModel()
    assert model.lexical("a", "x") == model.lexical("a", None) == 1.0
    assert model.jump(2, 0, 4) == 0.25
    assert model.p0 == 0.1
    assert model.expectations(["a"], ["x", "y"]).tolist() == [pytest.approx([0.1, 0.45, 0.45])]


def test_of_equally_probable_alignments_viterbi_takes_the_monotone_one() -> None:
    model = AlignmentModel()
    assert model.viterbi(list("abc"), list("xyz")) == [1, 2, 3]
    assert model.viterbi(list("abcd"), list("xyz")) == [1, 1, 2, 3]
    assert model.viterbi(list("ab"), list("xyz")) == [2, 3]
    assert model.viterbi(list("ab"), ["x"] * 8) == [7, 8]
    assert model.viterbi(list("ab"), ["x"] * 10) == [0, 0]  # the null word is more probable: p0 > (1 − p0) / 10


def test_words_that_come_together_are_aligned() -> None:
    model = AlignmentModel()
    for source, target in [("la casa", "the house"), ("la mesa", "the table"), ("una mesa", "a table")] * 3:
        model.add(source.split(), target.split())
    assert model.viterbi(["una", "casa"], ["a", "house"]) == [1, 2]


def test_long_sentences_neither_underflow_nor_lose_mass() -> None:
    model = AlignmentModel()
    source, target = [f"f{n % 90}" for n in range(500)], [f"e{n % 80}" for n in range(500)]
    model.add(source, target)
    model.add(source[:250], target[:250])
    expected = model.expectations(source, target[:200])
    assert np.allclose(expected.sum(axis=1), 1, atol=1e-9)
    assert math.isfinite(model.loglikelihood([(source, target[:200])]))
    assert len(model.viterbi(source, target[:200])) == 500


@pytest.mark.parametrize(
    ("source", "target"), [([], ["x"]), (["a"], []), ([], []), (["a"] * 501, ["x"]), (["a"], ["x"] * 501), ("a", ["x"])]
)
def test_what_cannot_be_aligned_is_refused_and_nothing_changes(source: list[str], target: list[str]) -> None:
    model, _ = learned([(["b", "c"], ["y"])])
    before = {name: array.copy() for name, array in model.arrays().items()}
    sizes = len(model.source), len(model.target)
    for method in (model.add, model.expectations, model.viterbi, model.phrase_probability):
        with pytest.raises(BadInputError):
            method(source, target)
    with pytest.raises(BadInputError):
        model.loglikelihood([(source, target)])
    assert all(np.array_equal(before[name], array) for name, array in model.arrays().items())
    assert sizes == (len(model.source), len(model.target))


@pytest.mark.parametrize("jump", [(0, 0, 2), (3, 0, 2), (1, 3, 2), (1, -1, 2), (1, 0, 501)])
def test_jumps_to_nowhere_are_refused(jump: tuple[int, int, int]) -> None:
    with pytest.raises(BadInputError, match="no jump"):
        AlignmentModel().jump(*jump)


def test_what_was_not_learned_cannot_be_forgotten() -> None:
    model, _ = learned([(["a", "b"], ["x", "y"])])
    before = model.contents()
    contribution = model.estimate(*model._ids(["a", "b"], ["x", "y"]))
    with pytest.raises(BadInputError, match="never learned"):
        model.remove(["a", "new"], ["x", "y"], contribution)
    for source, target in ((["a"], ["x", "y"]), (["a", "b"], ["x"])):
        with pytest.raises(BadInputError, match="another"):
            model.remove(source, target, contribution)
    assert all(np.array_equal(before[name], array) for name, array in model.contents().items())


def test_odd_sentences_are_learned() -> None:
    model = AlignmentModel()
    for words in (["same", "words"], list("…!?"), ["\u0301", "🜁"], ["a"] * 500):
        contribution = model.add(words, words)
        assert np.isfinite(model.expectations(words, words)).all()
        assert contribution.links.size
        model.remove(words, words, contribution)
    assert same(model, AlignmentModel())


def test_a_base_of_a_base_is_refused() -> None:
    with pytest.raises(BadInputError, match="base"):
        AlignmentModel(base=AlignmentModel(base=AlignmentModel()))


def test_kernels_know_the_null_word() -> None:
    assert kernels.NULL == NULL


def test_dropped_links_leave_probabilities_normalised_and_are_reported() -> None:
    model = AlignmentModel()
    samples = [([f"f{n}", "f"], [f"e{n}", "e"]) for n in range(20)]
    added = [model.add(*sample) for sample in samples]
    before = len(model.tables["links"])
    assert model.prune(before) == 0
    dropped = model.prune(before // 2)
    assert dropped == model.dropped == before - len(model.tables["links"])
    assert len(model.tables["links"]) <= before // 2
    assert_normalised(model)
    for sample, contribution in zip(samples, added, strict=True):
        model.remove(*sample, contribution)
        assert_normalised(model)
    assert model.skipped > 0
    assert all(len(model.tables[name]) == 0 for name in ("links", "targets", "jumps", "origins", "sources"))


def assert_normalised(model: AlignmentModel) -> None:
    """Every p(·|e) sums to one over the words that occur, and none is negative."""
    words = [model.source.word(int(word)) for word in model.tables["sources"].contents()["key"]]
    for e in (None, "e", *(f"e{n}" for n in range(20))):
        row = [model.lexical(f, e) for f in words]
        assert not words or math.fsum(row) == pytest.approx(1, abs=1e-9)
        assert all(p >= 0 for p in row)


@given(st.integers(1, 9), st.sampled_from([0.2, 0.4, 0.9]))
def test_jumps_never_seen_are_likelier_the_nearer(I: int, nearness: float) -> None:
    model = AlignmentModel()
    model.nearness = nearness
    for previous in range(I + 1):
        row = [model.jump(i, previous, I) for i in range(1, I + 1)]
        assert math.fsum(row) == pytest.approx(1, abs=1e-12)
        assert int(np.argmax(row)) == min(previous, I - 1)


def test_a_first_long_sentence_is_aligned_along_the_diagonal() -> None:
    model = AlignmentModel()
    f, e = [f"f{n}" for n in range(30)], [f"e{n}" for n in range(30)]
    assert not any(model.viterbi(f, e))
    model.nearness = 0.4
    assert model.viterbi(f, e) == list(range(1, 31))
