"""Texts that come again: whether the newest correction, the most frequent one, or another engine's answer is right.

People correct the same text differently, in chats above all. So for each text that was corrected before and is
corrected again, the word edits are counted that each of the three would have left: separately for texts with one
correction, with several that agree, and with several that differ. The newest correction is taken until another choice
has left so many fewer that chance does not explain it.

Edits and their squares are integers: learning adds them, forgetting subtracts the same, in any order.

>>> repeats = Repeats()
>>> repeats.choose(["Abra la tapa."]), repeats.choose(["Sí.", "Claro.", "Sí."])
(0, 0)
>>> for _ in range(9):
...     repeats.add(Repeat(DIFFERENT, 3, 1, 3))
>>> repeats.choose(["Sí.", "Claro.", "Sí."]) == MAJORITY
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from dragoman.arrays import ArrayTree

NEWEST, MAJORITY, ANSWER = range(3)  # what may be right
ONE, ALIKE, DIFFERENT = range(3)  # corrections that a text has
HANDICAPS = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 6.0], [0.0, 1.0, 1.0]])  # edits that another choice must save besides
LEAST_SQUARES = 4.0  # of what a choice saves, from which on the number of standard errors grows


class Repeat(NamedTuple):
    """What each choice would have left to edit in a text that was corrected again."""

    kind: int  # ONE, ALIKE or DIFFERENT
    newest: int
    majority: int
    answer: int


class Repeats:
    """Word edits that each choice has left so far, by the corrections that a text had."""

    def __init__(self, edits: NDArray[np.int64] | None = None, squares: NDArray[np.int64] | None = None) -> None:
        self.edits = np.zeros((3, 3), np.int64) if edits is None else edits.copy()
        self.squares = np.zeros((3, 3), np.int64) if squares is None else squares.copy()

    def choose(self, targets: Sequence[str]) -> int:
        """What to say for a text with these corrections, the oldest first."""
        kind = kind_of(targets)
        squares = self.squares[kind]
        chance = np.sqrt(squares * np.log(np.log(np.maximum(squares, LEAST_SQUARES))))  # as in `fusion_trust`
        return int(np.argmin(self.edits[kind] + chance + HANDICAPS[kind]))

    def add(self, repeat: Sequence[int], sign: int = 1) -> None:
        """Add what the choices would have left in one text, or take it back (sign −1)."""
        kind, edits = repeat[0], np.array(repeat[1:], np.int64)
        self.edits, self.squares = self.edits.copy(), self.squares.copy()  # whoever holds the old ones keeps them
        self.edits[kind] += sign * edits
        self.squares[kind] += sign * (edits - edits[NEWEST]) ** 2

    def arrays(self) -> ArrayTree:
        """Everything needed to open this again."""
        return ArrayTree(edits=self.edits.copy(), squares=self.squares.copy())

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Repeats:
        """The one whose `arrays()` these are; a new one if there are none, as in earlier versions."""
        return cls(*(np.array(arrays[name], np.int64) for name in ("edits", "squares") if name in arrays))


def kind_of(targets: Sequence[str]) -> int:
    """Whether a text has one correction, several that agree, or several that differ."""
    return ONE if len(targets) == 1 else ALIKE if len(set(targets)) == 1 else DIFFERENT


def majority(targets: Sequence[str]) -> int:
    """The place of the newest of the most frequent corrections.

    >>> majority(["Sí.", "Claro.", "Sí.", "No."])
    2
    """
    times = Counter(targets)
    return max(range(len(targets)), key=lambda place: (times[targets[place]], place))


def compare(targets: Sequence[str], answer: Sequence[str], correction: Sequence[str]) -> Repeat:
    """What each choice leaves to edit in a text with earlier corrections, all as text of words with spaces between."""
    newest, usual = (targets[place].split() for place in (-1, majority(targets)))
    edits = (Levenshtein.distance(said, correction) for said in (newest, usual, answer))
    return Repeat(kind_of(targets), *edits)
