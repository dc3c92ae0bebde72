"""Symmetrisation: the alignments of both directions joined into one set of links ([O] §3.5.3).

>>> symmetrise([1, 1], [1, 2])  # both source words go to the first target word; the second comes from the second
array([[0, 0],
       [1, 0],
       [1, 1]], dtype=int32)
>>> symmetrise([1, 1], [1, 2], "intersection")
array([[0, 0]], dtype=int32)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models import symmetry_kernels as kernels

KINDS = {
    "intersection": kernels.INTERSECTION,
    "union": kernels.UNION,
    "grow-diag": kernels.GROW_DIAG,
    "grow-diag-final": kernels.GROW_DIAG_FINAL,
    "grow-diag-final-and": kernels.GROW_DIAG_FINAL_AND,
}
DEFAULT = "grow-diag-final-and"


def symmetrise(a: ArrayLike, b: ArrayLike, kind: str = DEFAULT) -> NDArray[np.int32]:
    """Links [n, 2], as (source, target) positions from 0, from the alignments of both directions.

    `a` [J] gives each source word its target position, from 1, `b` [I] each target word its source position; 0 is the
    null word. The result is ordered by source position, then target position.
    """
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    if kind not in KINDS:
        raise BadInputError(f"unknown symmetrisation {kind!r}", remedy=f"choose one of {', '.join(KINDS)}")
    for positions, last in ((a, b.size), (b, a.size)):
        if positions.ndim != 1 or (positions.size and not 0 <= positions.min() <= positions.max() <= last):
            raise BadInputError(f"positions in an alignment to {last} words must be from 0 to {last}, not {positions}")
    links: NDArray[np.int32] = kernels.positions(kernels.symmetrise(a, b, KINDS[kind]))
    return links


@exercise
def _exercise() -> None:
    symmetrise([1, 1], [1, 2])
