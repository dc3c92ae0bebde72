"""Weights are a fold: over the same corrections, however they were come by, they are the same to the byte."""

from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import DamagedFileError
from dragoman.neural import Network
from dragoman.neural import learner as learner_module
from dragoman.neural.learner import Learner, PiecePair
from dragoman.neural.rounding import MEAN_STEPS, WEIGHT_STEPS, from_bytes, restore_state, round_state, to_bytes
from tests.oracles.small_transformers import small_model

pytestmark = pytest.mark.kernels

RANDOM = np.random.default_rng(5)


def some_pair(number: int) -> PiecePair:
    source, target = (tuple(RANDOM.integers(3, 20, RANDOM.integers(1, 9)).tolist()) for _ in range(2))
    return PiecePair(f"source {number}", source, target)


PAIRS = [some_pair(number) for number in range(8)]


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Network:
    monkeypatch.setattr(learner_module, "EVERY", 3)
    small_model().write(tmp_path)
    return Network.load(tmp_path)


def learned(first: Network, pairs: list[PiecePair]) -> Learner:
    learner = Learner(first)
    for pair in pairs:
        learner.learn(pair)
    return learner


def content(learner: Learner) -> tuple[object, ...]:
    weights = [value.tobytes() for value in learner.weights.values()]
    return learner.count, learner.digest, learner.ledger.sums.tobytes(), learner.words, weights


def test_a_snapshot_is_the_state_itself(first: Network) -> None:
    whole = learned(first, PAIRS)
    half = learned(first, PAIRS[:6])
    snapshot = half.snapshot()
    for again in (half, Learner(first), learned(first, PAIRS[5:])):
        again.restore(snapshot, [pair.text for pair in PAIRS[:6]])
        assert again.snapshot() == snapshot
        for pair in PAIRS[6:]:
            again.learn(pair)
        assert content(again) == content(whole)


def test_forgetting_is_learning_again_what_follows_an_earlier_snapshot(first: Network) -> None:
    learner = learned(first, PAIRS[:3])
    snapshot = learner.snapshot()
    for pair in PAIRS[3:]:
        learner.learn(pair)
    learner.restore(snapshot, [pair.text for pair in PAIRS[:3]])
    kept = [pair for number, pair in enumerate(PAIRS) if number != 4]
    for pair in kept[3:]:
        learner.learn(pair)
    assert content(learner) == content(learned(first, kept))
    learner.begin()
    assert content(learner) == content(Learner(first))


def test_the_model_itself_stays_as_it_is(first: Network) -> None:
    before = {name: value.tobytes() for name, value in first.parameters.items()}
    learner = learned(first, PAIRS)
    assert {name: value.tobytes() for name, value in first.parameters.items()} == before
    assert any(value.tobytes() != before[name] for name, value in learner.weights.items())


def test_what_makes_no_step_is_counted_all_the_same(first: Network) -> None:
    learner = learned(first, PAIRS[:1])
    weights = {name: value.tobytes() for name, value in learner.weights.items()}
    for pair in (
        PiecePair("", (), (4,)),
        PiecePair("long", (4,) * 201, (4,)),
        PiecePair("mark only", (4,), (5,), given=1),
    ):
        assert learner.learn(pair) is None
    learner_weights = {name: value.tobytes() for name, value in learner.weights.items()}
    assert learner.count == 4
    assert learner.digest != learned(first, PAIRS[:1]).digest
    assert learner_weights.keys() == weights.keys()


def test_rounding_is_to_steps_of_the_largest_of_each_row(first: Network) -> None:
    learner = Learner(first)
    for pair in PAIRS[:2]:
        learner.learn(pair)
    before = {name: value.copy() for name, value in learner.weights.items()}
    adam = learner._adam
    m, v = ({name: value.copy() for name, value in each.items()} for each in (adam.m, adam.v))
    restore_state(round_state(first.parameters, learner.weights, adam), first.parameters, learner.weights, adam)
    for name, w in before.items():
        if w.ndim == 1:
            assert np.array_equal(learner.weights[name], w)
            continue
        for now, was, steps in (
            (learner.weights[name] - first.parameters[name], w - first.parameters[name], WEIGHT_STEPS),
            (adam.m[name], m[name], MEAN_STEPS),
        ):
            step = np.abs(was).max(1, keepdims=True) / steps
            assert (np.abs(now - was) <= 0.51 * step + 1e-7).all(), name
        rows, columns = v[name].mean(1), v[name].mean(0)
        spread = np.outer(rows, columns) / max(rows.mean(), 1e-30)
        assert adam.v[name] == pytest.approx(np.maximum(spread, adam.m[name] ** 2), rel=1e-4, abs=1e-20)


def test_a_damaged_snapshot_is_refused() -> None:
    snapshot = to_bytes({"count": 3}, {"a": np.arange(6, dtype=np.int8).reshape(2, 3)})
    about, kept = from_bytes(snapshot)
    assert about == {"count": 3}
    assert kept["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    for damaged in (snapshot[:-1], snapshot[:40] + b"x" + snapshot[41:], b""):
        with pytest.raises(DamagedFileError, match="not a whole snapshot"):
            from_bytes(damaged)
