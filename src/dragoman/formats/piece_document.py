"""Documents whose text is replaced where it stands: web pages, subtitles, the strings of programs.

A format says where its *pieces* are (a paragraph, a cell, a string) and how new parts of one are written; everything
else is here. A piece is divided into segments, sentences for example; when the file is written, the pieces with changes
are put together again and replaced, and nothing else is. Most such files have no targets: the file that is written is
the translation. Formats with targets name the place of the target instead.

Pieces may be inside tags of another one, like the `alt` of an image in a paragraph; they come before it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import NOTHING, Contents, decode
from dragoman.formats.division import Chunk, Divide, FindBoundaries, Parts, into_sentences, whole
from dragoman.formats.document import Document, DocumentSegment, Names, NewTarget, UnwritableError, find_repeated
from dragoman.formats.document_pieces import (
    CompactChunks,
    CompactPieces,
    Excerpt,
    NamedChunks,
    Piece,
    PieceSegments,
    Replacement,
    ReplacementList,
    find_excerpt,
)
from dragoman.formats.inline import Tag, find_broken_tag, split_target
from dragoman.text.sentences import find_boundaries

__all__ = ["Piece", "PieceDocument", "PlannedPiece", "Replacement", "ReplacementList", "splice"]
MOST_PIECES = 1_000_000  # each takes one or two kilobytes of memory
LONGEST = 1_000_000  # characters of a segment


class PlannedPiece(NamedTuple):
    """A piece with its new parts; None if they do not change."""

    piece: Piece
    chunks: NamedChunks
    parts: Parts | None


@dataclass(frozen=True)
class PieceDocument(Document):
    """A document made of pieces."""

    pieces: CompactPieces = field(repr=False)
    chunks: CompactChunks = field(repr=False)
    sentences: bool | FindBoundaries = True  # whether pieces are divided into sentences, or by which rules
    regrouped: frozenset[int] = frozenset()  # pieces that people have divided in another way

    kind: ClassVar[str]  # the name of the format
    prose: ClassVar[bool] = False  # whether pieces are paragraphs, to be divided into sentences
    tags_are_text: ClassVar[bool] = False  # whether a tag is written like text, not copied from the file
    hint: ClassVar[re.Pattern[bytes]] = NOTHING  # where the file states its encoding
    tag_names: ClassVar[frozenset[str]] = frozenset()  # of elements that a target must not add
    gap: ClassVar[re.Pattern[str] | None] = None  # where a file can be cut, if a target may change how others are read

    @classmethod
    def read(
        cls,
        data: bytes,
        name: str,
        source: str | None = None,
        target: str | None = None,
        *,
        sentences: bool | FindBoundaries = True,
    ) -> Self:
        """Read a file; `sentences` tells whether paragraphs are divided into sentences, or by which rules."""
        document = cls._read_pieces(data, name, source, target, sentences)
        document._divide()
        document._check_lengths()
        return document

    def _check_lengths(self) -> None:
        """Refuse a text that nobody could translate in one piece."""
        if len(self.contents.text) <= LONGEST:
            return
        for segment in self.segments:
            if len(segment.source) > LONGEST:
                what = f"has a text of {len(segment.source) / 1e6:.1f} million characters in one piece ({segment.id})"
                raise BadInputError(what[:200], where=self.contents.name, remedy="divide it into several texts")

    @classmethod
    def _read_pieces(
        cls, data: bytes, name: str, source: str | None, target: str | None, sentences: bool | FindBoundaries
    ) -> Self:
        """The file with its pieces, which are not divided yet."""
        document = cls._unread(data, name, source, target, sentences)
        document.pieces.extend(_bounded(document._found_pieces(), name))
        stated = document._languages()
        # Set here, not by `replace`, which would lose what formats have cached while they looked for pieces.
        object.__setattr__(document, "source_language", stated[0] or source)
        object.__setattr__(document, "target_language", stated[1] or target)
        return document

    @classmethod
    def _unread(
        cls, data: bytes, name: str, source: str | None, target: str | None, sentences: bool | FindBoundaries
    ) -> Self:
        """The file without its pieces."""
        contents = cls._decode(data, name)
        pieces = CompactPieces(contents.text)
        chunks = CompactChunks(pieces)
        return cls(cls.kind, source, target, PieceSegments(chunks), data, contents, pieces, chunks, sentences)

    def _found_pieces(self) -> Iterator[Piece]:
        try:
            yield from self._find_pieces()
        except RecursionError:
            raise BadInputError("is nested too deeply", where=self.contents.name, remedy="simplify it") from None

    @classmethod
    def _decode(cls, data: bytes, name: str) -> Contents:
        return decode(data, name, hint=cls.hint)

    @abstractmethod
    def _find_pieces(self) -> Iterable[Piece]:
        """The pieces of `self.contents`, inner ones first."""

    @abstractmethod
    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        """The parts of a piece as written in the file."""

    def _languages(self) -> tuple[str | None, str | None]:
        """The languages that the file states."""
        return None, None

    def _extra(self, changes: Mapping[str, NewTarget]) -> list[Replacement]:  # noqa: ARG002
        """Other replacements in a file that changes, such as that of its language."""
        return []

    def _normal(self, text: str) -> str:
        """The text as it is compared: formats in which white space does not count override this."""
        return text

    def _slice(self, start: int, end: int) -> str:
        return self.contents.text[start:end]

    def _encode(self, replacements: ReplacementList) -> bytes:
        return self.contents.encode_all(spliced(self.contents.text, replacements.ordered()), errors=self._lacking)

    _lacking: ClassVar[str] = "strict"  # what to do with characters that the encoding lacks

    def _divide(self) -> None:
        usual: Divide = whole
        if self.prose and self.sentences:
            rules = find_boundaries if self.sentences is True else self.sentences
            usual = into_sentences(self.source_language, rules)
        hashes = array("q")
        for piece in self.pieces:
            chunks = _named(piece, (piece.divide or usual)(piece.inline.parts))
            self.chunks.add(piece, chunks)
            hashes.extend([hash(name) for name, _ in chunks if name])
        repeated = find_repeated(hashes)
        if repeated:
            self._rename(repeated)

    def _rename(self, repeated: frozenset[int]) -> None:
        """Give each segment an id of its own."""
        names = Names()
        for at, (_, chunks) in enumerate(self.chunks.with_pieces()):
            own = [
                (names.unique(name) if name and (hash(name) in repeated or "#" in name) else name, chunk)
                for name, chunk in chunks
            ]
            if own != chunks:
                self.chunks.put(at, own)

    def redivide(self, chunks: Mapping[int, NamedChunks]) -> None:
        """Divide some pieces in another way, before anybody else uses this document."""
        for at, some in chunks.items():
            self.chunks.put(at, some)

    def excerpt(self, segment: DocumentSegment) -> Excerpt | None:
        """What has to be written to see whether the file can hold a target; None if `check` finds all that is wrong."""
        if self.gap is None:
            return None
        return find_excerpt(self, self.piece_of[segment.id]) or Excerpt(self, {segment.id: segment.id})

    @cached_property
    def piece_of(self) -> dict[str, int]:
        """In which piece each segment is."""
        return {name: number for number, chunks in enumerate(self.chunks) for name, _ in chunks if name}

    @cached_property
    def cuts(self) -> list[int]:
        """Where the file can be cut, its beginning and its end included."""
        text = self.contents.text
        return [0, *(found.end() for found in self.gap.finditer(text)), len(text)] if self.gap else [0, len(text)]

    def read_part(self, start: int, end: int) -> Self:
        """A part of the file, read as a file."""
        data = self.contents.encode(self._frame(start, end), errors=self._lacking)
        languages = self.source_language, self.target_language
        return self.read(data, self.contents.name, *languages, sentences=self.sentences)

    def _frame(self, start: int, end: int) -> str:
        """A part of the file, with what a file of this format has to begin and end with."""
        return self._slice(start, end)

    def is_read_as(self, piece: Piece, other: Piece) -> bool:
        """Whether two pieces have the same text and tags."""
        return self._read_back(piece, None) == self._read_back(other, None)

    def _find_fault(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        broken = find_broken_tag(segment.inline, target, self.tag_names)
        if broken:
            return broken, "put the tags of the source into it, each once, and in pairs"
        return self._find_unwritable(segment, target)

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        """Why the format cannot hold a target."""
        return ("is empty", "leave this segment out") if not target.strip() and segment.target == "" else None

    def _write_checked(self, changes: Mapping[str, NewTarget]) -> bytes:
        """The file with these changes, after making sure that it is read back as it was put in."""
        data = self._write(changes)
        self._verify(data, changes)
        return data

    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        return self._encode(self._replacements(changes))

    def _planned(self, changes: Mapping[str, NewTarget]) -> Iterator[PlannedPiece]:
        """The pieces with their new parts."""
        for piece, chunks in self.chunks.with_pieces():
            yield PlannedPiece(piece, chunks, self._parts(chunks, changes) if _touches(chunks, changes) else None)

    def _replacements(self, changes: Mapping[str, NewTarget]) -> ReplacementList:
        """All that is replaced in the file."""
        done = ReplacementList()
        for piece, chunks, parts in self._planned(changes):
            if parts is None:
                continue
            later = done.take_from(piece.start)
            # An attribute of the block after this one may have come before it, too.
            inner = [each for each in later if each.start < piece.end]
            done.extend(each for each in later if each.start >= piece.end)
            new = self._render(self._with_state(piece, chunks, changes), parts, inner)
            done.append(Replacement(piece.start, piece.end, new))
        done.extend(self._extra(changes))
        return done

    def _with_state(self, piece: Piece, chunks: NamedChunks, changes: Mapping[str, NewTarget]) -> Piece:
        if piece.target is None:
            return piece
        state = next(changes[name].state for name, _ in chunks if name in changes)
        return piece if state == piece.state else replace(piece, state=state)

    def _parts(self, chunks: NamedChunks, changes: Mapping[str, NewTarget]) -> Parts:
        """The parts of a piece with its changes; texts that meet become one."""
        parts: Parts = []
        text = ""  # since the last tag
        for name, chunk in chunks:
            change = changes.get(name)
            if len(chunk.parts) == 1 and isinstance(chunk.parts[0], str):  # no tags to look for
                text += chunk.parts[0] if change is None else change.target
                continue
            for part in chunk.parts if change is None else split_target(chunk.inline, change.target):
                if isinstance(part, str):
                    text += part
                    continue
                parts += (text, part) if text else (part,)
                text = ""
        return [*parts, text] if text else parts

    def raw(self, tag: Tag, inner: Iterable[Replacement]) -> str:
        """A tag as it is in the file, with the replacements inside it."""
        if tag.span is None:
            return tag.raw.decode()
        start, end = tag.span
        within = [
            Replacement(each.start - start, each.end - start, each.new) for each in inner if start <= each.start < end
        ]
        return splice(self._slice(start, end), within) if within else self._slice(start, end)

    def _verify(self, data: bytes, changes: Mapping[str, NewTarget]) -> None:
        """Make sure that every piece is read back from the new file as it was put in, and that nothing else changed."""
        last = ""  # the last segment that changes, up to here: if another text is not there any more, it is to blame
        written = self._pieces_again(data)
        for piece, chunks, put in self._expected(changes):
            last = next((name for name, _ in chunks if name in changes), last)
            new = next(written, None)
            if new is None or not self._is_same(piece, put, new):
                raise UnwritableError(last or piece.id, self.contents.name)
        if next(written, None) is not None and last:
            raise UnwritableError(last, self.contents.name)

    def _is_same(self, piece: Piece, parts: Parts | None, new: Piece) -> bool:
        """Whether the parts of a piece, its own if None, are those that were read from the new file."""
        if new.target is None and new.inline.parts == (piece.inline.parts if parts is None else parts):
            return True  # most are, and then there is no need to compare them without what does not count
        return self._read_back(piece, parts) == self._read_back(new, None)

    def _expected(self, changes: Mapping[str, NewTarget]) -> Iterator[PlannedPiece]:
        """The pieces in the order of the new file: those inside the tags of another one move with these tags."""
        waiting: list[PlannedPiece] = []  # those that may be inside one that is still to come
        for each, least in zip(self._planned(changes), self.pieces.least_starts(), strict=True):
            piece, _, parts = each
            first = len(waiting)
            while first and waiting[first - 1].piece.start >= piece.start:
                first -= 1
            if parts is not None and len(waiting) - first > 1:
                spans = self._spans(piece, parts)
                waiting[first:] = sorted(waiting[first:], key=lambda one: _place(one.piece.start, spans))
            waiting.append(each)
            ready = next((at for at, one in enumerate(waiting) if one.piece.start >= least), len(waiting))
            yield from waiting[:ready]
            del waiting[:ready]

    def _spans(self, piece: Piece, parts: Parts) -> list[tuple[int, int]]:  # noqa: ARG002
        """Where the tags of a piece were in the old file, in their new order."""
        return [part.span for part in parts if isinstance(part, Tag) and part.span]

    def _pieces_again(self, data: bytes) -> Iterator[Piece]:
        """The pieces of a file that was written."""
        languages = self.source_language, self.target_language
        yield from self._unread(data, self.contents.name, *languages, self.sentences)._found_pieces()

    def _read_back(self, piece: Piece, parts: Parts | None) -> str:
        """What is compared: the text, with tags as such."""
        if parts is None and piece.target is not None:
            return self._normal(piece.target)
        parts = piece.inline.parts if parts is None else parts
        if len(parts) == 1 and isinstance(parts[0], str):
            return self._normal(parts[0])
        shown = (part if isinstance(part, str) else part.shown if self.tags_are_text else "\ufffc" for part in parts)
        return self._normal("".join(shown))


def _bounded(pieces: Iterable[Piece], name: str) -> Iterator[Piece]:
    """The same pieces, as long as they are not too many to be held in memory."""
    for number, piece in enumerate(pieces):
        if number == MOST_PIECES:
            what = f"has more than {MOST_PIECES:,} texts, more than can be held in memory"
            raise BadInputError(what, where=name, remedy="split it into several files")
        yield piece


def _place(at: int, spans: list[tuple[int, int]]) -> int:
    """Which of the tags a position is in; one that is in none belongs to what comes after the piece."""
    return next((number for number, (start, end) in enumerate(spans) if start <= at < end), len(spans))


def _touches(chunks: NamedChunks, changes: Mapping[str, NewTarget]) -> bool:
    """Whether one of these segments changes."""
    for name, _ in chunks:  # noqa: SIM110 (`any` takes three times as long)
        if name in changes:
            return True
    return False


def splice(text: str, replacements: Iterable[Replacement]) -> str:
    """A text with replacements made; they must not overlap.

    >>> splice("one two three", [Replacement(4, 7, "dos"), Replacement(0, 3, "uno")])
    'uno dos three'
    """
    return "".join(spliced(text, sorted(replacements)))


def spliced(text: str, replacements: Iterable[Replacement]) -> Iterator[str]:
    """The parts of a text with replacements made, which come in its order."""
    done = 0
    for each in replacements:
        yield text[done : each.start]
        yield each.new
        done = each.end
    yield text[done:]


def _named(piece: Piece, chunks: list[Chunk]) -> NamedChunks:
    """The chunks of a piece, the segments among them with their ids, which others may have, too."""
    if len(chunks) == 1 and not chunks[0].name:
        return [(piece.id if chunks[0].is_segment else "", chunks[0])]
    count = sum([chunk.is_segment for chunk in chunks])
    found, number = [], 0
    for chunk in chunks:
        if not chunk.is_segment:
            found.append(("", chunk))
            continue
        number += 1
        suffix = chunk.name or (str(number) if count > 1 else "")
        found.append((f"{piece.id}/{suffix}" if suffix else piece.id, chunk))
    return found
