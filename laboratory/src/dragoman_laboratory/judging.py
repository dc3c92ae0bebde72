"""Is a finding of a paper confirmed? Yes, no, or undecided: differences count only outside their 95 % intervals.

>>> decided(Interval(1.2, 0.4, 2.0)), decided(Interval(-1.2, -2.0, -0.4)), decided(Interval(0.2, -0.4, 0.8))
(True, False, None)
>>> print(together([Interval(1.0, 0.0, 2.0), Interval(3.0, 2.5, 3.5)]))
2.0 ± 0.8
>>> print(paired([5.0, 6.0, 7.0], [4.0, 5.2, 5.8]))
1.0 ± 0.2
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from dragoman.measure.significance import Interval

Verdict = bool | None  # None: undecided


def decided(found: Interval, tolerance: float = 0.0) -> Verdict:
    """Whether a difference is above zero; with a tolerance, whether it is no more than that below."""
    if found.low > -tolerance:
        return True
    return False if found.high < 0 else None


def all_decided(found: Sequence[Interval]) -> Verdict:
    """Whether several differences are all above zero: each of them, and their mean outside its interval."""
    if any(each.high < 0 for each in found):
        return False
    return True if min(each.score for each in found) > 0 and together(found).low > 0 else None


def together(found: Iterable[Interval]) -> Interval:
    """The mean of several differences, with their average uncertainty: they may all err the same way."""
    scores, lows, highs = np.array([(each.score, each.low, each.high) for each in found]).T
    return Interval(float(scores.mean()), float(lows.mean()), float(highs.mean()))


def less(found: Interval, other: Interval) -> Interval:
    """One difference minus another, of different texts."""
    margin = math.hypot(found.margin, other.margin)
    return around(found.score - other.score, margin)


def around(score: float, margin: float) -> Interval:
    """An interval by its middle and margin."""
    return Interval(score, score - margin, score + margin)


def paired(values: Sequence[float], others: Sequence[float]) -> Interval:
    """The mean difference between values and others of the same draws, ± two standard errors."""
    differences = np.subtract(values, others)
    return around(float(differences.mean()), 2 * float(differences.std(ddof=1)) / math.sqrt(differences.size))


def steadier(sigma: float, other: float, draws: int) -> Verdict:
    """Whether one spread is smaller than another, both from this many draws: by the error of a log variance."""
    if min(sigma, other) <= 0:
        return sigma < other
    return decided(around(math.log(other / sigma), 2 / math.sqrt(draws - 1)))


def shown(found: Iterable[Interval], digits: int = 2) -> str:
    """Differences in words."""
    return ", ".join(f"{each.score:+.{digits}f} ± {each.margin:.{digits}f}" for each in found)
