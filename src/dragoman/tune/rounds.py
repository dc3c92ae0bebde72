"""Tuning in rounds: decode the development set, add the n-best lists to the pool, find better weights, and again.

A pool holds only what earlier weights produced, so new weights can be good on the pool and bad in the search.
Therefore the score of the decoded translations counts: the weights with the best one are kept, and each round continues
from them, or from the next best where a tuner finds nothing better than these on the pool.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from dragoman.errors import BadInputError
from dragoman.measure import Measure
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.progress import Progress
from dragoman.search.decoder import Beam, Decoder, Estimates
from dragoman.tune.development import Development, decode
from dragoman.tune.pool import Pool, Tuner, Vector

NBEST = 300
ROUNDS = 8
PATIENCE = 3  # rounds without a better score before it ends
ATTEMPTS = 3  # to find other weights on the same pool, each with a seed of its own
SMALLEST_CHANGE = 1e-3  # of the weights, of their sum


@dataclass(frozen=True)
class Round:
    """The weights of one round, the result of decoding with them, and the cost of finding them."""

    number: int  # 0 for the weights at the start
    score: float  # of the decoded development set
    expected: float | None  # on the pool that the weights were found on
    new: int  # hypotheses that the pool did not have
    pool: int  # hypotheses
    decoding: float  # seconds
    optimising: float
    weights: dict[str, float]


@dataclass(frozen=True)
class TuningReport:
    """The result of tuning: all rounds, and which was best."""

    method: str
    measure: str  # its signature
    sentences: int
    left_out: int
    nbest: int
    seed: int
    rounds: tuple[Round, ...]
    best: int  # number of the round whose weights are kept

    @property
    def weights(self) -> dict[str, float]:
        """The best weights."""
        return self.rounds[self.best].weights

    @property
    def before(self) -> float:
        """The score of the weights at the start."""
        return self.rounds[0].score

    @property
    def after(self) -> float:
        """The score of the best weights."""
        return self.rounds[self.best].score

    @property
    def changed(self) -> bool:
        """Whether any round was better than the weights at the start."""
        return self.best > 0

    def as_json(self) -> dict[str, Any]:
        """Everything known, for `json.dumps`."""
        return asdict(self) | {"before": self.before, "after": self.after, "weights": self.weights}

    def __str__(self) -> str:
        name = self.measure.split("|")[0]
        text = [f"{'round':>5} {name:>8} {'expected':>9} {'new':>8} {'pool':>9} {'decoding':>9} {'optimising':>10}"]
        for each in self.rounds:
            expected = "" if each.expected is None else f"{each.expected:.2f}"
            kept = " ←" if each.number == self.best else ""
            text.append(
                f"{each.number:5} {each.score:8.2f} {expected:>9} {each.new:8,} {each.pool:9,} "
                f"{each.decoding:7.1f} s {each.optimising:8.1f} s{kept}"
            )
        skipped = f", {self.left_out} left out for want of words" if self.left_out else ""
        text.append(f"{name} {self.before:.2f} → {self.after:.2f} on {self.sentences} sentences{skipped}")
        return "\n".join([*text, f"{self.method}, {self.nbest}-best lists, seed {self.seed}, {self.measure}"])


class TuningOptions(TypedDict, total=False):
    """How `tune` searches; what is left out is as usual."""

    nbest: int
    rounds: int
    seed: int
    beam: Beam | str
    estimates: Estimates | None
    threads: int | None
    progress: Progress | None


def tune(
    models: ModelSet,
    weights: Weights,
    development: Development,
    method: Tuner,
    measure: Measure,
    *,
    nbest: int = NBEST,
    rounds: int = ROUNDS,
    seed: int = 1,
    beam: Beam | str = "best",
    estimates: Estimates | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> TuningReport:
    """Find weights that translate the development set better; models and initial weights do not change.

    Ends early if the score has not risen recently, if the pool gained nothing new, or if no other weights are found.
    """
    if nbest < 1 or rounds < 1:
        raise BadInputError(f"tuning needs at least 1 round of 1-best lists, not {rounds} of {nbest}")
    pool, done = Pool(measure), list[Round]()
    current, expected, optimising, best = weights, None, 0.0, 0
    for number in range(rounds + 1):
        began = time.perf_counter()
        decoder = Decoder(models, current, beam, estimates)
        report = _placed(progress, number, rounds + 1)
        decoded = decode(decoder, development, measure, nbest, threads=threads, progress=report)
        new = pool.add(decoded.features, decoded.statistics)
        took = time.perf_counter() - began
        done.append(Round(number, decoded.score, expected, new, pool.size, took, optimising, dict(current)))
        best = int(np.argmax([pool.sign * each.score for each in done]))  # the earlier one among equals
        lately = number - best < PATIENCE or best == 0  # until a first gain, the pool is too small to give up
        if number == rounds or not lately or not new:
            break
        began = time.perf_counter()
        ranked = sorted(done, key=lambda each: -pool.sign * each.score)
        found = _changed(method, pool, [vector(each.weights) for each in ranked], seed=seed + number * ATTEMPTS)
        if found is None:
            break
        optimising, expected = time.perf_counter() - began, pool.sign * pool.quality(found)
        current = Weights(weights.preset, dict(zip(weights, found.tolist(), strict=True)))
    if progress is not None:
        progress("tuning", 1, 1)
    about = _name(method), measure.signature
    return TuningReport(*about, len(development), development.left_out, nbest, seed, tuple(done), best)


def _changed(method: Tuner, pool: Pool, decoded: list[Vector], seed: int) -> Vector | None:
    """Weights other than those decoded, the best first, that a tuner finds; None if it finds none with several seeds.

    A tuner returns its start where it finds nothing better on the pool. After a good round that is often so, although
    the pool is still too small to tell; then it starts from the next best weights.
    """
    for start in decoded:
        for attempt in range(ATTEMPTS):
            found = _checked(method(pool, start.copy(), seed=seed + attempt), method, start.size)
            if all(np.abs(found - each).sum() > SMALLEST_CHANGE * np.abs(each).sum() for each in decoded):
                return found
    return None


def _checked(found: ArrayLike | None, method: Tuner, size: int) -> Vector:
    """What a tuner returned, if these are weights [M]."""
    try:
        weights = np.asarray(found, np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape == (size,) and np.isfinite(weights).all():
        return weights
    returned = f"{weights.size} weights, {np.isfinite(weights).sum()} of them finite"
    what = f"{_name(method)} has returned {'None' if found is None else returned}"
    raise BadInputError(what, remedy=f"return {size} finite numbers, one per weight")


def _name(method: Tuner) -> str:
    return str(getattr(method, "__name__", type(method).__name__))


def vector(weights: Mapping[str, float]) -> Vector:
    """[M] weights in the order of their preset, as tuners take them."""
    return np.array(list(weights.values()))


def _placed(progress: Progress | None, number: int, rounds: int) -> Callable[[int, int], None] | None:
    """The progress of one of so many rounds as part of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress("tuning", number * total + done, rounds * total)
