"""A layer weighted against its base: linear interpolation, normalised, against estimates made apart from each other."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.alignment import AlignmentModel
from dragoman.models.alignment_kernels import JUMP_UNIFORM, LEXICAL_UNIFORM
from dragoman.models.language import SMOOTHINGS, LanguageModel
from dragoman.models.modelset import ModelSet
from dragoman.models.phrases import PhraseModel, new_options
from dragoman.models.phrases_options_kernels import SHARED, options
from tests.oracles.kneser_ney import ORACLES

pytestmark = pytest.mark.kernels

Sentence = list[str]
Pair = tuple[Sentence, Sentence]

sentences = st.lists(st.sampled_from("abc"), max_size=6)
corpora = st.lists(sentences, max_size=6)
shares = st.sampled_from([0.0, 0.3, 0.5, 1.0])
sides = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)
pairs = st.lists(st.tuples(sides, sides), max_size=5)


def learned(
    corpus: list[Sentence], order: int, base: LanguageModel | None = None, smoothing: str = "modified"
) -> LanguageModel:
    model = LanguageModel(order, base=base, smoothing=smoothing)
    for sentence in corpus:
        model.add(sentence)
    return model


def assert_interpolates(model: LanguageModel, below: list[Sentence], above: list[Sentence], share: float) -> None:
    """Compare with both models counted from scratch, each over the words of both."""
    base, layer = (ORACLES[model.smoothing](model.order, corpus) for corpus in (below, above))
    base.vocabulary = layer.vocabulary = base.vocabulary | layer.vocabulary
    share = 0.0 if not above else share if below else 1.0
    model.share = share
    for history in ([], ["a"], ["<s>"], ["z", "b"], ["a", "b", "c"], ["<s>", "a", "b"], ["b", "b", "c", "a"]):
        total = 0.0
        for word in sorted(base.vocabulary):
            expected = share * layer.prob(word, history) + (1 - share) * base.prob(word, history)
            assert model.prob(word, history) == pytest.approx(expected, rel=1e-9)
            total += model.prob(word, history)
        assert total == pytest.approx(1, abs=1e-9)


@given(st.integers(1, 4), corpora, corpora, corpora, shares, st.sampled_from(SMOOTHINGS))
@settings(deadline=None, max_examples=60)
def test_n_gram_probabilities_are_interpolated(
    order: int, below: list[Sentence], above: list[Sentence], removed: list[Sentence], share: float, smoothing: str
) -> None:
    model = learned(above[:3] + removed + above[3:], order, learned(below, order, smoothing=smoothing))
    for sentence in removed:
        model.remove(sentence)
    assert_interpolates(model, below, above, share)
    model.share = None
    oracle = ORACLES[smoothing](order, below + above)
    for word in sorted(oracle.vocabulary):
        assert model.prob(word, ["a", "b"]) == pytest.approx(oracle.prob(word, ["a", "b"]), rel=1e-12)


@given(corpora, corpora)
@settings(deadline=None, max_examples=30)
def test_forgetting_leaves_nothing_counted_alone(below: list[Sentence], above: list[Sentence]) -> None:
    model = learned(above, 3, learned(below, 3))
    for sentence in reversed(above):
        model.remove(sentence)
    assert len(model.own) == 0
    assert not model.own_scalars.any()
    assert not model.own_few_scalars.any()


@given(corpora, corpora)
@settings(deadline=None, max_examples=20)
def test_a_merged_and_reopened_layer_interpolates_too(below: list[Sentence], above: list[Sentence]) -> None:
    base = learned(below, 3)
    model = LanguageModel(3, base=base)
    model.merge(learned(above, 3))
    opened = LanguageModel.from_arrays(model.arrays(), model.vocabulary, base)
    assert_interpolates(opened, below, above, 0.4)


@given(corpora, st.lists(sentences, min_size=3, max_size=8), shares)
@settings(deadline=None, max_examples=30)
def test_dropped_n_grams_leave_interpolation_normalised(
    below: list[Sentence], above: list[Sentence], share: float
) -> None:
    model = learned(above, 3, learned(below, 3))
    model.prune(len(model) // 2)
    for sentence in above[:2]:
        model.remove(sentence)
    for sentence in above:
        model.add(sentence)
    model.share = share
    for history in ([], ["a"], ["<s>", "a"], ["b", "c"]):
        total = math.fsum(
            model.prob(word, history)
            for word in [*"abc", "</s>", "<unk>"]
            if word in "<unk></s>" or word in model.vocabulary
        )
        assert total == pytest.approx(1, abs=1e-9)


def test_a_sentence_read_at_once_or_word_by_word_is_as_probable() -> None:
    model = learned([["a", "b", "c"], ["c"]], 3, learned([["a", "c"]], 3))
    model.share = 0.7
    by_word = sum(math.log(model.prob(w, h)) for w, h in (("a", ["<s>"]), ("b", ["<s>", "a"]), ("</s>", ["a", "b"])))
    assert model.score(["a", "b"]) == pytest.approx(by_word)
    assert model.score_lines(["a b"]).tolist() == pytest.approx([by_word])


def frequency(joint: float, total: float) -> float | None:
    return joint / total if total else None


def mixed(share: float, below: float | None, above: float | None) -> float:
    """Both interpolated, or the one that there is."""
    if below is None or above is None:
        return (above if below is None else below) or 0.0
    return share * above + (1 - share) * below


SAMPLES = st.lists(st.tuples(st.sampled_from([4, 5]), st.sampled_from([7, 8, 9])), max_size=8)


@given(SAMPLES, SAMPLES, shares)
@settings(deadline=None, max_examples=40)
def test_phrase_probabilities_are_interpolated(
    below: list[tuple[int, int]], above: list[tuple[int, int]], share: float
) -> None:
    base = PhraseModel()
    base.train([([f], [e], [[0, 0]]) for f, e in below])
    model = PhraseModel(base)
    for f, e in above:
        model.add([f], [e], [[0, 0]])
    model.share = share
    for f in (4, 5):
        total = 0.0
        for e in (7, 8, 9):
            seen = [samples.count((f, e)) for samples in (below, above)]
            of_source = [sum(s == f for s, _ in samples) for samples in (below, above)]
            of_target = [sum(t == e for _, t in samples) for samples in (below, above)]
            direct = mixed(share, *(frequency(c, n) for c, n in zip(seen, of_source, strict=True)))
            inverse = mixed(share, *(frequency(c, n) for c, n in zip(seen, of_target, strict=True)))
            if sum(seen) and min(direct, inverse) > 0:
                assert model.probabilities([f], [e]) == pytest.approx((inverse, direct), rel=1e-9)
            total += direct
        assert total == pytest.approx(1 if f in {s for s, _ in below + above} else 0)


def test_translations_are_listed_by_interpolated_probability() -> None:
    base = PhraseModel()
    base.train([([4], [e], [[0, 0]]) for e in (7, 7, 7, 8, 8)])
    base.compact()
    model = PhraseModel(base)
    model.add([4], [9], [[0, 0]])
    found = new_options(1, 2)
    model.share = 0.5
    assert options(model.view, np.array([4]), 0, 2, found) == 2
    assert [model.targets.path(int(target)) for target in found.target[:2]] == [[9], [7]]
    assert SHARED / found.source_total[:2] == pytest.approx([0.5, 0.3])
    assert [option.target for option in model.options([4], 2)] == [(7,), (8,)]


def taught(samples: list[Pair], base: AlignmentModel | None = None) -> AlignmentModel:
    model = AlignmentModel(base=base)
    for source, target in samples:
        model.add(source, target)
    return model


@given(pairs, pairs, shares)
@settings(deadline=None, max_examples=30)
def test_links_and_jumps_are_interpolated_and_normalised(below: list[Pair], above: list[Pair], share: float) -> None:
    base = taught(below)
    model = taught(above, base)
    model.share = share
    words = [w for w in "abcd" if w in {word for source, _ in below + above for word in source}]
    for e in (*"abcd", None):
        if words:
            assert math.fsum(model.lexical(f, e) for f in words) == pytest.approx(1, abs=1e-9)
    for previous in range(3):
        assert math.fsum(model.jump(i, previous, 2) for i in (1, 2)) == pytest.approx(1, abs=1e-9)


def test_links_and_jumps_are_those_of_layer_and_base() -> None:
    base = taught([(["a"], ["x"]), (["a", "b"], ["x", "y"])])
    model = taught([(["b"], ["x"]), (["b", "b"], ["y", "x"])], base)
    alone = AlignmentModel(model.source, model.target)
    for name, table in model.tables.items():
        alone.tables[name].merge(table)
    alone.size[:] = base.size[:] = model.size
    model.share = 0.25
    without = [(m.lexical("b", "x") - LEXICAL_UNIFORM / 2) / (1 - LEXICAL_UNIFORM) for m in (model, alone, base)]
    assert without[0] == pytest.approx(0.25 * without[1] + 0.75 * without[2])
    jumps = [(m.jump(2, 1, 2) - JUMP_UNIFORM / 2) / (1 - JUMP_UNIFORM) for m in (model, alone, base)]
    assert jumps[0] == pytest.approx(0.25 * jumps[1] + 0.75 * jumps[2])


def test_a_set_hands_its_share_to_its_models_and_keeps_it(tmp_path: Path) -> None:
    base = ModelSet(order=3)
    base.add(["a", "b"], ["x", "y"])
    models = ModelSet(base, share=0.4, language_share=0.5)
    models.add(["a", "c"], ["x", "z"])
    models.save(tmp_path / "layer")
    opened = ModelSet.open(tmp_path / "layer", base)
    assert (opened.share, opened.language_share) == (0.4, 0.5)
    assert opened.direct.share == opened.inverse.share == opened.phrases.share == 0.4
    assert opened.language.prob("z", ["x"]) == models.language.prob("z", ["x"])
    before = models.language.prob("z", ["x"])
    models.language_share = None
    assert models.language.prob("z", ["x"]) != before
    with pytest.raises(BadInputError, match="from 0 to 1"):
        models.share = 1.5
    with pytest.raises(BadInputError, match="from 0 to 1"):
        models.language_share = -0.5


def test_a_base_of_another_domain_gives_the_layer_a_share_by_itself() -> None:
    base = LanguageModel(order=3)
    known = [f"known{n}" for n in range(200)]
    for n in range(0, 200, 4):
        base.add(known[n : n + 4])
    layer = LanguageModel(3, None, base)
    layer.share = "auto"
    new = [f"new{n}" for n in range(60)]
    for n in range(0, 40, 4):
        layer.add(new[n : n + 4])
    assert layer.share_in_use is None  # too few words to tell
    for n in range(0, 120, 4):
        layer.add(known[n : n + 4])
    assert layer.share_in_use == 0.5  # 40 of 160 words are new
    for n in range(120, 200, 4):
        layer.add(known[n : n + 4])
    assert layer.share_in_use is None  # 40 of 240
    for n in range(40, 60, 4):
        layer.add(new[n : n + 4])
    assert layer.share_in_use == 0.5
    weighted = layer.prob("new1", ["new0"])
    layer.share = 0.5
    assert layer.prob("new1", ["new0"]) == weighted
    layer.share = None
    assert layer.prob("new1", ["new0"]) != weighted
    layer.share = "auto"
    for n in range(40, 60, 4):
        layer.remove(new[n : n + 4])
    assert layer.share_in_use is None
