"""Bayesian predictive adaptation to a fixed set of sentences ([B]): works from ten corrections on, in seconds.

>>> random = np.random.default_rng(1)
>>> lists = [random.normal(size=(20, 3)) for _ in range(10)]
>>> best = [int(np.argmax(rows @ [0.5, -0.2, 0.3])) for rows in lists]  # what some other weights would choose
>>> adapted = adapt(np.array([0.3, 0.3, 0.4]), lists, best, sampling="metropolis", samples=200)
>>> adapted.samples.shape, 0 < adapted.acceptance <= 1
((200, 3), True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dragoman.adapt import bayes_kernels as kernels
from dragoman.adapt.protocol import Matrix, Vector, check
from dragoman.adapt.sampling import heuristic, log_prior, normalised
from dragoman.errors import BadInputError
from dragoman_laboratory.batch_bayes_kernels import log_likelihoods_of_all
from dragoman_laboratory.markov_chain import BURN_IN, CHAIN, metropolis

Sampling = Literal["heuristic", "metropolis"]


@dataclass(frozen=True)
class Predictive:
    """The adapted predictive distribution, to choose from any n-best list."""

    samples: Matrix  # [S, M]
    credible: Vector  # [S] log of what each sample weighs
    delta: float  # δ; 1 for a chain, whose samples stand for their own probability
    viterbi: bool  # the best sample decides, instead of the sum of all
    acceptance: float = 1.0  # of the chain
    effective: Vector | None = None  # [M] independent samples that the chain is worth

    def rerank(self, features: ArrayLike) -> int:
        """The row with the greatest Σ_s p(A|λ_s)^{1/δ} p(y|x,λ_s)^{1/δ} N(λ_s) ([B] Eq. 11), or the greatest term."""
        _, rows = check(self.samples[0], features)
        logs = kernels.log_probabilities(rows, self.samples)
        if self.viterbi:
            return int(np.argmax((logs / self.delta + self.credible[:, None]).max(axis=0)))
        return int(np.argmax(kernels.predictive(logs, self.credible, self.delta)))

    def mean(self) -> Vector:
        """Mean of the weights, with the Σ|λ| of the samples."""
        chain = self.effective is not None  # then each is as frequent as it is probable
        share = np.ones(len(self.samples)) if chain else np.exp(self.credible - self.credible.max())
        answer: Vector = (share / share.sum()) @ self.samples
        return answer


class Likelihood:
    """log p(A|λ) of adaptation data: the n-best list [N, M] of each sentence, and its best entry."""

    def __init__(self, lists: Sequence[Matrix], best: Sequence[int]) -> None:
        if not lists or len(lists) != len(best):
            raise BadInputError(f"{len(lists)} n-best lists do not go with {len(best)} best entries")
        for number, (rows, entry) in enumerate(zip(lists, best, strict=True), start=1):
            if not 0 <= entry < len(rows):
                raise BadInputError(
                    f"the best entry of list {number} is {entry}, of {len(rows)}", remedy="count from 0"
                )
        self._ends = np.cumsum([len(rows) for rows in lists])
        self._blocks = np.concatenate([rows.T.ravel() for rows in lists])
        self._best = np.asarray(best, np.int64)

    def __call__(self, samples: Matrix) -> Vector:
        """[S] Σ_a log p(y*_a | x_a, λ_s)."""
        found: Vector = log_likelihoods_of_all(self._blocks, self._ends, self._best, samples)
        return found


def adapt(
    weights: ArrayLike,
    lists: Sequence[ArrayLike],
    best: Sequence[int],
    *,
    sampling: Sampling = "metropolis",
    samples: int = CHAIN,
    viterbi: bool = False,
    delta: float = 10.0,
    variance: float = 0.1,
    proposal: float = 0.01,
    burn_in: int = BURN_IN,
    seed: int = 1,
) -> Predictive:
    """Adapt to the n-best lists of A, given which entry of each is best; Σ|λ| of the samples is about 1."""
    if sampling not in get_args(Sampling):
        remedy = f"choose one of {', '.join(get_args(Sampling))}"
        raise BadInputError(f"there is no sampling {sampling!r}", remedy=remedy)
    if not min(delta, variance, proposal) > 0:
        raise BadInputError("delta, variance and proposal must be above 0")
    likelihood = Likelihood([check(weights, rows)[1] for rows in lists], best)
    centre = normalised(np.asarray(weights, np.float64))
    if sampling == "heuristic":
        drawn = heuristic(centre, samples, seed)
        return Predictive(drawn, likelihood(drawn) / delta + log_prior(drawn, centre, variance), delta, viterbi)

    def log_target(sample: Vector) -> float:
        return float((likelihood(sample[None]) + log_prior(sample[None], centre, variance))[0])

    chain = metropolis(log_target, centre, variance=proposal, count=samples, burn_in=burn_in, seed=seed)
    # The sum runs over samples that are as frequent as they are probable; the best one must be told its probability.
    credible = np.array([log_target(sample) for sample in chain.samples]) if viterbi else np.zeros(samples)
    return Predictive(chain.samples, credible, 1.0, viterbi, chain.acceptance, chain.effective)
