"""Bayesian predictive adaptation, online ([M] §4.4): many weight vectors, weighted by the last sentences.

An entry of the n-best list is chosen by Σ_s ( p(A|λ_s) · p(y|x,λ_s) )^{1/δ} · N(λ_s; λ_T, σ). The samples λ_s are drawn
once, around the weights λ_T that the first correction was made with. p(y|x,λ) is a softmax over the n-best list, and
p(A|λ_s) the product of p(y*|x,λ_s) over the last corrections. All of it is computed in logarithms; those of p(A|λ_s)
are kept as integers, so that what was added can be subtracted exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.adapt import bayes_kernels as kernels
from dragoman.adapt.protocol import Adapter, Matrix, Vector, check, check_losses
from dragoman.adapt.sampling import heuristic, log_prior
from dragoman.errors import BadInputError
from dragoman.files import Arrays
from dragoman.kernels import exercise

UNIT = 2.0**-32  # of the logarithms that are kept
LEAST = -1e6  # less is as impossible; so the sum over 2,000 sentences fits 64 bits

Counts = NDArray[np.int64]


@dataclass(kw_only=True)
class Bayes(Adapter):
    """Bayesian predictive adaptation of the weights; there are too many phrase factors for it ([M] §4.4.2).

    `update` returns the posterior mean of the samples, scaled like the initial weights.
    """

    reranks_live = True
    adapts_factors = False

    samples: int = 100  # more gain little (docs/understand/adapt.md) and cost time in proportion
    window: int = 100  # corrections that count ([M] §5.1)
    delta: float = 10.0  # δ, keeps a product of many probabilities from outweighing all else ([B] Eq. 11)
    variance: float = 0.1  # σ of the prior ([B] §5.4)
    seed: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.samples > 0 and self.window > 0 and self.delta > 0 and self.variance > 0):
            raise BadInputError("samples, window, delta and variance must be above 0")
        self._centre: Vector | None = None  # [M] λ_T
        self._logs: list[Counts] = []  # for each sentence of the window [S + 1] log p(y*|x,λ_s), in UNITs
        self._total = np.zeros(self.samples + 1, np.int64)  # their sum, log p(A|λ_s)

    def update(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """Learn from a correction; the posterior mean of the weights."""
        theta, rows = check(weights, features)
        _, best = check_losses(losses, len(rows))
        if self._centre is None:
            self._begin(theta)
        likelihood = kernels.log_likelihoods(rows, self.drawn(theta), best)
        self._add(np.rint(np.maximum(likelihood, LEAST) / UNIT).astype(np.int64))
        return self.mean()

    def rerank(self, weights: ArrayLike, features: ArrayLike) -> int:
        """The row that all samples together prefer; the weights matter only before the first correction."""
        theta, rows = check(weights, features)
        logs = kernels.log_probabilities(rows, self.drawn(theta))
        return int(np.argmax(kernels.predictive(logs, self._credible(theta), self.delta)))

    def mean(self) -> Vector:
        """The mean of the samples, weighted by p(A|λ_s)^{1/δ} · N(λ_s; λ_T, σ), scaled like λ_T."""
        if self._centre is None:
            raise BadInputError("there is no mean before the first correction")
        credible = self._credible(self._centre)
        share = np.exp(credible - credible.max())
        answer: Vector = (share / share.sum()) @ self.drawn(self._centre) * np.abs(self._centre).sum()
        return answer

    def drawn(self, weights: Vector) -> Matrix:
        """The samples [S + 1, M]."""
        if self._centre is None:
            return heuristic(weights, self.samples, self.seed)
        if self._centre.size != weights.size:
            raise BadInputError(f"this adapter started with {self._centre.size} weights, not {weights.size}")
        return self._drawn

    def _credible(self, weights: Vector) -> Vector:
        """[S + 1] log of p(A|λ_s)^{1/δ} · N(λ_s; λ_T, σ)."""
        begun = self._centre is not None
        prior = self._prior if begun else log_prior(self.drawn(weights), weights, self.variance)
        return self._total * UNIT / self.delta + prior

    def _begin(self, centre: Vector) -> None:
        self._centre = centre.copy()
        self._drawn = heuristic(centre, self.samples, self.seed)
        self._prior = log_prior(self._drawn, centre, self.variance)

    def _add(self, logs: Counts) -> None:
        self._logs.append(logs)
        self._total = self._total + logs
        if len(self._logs) > self.window:
            self._total = self._total - self._logs.pop(0)

    def state(self) -> Arrays:
        """The initial weights, and the log-likelihoods of each sentence in the window."""
        if self._centre is None:
            return {}
        logs = np.array(self._logs, np.int64).reshape(-1, self.samples + 1)
        return {"centre": self._centre.copy(), "logs": logs}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Return to the state that `state()` gave."""
        if state:
            self._begin(np.array(state["centre"]))
            self._logs = [row.copy() for row in state["logs"]]
            self._total = np.sum(self._logs, axis=0, dtype=np.int64) + np.zeros_like(self._total)

    def addition(self) -> Arrays:
        """The log-likelihoods of the last sentence."""
        if self._centre is None:
            return {}
        return {"centre": self._centre.copy(), "logs": np.array(self._logs[-1:], np.int64)}

    def replay(self, addition: Mapping[str, np.ndarray]) -> None:
        """Add the log-likelihoods of a sentence again."""
        if self._centre is None:
            self._begin(np.array(addition["centre"]))
        self._add(addition["logs"][0].copy())

    def retract(self, addition: Mapping[str, np.ndarray]) -> None:
        """Drop the sentence from the window, if it is still there."""
        if self._centre is None or not np.array_equal(self._centre, addition["centre"]):
            return
        for place, logs in enumerate(self._logs):
            if np.array_equal(logs, addition["logs"][0]):
                self._total = self._total - self._logs.pop(place)
                return


@exercise
def _exercise() -> None:
    adapter = Bayes(samples=1)
    adapter.update(np.ones(1), np.zeros((2, 1)), np.zeros(2))
    adapter.rerank(np.ones(1), np.zeros((2, 1)))
