"""Tuning with parts held out: weights change only as far as text gains that they were not tuned on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.measure import Wer
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.sample import pairs
from dragoman.search.decoder import Decoder
from dragoman.text.tokens import split
from dragoman.tune import Development, Pool, decode, mira, tune_held_out
from dragoman.tune.held_out import SHARES, between, divided, judged
from dragoman.tune.plot import plot
from dragoman.tune.rounds import vector
from tests.tune.support import MEASURES

pytestmark = pytest.mark.kernels

Floats = NDArray[np.float64]
WORDS = [(split(one.lower()).words, split(other.lower()).words) for one, other in pairs()]
GOOD, POOR = Weights("moses"), Weights("moses", {"word_penalty": 0.5, "language": 0.1})


@pytest.fixture(scope="module")
def models() -> ModelSet:
    models = ModelSet()
    models.train(WORDS[:200])
    return models


@pytest.fixture(scope="module")
def development() -> Development:
    return Development.of(WORDS[200:260])


def test_poor_weights_are_moved_and_the_gain_is_of_text_that_was_held_out(
    models: ModelSet, development: Development
) -> None:
    measure = MEASURES["bleu"]
    found = tune_held_out(models, POOR, development, mira, measure, nbest=50, rounds=3)
    assert found.changed
    assert found.after > found.before
    assert found.before == decode(Decoder(models, POOR), development, measure).score
    assert found.comparison.p_value <= 0.05
    assert sum(np.abs(list(found.weights.values()))) == pytest.approx(np.abs(vector(POOR)).sum())
    test = Development.of(WORDS[260:300])
    tuned = decode(Decoder(models, Weights("moses", found.weights)), test, measure).score
    assert tuned > decode(Decoder(models, POOR), test, measure).score


def test_weights_that_do_not_fit_other_text_are_refused(models: ModelSet, development: Development) -> None:
    def overfitting(pool: Pool, weights: Floats, *, seed: int = 1) -> Floats:  # noqa: ARG001 (the protocol)
        return vector(POOR)  # what a tuner would return that is misled by its pool

    found = tune_held_out(models, GOOD, development, overfitting, MEASURES["bleu"], nbest=10, rounds=1)
    assert not found.changed
    assert found.weights == dict(GOOD)
    assert "refused: no text that was held out gains" in str(found)


def counts(edits: list[int]) -> NDArray[np.int64]:
    return np.array([[each, 10] for each in edits], np.int64)


@pytest.mark.parametrize(
    ("moved", "share"),
    [
        ([2] * 60, 0.5),  # every sentence gains
        ([2, 8] * 29 + [2, 2], 0.25),  # it may be chance
        ([5] * 60, 0.0),
        ([6] * 60, 0.0),
    ],
)
def test_how_far_the_weights_are_moved_depends_on_the_significance(moved: list[int], share: float) -> None:
    start, worse = counts([5] * 60), counts([9] * 60)
    by_share = [start, worse, counts(moved), worse, worse]
    found = judged(dict(GOOD), (), by_share, Wer())
    assert found.share == share
    assert found.best in SHARES


def test_weights_between_two_have_the_sum_of_the_first() -> None:
    start, end = np.array([1.0, -0.5, 0.25]), np.array([0.5, 0.5, 0.75])
    assert between(start, end, 0.0).tolist() == start.tolist()
    for share in SHARES:
        assert np.abs(between(start, end, share)).sum() == pytest.approx(1.75)
    assert np.allclose(between(start, end, 1.0), end)


def test_each_sentence_is_held_out_once(development: Development) -> None:
    for folds in (2, 3, 60):
        parts = list(divided(development, folds))
        assert sum((part.sources for _, part in parts), ()) == development.sources
        for rest, part in parts:
            assert sorted(rest.sources + part.sources) == sorted(development.sources)
    with pytest.raises(BadInputError, match="cannot be divided into 61 parts"):
        tune_held_out(ModelSet(), GOOD, development, mira, Wer(), folds=61)


def test_the_report_as_json_and_as_a_figure(models: ModelSet, development: Development, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    found = tune_held_out(
        models, POOR, development, mira, Wer(), nbest=5, rounds=1, progress=lambda *at: told.append(at)
    )
    data = json.loads(json.dumps(found.as_json()))
    assert data["sentences"] == len(development)
    assert data["weights"] == found.weights
    assert list(data["held_out"]) == [str(share) for share in SHARES]
    assert told[-1][1] == told[-1][2]
    shares = [done / total for _, done, total in told]
    assert shares == sorted(shares)
    plot(found, tmp_path / "rounds.svg")
    assert "without part 2" in (tmp_path / "rounds.svg").read_text(encoding="utf-8")
