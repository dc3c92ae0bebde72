"""The network says what CTranslate2 says, or says why it cannot."""

from collections.abc import Callable
from pathlib import Path

import ctranslate2
import numpy as np
import pytest

from dragoman.neural import CannotLearnError, Network
from dragoman.neural.model_file import ModelFile
from tests.oracles.small_transformers import KINDS, small_model

pytestmark = pytest.mark.kernels


def random_pairs(network: Network, count: int, seed: int = 5) -> list[tuple[list[int], list[int]]]:
    random, a = np.random.default_rng(seed), network.architecture

    def ids(size: int) -> list[int]:
        return [int(i) for i in random.integers(3, size, random.integers(1, 12))]

    return [(ids(a.source_pieces), ids(a.target_pieces)) for _ in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_are_those_of_ctranslate2_in_float32(kind: str, tmp_path: Path) -> None:
    small_model(kind).write(tmp_path)
    network = Network.load(tmp_path)
    theirs = ctranslate2.Translator(str(tmp_path), compute_type="float32", intra_threads=1)
    sources, targets = network.file.vocabulary("source"), network.file.vocabulary("target")
    for source, target in random_pairs(network, 20):
        (scored,) = theirs.score_batch([[sources[i] for i in source]], [[targets[i] for i in target]])
        ours = network.loss(source, target)
        assert ours.pieces == len(scored.log_probs)
        assert ours.nats == pytest.approx(-sum(scored.log_probs), rel=2e-5, abs=2e-5)
        s, inputs, outputs = network.batch([(source, target)])
        log_probabilities = network.forward(s, inputs).log_probabilities[0]
        chosen = log_probabilities[np.arange(outputs.shape[1]), outputs[0]]
        assert chosen == pytest.approx(scored.log_probs, rel=2e-4, abs=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_of_equal_lengths_says_what_each_pair_says(kind: str, tmp_path: Path) -> None:
    small_model(kind).write(tmp_path)
    network = Network.load(tmp_path)
    pairs = [([4, 5, 6], [7, 8]), ([9, 3, 4], [5, 5]), ([3, 3, 3], [11, 4])]
    sources, inputs, outputs = network.batch(pairs)
    together = network.forward(sources, inputs)
    for i, pair in enumerate(pairs):
        alone = network.forward(*network.batch([pair])[:2])
        for ours, single in zip(together[:4], alone[:4], strict=True):
            assert ours[i] == pytest.approx(single[0], abs=3e-5)
    assert outputs.shape == inputs.shape


def test_given_pieces_are_not_counted(tmp_path: Path) -> None:
    small_model("m2m").write(tmp_path)
    network = Network.load(tmp_path)
    all_counted, one_given = network.loss([4, 5], [6, 7, 8]), network.loss([4, 5], [6, 7, 8], given=1)
    assert (all_counted.pieces, one_given.pieces) == (4, 3)
    assert all_counted.nats - one_given.nats == pytest.approx(network_first(network, [4, 5], [6, 7, 8]), abs=1e-5)


def network_first(network: Network, source: list[int], target: list[int]) -> float:
    sources, inputs, _ = network.batch([(source, target)])
    return -float(network.forward(sources, inputs).log_probabilities[0, 0, target[0]])


def test_a_text_longer_than_the_positions_is_refused(tmp_path: Path) -> None:
    small_model().write(tmp_path)
    network = Network.load(tmp_path)
    network.loss([4] * 39, [4] * 39)
    with pytest.raises(CannotLearnError, match="longer than its 40 positions"):
        network.loss([4] * 41, [4])


def _with(name: str, value: np.ndarray) -> Callable[[ModelFile], None]:
    return lambda model: model.variables.__setitem__(name, value)


def _without(name: str) -> Callable[[ModelFile], None]:
    return lambda model: model.variables.__delitem__(name)


def _config(name: str, value: object) -> Callable[[ModelFile], None]:
    return lambda model: model.config.__setitem__(name, value)


LAYER = "decoder/layer_1"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_with("decoder/alibi", np.array(1, np.int8)), "decoder/alibi is on"),
        (_with("decoder/activation", np.array(5, np.int8)), "activation 5"),
        (_with("decoder/num_heads", np.array(5, np.int16)), "5 heads for a width of 12"),
        (_with(f"{LAYER}/self_attention/rotary_dim", np.array(4, np.int32)), "rotary_dim is for is not known"),
        (_with(f"{LAYER}/self_attention/queries_scale", np.array(1, np.float32)), "queries_scale is for is not known"),
        (_with(f"{LAYER}/ffn/linear_0_noact/weight", np.ones((20, 12), np.float32)), "noact/weight is for is not"),
        (_with("decoder/scale_outputs", np.array(2, np.float32)), "scale_outputs is for is not known"),
        (_with("decoder/layer_7/ffn/layer_norm/gamma", np.ones(12, np.float32)), "layer_7"),
        (_with(f"{LAYER}/ffn/linear_0/bias", np.ones(19, np.float32)), "does not have 20 values"),
        (_with(f"{LAYER}/ffn/linear_0/weight_scale", np.array(0.1, np.float32)), "scale of .* is not what"),
        (_with(f"{LAYER}/ffn/linear_0/weight_scale", np.zeros(20, np.float32)), "impossible values"),
        (_with(f"{LAYER}/ffn/linear_0/bias", np.full(20, np.nan, np.float32)), "not finite"),
        (_without(f"{LAYER}/ffn/layer_norm/beta"), "lacks .*beta"),
        (_without(f"{LAYER}/ffn/linear_0/weight_scale"), "scale of .* is not what"),
        (_without("encoder/num_heads"), "lacks encoder/num_heads"),
        (_config("layer_norm_epsilon", "small"), "layer_norm_epsilon"),
        (_config("eos_token", "</t>"), "lacks the eos_token"),
        (
            lambda model: model.beside.update({"shared_vocabulary.json": b'["<unk>", "<s>", "</s>"]'}),
            "size of its vocab",
        ),
        (lambda model: model.beside.clear(), "no source vocabulary"),
    ],
)
def test_what_is_not_understood_exactly_is_refused_with_a_reason(
    change: Callable[[ModelFile], None], reason: str, tmp_path: Path
) -> None:
    model = small_model()
    change(model)
    model.write(tmp_path)
    with pytest.raises(CannotLearnError, match=reason) as error:
        Network.load(tmp_path)
    assert error.value.where == tmp_path
