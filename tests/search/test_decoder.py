"""The search finds what trying out every derivation finds, and says truly how it came about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.loglinear import PRESETS, Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.decoder import Beam, Decoder, Hypothesis
from tests.oracles.search import Derivation, Exhaustive

pytestmark = pytest.mark.kernels

EVERYTHING = Beam(pops=20_000, stack=20_000, threshold=1e9, distortion=-1, options=1000)
PAIRS = [
    ("press the green button", "pulse el botón verde"),
    ("press the red button", "pulse el botón rojo"),
    ("the button is green", "el botón es verde"),
    ("the red lamp is on", "la lámpara roja está encendida"),
]

sources = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3)
targets = st.lists(st.sampled_from(["v", "w", "ww", "x"]), min_size=1, max_size=3)
corpora = st.lists(st.tuples(sources, targets), max_size=6)
presets = st.sampled_from(sorted(PRESETS))


@st.composite
def weights_of(draw: st.DrawFn) -> Weights:
    weights = Weights(draw(presets))
    for name in weights:
        weights[name] = draw(st.sampled_from([0.0, 0.1, 0.3, 1.0, -0.2]))
    weights["language"] = draw(st.sampled_from([0.3, 1.0]))
    return weights


def learned(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> ModelSet:
    models = ModelSet(order=3, symmetrisation="grow-diag-final-and")
    for source, target in pairs:
        models.add(source, target)
    return models


def sample() -> ModelSet:
    return learned([(source.split(), target.split()) for source, target in PAIRS])


def with_classes(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> ModelSet:
    """A base with two word classes, though there are few words."""
    base = ModelSet(order=3)
    base.train(pairs, threads=1)
    base.classes.train(base.language, 2)
    return base


def derivation_of(oracle: Exhaustive, hypothesis: Hypothesis) -> Derivation:
    return tuple(oracle.find(*step.source, step.words, step.kind) for step in hypothesis.steps)


def assert_true(oracle: Exhaustive, hypothesis: Hypothesis) -> None:
    """Words, features and score follow from the derivation."""
    derivation = derivation_of(oracle, hypothesis)
    assert hypothesis.words == tuple(word for step in derivation for word in step.words)
    assert hypothesis.features == pytest.approx(oracle.features(derivation), abs=1e-9)
    assert hypothesis.score == pytest.approx(oracle.score(derivation), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(corpora, weights_of(), st.lists(st.sampled_from("abcde"), min_size=1, max_size=4))
def test_the_best_translation_is_the_best_of_all(
    pairs: list[tuple[list[str], list[str]]], weights: Weights, source: list[str]
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    found = Decoder(models, weights, EVERYTHING).search(source)
    assert found.best.score == pytest.approx(max(map(oracle.score, oracle.derivations())), abs=1e-9)
    assert_true(oracle, found.best)


@settings(deadline=None, max_examples=40)
@given(corpora, weights_of(), sources)
def test_n_best_lists_are_the_top_of_the_list_of_all(
    pairs: list[tuple[list[str], list[str]]], weights: Weights, source: list[str]
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    found = Decoder(models, weights, EVERYTHING).search(source)
    derivations = oracle.derivations()
    scores = sorted(map(oracle.score, derivations), reverse=True)
    listed = found.nbest(50)
    assert listed.scores.tolist() == pytest.approx(scores[:50], abs=1e-9)
    for hypothesis, row in zip(listed, listed.features, strict=True):
        assert_true(oracle, hypothesis)
        assert list(hypothesis.features.values()) == row.tolist()
    by_words: dict[tuple[str, ...], float] = {}
    for derivation in derivations:
        words = tuple(word for step in derivation for word in step.words)
        by_words[words] = max(by_words.get(words, -math.inf), oracle.score(derivation))
    distinct = found.nbest(50, distinct=True)
    assert len({hypothesis.words for hypothesis in distinct}) == len(distinct)
    assert distinct.scores.tolist() == pytest.approx(sorted(by_words.values(), reverse=True)[:50], abs=1e-9)
    assert distinct.words == [entry.words for entry in distinct]
    assert [by_words[entry.words] for entry in distinct] == pytest.approx(distinct.scores.tolist(), abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(corpora, weights_of(), st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.integers(0, 3))
def test_a_distortion_limit_is_kept_and_nothing_within_it_is_missed(
    pairs: list[tuple[list[str], list[str]]], weights: Weights, source: list[str], limit: int
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    beam = Beam(pops=20_000, stack=20_000, threshold=1e9, distortion=limit, options=1000)
    found = Decoder(models, weights, beam).search(source)
    scores = sorted(map(oracle.score, oracle.derivations(limit)), reverse=True)
    listed = found.nbest(20)
    assert listed.scores.tolist() == pytest.approx(scores[:20], abs=1e-9)
    for hypothesis in listed:
        last = 0
        for step in hypothesis.steps:
            assert abs(step.source[0] - last) <= limit
            last = step.source[1]


@settings(deadline=None, max_examples=30)
@given(corpora, weights_of(), st.lists(st.sampled_from("abcde"), min_size=1, max_size=12), st.integers(-1, 4))
def test_even_the_narrowest_search_ends_in_a_true_translation(
    pairs: list[tuple[list[str], list[str]]], weights: Weights, source: list[str], limit: int
) -> None:
    models = learned(pairs)
    found = Decoder(models, weights, Beam(pops=1, stack=1, threshold=0.0, distortion=limit, options=1)).search(source)
    covered = sorted(place for step in found.best.steps for place in range(*step.source))
    assert covered == list(range(len(source)))
    assert_true(Exhaustive(models, weights, source), found.best)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_layer_over_a_base_translates_like_one_model(preset: str) -> None:
    pairs = [(source.split(), target.split()) for source, target in PAIRS]
    base = learned(pairs[:2])
    layer = ModelSet(base, share=None, symmetrisation=base.symmetrisation)
    for pair in pairs[2:]:
        layer.add(*pair)
    source = ["the", "green", "lamp", "is", "on"]
    one, two = (Decoder(models, Weights(preset)).search(source) for models in (learned(pairs), layer))
    assert one.best == two.best
    assert_true(Exhaustive(layer, Weights(preset), source), two.best)


def test_features_are_named_after_the_preset() -> None:
    for preset, names in PRESETS.items():
        best = Decoder(sample(), Weights(preset)).search(["press"]).best
        assert list(best.features) == list(names)


def test_unknown_words_are_copied() -> None:
    best = Decoder(sample(), Weights("moses")).search(["press", "the", "¿qué?", "button"]).best
    assert "¿qué?" in best.words
    assert [step.words for step in best.steps if step.kind == "copy"] == [("¿qué?",)]


def test_two_unknown_words_are_told_apart() -> None:
    best = Decoder(sample(), Weights("thot")).search(["qqq", "zzz", "qqq"]).best
    assert sorted(best.words) == ["qqq", "qqq", "zzz"]


@settings(deadline=None, max_examples=40)
@given(
    corpora, presets, st.lists(st.sampled_from(["a", "b", "v", "w", "<1>", "<2>"]), min_size=1, max_size=4), st.data()
)
def test_placeables_come_out_as_they_are(
    pairs: list[tuple[list[str], list[str]]], preset: str, source: list[str], data: st.DataObject
) -> None:
    models = learned([*pairs, (["a", "v"], ["w", "v"]), (["v", "v"], ["v"]), (["b"], ["v"])])
    kept = data.draw(st.sets(st.sampled_from(source)))
    placeable = [word in kept for word in source]
    found = Decoder(models, Weights(preset), EVERYTHING).search(source, placeable)
    for hypothesis in found.nbest(20):
        assert {word: hypothesis.words.count(word) for word in kept} == {word: source.count(word) for word in kept}
    oracle = Exhaustive(models, Weights(preset), source, placeable)
    assert found.best.score == pytest.approx(max(map(oracle.score, oracle.derivations())), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(corpora, presets, st.lists(st.sampled_from(["a", "b", "v", "x"]), min_size=1, max_size=4))
def test_slots_are_said_only_where_the_source_has_them(
    pairs: list[tuple[list[str], list[str]]], preset: str, source: list[str]
) -> None:
    models, slots = learned([*pairs, (["a", "x"], ["x", "w"]), (["b"], ["ww", "v"])]), {"v", "x"}
    marks = np.array([word in slots for word in models.target.words(range(len(models.target)))])
    found = Decoder(models, Weights(preset), EVERYTHING, slots=marks).search(source)
    for hypothesis in found.nbest(20):
        assert not set(hypothesis.words) & slots - set(source)
    oracle = Exhaustive(models, Weights(preset), source, slots=slots)
    assert found.best.score == pytest.approx(max(map(oracle.score, oracle.derivations())), abs=1e-9)


@pytest.mark.parametrize("limit", [-1, 6])
def test_sentences_longer_than_the_bits_of_a_number(limit: int) -> None:
    source = ("the green button is on . " * 14).split()[:80]
    models = sample()
    found = Decoder(models, Weights("full"), Beam(pops=50, stack=20, distortion=limit)).search(source)
    assert_true(Exhaustive(models, Weights("full"), source), found.best)
    assert sorted(place for step in found.best.steps for place in range(*step.source)) == list(range(80))


def test_words_far_beyond_the_window_may_not_be_first() -> None:
    models = learned([(["a"], ["v"])])
    weights = Weights("moses", dict.fromkeys(PRESETS["moses"], 0.0) | {"language": 1.0, "linear_distortion": -1.0})
    best = Decoder(models, weights, Beam(distortion=-1)).search(["a"] * 90).best  # far jumps pay here
    assert sorted(place for step in best.steps for place in range(*step.source)) == list(range(90))


def test_the_same_on_any_number_of_threads() -> None:
    decoder = Decoder(sample(), Weights("full"))
    lines = [("the red button is on " * n).split() for n in range(1, 9)] * 4
    alone = [decoder.search(line).nbest(20)[:] for line in lines]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda line: decoder.search(line).nbest(20)[:], lines))
    assert together == alone


def test_searching_changes_nothing() -> None:
    models = sample()
    before = {name: array.copy() for name, array in models.arrays().items()}
    Decoder(models, Weights("full")).search(["press", "nothing"]).nbest(10)
    for name, array in models.arrays().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


def test_word_alignment_follows_the_phrases() -> None:
    search = Decoder(sample(), Weights("moses")).search(["press", "the", "green", "button"])
    links = search.alignment(search.best)
    assert {j for j, _ in links} <= set(range(4))
    at = 0
    for step in search.best.steps:
        inside = [(j, i) for j, i in links if at <= i < at + len(step.words)]
        assert inside
        assert all(step.source[0] <= j < step.source[1] for j, _ in inside)
        at += len(step.words)


def test_what_cannot_be_translated_is_refused_clearly() -> None:
    decoder = Decoder(sample(), Weights("moses"))
    with pytest.raises(BadInputError, match="no words"):
        decoder.search([])
    with pytest.raises(BadInputError, match="split it first"):
        decoder.search("press")
    with pytest.raises(BadInputError, match="marks"):
        decoder.search(["press"], [True, False])
    with pytest.raises(BadInputError, match="at least one entry"):
        decoder.search(["press"]).nbest(0)
    with pytest.raises(BadInputError, match="profile"):
        Decoder(sample(), Weights("moses"), "fastest")
    with pytest.raises(BadInputError, match="pops"):
        Beam(pops=0)
    with pytest.raises(BadInputError, match="threshold"):
        Beam(threshold=math.nan)


def test_places_in_an_n_best_list() -> None:
    listed = Decoder(sample(), Weights("moses")).search(["press", "the", "button"]).nbest(5)
    assert listed[-1] == listed[len(listed) - 1]
    assert listed[:2] == [listed[0], listed[1]]
    with pytest.raises(IndexError):
        listed[len(listed)]


def test_before_anything_is_learned_words_are_copied() -> None:
    for preset in PRESETS:
        assert sorted(Decoder(ModelSet(), Weights(preset)).search(["just", "so"]).best.words) == ["just", "so"]


@settings(deadline=None, max_examples=40)
@given(corpora, corpora, sources, st.sampled_from([0.1, 0.5, -0.2]))
def test_word_classes_of_a_base_take_part_in_the_search(
    below: list[tuple[list[str], list[str]]],
    above: list[tuple[list[str], list[str]]],
    source: list[str],
    weight: float,
) -> None:
    base = with_classes([*below, (["a", "b"], ["v", "w"])])
    layer = ModelSet(base, share=None, language_share=None)
    for pair in above:
        layer.add(*pair)
    weights = Weights("classes", {"class_language": weight})
    oracle = Exhaustive(layer, weights, source)
    found = Decoder(layer, weights, EVERYTHING).search(source)
    listed = found.nbest(20)
    scores = sorted(map(oracle.score, oracle.derivations()), reverse=True)
    assert listed.scores.tolist() == pytest.approx(scores[:20], abs=1e-9)
    for hypothesis in listed:
        assert_true(oracle, hypothesis)
        assert hypothesis.features["class_language"] < 0.0
