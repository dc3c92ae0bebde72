"""Weights become the integers that CTranslate2's converters make of them."""

from pathlib import Path

import ctranslate2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dragoman.neural import Network
from dragoman.neural.model_file import ModelFile
from dragoman.neural.quantise import ModelImage, quantised
from tests.oracles.small_transformers import KINDS, small_model

pytestmark = pytest.mark.kernels

WEIGHTS = st.integers(-2000, 2000).map(lambda number: number / 7)


@given(arrays.arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 40)), elements=WEIGHTS))
def test_integers_are_those_of_the_converters(w: np.ndarray) -> None:
    integers, scales = quantised("int8", w)
    assert scales is not None
    for row, found, scale in zip(w, integers, scales, strict=True):
        largest = np.abs(row).max()
        assert scale == (np.float32(127) / largest if largest else 1)
        assert np.array_equal(found, np.rint(row * scale))


@pytest.mark.parametrize("kind", KINDS)
def test_replaced_weights_are_what_ctranslate2_loads(kind: str, tmp_path: Path) -> None:
    small_model(kind).write(tmp_path)
    network = Network.load(tmp_path)
    image = ModelImage(network.file)
    assert image.files() == network.file.files()
    random = np.random.default_rng(3)
    for name in network.architecture.learned:
        network.parameters[name] += random.normal(size=network.parameters[name].shape).astype(np.float32) / 50
        image.write(name, network.parameters[name])
    model = ctranslate2.Translator("learned", files=image.files(), compute_type="float32", intra_threads=1)
    scored = model.score_batch([["t3", "t4", "t5"]], [["t6", "t7"]])[0]
    for name, content in image.files().items():
        (tmp_path / name).write_bytes(content)
    reread = Network.load(tmp_path)
    source, target = (ModelFile.read(tmp_path).vocabulary(side) for side in ("source", "target"))
    ids = [[source.index(each) if each in source else 0 for each in ("t3", "t4", "t5")]]
    ids.append([target.index(each) for each in ("t6", "t7")])
    assert reread.loss(*ids).nats == pytest.approx(-sum(scored.log_probs), rel=2e-5, abs=2e-5)
    for name in network.architecture.learned:
        assert reread.parameters[name] == pytest.approx(network.parameters[name], abs=0.01)
