"""A step over blocks of factors is the step that is written down."""

from pathlib import Path

import numpy as np
import pytest

from dragoman.neural import Network
from dragoman.neural import adam as adam_module
from dragoman.neural.adam import Adam
from tests.oracles.adam import SlowAdam
from tests.oracles.small_transformers import KINDS, small_model

pytestmark = pytest.mark.kernels

PAIRS = [([3, 4, 3, 6, 8], [5, 3]), ([9, 4], [6, 5, 5, 7]), ([3], [3])]


def learned(network: Network) -> dict[str, np.ndarray]:
    return {name: network.parameters[name] for name in network.architecture.learned}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at_once", [1, 50, 1 << 15])
def test_steps_are_those_that_are_written_down(
    kind: str, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adam_module, "AT_ONCE", at_once)
    small_model(kind).write(tmp_path)
    network = Network.load(tmp_path)
    weights = learned(network)
    fast, slow = Adam(weights), SlowAdam({name: value.reshape(-1).tolist() for name, value in weights.items()})
    for pair in PAIRS:
        _, gradients = network.gradients([pair])
        slow.step({name: gradients.dense(name, w.shape).reshape(-1).tolist() for name, w in weights.items()})
        fast.step(weights, gradients)
    for name, w in weights.items():
        assert w.reshape(-1) == pytest.approx(slow.weights[name], abs=2e-7), name
        assert fast.m[name].reshape(-1) == pytest.approx(slow.m[name], abs=1e-6)
        assert fast.v[name].reshape(-1) == pytest.approx(slow.v[name], abs=1e-6)


def test_the_same_steps_give_the_same_bits_wherever_arrays_stand(tmp_path: Path) -> None:
    small_model().write(tmp_path)
    results = []
    for offset in range(4):
        network = Network.load(tmp_path)
        for name, value in network.parameters.items():
            room = np.empty(value.size + offset, np.float32)[offset:]
            room[:] = value.reshape(-1)
            network.parameters[name] = room.reshape(value.shape)
        weights = learned(network)
        adam = Adam(weights)
        for pair in PAIRS:
            adam.step(weights, network.gradients([pair])[1])
        results.append({name: value.tobytes() for name, value in weights.items()})
    assert all(each == results[0] for each in results)


def test_a_correction_becomes_more_probable(tmp_path: Path) -> None:
    small_model().write(tmp_path)
    network = Network.load(tmp_path)
    weights = learned(network)
    adam = Adam(weights)
    before = network.loss(*PAIRS[0]).nats
    for _ in range(30):
        adam.step(weights, network.gradients([PAIRS[0]])[1])
    assert network.loss(*PAIRS[0]).nats < before - 0.1
