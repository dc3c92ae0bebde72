"""The pieces of a document, their division into segments, and what replaces them, each a few bytes beside its text."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from dragoman.errors import BadInputError
from dragoman.formats.compact_lists import CompactList, PlacedList, Row, SharedStrings, pack_inline, unpack_inline
from dragoman.formats.division import Chunk, Divide, cut_parts, length_of
from dragoman.formats.document import Document, DocumentSegment, State
from dragoman.formats.inline import Inline

if TYPE_CHECKING:
    from dragoman.formats.piece_document import PieceDocument


@dataclass(slots=True)
class Piece:
    """A text of a document and the part of the file to replace with its translation."""

    id: str
    inline: Inline
    start: int
    end: int
    context: str = ""
    note: str = ""
    limit: int | None = None
    divide: Divide | None = None  # None: as is usual in the format
    target: str | None = None  # None where the translation replaces the source
    state: State = "new"
    style: Any = None  # what the format wants to know when it writes the piece


class CompactPieces(CompactList[Piece]):
    """The pieces of a file; a text that stands in the file as it is is not kept a second time."""

    def __init__(self, text: str, items: Iterable[Piece] = ()) -> None:
        self._text = text
        self.starts = array("I")
        self._shared = SharedStrings()
        self._ways: list[Divide | None] = [None]  # in which pieces are divided
        self._numbers: dict[Divide | None, int] = {None: 0}
        super().__init__(items)

    def append(self, item: Piece) -> None:
        """Add a piece at the end."""
        super().append(item)
        self.starts.append(item.start)

    def _row(self, item: Piece) -> Row:
        packed = pack_inline(item.inline, self._text[item.start : item.end])
        context = True if item.context == item.id else self._shared.pack(item.context)
        note = self._shared.pack(item.note) if item.note else None
        row = (item.id, item.end - item.start, packed, context, self._way(item.divide))
        tail = (item.target, item.style, note, item.limit, None if item.state == "new" else item.state)
        used = next((at for at in range(5, 0, -1) if tail[at - 1] is not None), 0)
        return (*row, *tail[:used])

    def _way(self, divide: Divide | None) -> int | bool:
        number = self._numbers.get(divide)
        if number is None:
            number = self._numbers[divide] = len(self._ways)
            self._ways.append(divide)
        return number if number > 1 else bool(number)  # which takes one byte instead of five

    def _item(self, row: Row | None, at: int) -> Piece:
        name, length, packed, context, way, *more = row or ()
        start = self.starts[at]
        end = start + length
        inline = unpack_inline(packed, self._text[start:end] if packed is True else "")
        found = Piece(name, inline, start, end, name if context is True else self._shared.unpack(context))
        found.divide = self._ways[way]
        if more:
            more += [None] * (5 - len(more))
            found.target, found.style, note, found.limit, state = more
            found.note = "" if note is None else self._shared.unpack(note)
            found.state = state or "new"
        return found

    def least_starts(self) -> Iterator[int]:
        """For each piece, where the first of those after it in the list starts; beyond the file for the last."""
        starts = np.append(np.frombuffer(self.starts, np.uint32) if self.starts else [], 1 << 32).astype(np.int64)
        return map(int, np.minimum.accumulate(starts[::-1])[::-1][1:])


NamedChunks = list[tuple[str, Chunk]]  # of a piece; those that are no segments have no id


class CompactChunks(CompactList[NamedChunks]):
    """How each piece is divided: where it is cut, and what the segments are called."""

    def __init__(self, pieces: CompactPieces) -> None:
        self.pieces = pieces
        self.starts = array("I", [0])  # number of the first segment of each piece, and how many segments there are
        self._piece: Piece | None = None  # the one that is being divided
        super().__init__()

    def add(self, piece: Piece, chunks: NamedChunks) -> None:
        """Add the chunks of the next piece."""
        self._piece = piece
        self.append(chunks)
        self.starts.append(self.starts[-1] + _count(chunks))

    def put(self, at: int, item: NamedChunks) -> None:
        """Divide a piece in another way."""
        change = _count(item) - (self.starts[at + 1] - self.starts[at])
        if change:
            later = np.frombuffer(self.starts, np.uint32)[at + 1 :]
            later += np.uint32(change % (1 << 32))
        super().put(at, item)

    def copy(self) -> CompactChunks:
        """The same, to be divided in another way."""
        new = CompactChunks(self.pieces)
        new._bytes, new._ends, new._kept, new.starts = self._bytes, self._ends, dict(self._kept), self.starts[:]
        return new

    def _row(self, item: NamedChunks) -> Row | None:
        piece = self._piece or self.pieces[len(self)]
        if len(item) == 1 and item[0][1].parts is piece.inline.parts:
            name, chunk = item[0]
            return None if (name, *chunk[1:]) == (piece.id, True, "") else (name, 0, *chunk[1:])
        row = tuple(
            value for name, chunk in item for value in (name, length_of(chunk.parts), chunk.is_segment, chunk.name)
        )
        return row if _again(row, piece) == item else (item,)  # which cannot be packed

    def _item(self, row: Row | None, at: int) -> NamedChunks:
        return _again(row, self.pieces[at])

    def with_pieces(self) -> Iterator[tuple[Piece, NamedChunks]]:
        """Each piece with its chunks."""
        kept = self._kept
        for piece, (at, row) in zip(self.pieces, self._rows(), strict=True):
            yield piece, kept[at] if kept and at in kept else _again(row, piece)


def _count(chunks: NamedChunks) -> int:
    return sum([bool(name) for name, _ in chunks])


def _again(row: Row | None, piece: Piece) -> NamedChunks:
    """The chunks of a piece, by their lengths."""
    if row is None:
        return [(piece.id, Chunk(piece.inline.parts, True))]
    if len(row) == 4:
        return [(row[0], Chunk(piece.inline.parts, row[2], row[3]))]
    parts = cut_parts(piece.inline.parts, list(accumulate(row[1::4]))[:-1])
    return [
        (name, Chunk(some, is_segment, form))
        for name, some, is_segment, form in zip(row[::4], parts, row[2::4], row[3::4], strict=False)
    ]


class PieceSegments(Sequence[DocumentSegment]):
    """The segments of pieces, made when they are asked for."""

    def __init__(self, chunks: CompactChunks) -> None:
        self._chunks = chunks

    def __len__(self) -> int:
        return self._chunks.starts[-1]

    def __iter__(self) -> Iterator[DocumentSegment]:
        for piece, chunks in self._chunks.with_pieces():
            yield from segments_of(piece, chunks)

    @overload
    def __getitem__(self, at: int) -> DocumentSegment: ...
    @overload
    def __getitem__(self, at: slice) -> list[DocumentSegment]: ...
    def __getitem__(self, at: int | slice) -> DocumentSegment | list[DocumentSegment]:
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        at = range(len(self))[at]
        starts, pieces = self._chunks.starts, self._chunks.pieces
        piece = bisect_right(starts, at) - 1
        return list(segments_of(pieces[piece], self._chunks[piece]))[at - starts[piece]]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


def segments_of(piece: Piece, chunks: NamedChunks) -> Iterator[DocumentSegment]:
    """The segments of a piece, as it is divided."""
    for name, chunk in chunks:
        if name:
            inline = chunk.inline
            text, state = inline.plain, piece.state
            if text is None:
                text = inline.text
                state = "locked" if inline.ambiguous else state
            yield DocumentSegment(name, text, piece.target or "", state, inline, piece.context, piece.note, piece.limit)


class Replacement(NamedTuple):
    """Text that replaces some of the file."""

    start: int
    end: int
    new: str


class ReplacementList(PlacedList[Replacement]):
    """All that is replaced in a file."""

    def _item(self, row: Row | None, _: int) -> Replacement:
        return Replacement(*row or ())

    def take_from(self, start: int) -> list[Replacement]:
        """Take off those at the end that begin at a position or after it."""
        found: list[Replacement] = []
        while len(self) and self.starts[-1] >= start:
            found.append(self.pop())
        return found[::-1]


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
