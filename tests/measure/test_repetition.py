"""Measures of repetition equal their definitions; those of the corpora equal the figures known for them."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.measure import Repetition, advice, repetition
from dragoman.measure import repetition as repetition_function
from dragoman.models.language import LanguageModel
from tests.oracles import repetition as oracle

pytestmark = pytest.mark.kernels

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"
WORD = re.compile(r"\w+(?:[.'’\-]\w+)*|[^\w\s]")  # the tokenisation of the figures

TEXT = st.lists(st.lists(st.sampled_from("abc"), max_size=8), min_size=1, max_size=8).filter(any)


@settings(deadline=None, max_examples=100)
@given(TEXT, TEXT)
def test_measures_equal_their_definitions(text: list[list[str]], training: list[list[str]]) -> None:
    found = repetition(text, training)
    assert found.mrr == pytest.approx(oracle.mrr(text))
    assert found.rrr == pytest.approx(oracle.rrr(text, training))
    assert found.unf == pytest.approx(oracle.unf(text, training))
    assert found.rr == pytest.approx(found.mrr)  # the text is smaller than the window
    assert repetition(text) == repetition(text, [])


@settings(deadline=None, max_examples=50)
@given(TEXT, st.integers(1, 12))
def test_the_window_slides_word_by_word(text: list[list[str]], window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(repetition_function.__globals__, "WINDOW", window)
        assert repetition(text).rr == pytest.approx(oracle.rr(text, window))


@settings(deadline=None, max_examples=50)
@given(TEXT, TEXT, TEXT, st.integers(4, 6))
def test_a_language_model_stands_for_the_text_it_was_trained_on(
    text: list[list[str]], training: list[list[str]], more: list[list[str]], order: int
) -> None:
    base = LanguageModel(order)
    base.train([base.vocabulary.ids(words, add=True) for words in training])
    layer = LanguageModel(order, base=base)
    for words in more:
        layer.add(words)
    assert repetition(text, base) == repetition(text, training)
    assert repetition(text, layer) == repetition(text, training + more)


def test_without_training_everything_is_new() -> None:
    text = [["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]]
    found = repetition(text)
    assert found.unf == 100
    assert found.rrr == found.mrr > 0


def test_a_text_that_was_trained_on_has_nothing_new() -> None:
    text = [["a", "b", "c", "d"]] * 2
    found = repetition(iter(text), iter(text))
    assert (found.mrr, found.rrr, found.unf) == (100, 0, 0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"sentence 1 is a string; split it into words"):
        repetition([["a"], "a b"])
    with pytest.raises(BadInputError, match="sentence 0 is a string"):
        repetition([["a"]], ["a b"])
    with pytest.raises(BadInputError, match="no words"):
        repetition([[], []])
    with pytest.raises(BadInputError, match=r"n-grams of 3 words at most, not 4; compare with the training text"):
        repetition([["a"]], LanguageModel(3))


@pytest.mark.parametrize(
    ("figures", "verdict"),  # tasks of [O] and of the stand-ins for them
    [
        ((26.9, 17.3, 16.5), "will pay off here"),
        ((10.7, 4.3, 20.7), "will bring little here"),
        ((34.2, 30.3, 43.5), "will pay off greatly here"),
        ((55.9, 0.0, 0.0), "will bring little here"),
    ],
)
def test_advice(figures: tuple[float, float, float], verdict: str) -> None:
    sentence = advice(Repetition(*figures, rr=1.0))
    assert verdict in sentence
    assert f"{figures[1]} %" in sentence
    assert f"{figures[2]} %" in sentence


def words(corpus: str, part: str, language: str = "en") -> list[list[str]]:
    path = CORPORA / corpus / f"{part}.{language}.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [WORD.findall(line) for line in file]


@pytest.mark.parametrize(
    ("trained_on", "tested_on", "figures"),
    [
        ("europarl-en-es", "europarl-en-es", (14.1, 3.4, 16.6)),
        ("europarl-en-es", "pydocs-en-es", (27.8, 25.5, 61.5)),
        ("europarl-en-es", "newstest-en-es", (9.4, 4.9, 38.1)),
        ("eutrans-es-en", "eutrans-es-en", (55.9, 0, 0)),
    ],
)
def test_figures_of_the_corpora(trained_on: str, tested_on: str, figures: tuple[float, ...]) -> None:
    language = trained_on.split("-")[1]
    found = repetition(words(tested_on, "test", language), words(trained_on, "train", language))
    assert (round(found.mrr, 1), round(found.rrr, 1), round(found.unf, 1)) == figures
