"""Extraction of phrase pairs from an aligned sentence pair ([O] §3.5.3, Eq. 14).

>>> for pair in extract([[0, 0], [1, 2], [2, 1]], 3, 3):  # a b c = A C B
...     print(pair.source, pair.target, pair.previous, pair.next)
(0, 1) (0, 1) monotone discontinuous
(0, 3) (0, 3) monotone monotone
(2, 3) (1, 2) discontinuous swap
(1, 3) (1, 3) monotone monotone
(1, 2) (2, 3) swap discontinuous
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models import extraction_kernels as kernels

MAX_PHRASE_WORDS = 7  # words a side, as Moses has it
ORIENTATIONS = ("monotone", "swap", "discontinuous")

Links = NDArray[np.int32]  # [n, 2] (source, target) positions from 0


class PhrasePair(NamedTuple):
    """Two spans (start, one past the end) that translate each other, and how their neighbours lie."""

    source: tuple[int, int]
    target: tuple[int, int]
    previous: str  # where the target word before comes from: just before the source span, just after, or elsewhere
    next: str  # likewise the target word after: just after the source span, just before, or elsewhere


def extract(links: ArrayLike, J: int, I: int, longest: int = MAX_PHRASE_WORDS) -> list[PhrasePair]:
    """All phrase pairs of up to `longest` words a side consistent with the links between J and I words."""
    found, n = kernels.extract(as_links(links, J, I), J, I, longest, np.empty((64, 6), np.int32), 0)
    return [
        PhrasePair((s0, s1), (t0, t1), ORIENTATIONS[before], ORIENTATIONS[after])
        for s0, s1, t0, t1, before, after in found[:n].tolist()
    ]


def as_links(links: ArrayLike, J: int, I: int) -> Links:
    """Links in the form that kernels take; an error if one points outside the J by I words."""
    array = np.ascontiguousarray(links, np.int32)
    if array.size == 0:
        return np.empty((0, 2), np.int32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise BadInputError("each link must be a source position and a target position")
    if array.min() < 0 or array[:, 0].max() >= J or array[:, 1].max() >= I:
        raise BadInputError(f"a link points outside a sentence pair of {J} and {I} words")
    return array


@exercise
def _exercise() -> None:
    extract([[0, 0]], 1, 1)
