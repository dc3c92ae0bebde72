"""A small file around one segment of a large one, which is read in the same way: what it can hold, the large one can.

Writing a whole file to see whether it can hold one target takes time in proportion to its size. In formats that can be
cut between two texts, the texts next to the segment are enough.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.division import Chunk, cut_parts, length_of
from dragoman.formats.document import Document

if TYPE_CHECKING:
    from dragoman.formats.piece_document import PieceDocument

BESIDE = (1, 0)  # blocks before and after that of the segment, tried in this order


class Excerpt(NamedTuple):
    """A part of a document as a document, and the names that segments of the whole have in it."""

    document: Document
    names: dict[str, str]


def find_excerpt(document: PieceDocument, piece: int) -> Excerpt | None:
    """The excerpt around a piece, given by its position; None if no part of the file is read as the whole is."""
    for beside in BESIDE:
        start, end = _cut(document, piece, beside)
        first = last = piece
        while first and document.pieces[first - 1].start >= start:
            first -= 1
        while last + 1 < len(document.pieces) and document.pieces[last + 1].end <= end:
            last += 1
        try:
            found = document.read_part(start, end)
        except BadInputError:
            continue
        places = {at: at - first for at in document.regrouped if first <= at <= last}
        if len(found.pieces) != last + 1 - first or not _divide_alike(document, found, places):
            continue
        if _reads_the_same(document, slice(first, last + 1), found):
            return Excerpt(found, dict(_names(document, slice(first, last + 1), found)))
    return None


def _divide_alike(document: PieceDocument, found: PieceDocument, places: Mapping[int, int]) -> bool:
    """Divide pieces of an excerpt as people have divided them in the whole; by their places there and here."""
    divided: dict[int, list[tuple[str, Chunk]]] = {}
    for at, here in places.items():
        chunks = document.chunks[at]
        ends = list(accumulate(length_of(chunk.parts) for _, chunk in chunks))
        parts = cut_parts(found.pieces[here].inline.parts, ends[:-1])
        if len(parts) != len(chunks) or not document.is_read_as(document.pieces[at], found.pieces[here]):
            return False
        named = zip(chunks, parts, strict=True)
        divided[here] = [(name and f"={name}", Chunk(some, chunk.is_segment)) for (name, chunk), some in named]
    if divided:
        found.redivide(divided)
    return True


def _cut(document: PieceDocument, piece: int, beside: int) -> tuple[int, int]:
    cuts, (start, end) = document.cuts, (document.pieces[piece].start, document.pieces[piece].end)
    before, after = bisect_right(cuts, start) - 1 - beside, bisect_left(cuts, end) + beside
    return cuts[max(before, 0)], cuts[min(after, len(cuts) - 1)]


def _reads_the_same(document: PieceDocument, part: slice, found: PieceDocument) -> bool:
    wanted, read = document.pieces[part], found.pieces
    return len(wanted) == len(read) and all(
        document.is_read_as(one, other) and len(chunks) == len(others)
        for one, other, chunks, others in zip(wanted, read, document.chunks[part], found.chunks, strict=True)
    )


def _names(document: PieceDocument, part: slice, found: PieceDocument) -> list[tuple[str, str]]:
    return [
        (name, other)
        for chunks, others in zip(document.chunks[part], found.chunks, strict=True)
        for (name, _), (other, _) in zip(chunks, others, strict=True)
        if name
    ]
