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
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

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
