"""Samples of weights by a Markov chain: Metropolis–Hastings with a Gaussian proposal ([B] §4.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dragoman.adapt.protocol import Matrix, Vector
from dragoman.errors import BadInputError

BURN_IN = 500  # [B] §5.4
CHAIN = 1000


@dataclass(frozen=True)
class Chain:
    """The samples of a Markov chain after its burn-in."""

    samples: Matrix  # [count, M]
    acceptance: float  # share of the proposals that were accepted, burn-in not counted
    effective: Vector  # [M] how many independent samples these are worth, by component


def metropolis(
    log_target: Callable[[Vector], float],
    start: Vector,
    *,
    variance: float = 0.01,
    count: int = CHAIN,
    burn_in: int = BURN_IN,
    seed: int = 1,
) -> Chain:
    """Metropolis–Hastings with a Gaussian proposal of variance σ_o ([B] §4.2); the target need not be normalised."""
    if count < 1 or burn_in < 0:
        raise BadInputError(f"a chain needs at least one sample after its burn-in, not {count} after {burn_in}")
    random = np.random.default_rng(seed)
    steps = random.normal(0, np.sqrt(variance), (burn_in + count, start.size))
    chances = np.log(random.uniform(size=burn_in + count))
    here, height, accepted = start.copy(), log_target(start), 0
    samples = np.empty((count, start.size))
    for n in range(burn_in + count):
        proposal = here + steps[n]
        reached = log_target(proposal)
        if chances[n] < reached - height:
            here, height = proposal, reached
            accepted += n >= burn_in
        if n >= burn_in:
            samples[n - burn_in] = here
    return Chain(samples, accepted / count, np.array([effective_size(column) for column in samples.T]))


def effective_size(values: Vector) -> float:
    """How many independent samples a chain is worth: n / (1 + 2 Σ ρ_k), while pairs of ρ_k are positive (Geyer 1992).

    >>> random = np.random.default_rng(1)
    >>> 900 < effective_size(random.normal(size=1000)) <= 1000
    True
    >>> effective_size(np.repeat(random.normal(size=100), 10)) < 200
    True
    """
    n = len(values)
    deviations = values - values.mean()
    spectrum = np.fft.rfft(deviations, 2 * n)
    covariance = np.fft.irfft(spectrum * np.conj(spectrum))[:n].real
    if covariance[0] <= 0:
        return 1.0  # it has never moved
    correlation = covariance / covariance[0]
    pairs = correlation[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    total = float(pairs[: negative[0]].sum() if negative.size else pairs.sum())
    return float(np.clip(n / max(2 * total - 1, 1e-9), 1.0, n))
