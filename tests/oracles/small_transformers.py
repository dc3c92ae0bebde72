"""Small Transformers with random weights, of every kind that can learn, as their converters store them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dragoman.neural.model_file import ModelFile
from dragoman.neural.quantise import quantised

RELU, GELU_TANH, SWISH, GELU, GELU_SIGMOID = range(5)
MARKS = ["<unk>", "<s>", "</s>"]


@dataclass(frozen=True)
class Kind:
    """What makes one kind of model differ from another."""

    width: int = 12
    heads: int = 2
    inner: int = 20
    layers: tuple[int, int] = (2, 2)
    before: bool = True  # normalised before each block
    activation: int = RELU
    scale: float | bool = True  # of the embeddings: by the root of the width, or by a number
    positions: str = "stored"  # one table for both, or "computed", "apart"
    shared: bool = True  # one vocabulary
    tied: bool = True  # embeddings and projection are one matrix
    bias: bool = True  # of the projection
    from_zero: bool = False
    norm_embedding: bool = False
    start: str | None = "<s>"
    adds_bos: bool = False
    adds_eos: bool = True
    epsilon: float | None = None
    stored_as: str = "int8"
    floats: str = "float32"


KINDS = {
    "ours": Kind(),
    "marian": Kind(before=False, activation=SWISH, from_zero=True, start="</s>"),
    "marian, prenormalised, three matrices": Kind(activation=GELU_SIGMOID, from_zero=True, tied=False, shared=False),
    "marian, deep encoder": Kind(
        before=False, layers=(3, 1), from_zero=True, adds_eos=False, stored_as="float16", floats="float16"
    ),
    "m2m": Kind(scale=math.sqrt(12), bias=False, start="</s>", adds_eos=False, stored_as="float32"),
    "mbart": Kind(norm_embedding=True, activation=GELU, start=None, adds_eos=False, positions="apart", scale=False),
    "opennmt": Kind(positions="computed", tied=False, shared=False, adds_bos=True, stored_as="int16"),
    "fairseq": Kind(
        before=False, activation=GELU_TANH, scale=False, epsilon=1e-3, positions="apart", stored_as="float32"
    ),
    "one head, int8 and float16": Kind(heads=1, floats="float16", layers=(1, 2)),
}


def small_model(kind: Kind | str = "ours", seed: int = 0, pieces: int = 23) -> ModelFile:
    """A model of a kind, with weights that make its probabilities uneven."""
    if isinstance(kind, str):
        kind = KINDS[kind]
    maker = _Maker(kind, np.random.default_rng(seed))
    target = [*MARKS, *(f"t{i}" for i in range(pieces - len(MARKS)))]
    source = target if kind.shared else [*MARKS, *(f"s{i}" for i in range(pieces + 4 - len(MARKS)))]
    maker.embeddings(len(source), len(target))
    for side, layers in zip(("encoder", "decoder"), kind.layers, strict=True):
        maker.stack(side, layers)
    names = {"shared": source} if kind.shared else {"source": source, "target": target}
    beside = {f"{name}_vocabulary.json": json.dumps(tokens).encode() for name, tokens in names.items()}
    config: dict[str, Any] = {
        "unk_token": "<unk>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "decoder_start_token": kind.start,
    }
    config |= {"add_source_bos": kind.adds_bos, "add_source_eos": kind.adds_eos, "layer_norm_epsilon": kind.epsilon}
    return ModelFile("TransformerSpec", 7, dict(sorted(maker.variables.items())), maker.aliases, config, beside)


class _Maker:
    def __init__(self, kind: Kind, random: np.random.Generator) -> None:
        self.kind, self.random = kind, random
        self.variables: dict[str, np.ndarray] = {}
        self.aliases: dict[str, str] = {}

    def embeddings(self, source: int, target: int) -> None:
        kind = self.kind
        self.matrix("decoder/embeddings/weight", target, kind.width)
        if kind.tied:
            self.aliases["decoder/projection/weight"] = "decoder/embeddings/weight"
        else:
            self.matrix("decoder/projection/weight", target, kind.width)
        if kind.shared:
            self.aliases["encoder/embeddings_0/weight"] = "decoder/embeddings/weight"
        else:
            self.matrix("encoder/embeddings_0/weight", source, kind.width)
        if kind.bias:
            self.vector("decoder/projection/bias", target)
        if kind.positions == "stored":
            self.aliases["encoder/position_encodings/encodings"] = "decoder/position_encodings/encodings"
        if kind.positions != "computed":
            self.positions("decoder")
        if kind.positions == "apart":
            self.positions("encoder")

    def stack(self, side: str, layers: int) -> None:
        kind, d = self.kind, self.kind.width
        for i in range(layers):
            layer = f"{side}/layer_{i}"
            blocks = {"self_attention": [(3 * d, d), (d, d)], "ffn": [(kind.inner, d), (d, kind.inner)]}
            if side == "decoder":
                blocks["attention"] = [(d, d), (2 * d, d), (d, d)]
            for block, shapes in blocks.items():
                self.norm(f"{layer}/{block}/layer_norm")
                for number, (rows, columns) in enumerate(shapes):
                    self.matrix(f"{layer}/{block}/linear_{number}/weight", rows, columns)
                    self.vector(f"{layer}/{block}/linear_{number}/bias", rows)
        if kind.before:
            self.norm(f"{side}/layer_norm")
        if kind.norm_embedding:
            self.norm(f"{side}/layernorm_embedding")
        numbers: dict[str, Any] = {"num_heads": np.int16(kind.heads), "pre_norm": np.int8(kind.before)}
        scale = np.int8(kind.scale) if isinstance(kind.scale, bool) else np.float32(kind.scale)
        numbers |= {"activation": np.int8(kind.activation), "scale_embeddings": scale}
        if side == "decoder":
            numbers |= {"alibi": np.int8(0), "alignment_heads": np.int16(1), "alignment_layer": np.int16(-1)}
            numbers |= {"start_from_zero_embedding": np.int8(kind.from_zero), "scale_alibi": np.int8(0)}
        else:
            numbers |= {"embeddings_merge": np.int8(0), "multi_query_attention": np.int8(0)}
        self.variables |= {f"{side}/{name}": np.asarray(value) for name, value in numbers.items()}

    def matrix(self, name: str, rows: int, columns: int) -> None:
        w = (self.random.normal(size=(rows, columns)) * 1.3 / math.sqrt(columns)).astype(np.float32)
        value, scale = quantised(self.kind.stored_as, w)
        self.variables[name] = value
        if scale is not None:
            self.variables[f"{name}_scale"] = scale

    def vector(self, name: str, size: int, around: float = 0.0) -> None:
        self.variables[name] = (around + 0.2 * self.random.normal(size=size)).astype(self.kind.floats)

    def norm(self, name: str) -> None:
        self.vector(f"{name}/gamma", self.kind.width, 1.0)
        self.vector(f"{name}/beta", self.kind.width)

    def positions(self, side: str) -> None:
        table = 0.5 * self.random.normal(size=(40, self.kind.width))
        self.variables[f"{side}/position_encodings/encodings"] = table.astype(self.kind.floats)


def tiny(kind: str) -> ModelFile:
    """The same kind as small as it can be, in float32, for differences of each of its weights."""
    return small_model(
        replace(KINDS[kind], width=4, inner=5, layers=(1, 1), stored_as="float32", floats="float32"), 1, 7
    )
