"""WER and TER equal their oracles sentence by sentence: TER sacrebleu's code, WER the textbook recursion."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.measure import Ter, Wer, ter, wer
from tests.oracles.edits import ter_edits, wer_edits

pytestmark = pytest.mark.kernels

Ids = list[int]
Pair = tuple[Ids, Ids]


def damaged(rng: random.Random, reference: Ids, rate: float, words: int) -> Ids:
    """A hypothesis: words dropped, replaced and added, and up to three blocks moved."""
    hypothesis: Ids = []
    for word in reference:
        happens = rng.random()
        if happens > rate / 3:
            hypothesis.append(word if happens > 2 * rate / 3 else rng.randrange(words))
        if happens > 1 - rate / 3:
            hypothesis.append(rng.randrange(words))
    for _ in range(rng.randrange(4)):
        start, length = rng.randrange(len(hypothesis) + 1), rng.randrange(1, 13)
        block = hypothesis[start : start + length]
        del hypothesis[start : start + length]
        target = rng.randrange(len(hypothesis) + 1)
        hypothesis[target:target] = block
    return hypothesis


def random_pairs(seed: int, count: int, longest: int, words: tuple[int, ...]) -> list[Pair]:
    """Half of them damaged references, half unrelated."""
    rng = random.Random(seed)
    pairs = []
    for n in range(count):
        size = rng.choice(words)
        reference = [rng.randrange(size) for _ in range(rng.randrange(longest + 1))]
        other = [rng.randrange(size) for _ in range(rng.randrange(longest + 1))]
        pairs.append((damaged(rng, reference, rng.random(), size) if n % 2 else other, reference))
    return pairs


def counted(measure: Ter | Wer, pairs: list[Pair]) -> list[list[int]]:
    hypotheses, references = ([np.array(side, np.int64) for side in sides] for sides in zip(*pairs, strict=True))
    return measure.statistics(hypotheses, references).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("seed", "count", "longest", "words"),
    [
        pytest.param(1, 4000, 10, (2, 3, 5, 20), id="short"),
        pytest.param(2, 250, 30, (5, 20, 100), id="medium"),
        pytest.param(3, 12, 90, (30, 300), id="long: the band does not hold all"),
        pytest.param(4, 14, 60, (2, 3), id="repetitive: more moves than may be tried"),
    ],
)
def test_ter_equals_sacrebleu(seed: int, count: int, longest: int, words: tuple[int, ...]) -> None:
    pairs = random_pairs(seed, count, longest, words)
    assert counted(Ter(), pairs) == [[ter_edits(*pair), len(pair[1])] for pair in pairs]


def turned(rng: random.Random, reference: Ids, words: int) -> Ids:
    """The end of a reference before its beginning: there the best way leaves the band."""
    begin, end = rng.randrange(len(reference) + 1), rng.randrange(len(reference) + 1)
    return [*reference[begin:], *reference[:end], *(rng.randrange(words) for _ in range(rng.randrange(3)))]


@pytest.mark.parametrize(("longest", "words", "count"), [(12, 3, 200), (40, 10, 60), (90, 100, 25), (90, 2, 8)])
def test_ter_where_the_best_path_leaves_the_band_equals_sacrebleu(longest: int, words: int, count: int) -> None:
    rng = random.Random(longest + words)
    references = [reference for _, reference in random_pairs(longest, count, longest, (words,))]
    pairs = [(turned(rng, reference, words), reference) for reference in references]
    assert counted(Ter(), pairs) == [[ter_edits(*pair), len(pair[1])] for pair in pairs]


def test_entries_of_a_list_that_are_as_wrong_have_as_many_edits() -> None:
    rng = random.Random(7)
    for _ in range(8):
        reference = [rng.randrange(12) for _ in range(rng.randrange(1, 25))]
        listed = [damaged(rng, reference, 0.5, 20) for _ in range(20)]
        listed += [[word if word in reference else 100 + rng.randrange(50) for word in entry] for entry in listed]
        arrays = [np.array(entry, np.int64) for entry in listed]
        together = Ter().statistics(arrays, [np.array(reference)], np.zeros(len(listed), np.int64))
        assert together[:, 0].tolist() == [ter_edits(entry, reference) for entry in listed]


@pytest.mark.parametrize(
    ("n", "m"), [(1, 160), (1, 50), (2, 99), (2, 140), (3, 150), (5, 200), (160, 1), (40, 90), (90, 40)]
)
def test_ter_of_very_different_lengths_equals_sacrebleu(n: int, m: int) -> None:
    rng = random.Random(n)
    reference = [rng.randrange(200) for _ in range(m)]
    pairs = [(rng.choices(reference, k=n), reference), ([rng.randrange(1000) for _ in range(n)], reference)]
    pairs.append((reference[-n:] * (n // m + 1), reference))
    assert counted(Ter(), pairs) == [[ter_edits(*pair), m] for pair in pairs]


@pytest.mark.parametrize(("distance", "edits"), [(49, 1), (50, 1), (51, 6)])
def test_a_block_is_moved_over_fifty_words_but_not_more(distance: int, edits: int) -> None:
    reference = list(range(56))
    hypothesis = [*range(3, 3 + distance), *range(3), *range(3 + distance, 56)]
    assert counted(Ter(), [(hypothesis, reference)]) == [[edits, 56]]
    assert ter_edits(hypothesis, reference) == edits


def test_wer_of_very_long_sentences_is_fine() -> None:
    rng = random.Random(1)
    reference = [rng.randrange(5000) for _ in range(10_000)]
    hypothesis = [word if rng.random() < 0.9 else 5000 for word in reference]
    assert counted(Wer(), [(hypothesis, reference)]) == [[hypothesis.count(5000), 10_000]]


@pytest.mark.parametrize("words", [4096, 4097])
def test_ter_of_long_references_is_the_same_on_both_sides_of_the_limit(words: int) -> None:
    reference = list(range(words))
    hypothesis = [*reference[3:9], *reference[:3], *reference[9:-2], words]
    assert counted(Ter(), [(hypothesis, reference)]) == [[3, words]]  # one block moved, one word lost, one replaced


def test_ter_asks_sacrebleu_once_for_equal_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, score = list[str](), sacrebleu.TER.sentence_score

    def counting(measure: sacrebleu.TER, hypothesis: str, references: list[str]) -> object:
        asked.append(hypothesis)
        return score(measure, hypothesis, references)

    monkeypatch.setattr(sacrebleu.TER, "sentence_score", counting)
    reference, entries = np.arange(60), [np.array([7])] * 3 + [np.array([8])] + [np.array([100])] * 2
    found = Ter().statistics(entries, [reference], np.zeros(6, np.int64))
    assert found.tolist() == [[59, 60]] * 4 + [[60, 60]] * 2
    assert len(asked) == 3


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 3), max_size=9), st.lists(st.integers(0, 3), max_size=9))
def test_wer_equals_the_recursion_and_ter_is_no_higher(hypothesis: Ids, reference: Ids) -> None:
    (edits, words), (with_moves, _) = (counted(m, [(hypothesis, reference)])[0] for m in (Wer(), Ter()))
    assert (edits, words) == (wer_edits(hypothesis, reference), len(reference))
    assert with_moves <= edits


WORDS = ["Pulse", "pulse", "el", "EL", "botón", "botón.", "ΣΑΣ", "σας", "İ", "verde\u00a0"]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(*[st.lists(st.sampled_from(WORDS), max_size=8).map("  ".join)] * 2), min_size=1, max_size=4))
def test_ter_of_text_equals_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = (list(side) for side in zip(*pairs, strict=True))
    assert ter(hypotheses, references) == pytest.approx(sacrebleu.corpus_ter(hypotheses, [references]).score, rel=1e-12)
    rows = Ter().sentence_scores(Ter().statistics(hypotheses, references))
    assert rows.tolist() == pytest.approx([sacrebleu.sentence_ter(h, [r]).score for h, r in pairs], rel=1e-12)


def test_wer_of_text() -> None:
    assert wer(["a b c d"], ["a x c"]) == pytest.approx(200 / 3)
    assert wer(["A"], ["a"]) == 100  # case matters
    assert wer([" a \t b"], ["a b"]) == 0


@pytest.mark.parametrize("measure", [wer, ter])
def test_sentences_without_words(measure: type) -> None:
    assert measure(["", ""], ["", ""]) == 0
    assert measure(["a"], [""]) == 100
    assert measure(["", "a"], ["b", "a"]) == 50
