"""Weights as a fold over corrections: the same corrections in the same order give the same bits.

    W_t = W_{t-1} - Adam(∇ -log p(target_t | source_t; W_{t-1}))        one step a correction, all weights

1. `Learner` begins with the weights of a model, which all learners of the model share and nobody changes.
2. `learn` makes a step. Before it, both weights say what they think of the correction; the ledger counts that.
3. After every EVERY corrections the state is rounded to what a snapshot keeps; `snapshot` gives its bytes.
4. `restore` goes on from a snapshot. `digest` names a state by the model and everything learned since, so that a
   snapshot can be told to belong to corrections without asking when, where and by whom it was made.

To forget is to restore a snapshot from before, and to learn again what follows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dragoman.extras import load
from dragoman.neural.adam import Adam, is_finite
from dragoman.neural.ledger import Ledger, familiarity, words_of
from dragoman.neural.network import Loss, Network
from dragoman.neural.rounding import Rounded, from_bytes, restore_state, round_state, to_bytes

RECIPE = 1  # of the step; another one gives other weights, which snapshots of this one do not belong to
EVERY = 50  # corrections from one snapshot to the next
LONGEST = 200  # pieces of a source or target that is learned


class PiecePair(NamedTuple):
    """A correction, as the model sees it."""

    text: str  # the source, as the model is asked
    source: tuple[int, ...]  # pieces
    target: tuple[int, ...]
    given: int = 0  # pieces of the target that are not learned: the mark of a language

    def digest(self, before: str) -> str:
        """The name of the state after this correction."""
        said = f"{before} {self.text!r} {self.source} {self.target} {self.given}"
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def is_learned(self) -> bool:
        """Whether a step is made for it."""
        return 0 < len(self.source) <= LONGEST and self.given < len(self.target) <= LONGEST


class Learner:
    """Weights that follow corrections."""

    def __init__(self, first: Network) -> None:
        self.first = first
        self.first_digest = _digest_of(first)
        learned = {name: first.parameters[name].copy() for name in first.architecture.learned}
        self.network = Network(first.architecture, {**first.parameters, **learned}, first.file)
        self.weights, self._adam = learned, Adam(learned)
        self._restart()

    def _restart(self) -> None:
        self.count, self.digest = 0, self.first_digest
        self.ledger = Ledger()
        self.words: set[str] = set()  # of all sources that were learned
        self._rounded: Rounded | None = None  # the state, if it is what a snapshot keeps

    def begin(self) -> None:
        """Go back to the weights of the model."""
        for name, w in self.weights.items():
            w[...] = self.first.parameters[name]
        self._adam = Adam(self.weights)
        self._restart()

    def learn(self, pair: PiecePair) -> tuple[Loss, Loss] | None:
        """Make a step; what the model's own weights and the learned ones said before it, None if it is no step."""
        said = None
        if pair.is_learned:
            with one_thread():
                said = self._step(pair)
        self.words.update(words_of(pair.text))
        self.count, self.digest = self.count + 1, pair.digest(self.digest)
        self._rounded = None
        if self.count % EVERY == 0:
            self._rounded = round_state(self.first.parameters, self.weights, self._adam)
            restore_state(self._rounded, *self._state)
        return said

    def _step(self, pair: PiecePair) -> tuple[Loss, Loss]:
        learned, gradients = self.network.gradients([(pair.source, pair.target)], given=pair.given)
        first = self.first.loss(pair.source, pair.target, given=pair.given) if self.count else learned
        if is_finite(gradients):
            self._adam.step(self.weights, gradients)
        if self.count:
            self.ledger.add(familiarity(pair.text, self.words), (learned.right - first.right) / learned.pieces)
        return first, learned

    def snapshot(self) -> bytes:
        """The state, right after a multiple of EVERY corrections."""
        if self._rounded is None:
            raise ValueError(f"the state after {self.count} corrections is not one that snapshots keep")
        about = {"count": self.count, "digest": self.digest, "ledger": self.ledger.sums.tolist()}
        return to_bytes(about, self._rounded)

    def restore(self, content: bytes, texts: Iterable[str]) -> None:
        """Go to the state of a snapshot; `texts` are all sources that had been learned by then."""
        about, kept = from_bytes(content)
        restore_state(kept, *self._state)
        self.count, self.digest = about["count"], about["digest"]
        self.words = {word for text in texts for word in words_of(text)}
        self.ledger, self._rounded = Ledger(np.array(about["ledger"])), kept

    @property
    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], Adam]:
        return self.first.parameters, self.weights, self._adam


def _digest_of(network: Network) -> str:
    """The name of a model before anything was learned."""
    digest = hashlib.sha256(f"{RECIPE} ".encode())
    digest.update(network.file.content())
    return digest.hexdigest()


@cache
def _pools() -> Any:
    return load("threadpoolctl", "neural").ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Products of matrices on one thread in this block: with another number of them, sums are rounded otherwise."""
    limited: AbstractContextManager[Any] = _pools().limit(limits=1, user_api="blas")
    return limited
