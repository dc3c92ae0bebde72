"""Symmetrisation: the alignments of both directions joined into one set of links ([O] §3.5.3).

>>> symmetrise([1, 1], [1, 2])  # both source words go to the first target word; the second comes from the second
array([[0, 0],
       [1, 0],
       [1, 1]], dtype=int32)
>>> symmetrise([1, 1], [1, 2], "intersection")
array([[0, 0]], dtype=int32)

`link_agreed` does the same from the posteriors of both directions, without choosing one alignment of each first:

>>> link_agreed([[0.1, 0.6, 0.3], [0.0, 0.5, 0.5]], [[0.0, 0.9, 0.1], [0.1, 0.3, 0.6]])
array([[0, 0],
       [1, 1]], dtype=int32)

Words that it leaves without a link can be linked as the best alignments of both directions say:

>>> link_agreed([[0.4, 0.3, 0.3], [0.0, 0.1, 0.9]], [[0.5, 0.3, 0.2], [0.0, 0.1, 0.9]], best=([1, 2], [1, 2]))
array([[0, 0],
       [1, 1]], dtype=int32)
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
    "posterior": kernels.POSTERIOR,
}
HEURISTIC = "grow-diag-final-and"  # the usual one for two Viterbi alignments
DEFAULT = "posterior"  # what model sets use, which know the posteriors


def check_kind(kind: str) -> str:
    """The name of a symmetrisation, or an error."""
    if kind not in KINDS:
        raise BadInputError(f"unknown symmetrisation {kind!r}", remedy=f"choose one of {', '.join(KINDS)}")
    return kind


def link_agreed(
    inverse: ArrayLike,
    direct: ArrayLike,
    threshold: float = kernels.THRESHOLD,
    best: tuple[ArrayLike, ArrayLike] | None = None,
) -> NDArray[np.int32]:
    """Links [n, 2], as (source, target) positions from 0, where both directions agree that there is one.

    `inverse` [J, I + 1] and `direct` [I, J + 1] are the posteriors that `AlignmentModel.expectations` returns, column 0
    for the null word. Two words are linked if the product of the posteriors of their link is above the threshold.
    Given the `best` alignments, as for `symmetrise`, two words that have no link yet are linked if either of them says
    so.
    """
    one, other = np.asarray(inverse, np.float64), np.asarray(direct, np.float64)
    if one.ndim != 2 or other.ndim != 2 or one.shape != (other.shape[1] - 1, other.shape[0] + 1):
        raise BadInputError(f"posteriors of shapes {one.shape} and {other.shape} are not of one sentence pair")
    matrix = kernels.agree(one, other, threshold)
    if best is not None:
        a, b = _checked(*best)
        if (a.size, b.size) != matrix.shape:
            raise BadInputError(f"alignments of {a.size} and {b.size} words do not match posteriors of {matrix.shape}")
        kernels.complete(a, b, matrix)
    links: NDArray[np.int32] = kernels.positions(matrix)
    return links


def symmetrise(a: ArrayLike, b: ArrayLike, kind: str = HEURISTIC) -> NDArray[np.int32]:
    """Links [n, 2], as (source, target) positions from 0, from the alignments of both directions.

    `a` [J] gives each source word its target position, from 1, `b` [I] each target word its source position; 0 is the
    null word. The result is ordered by source position, then target position.
    """
    if check_kind(kind) == "posterior":
        raise BadInputError("two alignments have no posteriors", remedy="use link_agreed")
    links: NDArray[np.int32] = kernels.positions(kernels.symmetrise(*_checked(a, b), KINDS[kind]))
    return links


def _checked(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The alignments of both directions as arrays, or an error if they are not of one sentence pair."""
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    for positions, last in ((a, b.size), (b, a.size)):
        if positions.ndim != 1 or (positions.size and not 0 <= positions.min() <= positions.max() <= last):
            raise BadInputError(f"positions in an alignment to {last} words must be from 0 to {last}, not {positions}")
    return a, b


@exercise
def _exercise() -> None:
    symmetrise([1, 1], [1, 2])
    link_agreed([[0.5, 0.5]], [[0.5, 0.5]], best=([1], [1]))
    lattice = np.ones((1, 2)), np.ones((2, 2))
    kernels.link_lattices(lattice, lattice, kernels.POSTERIOR)
