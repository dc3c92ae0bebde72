"""How much a level of trust must have saved before it is believed."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.models.trust import BONUSES, HANDICAPS, Confidence

LEVEL = len(BONUSES) - 1  # the one that needs no handicap


@pytest.mark.parametrize(
    ("saved", "squares", "bonus"),
    [
        (2, 4, BONUSES[LEVEL]),  # at first, a little is enough
        (1, 4, None),
        (11, 100, None),  # later, one standard error is not
        (13, 100, BONUSES[LEVEL]),
        (110, 10_000, None),
        (150, 10_000, BONUSES[LEVEL]),
    ],
)
def test_the_more_we_have_looked_the_more_must_be_saved(saved: int, squares: int, bonus: float | None) -> None:
    costs, spread = np.full(HANDICAPS.size, 10_000), np.zeros(HANDICAPS.size, np.int64)
    costs[-1], costs[LEVEL], spread[LEVEL] = 1000, 1000 - saved, squares
    assert Confidence(costs, spread).bonus == bonus
