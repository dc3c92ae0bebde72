"""Rounds of decoding and optimising: the best is kept, the end comes in time, and bad input is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman.errors import BadInputError, StorageError
from dragoman.measure import Wer
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.sample import pairs
from dragoman.search.decoder import Decoder
from dragoman.text.tokens import split
from dragoman.tune import METHODS, Development, Pool, decode, mert, tune
from dragoman.tune.plot import plot
from dragoman.tune.rounds import ATTEMPTS, PATIENCE, vector
from tests.tune.support import MEASURES

pytestmark = pytest.mark.kernels

Floats = NDArray[np.float64]
WORDS = [(split(one.lower()).words, split(other.lower()).words) for one, other in pairs()]
START = Weights("moses", {"word_penalty": 0.5, "language": 0.1})  # a poor one


@pytest.fixture(scope="module")
def models() -> ModelSet:
    models = ModelSet()
    models.train(WORDS[:200])
    return models


@pytest.fixture(scope="module")
def development() -> Development:
    return Development.of(WORDS[200:240])


@pytest.mark.parametrize("method", METHODS)
def test_rounds_make_the_development_set_better(method: str, models: ModelSet, development: Development) -> None:
    measure = MEASURES["bleu"]
    report = tune(models, START, development, METHODS[method], measure, nbest=50, rounds=3)
    assert report.method == method
    assert report.after > report.before
    assert report.before == decode(Decoder(models, START), development, measure).score
    assert report.after == decode(Decoder(models, Weights("moses", report.weights)), development, measure).score
    assert [each.number for each in report.rounds] == list(range(len(report.rounds)))


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_of_errors_goes_down_and_one_of_what_is_right_up(
    measure: str, models: ModelSet, development: Development
) -> None:
    report = tune(models, START, development, mert, MEASURES[measure], nbest=50, rounds=3)
    assert (report.after > report.before) == MEASURES[measure].higher_is_better


def test_the_best_round_is_kept_when_later_ones_collapse(models: ModelSet, development: Development) -> None:
    asked: list[Floats] = []

    def collapsing(pool: Pool, weights: Floats, *, seed: int = 1) -> Floats:  # noqa: ARG001 (the protocol)
        asked.append(weights)
        return vector(Weights("moses")) if len(asked) == 1 else -np.roll(weights, len(asked))

    report = tune(models, START, development, collapsing, MEASURES["bleu"], nbest=20, rounds=20)
    assert report.best == 1
    assert len(report.rounds) == 2 + PATIENCE
    assert report.after == max(each.score for each in report.rounds)
    assert all(start.tolist() == vector(report.weights).tolist() for start in asked[1:])  # never from a collapsed one


def test_it_does_not_give_up_before_a_first_gain(models: ModelSet, development: Development) -> None:
    good, calls = vector(Weights("moses")), list[int]()

    def late(pool: Pool, weights: Floats, *, seed: int = 1) -> Floats:  # noqa: ARG001 (the protocol)
        """Worse and worse, until it finds the default weights."""
        calls.append(seed)
        worse = weights.copy()
        worse[0] -= 0.2 * len(calls)
        return worse if len(calls) <= PATIENCE + 1 else good

    report = tune(models, START, development, late, MEASURES["bleu"], nbest=20, rounds=PATIENCE + 3)
    assert report.best == PATIENCE + 2
    assert report.after > report.before


def test_it_ends_when_no_other_weights_are_found_with_several_seeds(models: ModelSet, development: Development) -> None:
    seeds = set()

    def same(pool: Pool, weights: Floats, *, seed: int = 1) -> Floats:  # noqa: ARG001 (the protocol)
        seeds.add(seed)
        return weights.copy()

    report = tune(models, START, development, same, MEASURES["wer"], nbest=5, rounds=9)
    assert (len(report.rounds), report.best) == (1, 0)
    assert report.weights == dict(START)
    assert len(seeds) == ATTEMPTS


def test_it_starts_from_the_next_best_weights_when_nothing_is_found_from_the_best(
    models: ModelSet, development: Development
) -> None:
    good = vector(Weights("moses"))

    def stuck(pool: Pool, weights: Floats, *, seed: int = 1) -> Floats:  # noqa: ARG001 (the protocol)
        """Finds the default weights, nothing from there, and something between when it starts from the first again."""
        if np.array_equal(weights, good):
            return weights
        return good if seed <= ATTEMPTS else (weights + good) / 2

    report = tune(models, START, development, stuck, MEASURES["bleu"], nbest=20, rounds=2)
    found = [vector(each.weights).tolist() for each in report.rounds]
    assert found == [vector(START).tolist(), good.tolist(), ((vector(START) + good) / 2).tolist()]


def test_the_same_seed_gives_the_same_report_for_any_number_of_threads(
    models: ModelSet, development: Development
) -> None:
    def figures(threads: int) -> list[object]:
        report = tune(models, START, development, mert, Wer(), nbest=10, rounds=2, seed=3, threads=threads)
        return [(each.score, each.expected, each.new, each.weights) for each in report.rounds]

    assert figures(1) == figures(2)


def test_lists_of_one_and_a_single_sentence(models: ModelSet) -> None:
    one = Development.of(WORDS[200:201])
    for nbest in (1, 10):
        report = tune(models, START, one, mert, MEASURES["bleu"], nbest=nbest, rounds=2)
        assert report.sentences == 1
        assert report.after >= report.before


def test_progress_is_one_bar_that_gets_to_its_end(models: ModelSet, development: Development) -> None:
    told: list[tuple[str, int, int]] = []
    report = tune(models, START, development, mert, Wer(), nbest=5, rounds=2, progress=lambda *at: told.append(at))
    assert {what for what, _, _ in told} == {"tuning"}
    assert told[0] == ("tuning", 1, 3 * len(development))
    assert told[-1][1] == told[-1][2]
    assert len(told) == len(report.rounds) * len(development) + 1


def test_reports_as_json_text_and_figure(models: ModelSet, development: Development, tmp_path: Path) -> None:
    report = tune(models, START, development, mert, MEASURES["bleu"], nbest=10, rounds=2)
    data = json.loads(json.dumps(report.as_json()))
    assert data["after"] == report.after
    assert data["rounds"][0]["pool"] == report.rounds[0].new
    lines = str(report).splitlines()
    assert len(lines) == len(report.rounds) + 3
    assert lines[1 + report.best].endswith("←")
    assert f"BLEU {report.before:.2f} → {report.after:.2f} on 40 sentences" in lines
    plot(report, tmp_path / "rounds.svg")
    assert "decoded" in (tmp_path / "rounds.svg").read_text(encoding="utf-8")
    with pytest.raises(StorageError, match="no such file or directory"):
        plot(report, tmp_path / "nowhere" / "rounds.svg")


def test_nothing_to_do_is_refused(models: ModelSet, development: Development) -> None:
    with pytest.raises(BadInputError, match="at least 1 round"):
        tune(models, START, development, mert, Wer(), rounds=0)
    with pytest.raises(BadInputError, match="not 1 of 0"):
        tune(models, START, development, mert, Wer(), rounds=1, nbest=0)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "None"),
        (np.ones(3), "3 weights, 3 of them finite"),
        (np.ones((1, len(START))), f"{len(START)} weights"),
        ({"language": 0.5}, "0 weights"),
        (np.full(len(START), np.nan), f"{len(START)} weights, 0 of them finite"),
    ],
)
def test_a_tuner_that_returns_no_weights_is_refused_by_name(
    returned: Any, said: str, models: ModelSet, development: Development
) -> None:
    def careless(pool: Pool, weights: Floats, *, seed: int = 1) -> Any:  # noqa: ARG001 (the protocol)
        return returned

    message = f"careless has returned {said}.*; return {len(START)} finite numbers, one per weight"
    with pytest.raises(BadInputError, match=message):
        tune(models, START, development, careless, Wer(), nbest=5, rounds=1)


def test_a_tuner_may_return_a_list(models: ModelSet, development: Development) -> None:
    def listing(pool: Pool, weights: Floats, *, seed: int = 1) -> Any:  # noqa: ARG001 (the protocol)
        return [1.0] * len(weights)

    report = tune(models, START, development, listing, Wer(), nbest=5, rounds=1)
    assert list(report.rounds[1].weights.values()) == [1.0] * len(START)


def test_a_tuner_may_change_the_weights_it_is_given(models: ModelSet, development: Development) -> None:
    def changing(pool: Pool, weights: Floats, *, seed: int = 1) -> Floats:  # noqa: ARG001 (the protocol)
        weights *= np.arange(1, len(weights) + 1)
        return weights

    report = tune(models, START, development, changing, Wer(), nbest=5, rounds=1)
    assert len(report.rounds) == 2
    assert dict(report.rounds[0].weights) == dict(START)


def test_pairs_without_words_on_a_side_are_left_out_and_counted() -> None:
    development = Development.of([(["a"], []), ([], ["b"]), (["a"], ["b"])])
    assert (development.sources, development.references, development.left_out) == ((("a",),), (("b",),), 2)
    with pytest.raises(BadInputError, match="no sentence with words on both sides"):
        Development.of([(["a"], []), ([], [])])
    with pytest.raises(BadInputError, match="not one string"):
        Development.of([("a b", "c d")])
    with pytest.raises(BadInputError, match="1 sources, but 0 references"):
        Development((("a",),), (), (None,))


def test_texts_are_read_as_for_translating() -> None:
    knowledge = Knowledge()
    knowledge.learn(knowledge.read_pair("Press the <b>green</b> button.", "Pulse el botón <b>verde</b>."))
    read = Development.read(knowledge, [("Press <b>it</b>.", "Púlselo.")])
    sentence = knowledge.source.read("Press <b>it</b>.")
    assert read.sources == (knowledge.source.model_words(sentence),)
    assert read.placeable == (sentence.placeable,)
    assert any(sentence.placeable)


def test_sets_are_joined() -> None:
    one, other = Development.of([(["a"], ["b"]), ([], [])]), Development.of([(["c"], ["d"])])
    both = one + other
    assert (both.sources, both.references, both.left_out) == ((("a",), ("c",)), (("b",), ("d",)), 1)


def test_a_decoded_list_has_a_row_for_each_different_translation(models: ModelSet, development: Development) -> None:
    decoded = decode(Decoder(models, START), development, Wer(), n=7)
    alone = decode(Decoder(models, START), development, Wer())
    assert decoded.best.tolist() == alone.best.tolist()
    for features, counts in zip(decoded.features, decoded.statistics, strict=True):
        assert 1 <= len(features) == len(counts) <= 7
        scores = features @ vector(START)
        assert (np.diff(scores) <= 1e-9).all()
