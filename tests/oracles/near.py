"""What says nearly the words of a prefix, by trying everything (search/constrained_edits.py)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

UNIT = math.log(1e-7) / 10
DROPPED, CHANGED, ADDED = 1, 2, 3

Words = tuple[str, ...]
Place = tuple[int, int, int, int, Words]  # given words before and with it, span, words


class Said(NamedTuple):
    """An option: its span, its words, its weighted score without the language model."""

    start: int
    end: int
    words: Words
    score: float


@cache
def edits(said: Words, given: Words) -> int:
    """The fewest surcharges that turn one into the other."""
    if not said or not given:
        return DROPPED * len(said) + ADDED * len(given)
    return min(
        edits(said[1:], given[1:]) + (0 if said[0] == given[0] else CHANGED),
        edits(said[1:], given) + DROPPED,
        edits(said, given[1:]) + ADDED,
    )


def strange(said: int, given: int) -> int:
    """The surcharges if no word is the same."""
    return edits(("said",) * said, ("given",) * given)


def forgiven(said: Words, given: Words) -> bool:
    """Whether one may stand for the other."""
    charges = edits(said, given)
    return 0 < charges <= max(ADDED, len(said), len(given)) and charges < strange(len(said), len(given))


class Near:
    """All that says nearly the words of a prefix; `alone` is what the weighted language model says of words."""

    def __init__(
        self, options: Sequence[Said], alone: Callable[[Words], float], prefix: Words, J: int, fixed: frozenset[int]
    ) -> None:
        self.options, self.alone, self.prefix, self.J, self.fixed = options, alone, prefix, J, fixed
        self.best: dict[Place, float] = {}
        for at in range(len(prefix)):
            for option in options:
                self._widened(at, option)
                if not fixed & set(range(option.start, option.end)):
                    self._changed(at, option)
            for start in range(J):
                for end in range(start + 1, min(start + 2, J) + 1):
                    self._replaced(at, start, end)

    def _offer(self, at: int, reached: int, span: tuple[int, int], words: Words, value: float) -> None:
        place = at, reached, *span, words
        self.best[place] = max(self.best.get(place, -math.inf), value)

    def _changed(self, at: int, option: Said) -> None:
        given, said = self.prefix[at:], option.words
        for count in range(1, min(len(given), len(said) + 1) + 1):
            if forgiven(said, given[:count]):
                self._pay(at, option, given[:count], len(said), ())
        if len(said) > 1 and len(given) <= len(said) + 1:
            furthest = min(range(1, len(said)), key=lambda n: (edits(said[:n], given), -n))
            last = furthest == 1 == len(given) and said[0] != given[0]
            if last or forgiven(said[:furthest], given):
                self._pay(at, option, given, furthest, said[furthest:])

    def _pay(self, at: int, option: Said, given: Words, instead: int, rest: Words) -> None:
        """Offer given words, and a rest, in place of the first words of an option."""
        charges = edits(option.words[:instead], given)
        share = charges / strange(instead, len(given))
        value = option.score + UNIT * charges + share * self.alone(option.words[:instead])
        self._offer(at, at + len(given), (option.start, option.end), given + rest, value)

    def _widened(self, at: int, option: Said) -> None:
        given = self.prefix[at : at + len(option.words)]
        if option.words[: len(given)] != given:
            return
        for start, end, beside in (
            (option.start - 1, option.end, option.start - 1),
            (option.start, option.end + 1, option.end),
        ):
            unsaid = [o for o in self.options if (o.start, o.end) == (beside, beside + 1)]
            if beside not in self.fixed and unsaid:
                value = option.score + max(
                    o.score + self.alone(o.words) + UNIT * len(o.words) * DROPPED for o in unsaid
                )
                self._offer(at, at + len(given), (start, end), option.words, value)

    def _replaced(self, at: int, start: int, end: int) -> None:
        options = [option for option in self.options if (option.start, option.end) == (start, end)]
        if options and not self.fixed & set(range(start, end)):
            values = [o.score + self.alone(o.words) + UNIT * strange(len(o.words), 1) for o in options]
            self._offer(at, at + 1, (start, end), self.prefix[at : at + 1], max(values))
