"""The significance of a score, or of the difference between two systems.

Everything starts from the counts of single sentences (`Measure.statistics`) and is drawn with a seed: the same counts
and the same seed give the same figures.

>>> from dragoman.measure import Wer
>>> references = ["press the green button", "close the lid", "wait", "open the lid slowly"] * 50
>>> baseline = Wer().statistics(["push the green button", "close lid", "wait", "open the lid"] * 50, references)
>>> system = Wer().statistics(["press the green button", "close lid", "wait", "open the lid"] * 50, references)
>>> print(interval(Wer(), baseline))
25.0 ± 0.8
>>> comparison = bootstrap(Wer(), baseline, system)
>>> print(comparison)
25.0 ± 0.8 → 16.7 ± 2.1, difference -8.3 ± 1.8, p = 0.002
>>> randomisation(Wer(), baseline, system) < 0.001
True
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.measure.measure import Floats, Measure

CONFIDENCE = 0.95
CELLS = 1 << 22  # numbers drawn at a time: bounds the memory, has no effect on the result


@dataclass(frozen=True)
class Interval:
    """A score and the interval that holds it with 95 % confidence, in percent."""

    score: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width of the interval, the figure after the ± in the tables of [O]."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"{self.score:.1f} ± {self.margin:.1f}"


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same sentences."""

    baseline: Interval
    system: Interval
    difference: Interval  # system − baseline
    p_value: float  # chance of such a difference, either way, if the systems were equally good

    def __str__(self) -> str:
        return f"{self.baseline} → {self.system}, difference {self.difference}, p = {self.p_value:.3f}"


def interval(measure: Measure, statistics: NDArray[Any], *, samples: int = 1000, seed: int = 1) -> Interval:
    """The score of counts [n, k] with its 95 % confidence interval by bootstrap."""
    _check(samples, statistics)
    return _interval(measure.score(statistics.sum(0)), _resampled(measure, statistics, samples, seed))


def bootstrap(
    measure: Measure, baseline: NDArray[Any], system: NDArray[Any], *, samples: int = 1000, seed: int = 1
) -> Comparison:
    """Paired bootstrap (Koehn 2004): both systems are scored on the same random samples of the sentences.

    The p-value is twice the share of samples in which the difference is not on its own side of zero.
    """
    _check(samples, baseline, system)
    of_baseline = _resampled(measure, baseline, samples, seed)
    of_system = _resampled(measure, system, samples, seed)  # with the same seed, on the same samples
    before, after = measure.score(baseline.sum(0)), measure.score(system.sum(0))
    differences = of_system - of_baseline
    wrong_side = min((differences <= 0).sum(), (differences >= 0).sum())
    return Comparison(
        _interval(before, of_baseline),
        _interval(after, of_system),
        _interval(after - before, differences),
        min(1.0, float(2 * (wrong_side + 1) / (samples + 1))),
    )


def randomisation(
    measure: Measure, baseline: NDArray[Any], system: NDArray[Any], *, samples: int = 10_000, seed: int = 1
) -> float:
    """Approximate randomisation (Riezler and Maxwell 2005): the p-value of the difference between two systems.

    How often is the difference at least as large, either way, if each sentence is assigned to one system or the
    other at random?
    """
    _check(samples, baseline, system)
    observed = abs(measure.score(system.sum(0)) - measure.score(baseline.sum(0)))
    generator = np.random.default_rng(seed)
    as_large = 0
    for rows in _batches(samples, len(system)):
        swapped = (generator.random((rows, len(system))) < 0.5).astype(np.float64)
        moved = swapped @ (system - baseline)
        differences = measure.scores(system.sum(0) - moved) - measure.scores(baseline.sum(0) + moved)
        as_large += int((np.abs(differences) >= observed - 1e-9).sum())  # up to rounding
    return (as_large + 1) / (samples + 1)


def _resampled(measure: Measure, statistics: NDArray[Any], samples: int, seed: int) -> Floats:
    """Scores of random samples [samples] of the sentences, each as large as the corpus."""
    sentences = len(statistics)
    generator = np.random.default_rng(seed)
    scores = []
    for rows in _batches(samples, sentences):
        drawn = generator.integers(sentences, size=(rows, sentences)) + sentences * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * sentences).reshape(rows, sentences).astype(np.float64)
        scores.append(measure.scores(times @ statistics))
    return np.concatenate(scores)


def _batches(samples: int, sentences: int) -> Iterator[int]:
    rows = max(1, CELLS // sentences)
    for done in range(0, samples, rows):
        yield min(rows, samples - done)


def _interval(score: float, scores: Floats) -> Interval:
    low, high = np.quantile(scores, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(score, float(low), float(high))


def _check(samples: int, *systems: NDArray[Any]) -> None:
    for statistics in systems:
        if getattr(statistics, "ndim", 0) != 2 or len(statistics) == 0:
            what = "expected counts of shape [n, k]"
            raise BadInputError(what, remedy="pass the result of measure.statistics(hypotheses, references)")
    if len({statistics.shape for statistics in systems}) > 1:
        raise BadInputError(
            f"the baseline has {len(systems[0])} sentences, the system {len(systems[1])}",
            remedy="compare systems on the same sentences, with the same measure",
        )
    if samples < 1:
        raise BadInputError(f"{samples} samples are too few", remedy="draw at least one, preferably a thousand")
