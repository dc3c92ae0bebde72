"""Intervals and tests of significance: what they say of systems whose difference is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dragoman.errors import BadInputError
from dragoman.measure import Bleu, Chrf, Measure, Ter, Wer, bootstrap, interval, randomisation, significance

pytestmark = pytest.mark.kernels


def rows(rate: float, sentences: int, seed: int) -> np.ndarray:
    """Counts of WER: sentences of 20 words, each wrong with a given chance."""
    edits = np.random.default_rng(seed).binomial(20, rate, sentences)
    return np.stack([edits, np.full(sentences, 20)], 1)


def test_the_interval_has_the_width_that_theory_gives() -> None:
    found = interval(Wer(), rows(0.3, 400, seed=1), samples=4000)
    expected = 1.96 * 100 * np.sqrt(0.3 * 0.7 / 20 / 400)
    assert found.margin == pytest.approx(expected, rel=0.1)
    assert found.low < found.score < found.high
    assert str(found) == f"{found.score:.1f} ± {found.margin:.1f}"


def test_intervals_hold_the_true_score_95_times_in_100() -> None:
    found = [interval(Wer(), rows(0.3, 100, seed), samples=300, seed=seed) for seed in range(200)]
    assert 0.9 <= np.mean([one.low <= 30 <= one.high for one in found]) <= 0.99


@pytest.mark.parametrize("test", [lambda *a: bootstrap(*a).p_value, randomisation], ids=["bootstrap", "randomisation"])
def test_p_values(test: object) -> None:
    assert callable(test)
    baseline = rows(0.3, 300, seed=1)
    assert test(Wer(), baseline, rows(0.25, 300, seed=2)) < 0.01
    assert test(Wer(), baseline, rows(0.3, 300, seed=6)) > 0.05
    assert test(Wer(), baseline, baseline) == 1


@pytest.mark.parametrize("test", [lambda *a: bootstrap(*a).p_value, randomisation], ids=["bootstrap", "randomisation"])
def test_equal_systems_are_seldom_told_apart(test: object) -> None:
    assert callable(test)
    found = [
        test(Wer(), rows(0.3, 60, seed), rows(0.3, 60, 1000 + seed)) < 0.05
        for seed in range(100)  # five of them are expected
    ]
    assert np.sum(found) <= 12


def test_the_comparison_is_paired() -> None:
    baseline = rows(0.3, 200, seed=1)
    system = baseline - np.array([1, 0]) * (np.arange(200) % 4 == 0)[:, None] * (baseline[:, :1] > 0)
    found = bootstrap(Wer(), baseline, system)
    assert found.difference.score == pytest.approx(found.system.score - found.baseline.score)
    assert found.difference.margin < found.system.margin  # what is hard for one is hard for the other
    assert found.difference.high < 0
    assert found.p_value < 0.01
    assert found.baseline == interval(Wer(), baseline)


@pytest.mark.parametrize("measure", [Wer(), Ter(), Bleu(), Chrf()], ids=lambda measure: measure.name)
def test_samples_are_scored_as_if_their_sentences_were_compared_again(measure: Measure) -> None:
    references = ["press the green button twice", "close the lid of the printer", "wait for a while"]
    hypotheses = ["press green button twice", "close the lid the printer", "wait a little while"]
    drawn = np.random.default_rng(7).integers(3, size=(50, 3))
    scores = sorted(measure([hypotheses[n] for n in draw], [references[n] for n in draw]) for draw in drawn)
    found = interval(measure, measure.statistics(hypotheses, references), samples=50, seed=7)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(scores, [0.025, 0.975])))


def test_seeds_repeat_and_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    baseline, system = rows(0.3, 50, seed=1), rows(0.28, 50, seed=2)
    found = bootstrap(Wer(), baseline, system), randomisation(Wer(), baseline, system)
    assert bootstrap(Wer(), baseline, system, seed=2) != found[0]
    monkeypatch.setattr(significance, "CELLS", 50 * 33)
    assert (bootstrap(Wer(), baseline, system), randomisation(Wer(), baseline, system)) == found


def test_one_sentence_is_enough() -> None:
    assert interval(Wer(), np.array([[1, 4]])).margin == 0
    assert randomisation(Wer(), np.array([[1, 4]]), np.array([[2, 4]])) == 1


def test_different_test_sets_are_refused() -> None:
    for test in (bootstrap, randomisation):
        with pytest.raises(BadInputError, match="the baseline has 5 sentences, the system 6"):
            test(Wer(), rows(0.3, 5, 1), rows(0.3, 6, 1))


@pytest.mark.parametrize("wrong", [["a b", "c"], [[1, 2]], np.zeros((0, 2)), np.zeros(2)], ids=str)
def test_what_is_not_counts_of_sentences_is_refused(wrong: Any) -> None:
    for refused in (lambda: interval(Wer(), wrong), lambda: bootstrap(Wer(), wrong, wrong)):
        with pytest.raises(BadInputError, match=r"expected counts of shape .* pass the result of measure\.statistics"):
            refused()


def test_at_least_one_sample_is_drawn() -> None:
    with pytest.raises(BadInputError, match="0 samples"):
        interval(Wer(), rows(0.3, 5, seed=1), samples=0)
