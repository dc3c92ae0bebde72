"""How far another engine is trusted, learned from what it would have cost to trust it more, or less.

There are a few levels of trust, each a bonus for every word that is taken from the engine's answer; at the highest the
engine's translation is taken as it is. When a correction comes, the n-best list of its source tells what each level
would have said, and so how many word edits it would have cost. The level in force is the one that has cost the fewest
so far. But what a level has saved, compared with the engine, must be more than chance explains: what chance can do to
that sum is added to its cost, and a handicap, the greater, the less the level trusts the engine. So at first only what
was corrected in the same words is changed; a text in which nothing repeats is soon left to the engine, and stays so
however long it is; one that is full of terms is not.

Likewise for letter case: the engine's is kept, unless corrections write words as dragoman would have written them more
often than chance explains. An engine without capitals is soon found out.

Edits, their squares and words are integers: learning adds them, forgetting subtracts the same, in any order.

>>> confidence = Confidence()
>>> confidence.bonus
1.2
>>> costs = np.array([9, 9, 9, 9, 9, 9, 9, 8])
>>> confidence.add(costs)
>>> confidence.bonus is None  # the engine's translation as it is
True
>>> confidence.add(costs, -1)
>>> confidence.bonus
1.2

How far a single change of another engine's answer is trusted: whether it will save edits rather than cost some.

1. What is known of a change, its *features*, falls into bins: how often the piece was replaced so, otherwise, or kept,
   in each of its contexts, and how long ago; how long both are; who proposes it. Each bin adds to the *score*, the log
   odds of helping against harming, by weights that are shipped as data (`change_weights.json`) and were fitted on what
   people made of several engines' answers.
2. Projects differ: in some nearly every change that corrections suggest is right, in others they are not. So a project
   counts for each group of changes (their kind, and whether something is left out, put in or replaced), and each bin of
   the score, how many of those *proposed* have helped and harmed, used or not. From these follows by how much the
   log odds of the group are higher here than the score says, and how sure that is (`ChangeTrust.shift`).
3. What decides is a lower *bound*: the log odds less their standard error. Above 0, helping is likelier than harming
   even if we have been lucky so far, so the lower bound of P(helps) − P(harms) is above 0 as well.

Counts are integers, so learning adds them, forgetting subtracts the same, in any order, and two tables can be summed.

>>> trust = ChangeTrust()
>>> trust.probability(Kind.LEARNED, REPLACED, 0), trust.bound(Kind.LEARNED, REPLACED, 0) < -1
(0.5, True)
>>> trust.add([ChangeOutcome(Kind.LEARNED, REPLACED, bin_of(0), HELPED)] * 60)
>>> trust.probability(Kind.LEARNED, REPLACED, 0) > 0.9, trust.bound(Kind.LEARNED, REPLACED, 0) > 0
(True, True)
>>> trust.probability(Kind.LEARNED, LEFT_OUT, 0)
0.5
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from enum import IntEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from dragoman.arrays import ArrayTree

BONUSES = (-0.15, 0.0, 0.15, 0.3, 0.5, 0.8, 1.2)  # for a word taken from the engine; after them comes the engine alone
HANDICAPS = np.array([8.0, 5.0, 4.5, 4.0, 2.0, 0.5, 0.0, 0.0])  # edits that a level must have saved besides
LEAST_SQUARES = 4.0  # of what a level saves, from which on the number of standard errors grows
CASE_ERRORS = 2.0  # standard errors by which dragoman's letter case must be better than the engine's
MIDDLE = 0.3  # the bonus of searches while the engine's translation is taken as it is

Costs = NDArray[np.int64]  # [levels] word edits


class Confidence:
    """What each level of trust has cost in all corrections so far, and how far that is from what the engine has."""

    def __init__(
        self, costs: Costs | None = None, squares: Costs | None = None, cases: NDArray[np.int64] | None = None
    ) -> None:
        self.costs = np.zeros(HANDICAPS.size, np.int64) if costs is None else costs.copy()
        self.squares = np.zeros(HANDICAPS.size, np.int64) if squares is None else squares.copy()
        self.cases = np.zeros(2, np.int64) if cases is None else cases.copy()  # right by the engine, by dragoman

    @property
    def bonus(self) -> float | None:
        """The bonus in force; None if the engine's translation is to be taken as it is."""
        level = int(np.argmin(self.costs + self._chance + HANDICAPS))
        return None if level == len(BONUSES) else BONUSES[level]

    @property
    def _chance(self) -> NDArray[np.float64]:
        """[levels] what each level may have saved by chance.

        If a level is no better than the engine, what it saves is a sum of mean 0 with the standard error √V, V being
        the sum of squares. We look at it after every correction; by the law of the iterated logarithm, such a sum
        comes back to √(2 V log log V) for ever. Half of that variance is asked for: more costs too much at first.
        """
        squares: NDArray[np.float64] = np.maximum(self.squares, LEAST_SQUARES)
        return np.where(self.squares > 0, np.sqrt(self.squares * np.log(np.log(squares))), 0.0)

    @property
    def has_paid(self) -> bool:
        """Whether the level in force has saved anything so far: before, it has only the benefit of the doubt."""
        bonus = self.bonus
        return bonus is not None and bool(self.costs[BONUSES.index(bonus)] < self.costs[-1])

    @property
    def searched(self) -> float:
        """The bonus that is searched with."""
        return MIDDLE if self.bonus is None else self.bonus

    @property
    def keeps_case(self) -> bool:
        """Whether the engine's words keep its letter case; where nothing else is known, they do."""
        engine, own = self.cases.tolist()
        return bool(own - engine <= CASE_ERRORS * np.sqrt(own + engine))

    def add(self, costs: Costs, sign: int = 1) -> None:
        """Add what the levels would have cost in one correction, or take it back (sign −1)."""
        self.costs = self.costs + sign * costs
        self.squares = self.squares + sign * (costs - costs[-1]) ** 2

    def add_cases(self, cases: tuple[int, int], sign: int = 1) -> None:
        """Add how many words of a correction have the engine's case, and how many dragoman's; or take it back."""
        self.cases = self.cases + sign * np.array(cases, np.int64)

    def arrays(self) -> ArrayTree:
        """Everything needed to open this again."""
        return ArrayTree(costs=self.costs.copy(), squares=self.squares.copy(), cases=self.cases.copy())

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Confidence:
        """The one whose `arrays()` these are."""
        known = (name for name in ("costs", "squares", "cases") if name in arrays)  # earlier versions had no cases
        return cls(*(np.array(arrays[name], np.int64) for name in known))


UNIT = 1000  # of scores, which are integers, in log odds
WIDTH, BINS = 500, 16  # of a bin of scores, and how many there are: from −4 to 4
ERRORS = 1.0  # standard errors by which the bound is lower than the log odds
SPREAD, SPREAD_LEFT_OUT = 0.9, 1.6  # standard errors of a score, in log odds: the weights come from other texts, and
# where words are left out, what a correction lacks may stand elsewhere in it
SPREAD_IN_FORCE, SPREAD_LEFT_OUT_IN_FORCE = 0.1, 0.8  # of a level of trust which has proved itself in this text
PRIOR = 1.0  # standard deviation of the shifts of projects, in log odds
STEPS = 8  # of Newton's method, which needs fewer
LEFT_OUT, PUT_IN, REPLACED = range(3)  # what a change does with words
HELPED, HARMED, NEITHER = range(3)
NAMES = ("piece", "source", "left", "right", "both", "wide")  # of the contexts
OLDEST = 8  # bin of ages
PIECE = NAMES.index("piece")
DETAILED = ("piece", "source", "both")  # contexts of which it counts how often otherwise, and how often kept


class Kind(IntEnum):
    """Who proposes a change: corrections of the same words, the search, or both, whose result may be in force.

    It is sure if this very piece was always replaced so, in the same context.
    """

    BOTH_IN_FORCE = 0
    IN_FORCE = 1
    BOTH = 2
    LEARNED = 3
    SEARCHED = 4
    SURE = 5

    @property
    def is_in_force(self) -> bool:
        """Whether it belongs to the translation of the level of trust in force."""
        return self <= Kind.IN_FORCE

    def spread(self, operation: int) -> float:
        """The standard error of scores, in log odds; that of a sure change is a promise."""
        if self == Kind.SURE:
            return 0.0
        if operation == LEFT_OUT:
            return SPREAD_LEFT_OUT_IN_FORCE if self.is_in_force else SPREAD_LEFT_OUT
        return SPREAD_IN_FORCE if self.is_in_force else SPREAD


class ChangeOutcome(NamedTuple):
    """What a correction says of a proposed change."""

    kind: int
    operation: int  # LEFT_OUT, PUT_IN or REPLACED
    bin: int  # of its score
    result: int  # HELPED, HARMED or NEITHER


class Shift(NamedTuple):
    """By how much the log odds of a group of changes are higher in a project than their scores say."""

    mean: float
    error: float


class ChangeTrust:
    """What has become of the changes that were proposed in a project."""

    def __init__(self, counts: NDArray[np.int64] | None = None) -> None:
        self.counts = np.zeros((len(Kind), 3, BINS, 3), np.int64) if counts is None else counts.copy()
        self._shifts: dict[tuple[int, int], Shift] = {}

    def probability(self, kind: Kind, operation: int, score: int) -> float:
        """The probability that such a change helps, if it makes a difference."""
        return _odds_to_probability(score / UNIT + self.shift(kind, operation).mean)

    def bound(self, kind: Kind, operation: int, score: int) -> float:
        """The lower bound of the log odds of helping against harming."""
        mean, error = self.shift(kind, operation)
        return score / UNIT + mean - ERRORS * math.hypot(error, kind.spread(operation))

    def shift(self, kind: int, operation: int) -> Shift:
        """The shift of a group of changes: mean and standard error of its posterior, by Laplace's approximation.

        The prior is normal with mean 0. A change of a bin has helped with the log odds of the bin's centre + shift.
        """
        group = int(kind), operation
        if group not in self._shifts:
            self._shifts[group] = _posterior(self.counts[group][:, HELPED], self.counts[group][:, HARMED])
        return self._shifts[group]

    def add(self, outcomes: Iterable[Sequence[int]], sign: int = 1) -> None:
        """Add what became of proposed changes, or take it back (sign −1)."""
        counts = self.counts.copy()  # whoever holds the old ones keeps them
        for kind, operation, place, result in outcomes:
            counts[kind, operation, place, result] += sign
        self.counts, self._shifts = counts, {}

    def arrays(self) -> ArrayTree:
        """Everything needed to open this again."""
        return ArrayTree(counts=self.counts.copy())

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> ChangeTrust:
        """The one whose `arrays()` these are; a new one if there are none, as in earlier versions."""
        return cls(np.array(arrays["counts"], np.int64) if "counts" in arrays else None)


def bin_of(score: int) -> int:
    """The bin of a score.

    >>> bin_of(-9000), bin_of(-1), bin_of(0), bin_of(9000)
    (0, 7, 8, 15)
    """
    return max(0, min(BINS - 1, score // WIDTH + BINS // 2))


def operation_of(replaced: Sized, instead: Sized) -> int:
    """What a change does with words."""
    return LEFT_OUT if not len(instead) else REPLACED if len(replaced) else PUT_IN


def features(
    counts: NDArray[np.int64], replaced: Sequence[str], instead: Sequence[str], kind: int, age: int | None = None
) -> list[str]:
    """The bins of a change by name; `counts` [CONTEXTS, 3] are how often its piece was replaced so, otherwise, kept.

    Its `age` is how many corrections ago it was last made; None if it never was.
    """
    found = []
    rows: list[list[int]] = counts.tolist()
    for name, (again, otherwise, kept) in zip(NAMES, rows, strict=True):
        seen = again + otherwise + kept
        found.append(f"{name} {_times(again)} {_share(again, seen)}" if seen else f"{name} unseen")
        if name in DETAILED:
            found.append(f"{name} not {_few(otherwise)} {_few(kept)} {min(again, 1)}")
    found.append(f"words {min(len(replaced), 3)} {min(len(instead), 3)}")
    found.append(f"kind {kind}")
    found.append(f"alike {_alike(replaced, instead)}")
    found.append(f"age {_age(age)} {_times(rows[PIECE][0])}")
    found += _joint_features(rows, replaced, instead)
    return [f"in force: {name}" for name in found] if Kind(kind).is_in_force else found


def _joint_features(rows: list[list[int]], replaced: Sequence[str], instead: Sequence[str]) -> list[str]:
    """Bins of several features together: which contexts know the change, and how sure the closest ones are of it."""
    piece, source, left, right, both, _ = ["-" if not sum(row) else _share(row[0], sum(row)) for row in rows]
    known, times = "".join(str(min(row[0], 1)) for row in rows[1:]), _times(rows[0][0])
    return [
        f"known {known} {piece}",
        f"times {times} {source} {piece}",
        f"size {min(len(replaced), 2)} {min(len(instead), 2)} {times} {piece}",
        f"sides {left} {right} {both}",
    ]


def score_of(names: Iterable[str], weights: Mapping[str, int] | None = None) -> int:
    """The log odds of helping that the features of a change have, in units of 1/UNIT."""
    known = shipped_weights() if weights is None else weights
    return known.get("start", 0) + sum(known.get(name, 0) for name in names)


@cache
def shipped_weights() -> Mapping[str, int]:
    """The weights of all bins, as `benchmarks/fit_changes.py` has made them."""
    text = files("dragoman.models").joinpath("change_weights.json").read_text(encoding="utf-8")
    weights: dict[str, int] = json.loads(text)["weights"]
    return weights


def _times(n: int) -> int:
    return n if n < 3 else 3 if n < 6 else 4


def _age(corrections: int | None) -> str:
    return "-" if corrections is None else str(min(OLDEST, max(0, corrections).bit_length() // 2))


def _few(n: int) -> int:
    return min(n, 2) if n < 4 else 3


def _share(part: int, whole: int) -> int:
    return sum(10 * part >= tenths * whole for tenths in (1, 2.5, 4.5, 6.5, 9))


def _alike(replaced: Sequence[str], instead: Sequence[str]) -> str:
    """Fifths of their characters that both have in common; whether they differ in letter case only."""
    one, other = " ".join(replaced), " ".join(instead)
    if not one or not other:
        return "nothing"
    return "case" if one.casefold() == other.casefold() else str(int(fuzz.ratio(one, other) // 20))


def _posterior(helped: NDArray[np.int64], harmed: NDArray[np.int64]) -> Shift:
    """Of the shift, given how many changes of each bin have helped and harmed."""
    mean, total, certainty = 0.0, helped + harmed, 1 / PRIOR**2
    for _ in range(STEPS if total.any() else 0):
        expected = 1 / (1 + np.exp(-(_CENTRES + mean)))
        slope = float((helped - total * expected).sum()) - mean / PRIOR**2
        certainty = float((total * expected * (1 - expected)).sum()) + 1 / PRIOR**2
        mean += max(-1.0, min(1.0, slope / certainty))
    return Shift(mean, 1 / math.sqrt(certainty))


def _odds_to_probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


_CENTRES = (np.arange(BINS) - BINS // 2 + 0.5) * WIDTH / UNIT  # log odds
