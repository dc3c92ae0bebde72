"""Lexicalised reordering: how a phrase pair lies towards the phrase before and the phrase after it (preset `moses`).

Three orientations in two directions make six scores (msd-bidirectional-fe), of which two apply to each step.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

from dragoman.kernels import lean
from dragoman.models.extraction_kernels import DISCONTINUOUS, MONOTONE, SWAP

PRIOR = 0.5  # weight of the orientations of all pairs beside those of one pair, our own choice
ASSUMED = (8.0, 1.0, 1.0)  # orientations of all pairs before any was seen: most languages go on side by side


@lean
def reordering_scores(counts, totals, scores):
    """Fill scores [2, 3] with log p(orientation | pair), given its counts [2, 3] and the totals [2, 3] of all pairs.

    Rows: previous, next; columns: monotone, swap, discontinuous. p = (c_o + ½ p(o)) / (c + ½), with p(o) from the
    totals and what is assumed beside them.
    """
    for side in range(2):
        count = counts[side, MONOTONE] + counts[side, SWAP] + counts[side, DISCONTINUOUS]
        total = totals[side, MONOTONE] + totals[side, SWAP] + totals[side, DISCONTINUOUS]
        for orientation in range(3):
            overall = (totals[side, orientation] + ASSUMED[orientation]) / (total + 10.0)
            scores[side, orientation] = math.log((counts[side, orientation] + PRIOR * overall) / (count + PRIOR))
