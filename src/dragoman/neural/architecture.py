"""Which Transformer a model is: what CTranslate2 stores says it, and whatever is not understood exactly is refused.

Understood are a stack of encoder layers and one of decoder layers with attention to it (Vaswani et al. 2017):
normalised before or after each block, with ReLU, SiLU or GELU, positions that are computed or stored, embeddings that
are scaled or not and shared or not, one vocabulary or two. That covers OPUS-MT and other Marian models, M2M and NLLB,
and most that were trained with OpenNMT or fairseq. Not understood are relative and rotary positions, gated feed-forward
blocks, heads that share keys, normalisation without a mean (RMS), several embeddings for one word, and the rest of what
CTranslate2 can do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dragoman.neural.model_file import CannotLearnError, ModelFile, index_of

SPECIFICATION, REVISION = "TransformerSpec", 7
ACTIVATIONS = ("relu", "gelu_tanh", "silu", "gelu", "gelu_sigmoid")  # as CTranslate2 numbers them
EPSILON = 1e-5  # of a normalisation, where the configuration has none
EMBEDDINGS = {"encoder": "encoder/embeddings_0/weight", "decoder": "decoder/embeddings/weight"}
PROJECTION = "decoder/projection/weight"
POSITIONS = "position_encodings/encodings"
IRRELEVANT = {  # to what a model computes; to how CTranslate2 stores it or shows attention they are not
    "decoder/alibi_use_positive_positions",
    "decoder/alignment_heads",
    "decoder/alignment_layer",
    "decoder/scale_alibi",
    "encoder/embeddings_merge",
}
MUST_BE_OFF = ("decoder/alibi", "encoder/multi_query_attention", "decoder/multi_query_attention")


@dataclass(frozen=True)
class Stack:
    """One half of a Transformer."""

    layers: int
    heads: int
    normalised_before: bool  # each block: x + f(norm(x)), or norm(x + f(x))
    activation: str
    embedding_scale: float
    embedding: str  # the variables that it reads; two of the three matrices of pieces may be one
    positions: str | None  # None: sines and cosines that are computed


@dataclass(frozen=True)
class Architecture:
    """What one has to know of a model, beside its weights, to compute what it says."""

    width: int  # d
    encoder: Stack
    decoder: Stack
    projection: str
    epsilon: float
    starts_from_zero: bool  # the first input of the decoder is no embedding but zeros (Marian)
    source_begin: tuple[int, ...]  # ids that stand before and after every source, as CTranslate2 adds them
    source_end: tuple[int, ...]
    target_begin: tuple[int, ...]  # none if the first piece of a target is what starts the decoder (mBART)
    target_end: int
    source_pieces: int  # the sizes of the vocabularies
    target_pieces: int
    learned: tuple[str, ...]  # the variables that are learned, each once
    kept: dict[str, str]  # other variables, by the name they have here, which only the positions are

    @classmethod
    def of(cls, file: ModelFile) -> Architecture:
        """What a model file holds; raises `CannotLearnError` unless every variable of it is understood."""
        return _Inspection(file).architecture()


class _Inspection:
    """Goes through the variables of a file; what it has not come across in the end is not understood."""

    def __init__(self, file: ModelFile) -> None:
        if (file.name, file.revision) != (SPECIFICATION, REVISION):
            raise CannotLearnError(f"it is a {file.name} of revision {file.revision}, not a Transformer of {REVISION}")
        self._file = file
        self._names = {*file.variables, *file.aliases} - {name for name in file.variables if name.endswith("_scale")}
        self._names -= {each for each in self._names if each in IRRELEVANT}
        self._scales = {name for name in file.variables if name.endswith("_scale")}
        self._learned: dict[str, None] = {}  # as an ordered set

    def architecture(self) -> Architecture:
        file, config = self._file, self._file.config
        for name in MUST_BE_OFF:
            if self._flag(name, default=False):
                raise CannotLearnError(f"{name} is on")
        width = self._shape(EMBEDDINGS["encoder"], 2)[1]
        encoder, decoder = self._stack("encoder", width), self._stack("decoder", width)
        projection = self._matrix(PROJECTION, None, width)
        source, target = file.vocabulary("source"), file.vocabulary("target")
        for name, pieces in ((encoder.embedding, source), (decoder.embedding, target), (projection, target)):
            if file.variables[name].shape[0] != len(pieces):
                raise CannotLearnError(f"{name} is not of the size of its vocabulary, {len(pieces)}")
        self._vector("decoder/projection/bias", len(target), optional=True)
        begin, end, start, stop = self._marks(source, target)
        kept = {f"{side}/{POSITIONS}": stack.positions for side, stack in (("encoder", encoder), ("decoder", decoder))}
        found = Architecture(
            width=width,
            encoder=encoder,
            decoder=decoder,
            projection=projection,
            epsilon=_number(config, "layer_norm_epsilon", EPSILON),
            starts_from_zero=self._flag("decoder/start_from_zero_embedding", default=False),
            source_begin=begin,
            source_end=end,
            target_begin=start,
            target_end=stop,
            source_pieces=len(source),
            target_pieces=len(target),
            learned=tuple(self._learned),
            kept={name: variable for name, variable in kept.items() if variable},
        )
        self._names.discard("decoder/start_from_zero_embedding")
        if self._names or self._scales:
            what = min(self._names or self._scales)
            raise CannotLearnError(f"what its variable {what} is for is not known")
        return found

    def _stack(self, side: str, width: int) -> Stack:
        layers = 0
        while any(name.startswith(f"{side}/layer_{layers}/") for name in self._names):
            self._layer(f"{side}/layer_{layers}", width, crosses=side == "decoder")
            layers += 1
        heads = int(self._scalar(f"{side}/num_heads"))
        if not layers or heads < 1 or width % heads:
            raise CannotLearnError(f"its {side} has {layers} layers and {heads} heads for a width of {width}")
        for norm in (f"{side}/layer_norm", f"{side}/layernorm_embedding"):
            if f"{norm}/gamma" in self._names:
                self._norm(norm, width)
        kind = int(self._scalar(f"{side}/activation"))
        if not 0 <= kind < len(ACTIVATIONS):
            raise CannotLearnError(f"the activation {kind} of its {side} is not known")
        return Stack(
            layers=layers,
            heads=heads,
            normalised_before=self._flag(f"{side}/pre_norm", default=True),
            activation=ACTIVATIONS[kind],
            embedding_scale=self._embedding_scale(side, width),
            embedding=self._matrix(EMBEDDINGS[side], None, width),
            positions=self._positions(side, width),
        )

    def _layer(self, layer: str, width: int, *, crosses: bool) -> None:
        blocks = {"self_attention": (("linear_0", 3 * width, width), ("linear_1", width, width))}
        inner = self._shape(f"{layer}/ffn/linear_0/weight", 2)[0]
        if crosses:
            linear = ("linear_0", width, width), ("linear_1", 2 * width, width), ("linear_2", width, width)
            blocks["attention"] = linear  # type: ignore[assignment]
        blocks["ffn"] = (("linear_0", inner, width), ("linear_1", width, inner))
        for block, matrices in blocks.items():
            self._norm(f"{layer}/{block}/layer_norm", width)
            for linear_name, rows, columns in matrices:
                self._matrix(f"{layer}/{block}/{linear_name}/weight", rows, columns)
                self._vector(f"{layer}/{block}/{linear_name}/bias", rows, optional=True)

    def _norm(self, norm: str, width: int) -> None:
        self._vector(f"{norm}/gamma", width)
        self._vector(f"{norm}/beta", width)

    def _positions(self, side: str, width: int) -> str | None:
        name = f"{side}/{POSITIONS}"
        if name not in self._names:
            return None
        if self._shape(name, 2)[1] != width:
            raise CannotLearnError(f"{name} has another width than the rest")
        self._names.discard(name)
        return self._file.aliases.get(name, name)

    def _embedding_scale(self, side: str, width: int) -> float:
        for name in (f"{side}/scale_embeddings", f"{side}/embeddings/multiply_by_sqrt_depth"):
            if name in self._names:
                kind, value = self._file.variables[name].dtype.kind, float(self._scalar(name))
                if kind == "f":
                    return value
                return math.sqrt(width) if value else 1.0
        return math.sqrt(width)

    def _marks(
        self, source: list[str], target: list[str]
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
        """The ids of what CTranslate2 adds to the pieces of a text."""
        config, sources, targets = self._file.config, index_of(source), index_of(target)

        def find(ids: Any, mark: str) -> int:
            if config.get(mark) not in ids:
                raise CannotLearnError(f"its vocabulary lacks the {mark} of its configuration")
            return int(ids[config[mark]])

        for ids in (sources, targets):
            find(ids, "unk_token")
        begin = (find(sources, "bos_token"),) if config.get("add_source_bos") else ()
        end = (find(sources, "eos_token"),) if config.get("add_source_eos") else ()
        start = (find(targets, "decoder_start_token"),) if config.get("decoder_start_token") else ()
        return begin, end, start, find(targets, "eos_token")

    def _matrix(self, name: str, rows: int | None, columns: int) -> str:
        """The variable that a matrix is stored in; those of pieces may share one, which is then learned once."""
        shape = self._shape(name, 2)
        if shape[1] != columns or rows not in (None, shape[0]):
            raise CannotLearnError(f"{name} is {shape[0]} by {shape[1]}, which does not fit the rest")
        self._names.discard(name)
        stored = self._file.aliases.get(name, name)
        if not name.endswith(("embeddings_0/weight", "embeddings/weight", "projection/weight")):
            stored = name
        dtype = self._file.variables[self._file.aliases.get(name, name)].dtype
        self._check_scale(self._file.aliases.get(name, name), dtype, shape[0])
        self._learned[stored] = None
        return stored

    def _check_scale(self, name: str, dtype: np.dtype[Any], rows: int) -> None:
        if dtype.kind == "f":
            return
        scale = self._file.variables.get(f"{name}_scale")
        wanted = {"int8": (rows,), "int16": ()}.get(dtype.name)
        if wanted is None or scale is None or scale.shape != wanted or scale.dtype.kind != "f":
            raise CannotLearnError(f"the scale of {name} is not what CTranslate2 writes for {dtype.name}")
        if not (np.isfinite(scale).all() and (scale > 0).all()):
            raise CannotLearnError(f"the scale of {name} has impossible values")
        self._scales.discard(f"{name}_scale")

    def _vector(self, name: str, size: int, *, optional: bool = False) -> None:
        if optional and name not in self._names:
            return
        if self._shape(name, 1)[0] != size:
            raise CannotLearnError(f"{name} does not have {size} values")
        if self._stored(name).dtype.kind != "f":
            raise CannotLearnError(f"{name} is stored as integers")
        self._names.discard(name)
        self._learned[name] = None

    def _shape(self, name: str, rank: int) -> tuple[int, ...]:
        shape = self._stored(name).shape
        if len(shape) != rank or 0 in shape:
            raise CannotLearnError(f"{name} has the shape {shape}")
        return shape

    def _scalar(self, name: str) -> float:
        value = self._stored(name)
        if value.shape != () or not math.isfinite(float(value)):
            raise CannotLearnError(f"{name} is not a number")
        self._names.discard(name)
        return float(value)

    def _flag(self, name: str, *, default: bool) -> bool:
        return bool(self._scalar(name)) if name in self._names else default

    def _stored(self, name: str) -> np.ndarray:
        variable = self._file.aliases.get(name, name)
        if variable not in self._file.variables:
            raise CannotLearnError(f"it lacks {name}")
        return self._file.variables[variable]


def _number(config: dict[str, Any], name: str, default: float) -> float:
    value = config.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or not 0 < value < 1:
        raise CannotLearnError(f"{name} of its configuration is {value!r}")
    return float(value)


def variables_of(architecture: Architecture) -> Iterator[str]:
    """All variables that the network computes with."""
    yield from architecture.learned
    yield from architecture.kept.values()
