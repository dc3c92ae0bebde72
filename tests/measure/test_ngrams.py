"""BLEU and chrF equal sacrebleu's: of corpora, of sentences, on text of any kind."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.measure import Bleu, Chrf, bleu, chrf
from dragoman.measure.bleu import Smoothing

pytestmark = pytest.mark.kernels

WORDS = [
    "the",
    "The",
    "green",
    "button",
    "button.",
    "3.5",
    "1,000",
    "it's",
    "&quot;x&quot;",
    "(",
    "no-one",
    "日本語",
    "🙂",
]
SENTENCE = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
CORPUS = st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=5)
ANY_TEXT = st.text(max_size=30).filter(lambda text: "\n" not in text)


def columns(pairs: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [h for h, _ in pairs], [r for _, r in pairs]


@settings(deadline=None, max_examples=100)
@given(CORPUS, st.sampled_from(["13a", "none", "char"]))
def test_bleu_of_a_corpus(pairs: list[tuple[str, str]], tokenize: str) -> None:
    hypotheses, references = columns(pairs)
    expected = sacrebleu.corpus_bleu(hypotheses, [references], tokenize=tokenize)
    assert bleu(hypotheses, references, tokenize) == pytest.approx(expected.score, rel=1e-13)
    measure = Bleu(tokenize)
    total = measure.statistics(hypotheses, references).sum(0)
    assert total.tolist() == [expected.sys_len, expected.ref_len, *expected.counts, *expected.totals]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=3))
def test_any_text(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = columns(pairs)
    assert bleu(hypotheses, references) == pytest.approx(sacrebleu.corpus_bleu(hypotheses, [references]).score)
    assert chrf(hypotheses, references) == pytest.approx(sacrebleu.corpus_chrf(hypotheses, [references]).score)


@settings(deadline=None, max_examples=100)
@given(CORPUS, st.sampled_from([("exponential", "exp"), ("plus-one", "add-k")]))
def test_bleu_of_sentences(pairs: list[tuple[str, str]], names: tuple[Smoothing, str]) -> None:
    ours = Bleu(smoothing=names[0])
    theirs = sacrebleu.BLEU(smooth_method=names[1], effective_order=True)
    scores = ours.sentence_scores(ours.statistics(*columns(pairs)))
    assert scores.tolist() == pytest.approx([theirs.sentence_score(h, [r]).score for h, r in pairs], rel=1e-13)


@settings(deadline=None, max_examples=100)
@given(CORPUS)
def test_chrf_of_a_corpus_and_of_sentences(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = columns(pairs)
    assert chrf(hypotheses, references) == pytest.approx(sacrebleu.corpus_chrf(hypotheses, [references]).score)
    scores = Chrf().sentence_scores(Chrf().statistics(hypotheses, references))
    assert scores.tolist() == pytest.approx([sacrebleu.sentence_chrf(h, [r]).score for h, r in pairs])


def test_parts_equal_sacrebleus() -> None:
    rng = random.Random(1)
    references = [" ".join(rng.choices("abcdefgh", k=20)) for _ in range(50)]
    hypotheses = [" ".join(word for word in line.split() if rng.random() < 0.9) for line in references]
    expected = sacrebleu.corpus_bleu(hypotheses, [references])
    parts = Bleu().parts(Bleu().statistics(hypotheses, references).sum(0))
    assert parts.precisions == pytest.approx(expected.precisions)
    assert parts.brevity_penalty == pytest.approx(expected.bp)
    assert parts.length_ratio == pytest.approx(expected.ratio)


def test_a_tree_is_not_mixed_up_between_references() -> None:
    rng = np.random.default_rng(1)
    references = [rng.integers(0, 6, rng.integers(0, 30)) for _ in range(40)]
    hypotheses = [rng.integers(0, 6, rng.integers(0, 30)) for _ in range(200)]
    which = rng.integers(0, 40, 200)
    one_by_one = [Bleu().statistics([h], [references[r]])[0] for h, r in zip(hypotheses, which, strict=True)]
    assert np.array_equal(Bleu().statistics(hypotheses, references, which), np.array(one_by_one))


def test_ids_of_any_size_are_told_apart() -> None:
    reference = np.array([-5, 0, 1 << 62, -(1 << 62), 7])
    assert Bleu().statistics([reference], [reference]).tolist() == [[5, 5, 5, 4, 3, 2, 5, 4, 3, 2]]
    assert Bleu().statistics([reference + 1], [reference])[0, 2:6].tolist() == [0, 0, 0, 0]


def test_unknown_settings_are_refused_with_the_choice() -> None:
    with pytest.raises(BadInputError, match="choose one of none, zh, 13a"):
        Bleu("13b")
    with pytest.raises(BadInputError, match="exponential"):
        Bleu(smoothing="floor")  # type: ignore[arg-type]
