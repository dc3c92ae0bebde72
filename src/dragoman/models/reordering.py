"""Lexicalised reordering scores from orientation counts (preset `moses`, [M] §5.1).

>>> reordering_scores([[8, 1, 1], [0, 0, 0]], [[70, 10, 20], [70, 10, 20]]).round(2)
array([[-0.23, -2.3 , -2.26],
       [-0.34, -2.3 , -1.66]])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.kernels import exercise
from dragoman.models import reordering_kernels as kernels


def reordering_scores(counts: ArrayLike, totals: ArrayLike) -> NDArray[np.float64]:
    """[2, 3] log p(orientation | pair): previous and next by monotone, swap, discontinuous.

    `counts` [2, 3] are those of the pair, `totals` [2, 3] those of all pairs; both may be zero.
    """
    scores = np.empty((2, 3))
    kernels.reordering_scores(np.asarray(counts, np.int64), np.asarray(totals, np.int64), scores)
    return scores


@exercise
def _exercise() -> None:
    reordering_scores(np.zeros((2, 3)), np.zeros((2, 3)))
