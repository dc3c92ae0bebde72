"""ARPA files: what is written is what the model says, to a slow reader and to KenLM."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError, StorageError
from dragoman.models.arpa import write_arpa
from dragoman.models.language import SMOOTHINGS, LanguageModel
from dragoman.text.vocabulary import Vocabulary
from tests.oracles.arpa import Arpa
from tests.oracles.kneser_ney import KneserNey

pytestmark = pytest.mark.kernels

Sentence = list[str]

words = st.sampled_from(["a", "b", "ñandú", "日本"])
corpora = st.lists(st.lists(words, max_size=6), max_size=6)
texts = st.lists(st.lists(words | st.sampled_from(["unseen", "c"]), max_size=6), min_size=1, max_size=6)


def layered(order: int, below: list[Sentence], above: list[Sentence], smoothing: str = "modified") -> LanguageModel:
    base = LanguageModel(order, smoothing=smoothing)
    for sentence in below:
        base.add(sentence)
    model = LanguageModel(order, base=base)
    for sentence in above:
        model.add(sentence)
    return model


@given(st.integers(1, 4), corpora, corpora, texts, st.sampled_from(SMOOTHINGS))
@settings(deadline=None, max_examples=40)
def test_what_is_written_reads_back_with_the_same_probabilities(
    tmp_path_factory: pytest.TempPathFactory,
    order: int,
    below: list[Sentence],
    above: list[Sentence],
    text: list[Sentence],
    smoothing: str,
) -> None:
    model = layered(order, below, above, smoothing)
    for sentence in (below + above)[::2]:
        model.remove(sentence)
    path = tmp_path_factory.mktemp("arpa") / "model.arpa.gz"
    write_arpa(model, path)
    read = Arpa(path)
    assert [read.score(each) for each in text] == pytest.approx(model.scores(text), abs=1e-5)
    for history in ([], ["a"], ["<s>", "a"], ["unseen", "b", "a"]):
        total = math.fsum(read.prob(word, history) for word in KneserNey(order, (below + above)[1::2]).vocabulary)
        assert total == pytest.approx(1, abs=1e-5)


@given(st.integers(2, 5), corpora, texts)
@settings(deadline=None, max_examples=30)
def test_kenlm_reads_the_same_probabilities(
    tmp_path_factory: pytest.TempPathFactory, order: int, corpus: list[Sentence], text: list[Sentence]
) -> None:
    kenlm = pytest.importorskip("kenlm")
    model = layered(order, corpus[:2], corpus[2:])
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    write_arpa(model, path)
    peer = kenlm.Model(str(path))
    for sentence in text:
        scores = [score for score, _, _ in peer.full_scores(" ".join(sentence))]
        history = ["<s>", *sentence]
        expected = [math.log10(model.prob(w, history[: i + 1])) for i, w in enumerate([*sentence, "</s>"])]
        assert scores == pytest.approx(expected, abs=1e-4)
        assert peer.score(" ".join(sentence)) == pytest.approx(model.score(sentence) / math.log(10), abs=1e-4)


@given(corpora, texts)
@settings(deadline=None, max_examples=20)
def test_a_pruned_model_is_written_whole(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[Sentence], text: list[Sentence]
) -> None:
    model = layered(3, [], corpus)
    model.prune(12)
    for sentence in corpus[::2]:
        model.remove(sentence)
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    write_arpa(model, path)
    assert [Arpa(path).score(each) for each in text] == pytest.approx(model.scores(text), abs=1e-5)


@pytest.mark.parametrize("word", ["two words", "tab\t", "line\n", "<s>", "</s>", "<unk>"])
def test_a_word_that_cannot_be_written_is_refused_and_no_file_left(tmp_path: Path, word: str) -> None:
    model = layered(2, [], [[word]])
    with pytest.raises(BadInputError, match="cannot be written to an ARPA file"):
        write_arpa(model, tmp_path / "model.arpa")
    assert not list(tmp_path.iterdir())
    model.remove([word])
    write_arpa(model, tmp_path / "model.arpa")
    assert Arpa(tmp_path / "model.arpa").prob("</s>", []) > 0


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        write_arpa(LanguageModel(2), tmp_path / "missing" / "model.arpa")


def test_an_interpolated_model_is_refused(tmp_path: Path) -> None:
    layer = layered(2, [["a"]], [["b"]])
    layer.share = 0.5
    with pytest.raises(BadInputError, match="interpolated"):
        write_arpa(layer, tmp_path / "mixed.arpa")


def test_a_base_of_probabilities_of_an_earlier_version_is_refused_with_a_remedy() -> None:
    saved = LanguageModel(2, smoothing="kneser-ney").arrays()
    saved["stored.inner"] = np.zeros(1)
    with pytest.raises(BadInputError, match="imported from an ARPA file"):
        LanguageModel.from_arrays(saved, Vocabulary())
