"""A Transformer, forward: what a model thinks of a source and its translation.

    memory = encoder(E_s[source] · scale + positions)               what the source says, d numbers for each piece
    states = decoder(E_t[<s> target] · scale + positions, memory)   what the model would say next, after each piece
    log p(target, </s> | source) = Σ log softmax(states · Oᵀ + b)   each piece given those before it

Every layer of the encoder is attention of the source to itself and a feed-forward block; a layer of the decoder has
attention to the target so far, attention to the memory and a feed-forward block. Each of these blocks is added to what
it was given, and normalised before or after. The numbers are those of CTranslate2 in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dragoman.neural.architecture import POSITIONS, Architecture, Stack
from dragoman.neural.layers import Parameters, attention, feed_forward, layer_norm, linear, log_softmax
from dragoman.neural.model_file import CannotLearnError, ModelFile

Ids = Sequence[int]
Kept = list[Any]  # what the blocks of a stack have kept for their derivatives, in order


class Loss(NamedTuple):
    """How unexpected a translation is."""

    nats: float  # -log p of all its pieces and the mark of the end
    pieces: int  # that were predicted


class Pass(NamedTuple):
    """What a network computes of pairs, on the way to the probability of each piece."""

    memory: np.ndarray  # [pairs, source pieces, d] what the encoder says
    states: np.ndarray  # [pairs, target pieces, d] what the decoder says
    keys: np.ndarray  # [pairs, target pieces, d] what the last feed-forward block is given (kNN-MT's key)
    log_probabilities: np.ndarray  # [pairs, target pieces, target vocabulary]
    kept: tuple[Kept, Kept]  # of the encoder and the decoder, for the derivatives


class Network:
    """The weights of a model as float32 arrays, and what they compute."""

    def __init__(self, architecture: Architecture, parameters: Parameters, file: ModelFile) -> None:
        self.architecture = architecture
        self.parameters = parameters  # by the names of CTranslate2's variables
        self.file = file  # what they were read from

    @classmethod
    def load(cls, directory: Path) -> Network:
        """Read the model that CTranslate2 translates with; `CannotLearnError` says why it cannot learn."""
        file = ModelFile.read(directory)
        try:
            architecture = Architecture.of(file)
            parameters = {name: file.matrix(name) for name in architecture.learned}
            parameters |= {name: file.matrix(stored) for name, stored in architecture.kept.items()}
        except CannotLearnError as error:
            raise CannotLearnError(error.reason, where=directory, remedy=error.remedy) from None
        return cls(architecture, parameters, file)

    def loss(self, source: Ids, target: Ids, *, given: int = 0) -> Loss:
        """How unexpected this translation is; the first `given` pieces of it are not counted (a language's mark)."""
        sources, inputs, outputs = self.batch([(source, target)])
        found = self.forward(sources, inputs).log_probabilities[0]
        chosen = found[np.arange(len(found)), outputs[0]][given:]
        return Loss(-float(chosen.sum(dtype=np.float64)), len(chosen))

    def batch(self, pairs: Sequence[tuple[Ids, Ids]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pairs of equal lengths as ids: the sources, what the decoder is given, and what it is to say.

        A pair has the pieces that CTranslate2 is given; the marks that it adds by itself are added here.
        """
        a = self.architecture
        sources = [[*a.source_begin, *source, *a.source_end] for source, _ in pairs]
        targets = [[*a.target_begin, *target, a.target_end] for _, target in pairs]
        s, t = np.array(sources, np.int64), np.array(targets, np.int64)  # [pairs, pieces]
        if s.ndim != 2 or t.ndim != 2 or not s.shape[1] or t.shape[1] < 2:
            raise ValueError("the pairs of a batch have equal lengths, and at least one piece")
        return s, t[:, :-1], t[:, 1:]

    def forward(self, sources: np.ndarray, inputs: np.ndarray) -> Pass:
        """Go through the network: sources [pairs, J] and inputs [pairs, I] are ids, with all marks."""
        memory, encoder = self.encode(sources)
        states, keys, decoder = self.decode(inputs, memory)
        log_probabilities = log_softmax(self.logits(states))
        return Pass(memory, states, keys, log_probabilities, (encoder, decoder))

    def encode(self, sources: np.ndarray) -> tuple[np.ndarray, Kept]:
        """What the encoder says of each source piece."""
        p, stack, kept = self.parameters, self.architecture.encoder, Kept()
        x = self._embed("encoder", stack, sources, kept)
        for i in range(stack.layers):
            layer = f"encoder/layer_{i}"
            x = self._block(stack, f"{layer}/self_attention", x, kept, lambda n, x: attention(p, n, x, stack.heads))
            x = self._block(stack, f"{layer}/ffn", x, kept, lambda n, x: feed_forward(p, n, x, stack.activation))
        return self._norm_if_any("encoder/layer_norm", x, kept), kept

    def decode(self, inputs: np.ndarray, memory: np.ndarray) -> tuple[np.ndarray, np.ndarray, Kept]:
        """What the decoder says after each target piece, and what its last feed-forward block was given."""
        p, stack, kept = self.parameters, self.architecture.decoder, Kept()
        heads = stack.heads
        x = self._embed("decoder", stack, inputs, kept)
        for i in range(stack.layers):
            layer = f"decoder/layer_{i}"
            x = self._block(
                stack, f"{layer}/self_attention", x, kept, lambda n, x: attention(p, n, x, heads, causal=True)
            )
            x = self._block(stack, f"{layer}/attention", x, kept, lambda n, x: attention(p, n, x, heads, memory=memory))
            x = self._block(stack, f"{layer}/ffn", x, kept, lambda n, x: feed_forward(p, n, x, stack.activation))
        keys = kept[-1][1].x
        return self._norm_if_any("decoder/layer_norm", x, kept), keys, kept

    def logits(self, states: np.ndarray) -> np.ndarray:
        """How much the decoder would say each piece of the vocabulary: states · Oᵀ + b."""
        projection = {"weight": self.parameters[self.architecture.projection]}
        if "decoder/projection/bias" in self.parameters:
            projection["bias"] = self.parameters["decoder/projection/bias"]
        return linear({f"/{name}": value for name, value in projection.items()}, "", states)

    def _embed(self, side: str, stack: Stack, ids: np.ndarray, kept: Kept) -> np.ndarray:
        """E[ids] · scale + positions, [pairs, pieces, d]; what starts a Marian decoder has no embedding."""
        x = self.parameters[stack.embedding][ids]
        x *= np.float32(stack.embedding_scale)
        if side == "decoder" and self.architecture.starts_from_zero:
            x[:, 0] = 0
        x += self.positions(side, ids.shape[1])
        return self._norm_if_any(f"{side}/layernorm_embedding", x, kept)

    def positions(self, side: str, pieces: int) -> np.ndarray:
        """What is added to the embeddings at each place, [pieces, d]."""
        table = self.parameters.get(f"{side}/{POSITIONS}")
        if table is None:
            return sines(pieces, self.architecture.width)
        if pieces > len(table):
            raise CannotLearnError(f"a text of {pieces} pieces is longer than its {len(table)} positions")
        return table[:pieces]

    def _block(
        self, stack: Stack, name: str, x: np.ndarray, kept: Kept, compute: Callable[..., tuple[np.ndarray, Any]]
    ) -> np.ndarray:
        """X + f(norm(x)), or norm(x + f(x))."""
        norm, epsilon = f"{name}/layer_norm", self.architecture.epsilon
        if stack.normalised_before:
            z, normed = layer_norm(self.parameters, norm, x, epsilon)
            y, done = compute(name, z)
            y += x
        else:
            y, done = compute(name, x)
            y, normed = layer_norm(self.parameters, norm, y + x, epsilon)
        kept.append((normed, done))
        return y

    def _norm_if_any(self, name: str, x: np.ndarray, kept: Kept) -> np.ndarray:
        if f"{name}/gamma" not in self.parameters:
            return x
        y, normed = layer_norm(self.parameters, name, x, self.architecture.epsilon)
        kept.append((normed, None))
        return y


def sines(pieces: int, width: int) -> np.ndarray:
    """Positions as CTranslate2 computes them where a model stores none, [pieces, width]; the first is number 1."""
    half = width // 2
    step = np.float32(-math.log(10000) / (half - 1))
    angles = np.arange(1, pieces + 1, dtype=np.float32)[:, None] * np.exp(step * np.arange(half, dtype=np.float32))
    return np.concatenate([np.sin(angles), np.cos(angles)], -1)
