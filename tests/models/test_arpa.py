"""ARPA files: what is written is what the model says, to our own reader and to KenLM; what is wrong in one is told."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError, StorageError
from dragoman.models import arpa_kernels as kernels
from dragoman.models.arpa import ArpaModel, read_base, write_arpa
from dragoman.models.language import SMOOTHINGS, LanguageModel
from tests.oracles.kneser_ney import KneserNey

pytestmark = pytest.mark.kernels

Sentence = list[str]

words = st.sampled_from(["a", "b", "ñandú", "日本"])
corpora = st.lists(st.lists(words, max_size=6), max_size=6)
texts = st.lists(st.lists(words | st.sampled_from(["unseen", "c"]), max_size=6), min_size=1, max_size=6)

TOY = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.5
-0.5\t</s>
-0.3\ta\t-0.2

\\2-grams:
-0.1\t<s> a
-0.4\ta </s>

\\end\\
"""


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
    read = ArpaModel.read(path)
    assert read.order == order
    assert read.scores(text) == pytest.approx(model.scores(text), abs=1e-5)
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
    assert ArpaModel.read(path).scores(text) == pytest.approx(model.scores(text), abs=1e-5)


def test_reading_a_file_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "toy.arpa"
    path.write_text(TOY)
    model = ArpaModel.read(path)
    assert len(model) == 6
    assert model.prob("a", ["<s>"]) == pytest.approx(10**-0.1)
    assert model.prob("</s>", ["<s>"]) == pytest.approx(10 ** (-0.5 - 0.5))  # back-off weight of <s>, then </s>
    assert model.prob("x", ["<s>", "a"]) == pytest.approx(10 ** (-0.2 - 1))
    assert model.prob("<s>", ["a"]) == 0
    assert model.score(["a"]) == pytest.approx(math.log(10) * (-0.1 - 0.4))
    view = model.view
    _, state = kernels.advance(view, kernels.start(view), model.vocabulary.id("a"))
    assert kernels.advance(view, state, 2)[0] == pytest.approx(math.log(10) * -0.4)


def test_saving_is_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "toy.arpa.gz"
    path.write_bytes(gzip.compress(TOY.encode()))
    model = ArpaModel.read(path)
    again = ArpaModel.from_arrays(model.arrays(), model.vocabulary)
    assert np.array_equal(again.scores([["a", "b"], []]), model.scores([["a", "b"], []]))


def test_a_file_without_unknown_words_gives_them_a_floor(tmp_path: Path) -> None:
    path = tmp_path / "toy.arpa"
    path.write_text(TOY.replace("ngram 1=4", "ngram 1=3").replace("-1.0\t<unk>\n", ""))
    assert ArpaModel.read(path).score(["x"]) == pytest.approx(math.log(10) * (-0.5 - 100 - 0.5), rel=1e-6)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (TOY.replace("\\data\\", "data"), "unexpected end of file"),
        (TOY.replace("ngram 2=2", "ngram 2=two"), "line 3: expected “ngram 2=…”"),
        (TOY.replace("ngram 2=2", "ngram 2=3"), "line 14: expected a 2-gram"),
        (TOY.replace("ngram 2=2", "ngram 2=1"), "line 13: expected “\\end\\”"),
        (TOY.replace("\\2-grams", "\\3-grams"), "line 11: expected “\\2-grams:”"),
        (TOY.replace("-0.4\ta </s>", "-0.4\tb </s>"), "line 13: the word 'b' is not among the 1-grams"),
        (TOY.replace("-0.4\ta </s>", "minus\ta </s>"), "line 13: could not convert"),
        (TOY.replace("ngram 1=4\nngram 2=2\n", ""), "line 2: expected “ngram 1=…”"),
        (
            TOY.replace("2=2\n", "2=2\nngram 3=1\n").replace("\\end", "\\3-grams:\n-1\ta a a\n\n\\end"),
            "line 17: an n-gram whose",
        ),
        (TOY[:100], "line 12: expected a 2-gram"),
        (TOY.replace("\\end\\\n", ""), "unexpected end of file"),
        ("", "unexpected end of file"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(tmp_path: Path, broken: str, message: str) -> None:
    path = tmp_path / "toy.arpa"
    path.write_text(broken)
    with pytest.raises(BadInputError) as caught:
        ArpaModel.read(path)
    assert message in str(caught.value)


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\\data\\\n\xff\xfe")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TOY.encode())[:40])
    for name in ("bytes", "cut.gz", "missing", "."):
        with pytest.raises(BadInputError, match=name):
            ArpaModel.read(tmp_path / name)


@pytest.mark.parametrize("word", ["two words", "tab\t", "line\n", "<s>", "</s>", "<unk>"])
def test_a_word_that_cannot_be_written_is_refused_and_no_file_left(tmp_path: Path, word: str) -> None:
    model = layered(2, [], [[word]])
    with pytest.raises(BadInputError, match="cannot be written to an ARPA file"):
        write_arpa(model, tmp_path / "model.arpa")
    assert not list(tmp_path.iterdir())
    model.remove([word])
    write_arpa(model, tmp_path / "model.arpa")
    assert ArpaModel.read(tmp_path / "model.arpa").order == 2


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        write_arpa(LanguageModel(2), tmp_path / "missing" / "model.arpa")


@given(st.integers(2, 4), corpora, corpora, texts, st.sampled_from([None, 0.0, 0.3, 1.0]))
@settings(deadline=None, max_examples=40)
def test_a_layer_over_a_file_interpolates_what_it_learned_with_it(
    tmp_path_factory: pytest.TempPathFactory,
    order: int,
    below: list[Sentence],
    above: list[Sentence],
    asked: list[Sentence],
    share: float | None,
) -> None:
    path = tmp_path_factory.mktemp("base") / "model.arpa"
    write_arpa(layered(order, [], below), path)
    file, base = ArpaModel.read(path), read_base(path)
    model = LanguageModel(order, base=base)
    for sentence in above:
        model.add(sentence)
    layer = KneserNey(order, above)
    known = {word for sentence in below for word in sentence} | {"</s>"}
    new = {word for sentence in above for word in sentence} - known
    layer.vocabulary |= known | {"<unk>"}
    model.share = share
    weight = 0.0 if not above else 0.5 if share is None else share
    for history in ([], ["<s>"], *asked):
        total = 0.0
        for word in sorted(known | new | {"<unk>"}):
            listed = file.prob(word, history) / (1 if word in known else len(new) + 1)
            expected = weight * layer.prob(word, history) + (1 - weight) * listed
            assert model.prob(word, history) == pytest.approx(expected, rel=1e-5)
            total += model.prob(word, history)
        assert total == pytest.approx(1, abs=1e-5)


def test_a_base_from_a_pruned_file_finds_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    text = TOY.replace("ngram 2=2\n", "ngram 2=2\nngram 3=1\n")
    path.write_text(text.replace("\\end\\", "\\3-grams:\n-0.2\t<s> a a\n\n\\end\\"))  # without "a a"
    file, base = ArpaModel.read(path), read_base(path)
    for history in ([], ["<s>"], ["a"], ["<s>", "a"], ["a", "a"], ["<s>", "a", "a"], ["b", "a"]):
        for word in ("a", "b", "</s>"):
            assert base.prob(word, history) == pytest.approx(file.prob(word, history), rel=1e-6)


def test_a_base_from_a_file_is_saved_and_cannot_learn(tmp_path: Path) -> None:
    (tmp_path / "model.arpa").write_text(TOY)
    base = read_base(tmp_path / "model.arpa")
    base.save(tmp_path / "base")
    opened = LanguageModel.open(tmp_path / "base")
    assert opened.prob("a", ["<s>"]) == base.prob("a", ["<s>"]) == pytest.approx(10**-0.1)
    with pytest.raises(BadInputError, match="cannot learn"):
        opened.add(["a"])
    layer = LanguageModel(2, base=opened)
    layer.add(["a", "b"])
    with pytest.raises(BadInputError, match="interpolated"):
        write_arpa(layer, tmp_path / "mixed.arpa")
