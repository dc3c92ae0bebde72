"""What changing translations was worth: segments better and worse, and word edits saved for each segment changed.

>>> references = ["close the lid", "open the lid", "wait", "lift it"]
>>> before = ["close a cover", "open the lid", "wait", "lift it"]
>>> after = ["close the lid", "open a lid", "wait", "lift it"]
>>> found = improvement(before, after, references)
>>> found.changed, found.better, found.worse, found.saved.score
(2, 1, 1, 0.5)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from dragoman.measure.significance import Interval, interval
from dragoman.measure.wer import Wer
from dragoman.text.tokens import split

ERRORS = 1.96  # standard errors of a 95 % interval


class Improvement(NamedTuple):
    """The difference between two sets of translations, with 95 % intervals."""

    changed: int  # segments
    better: int  # of these, with fewer word edits
    worse: int
    share: Interval  # of the better ones among both, in percent
    saved: Interval  # word edits for each segment changed

    def __str__(self) -> str:
        if not self.changed:
            return "none changed"
        share = f" ({self.share.low:.0f}–{self.share.high:.0f} % better)" if self.better + self.worse else ""
        saved = f"{self.saved.score:+.2f} ± {self.saved.margin:.2f} edits saved each"
        return f"{self.changed:,} changed: {self.better:,} better, {self.worse:,} worse{share}, {saved}"

    def as_json(self) -> dict[str, Any]:
        """For a report."""
        counts = {"changed": self.changed, "better": self.better, "worse": self.worse}
        return counts | {"better, percent": _rounded(self.share), "saved": _rounded(self.saved)}


def improvement(before: Sequence[str], after: Sequence[str], references: Sequence[str]) -> Improvement:
    """What replacing some translations by others was worth."""
    wanted = _spaced(references)
    saved = np.subtract(*(Wer().statistics(_spaced(texts), wanted)[:, 0] for texts in (before, after)))
    changed = np.array([one != other for one, other in zip(before, after, strict=True)], np.int64)
    better, worse = int((saved > 0).sum()), int((saved < 0).sum())
    rate = interval(Wer(), np.stack([saved, changed], 1)) if changed.any() else Interval(0.0, 0.0, 0.0)
    each = Interval(*(value / 100 for value in (rate.score, rate.low, rate.high)))
    return Improvement(int(changed.sum()), better, worse, _share(better, worse), each)


def _spaced(texts: Sequence[str]) -> list[str]:
    return [" ".join(split(text).words) for text in texts]


def _share(better: int, worse: int) -> Interval:
    both = better + worse
    if not both:
        return Interval(0.0, 0.0, 100.0)
    low, high = lower_bound(better, both, ERRORS), 1 - lower_bound(worse, both, ERRORS)
    return Interval(*(100 * value for value in (better / both, low, high)))


def _rounded(found: Interval) -> dict[str, float]:
    return {name: round(value, 3) + 0.0 for name, value in asdict(found).items()}


def lower_bound(successes: int, trials: int, errors: float = ERRORS) -> float:
    """Wilson's lower bound of a share.

    >>> round(lower_bound(1, 1, 1.0), 2), round(lower_bound(3, 3, 1.0), 2), round(lower_bound(3, 6, 1.0), 2)
    (0.5, 0.75, 0.31)
    """
    share, square = successes / trials, errors * errors
    middle = share + square / (2 * trials)
    spread = errors * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    return (middle - spread) / (1 + square / trials)
