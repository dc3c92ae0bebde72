"""What one sentence pair has added to a set of models, and how the journal stores it.

Extraction of phrase pairs from an aligned sentence pair ([O] §3.5.3, Eq. 14).

>>> for pair in extract([[0, 0], [1, 2], [2, 1]], 3, 3):  # a b c = A C B
...     print(pair.source, pair.target, pair.previous, pair.next)
(0, 1) (0, 1) monotone discontinuous
(0, 3) (0, 3) monotone monotone
(2, 3) (1, 2) discontinuous swap
(1, 3) (1, 3) monotone monotone
(1, 2) (2, 3) swap discontinuous
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.kernels import exercise
from dragoman.models import alignment, extraction_kernels
from dragoman.models import contribution_kernels as kernels
from dragoman.models.alignment_kernels import MAX_SENTENCE_WORDS
from dragoman.tables import Ids

FORMAT = b"\0dc2"  # the first bytes; data without them is in the older form, all int32
WIDTHS = (1, 1, 2, 3, 3, 3, 3)  # columns of each part: source, target, links, and links and jumps of both models


# Position 0 is the null word, so the last one equals the length of the sentence. If it took more bits, it would run
# into the position before it, and forgetting a correction would subtract the wrong counts.
assert MAX_SENTENCE_WORDS < 1 << kernels.PACKED_POSITION_BITS  # noqa: S101 (two constants that must agree, checked on import)


@dataclass(frozen=True)
class Contribution:
    """Everything one sentence pair has added: enough to remove exactly that, whatever was learned since."""

    source: Ids  # [J] word ids
    target: Ids  # [I]
    links: NDArray[np.int32]  # [n, 2] symmetrised alignment, from which the phrase pairs follow
    inverse: alignment.AlignmentContribution  # expected counts of p(source | target)
    direct: alignment.AlignmentContribution  # and of p(target | source)

    def to_bytes(self) -> bytes:
        """A compact form for the journal: the number of rows of each part, then the parts, in 7-bit groups.

        For rows with a place (two positions), the difference from the previous place is stored, then the amounts.
        """
        parts = (self.source, self.target, self.links, *self.inverse, *self.direct)
        columns = [np.array([len(part) for part in parts]), self.source, self.target]
        for part in parts[2:]:
            # Any other layout would be another type to Numba, and compile the kernel again
            columns += [kernels.steps(np.ascontiguousarray(part)), part[:, 2:].ravel()]
        numbers = np.concatenate(columns, dtype=np.int64, casting="same_kind")
        room = np.empty(kernels.MOST_BYTES * numbers.size, np.uint8)
        return FORMAT + room[: kernels.pack(numbers, room)].tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Contribution:
        """Read a contribution from its `to_bytes()`."""
        parts = _plain_parts(data) if data[: len(FORMAT)] != FORMAT else _packed_parts(data)
        source, target, links, *rows = parts
        models = alignment.AlignmentContribution(*rows[:2]), alignment.AlignmentContribution(*rows[2:])
        return cls(source[:, 0].astype(np.int64), target[:, 0].astype(np.int64), links, *models)


def _packed_parts(data: bytes) -> list[NDArray[np.int32]]:
    numbers = np.empty(len(data), np.int64)
    n = kernels.unpack(np.frombuffer(data, np.uint8)[len(FORMAT) :], numbers)
    sizes = numbers[: len(WIDTHS)]
    stored = [width - (width > 1) for width in WIDTHS]  # two positions are one number
    if n < len(WIDTHS) or sizes.min() < 0 or sizes.max() > n or len(WIDTHS) + int(sizes @ stored) != n:
        raise _damaged()
    parts, at = [], len(WIDTHS)
    for size, width in zip(sizes.tolist(), WIDTHS, strict=True):
        part = np.empty((size, width), np.int32)
        if width > 1:
            kernels.fill_places(numbers[at : at + size], part)
            at += size
        if width != 2:
            part[:, -1] = numbers[at : at + size]
            at += size
        parts.append(part)
    return parts


def _plain_parts(data: bytes) -> list[NDArray[np.int32]]:
    if len(data) % 4 or len(data) < 4 * len(WIDTHS):
        raise _damaged()
    numbers = np.frombuffer(data, "<i4").astype(np.int32)
    ends = np.cumsum([len(WIDTHS), *(numbers[: len(WIDTHS)] * WIDTHS)])
    if numbers[: len(WIDTHS)].min() < 0 or ends[-1] != numbers.size:
        raise _damaged()
    return [numbers[begin:end].reshape(-1, width) for (begin, end), width in zip(pairwise(ends), WIDTHS, strict=True)]


def _damaged() -> DamagedFileError:
    what = "a contribution in the journal is damaged or was written by a newer version"
    return DamagedFileError(what, remedy="restore the journal from a backup, or upgrade dragoman")


@exercise
def _exercise() -> None:
    rows = np.zeros((1, 3), np.int32)
    both = alignment.AlignmentContribution(rows, rows)
    Contribution.from_bytes(
        Contribution(np.ones(1, int), np.ones(1, int), np.zeros((1, 2), np.int32), both, both).to_bytes()
    )


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
    found, n = extraction_kernels.extract(as_links(links, J, I), J, I, longest, np.empty((64, 6), np.int32), 0)
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
def _exercise_extraction() -> None:
    extract([[0, 0]], 1, 1)
