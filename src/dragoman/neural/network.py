"""A Transformer, forward and backward: what a model thinks of a source and its translation, and what would change it.

    memory = encoder(E_s[source] · scale + positions)               what the source says, d numbers for each piece
    states = decoder(E_t[<s> target] · scale + positions, memory)   what the model would say next, after each piece
    log p(target, </s> | source) = Σ log softmax(states · Oᵀ + b)   each piece given those before it

Every layer of the encoder is attention of the source to itself and a feed-forward block; a layer of the decoder has
attention to the target so far, attention to the memory and a feed-forward block. Each of these blocks is added to what
it was given, and normalised before or after. The numbers are those of CTranslate2 in float32.

Backward, the same way is gone from its end: what a block was added to is what it came from, so dx = dy + the derivative
through the block; the memory is looked at by every layer of the decoder and is given the sum of what they return.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dragoman.neural.architecture import POSITIONS, Architecture, Stack
from dragoman.neural.gradients import Gradients
from dragoman.neural.layers import (
    AttentionKept,
    FeedForwardKept,
    attention,
    attention_backward,
    feed_forward,
    feed_forward_backward,
    layer_norm,
    layer_norm_backward,
    log_softmax,
)
from dragoman.neural.model_file import CannotLearnError, ModelFile, index_of

BIAS = "decoder/projection/bias"
Ids = Sequence[int]
Kept = list[Any]  # what the blocks of a stack have kept for their derivatives, in order


class Loss(NamedTuple):
    """How unexpected a translation is."""

    nats: float  # -log p of all its pieces and the mark of the end
    pieces: int  # that were predicted
    right: int = 0  # of these pieces, those that were found the most probable


class Pass(NamedTuple):
    """What a network computes of pairs, on the way to the probability of each piece."""

    memory: np.ndarray  # [pairs, source pieces, d] what the encoder says
    states: np.ndarray  # [pairs, target pieces, d] what the decoder says
    keys: np.ndarray  # [pairs, target pieces, d] what the last feed-forward block is given (kNN-MT's key)
    log_probabilities: np.ndarray  # [pairs, target pieces, target vocabulary]
    kept: tuple[Kept, Kept]  # of the encoder and the decoder, for the derivatives

    def loss(self, outputs: np.ndarray, given: int = 0) -> Loss:
        """How unexpected these pieces are [pairs, target pieces]; the first `given` of each are not counted."""
        chosen = np.take_along_axis(self.log_probabilities, outputs[..., None], -1)[:, given:]
        right = (self.log_probabilities.argmax(-1) == outputs)[:, given:]
        return Loss(-float(chosen.sum(dtype=np.float64)), chosen.size, int(right.sum()))


class Network:
    """The weights of a model as float32 arrays, and what they compute."""

    def __init__(self, architecture: Architecture, parameters: dict[str, np.ndarray], file: ModelFile) -> None:
        self.architecture = architecture
        self.parameters = parameters  # by the names of CTranslate2's variables
        self.file = file  # what they were read from
        self._vocabularies: dict[str, Mapping[str, int]] = {}

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

    def ids(self, side: str, pieces: Iterable[str]) -> tuple[int, ...]:
        """The numbers of pieces of the "source" or "target"; what its vocabulary lacks is the unknown piece."""
        if side not in self._vocabularies:
            self._vocabularies[side] = index_of(self.file.vocabulary(side))
        known = self._vocabularies[side]
        unknown = known[self.file.config["unk_token"]]
        return tuple(known.get(piece, unknown) for piece in pieces)

    def loss(self, source: Ids, target: Ids, *, given: int = 0) -> Loss:
        """How unexpected this translation is; the first `given` pieces of it are not counted (a language's mark)."""
        sources, inputs, outputs = self.batch([(source, target)])
        return self.forward(sources, inputs).loss(outputs, given)

    def gradients(self, pairs: Sequence[tuple[Ids, Ids]], *, given: int = 0) -> tuple[Loss, Gradients]:
        """The loss of pairs of equal lengths, and the gradient of its mean over all pieces that are counted."""
        sources, inputs, outputs = self.batch(pairs)
        passed = self.forward(sources, inputs)
        return passed.loss(outputs, given), self.backward(sources, inputs, outputs, passed, given)

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
        width = states.shape[-1]
        y: np.ndarray = states.reshape(-1, width) @ self.parameters[self.architecture.projection].T
        if BIAS in self.parameters:
            y += self.parameters[BIAS]
        return y.reshape(*states.shape[:-1], -1)

    def backward(
        self, sources: np.ndarray, inputs: np.ndarray, outputs: np.ndarray, passed: Pass, given: int = 0
    ) -> Gradients:
        """The gradient of the mean of -log p over the pieces that are counted; what was passed is used up."""
        g = Gradients()
        dlogits = passed.log_probabilities  # ∂(-log p)/∂logits = p - [the piece that it was]
        np.exp(dlogits, out=dlogits)
        pair, piece = np.indices(outputs.shape)
        dlogits[pair, piece, outputs] -= 1
        dlogits[:, :given] = 0
        dlogits *= np.float32(1 / outputs[:, given:].size)
        flat, states = dlogits.reshape(-1, dlogits.shape[-1]), passed.states
        g.add_outer(self.architecture.projection, flat, states.reshape(-1, states.shape[-1]))
        if BIAS in self.parameters:
            g.add_vector(BIAS, flat.sum(0))
        dstates = (flat @ self.parameters[self.architecture.projection]).reshape(states.shape)
        dmemory = np.zeros_like(passed.memory)
        self._stack_backward("decoder", self.architecture.decoder, inputs, passed.kept[1], dstates, g, dmemory)
        self._stack_backward("encoder", self.architecture.encoder, sources, passed.kept[0], dmemory, g)
        return g

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

    def _stack_backward(
        self,
        side: str,
        stack: Stack,
        ids: np.ndarray,
        kept: Kept,
        dx: np.ndarray,
        g: Gradients,
        dmemory: np.ndarray | None = None,
    ) -> None:
        """Backward through one stack, to its embeddings; what comes back to the memory is added to `dmemory`."""
        p, kept = self.parameters, list(kept)

        def attend(name: str, done: AttentionKept, dy: np.ndarray) -> np.ndarray:
            d, dlooked_at = attention_backward(p, g, name, done, dy)
            if dlooked_at is not None and dmemory is not None:
                dmemory[:] += dlooked_at
            return d

        def feed(name: str, done: FeedForwardKept, dy: np.ndarray) -> np.ndarray:
            return feed_forward_backward(p, g, name, done, stack.activation, dy)

        dx = self._norm_backward(f"{side}/layer_norm", dx, kept, g)
        for i in reversed(range(stack.layers)):
            layer = f"{side}/layer_{i}"
            dx = self._block_backward(stack, f"{layer}/ffn", dx, kept.pop(), feed, g)
            if dmemory is not None:
                dx = self._block_backward(stack, f"{layer}/attention", dx, kept.pop(), attend, g)
            dx = self._block_backward(stack, f"{layer}/self_attention", dx, kept.pop(), attend, g)
        dx = self._norm_backward(f"{side}/layernorm_embedding", dx, kept, g)
        if side == "decoder" and self.architecture.starts_from_zero:
            dx[:, 0] = 0
        dx *= np.float32(stack.embedding_scale)
        g.add_rows(stack.embedding, ids.reshape(-1), dx.reshape(-1, dx.shape[-1]))

    def _block_backward(
        self,
        stack: Stack,
        name: str,
        dy: np.ndarray,
        kept: Any,
        compute: Callable[[str, Any, np.ndarray], np.ndarray],
        g: Gradients,
    ) -> np.ndarray:
        """Through x + f(norm(x)), or norm(x + f(x))."""
        normed, done = kept
        norm = f"{name}/layer_norm"
        if stack.normalised_before:
            dx = layer_norm_backward(self.parameters, g, norm, normed, compute(name, done, dy))
        else:
            dy = layer_norm_backward(self.parameters, g, norm, normed, dy)
            dx = compute(name, done, dy)
        dx += dy
        return dx

    def _norm_backward(self, name: str, dy: np.ndarray, kept: Kept, g: Gradients) -> np.ndarray:
        if f"{name}/gamma" not in self.parameters:
            return dy
        return layer_norm_backward(self.parameters, g, name, kept.pop()[0], dy)


def sines(pieces: int, width: int) -> np.ndarray:
    """Positions as CTranslate2 computes them where a model stores none, [pieces, width]; the first is number 1."""
    half = width // 2
    step = np.float32(-math.log(10000) / (half - 1))
    angles = np.arange(1, pieces + 1, dtype=np.float32)[:, None] * np.exp(step * np.arange(half, dtype=np.float32))
    return np.concatenate([np.sin(angles), np.cos(angles)], -1)
