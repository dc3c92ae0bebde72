"""Word classes: found from n-grams, counted as the text says, added and removed exactly."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models import classes as module
from dragoman.models.classes import FIRST, OTHER, ClassModel, find_classes
from dragoman.models.language import LanguageModel
from dragoman.models.modelset import ModelSet
from dragoman.sample import pairs
from tests.oracles.classes import bigrams_of, counted, likelihood, names

pytestmark = pytest.mark.kernels

Pair = tuple[list[str], list[str]]
WORDS = [f"{stem}{ending}" for stem in "abcdef" for ending in "1234"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
corpora = st.lists(sentences, min_size=1, max_size=8)


def based_on(texts: list[list[str]], classes: int = 3) -> ModelSet:
    """A base that was trained on these texts, and has as many classes as wanted."""
    models = ModelSet(order=3)
    models.train([(text, text) for text in texts], threads=1)
    models.classes.train(models.language, classes)
    return models


@settings(deadline=None, max_examples=40)
@given(corpora)
def test_class_n_grams_are_those_of_the_text(texts: list[list[str]]) -> None:
    base = based_on(texts)
    expected = counted(base, base.classes, texts)
    expected.compact()
    for name, array in base.classes.language.arrays().items():
        np.testing.assert_array_equal(array, expected.arrays()[name], err_msg=name)


@settings(deadline=None, max_examples=40)
@given(corpora, corpora)
def test_a_layer_and_its_base_read_like_one_model(below: list[list[str]], above: list[list[str]]) -> None:
    layer = ModelSet(based_on(below), share=None, language_share=None)
    for text in above:
        layer.add(text, text)
    expected = counted(layer, layer.classes, below + above)
    for text in above:
        ids = layer.target.ids(text)
        assert layer.classes.score(ids) == pytest.approx(expected.score_ids(layer.classes.ids(ids)), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(corpora, corpora)
def test_adding_then_removing_restores_every_array(below: list[list[str]], above: list[list[str]]) -> None:
    layer = ModelSet(based_on(below))
    before = {name: array.copy() for name, array in layer.classes.arrays().items()}
    for contribution in reversed([layer.add(text, text) for text in above]):
        layer.remove(contribution)
    for name, array in layer.classes.arrays().items():
        if not name.endswith((".slots", ".keys", ".state")):
            np.testing.assert_array_equal(array[: before[name].size], before[name], err_msg=name)
    assert len(layer.classes.language) == 0


@settings(deadline=None, max_examples=30)
@given(corpora, st.integers(1, 6))
def test_no_round_of_exchange_lowers_the_likelihood(texts: list[list[str]], rounds: int) -> None:
    language = LanguageModel(3)
    for text in texts:
        language.add(text)
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SETTLED", 0.0)
        for number in range(rounds + 1):
            patch.setattr(module, "ROUNDS", number)
            found = names(language, find_classes(language, 3))
            seen.append(likelihood(bigrams_of(language), found))
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(seen))


def test_words_the_base_does_not_know_share_a_class() -> None:
    layer = ModelSet(based_on([["a", "b", "c"]]))
    layer.add(["x"], ["new"])
    assert layer.classes.ids(layer.target.ids(["a", "new", "never seen"]))[1:].tolist() == [OTHER, OTHER]
    assert layer.classes.ids(layer.target.ids(["a"]))[0] >= FIRST


def test_without_a_base_there_are_no_classes() -> None:
    models = ModelSet()
    models.add(["a"], ["b"])
    assert not models.classes
    assert models.classes.score(models.target.ids(["b"])) == 0.0
    assert not [name for name in models.arrays() if name.startswith("classes")]


def test_a_small_vocabulary_has_no_classes() -> None:
    models = ModelSet()
    models.train([(["a"], ["b"])])
    assert not models.classes


def test_a_saved_base_opens_with_its_classes(tmp_path: Path) -> None:
    models = ModelSet()
    models.train([(source.split(), target.split()) for source, target in pairs()[:200]], threads=1)
    models.save(tmp_path)
    opened = ModelSet.open(tmp_path)
    assert opened.classes
    ids = models.target.ids(pairs()[201][1].split())
    assert opened.classes.score(ids) == models.classes.score(ids) < 0.0


def test_a_base_from_before_there_were_classes_opens_without() -> None:
    base = based_on([["a", "b", "c"]])
    older = ModelSet.from_arrays({name: each for name, each in base.arrays().items() if not name.startswith("classes")})
    layer = ModelSet(older)
    layer.remove(layer.add(["a"], ["b"]))
    assert not older.classes
    assert not layer.classes


def test_a_limit_bounds_class_n_grams_too() -> None:
    base = based_on([WORDS])
    layer = ModelSet(base, limit=30)
    random = np.random.default_rng(1)
    for _ in range(50):
        text = random.choice(WORDS, 8).tolist()
        layer.add(text, text)
    assert len(layer.classes.language) <= 30


def test_a_very_large_base_is_trained_without_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_GRAMS", 5)
    language = LanguageModel(3)
    language.add(WORDS)
    classes = ClassModel(3, smoothing="kneser-ney")
    classes.train(language, 3)
    assert not classes
