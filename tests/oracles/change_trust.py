"""How far the changes of a group are trusted, by brute force: the posterior of their shift on a fine grid."""

from __future__ import annotations

import math

STEP = 0.001


def posterior(helped: list[int], harmed: list[int], centres: list[float], deviation: float) -> tuple[float, float]:
    """Where the posterior of the shift is highest, and the standard error that its curvature there stands for."""

    def logarithm(shift: float) -> float:
        total = -(shift**2) / (2 * deviation**2)
        for good, bad, centre in zip(helped, harmed, centres, strict=True):
            total -= good * math.log1p(math.exp(-(centre + shift))) + bad * math.log1p(math.exp(centre + shift))
        return total

    best = max((STEP * n for n in range(-6000, 6001)), key=logarithm)
    wide = 50 * STEP
    curvature = (logarithm(best - wide) - 2 * logarithm(best) + logarithm(best + wide)) / wide**2
    return best, 1 / math.sqrt(-curvature)
