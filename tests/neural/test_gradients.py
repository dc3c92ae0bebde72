"""Gradients are those of finite differences, for every kind of network."""

from pathlib import Path

import numpy as np
import pytest

from dragoman.neural import Network
from dragoman.neural.layers import ACTIVATIONS, DERIVATIVES
from tests.oracles.small_transformers import KINDS, tiny

pytestmark = pytest.mark.kernels

PAIRS = [([3, 4, 3, 6], [5, 3]), ([5, 3, 6, 6], [4, 6])]  # pieces that come twice, in a source and in both texts
STEP = 2**-10


def mean_loss(network: Network, given: int) -> float:
    losses = [network.loss(*pair, given=given) for pair in PAIRS]
    return sum(each.nats for each in losses) / sum(each.pieces for each in losses)


def differences(network: Network, name: str, given: int) -> np.ndarray:
    """(f(w + h) - f(w - h)) / 2h for each weight, of a network in float64."""
    values = network.parameters[name].reshape(-1)
    found = np.empty(len(values))
    for i, w in enumerate(values.copy()):
        values[i] = w + STEP
        above = mean_loss(network, given)
        values[i] = w - STEP
        found[i] = (above - mean_loss(network, given)) / (2 * STEP)
        values[i] = w
    return found.reshape(network.parameters[name].shape)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_finite_differences(kind: str, tmp_path: Path) -> None:
    tiny(kind).write(tmp_path)
    network = Network.load(tmp_path)
    given = 1 if kind == "m2m" else 0
    loss, gradients = network.gradients(PAIRS, given=given)
    assert loss.nats / loss.pieces == pytest.approx(mean_loss(network, given), rel=1e-5)
    exact = Network.load(tmp_path)
    exact.parameters = {name: value.astype(np.float64) for name, value in exact.parameters.items()}
    whole = []
    for name in network.architecture.learned:
        found = gradients.dense(name, network.parameters[name].shape)
        assert found == pytest.approx(differences(exact, name, given), abs=2e-4), name
        assert found.dtype == np.float32
        whole.append(found.reshape(-1))
    assert gradients.norm() == pytest.approx(float(np.linalg.norm(np.concatenate(whole))), rel=1e-5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_derivatives_of_activations_are_finite_differences(activation: str) -> None:
    x = np.linspace(-6, 6, 400, dtype=np.float32)  # 0 is not among them
    h = np.float32(2**-6)
    f = ACTIVATIONS[activation]
    wanted = (f(x + h) - f(x - h)) / (2 * h)
    far = np.abs(x) > h
    assert DERIVATIVES[activation](x)[far] == pytest.approx(wanted[far], abs=3e-4)


def test_a_part_of_a_gradient_is_that_part_of_the_whole(tmp_path: Path) -> None:
    tiny("ours").write(tmp_path)
    network = Network.load(tmp_path)
    _, gradients = network.gradients(PAIRS)
    name = network.architecture.projection
    whole = gradients.dense(name, network.parameters[name].shape)
    for begin, end in ((0, 2), (2, 3), (3, 7)):
        part = np.full((end - begin, whole.shape[1]), np.nan, np.float32)
        gradients.part(name, begin, end, part)
        assert part == pytest.approx(whole[begin:end], abs=1e-7)
