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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import NOTHING, Contents, decode
from dragoman.formats.division import Chunk, Divide, FindBoundaries, Parts, into_sentences, whole
from dragoman.formats.document import Document, DocumentSegment, Names, NewTarget, State, UnwritableError
from dragoman.formats.excerpts import Excerpt, find_excerpt
from dragoman.formats.inline import Inline, Tag, find_broken_tag, split_target
from dragoman.formats.segmentation import find_boundaries

MOST_PIECES = 1_000_000  # each takes one or two kilobytes of memory
LONGEST = 1_000_000  # characters of a segment


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


class Replacement(NamedTuple):
    """Text that replaces some of the file."""

    start: int
    end: int
    new: str


class _Expected(NamedTuple):
    """A piece that is compared with what is read from the new file; None if its parts do not change."""

    piece: Piece
    chunks: list[tuple[str, Chunk]]
    parts: Parts | None


@dataclass(frozen=True)
class PieceDocument(Document):
    """A document made of pieces."""

    pieces: list[Piece] = field(repr=False)
    chunks: list[list[tuple[str, Chunk]]] = field(repr=False)  # of each piece; those that are no segments have no id
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
        document.chunks.extend(document._divide())
        document.segments.extend(segments_of(document.pieces, document.chunks))
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
        contents = cls._decode(data, name)
        document = cls(cls.kind, source, target, [], data, contents, [], [], sentences)
        try:
            document.pieces.extend(_bounded(document._find_pieces(), name))
        except RecursionError:
            raise BadInputError("is nested too deeply", where=name, remedy="simplify it") from None
        stated = document._languages()
        # Set here, not by `replace`, which would lose what formats have cached while they looked for pieces.
        object.__setattr__(document, "source_language", stated[0] or source)
        object.__setattr__(document, "target_language", stated[1] or target)
        return document

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

    def _encode(self, replacements: Iterable[Replacement]) -> bytes:
        return self.contents.encode(splice(self.contents.text, replacements), errors=self._lacking)

    _lacking: ClassVar[str] = "strict"  # what to do with characters that the encoding lacks

    def _divide(self) -> list[list[tuple[str, Chunk]]]:
        usual: Divide = whole
        if self.prose and self.sentences:
            rules = find_boundaries if self.sentences is True else self.sentences
            usual = into_sentences(self.source_language, rules)
        names = Names()
        return [_named(piece, (piece.divide or usual)(piece.inline.parts), names) for piece in self.pieces]

    def redivide(self, chunks: Mapping[int, list[tuple[str, Chunk]]]) -> None:
        """Divide some pieces in another way, before anybody else uses this document."""
        for at, some in chunks.items():
            self.chunks[at] = some
        self.segments[:] = segments_of(self.pieces, self.chunks)

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
        new = self._new_parts(changes)
        data = self._write_parts(new, changes)
        self._verify_parts(data, new, changes)
        return data

    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        return self._write_parts(self._new_parts(changes), changes)

    def _new_parts(self, changes: Mapping[str, NewTarget]) -> list[Parts | None]:
        """The parts of each piece with its changes, None if it has none."""
        return [self._parts(chunks, changes) if _touches(chunks, changes) else None for chunks in self.chunks]

    def _write_parts(self, new: list[Parts | None], changes: Mapping[str, NewTarget]) -> bytes:
        return self._encode(self._replacements(new, changes))

    def _replacements(self, new: list[Parts | None], changes: Mapping[str, NewTarget]) -> list[Replacement]:
        """All that is replaced in the file."""
        done: list[Replacement] = []
        for piece, parts in self._changed(new, changes):
            first = len(done)
            while first and done[first - 1].start >= piece.start:
                first -= 1
            # An attribute of the block after this one may have come before it, too.
            inner = [each for each in done[first:] if each.start < piece.end]
            done[first:] = [each for each in done[first:] if each.start >= piece.end]
            done.append(Replacement(piece.start, piece.end, self._render(piece, parts, inner)))
        return [*done, *self._extra(changes)]

    def _changed(self, new: list[Parts | None], changes: Mapping[str, NewTarget]) -> Iterator[tuple[Piece, Parts]]:
        for piece, chunks, parts in zip(self.pieces, self.chunks, new, strict=True):
            if parts is not None:
                yield self._with_state(piece, chunks, changes), parts

    def _with_state(self, piece: Piece, chunks: list[tuple[str, Chunk]], changes: Mapping[str, NewTarget]) -> Piece:
        if piece.target is None:
            return piece
        state = next(changes[name].state for name, _ in chunks if name in changes)
        return piece if state == piece.state else replace(piece, state=state)

    def _parts(self, chunks: list[tuple[str, Chunk]], changes: Mapping[str, NewTarget]) -> Parts:
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

    def _verify_parts(self, data: bytes, parts: list[Parts | None], changes: Mapping[str, NewTarget]) -> None:
        """Make sure that every piece is read back from the new file as it was put in, and that nothing else changed."""
        again = self._read_again(data)
        is_whole = len(again.pieces) == len(self.pieces)
        last = ""  # the last segment that changes, up to here: if another text is not there any more, it is to blame
        for (piece, chunks, put), new in zip(self._expected(parts), again.pieces, strict=is_whole):
            last = next((name for name, _ in chunks if name in changes), last)
            if not self._is_same(piece, put, new):
                raise UnwritableError(last or piece.id, self.contents.name)
        if not is_whole and last:
            raise UnwritableError(last, self.contents.name)
        if not is_whole:
            what = f"with these targets the file would have {len(again.pieces)} texts instead of {len(self.pieces)}"
            raise BadInputError(what, where=self.contents.name, remedy="look for markup in the targets")

    def _is_same(self, piece: Piece, parts: Parts | None, new: Piece) -> bool:
        """Whether the parts of a piece, its own if None, are those that were read from the new file."""
        if new.target is None and new.inline.parts == (piece.inline.parts if parts is None else parts):
            return True  # most are, and then there is no need to compare them without what does not count
        return self._read_back(piece, parts) == self._read_back(new, None)

    def _expected(self, new: list[Parts | None]) -> list[_Expected]:
        """The pieces in the order of the new file: those inside the tags of another one move with these tags."""
        found: list[_Expected] = []
        for piece, chunks, parts in zip(self.pieces, self.chunks, new, strict=True):
            first = len(found)
            while first and found[first - 1].piece.start >= piece.start:
                first -= 1
            if parts is not None and len(found) - first > 1:
                spans = self._spans(piece, parts)
                found[first:] = sorted(found[first:], key=lambda one: _place(one.piece.start, spans))
            found.append(_Expected(piece, chunks, parts))
        return found

    def _spans(self, piece: Piece, parts: Parts) -> list[tuple[int, int]]:  # noqa: ARG002
        """Where the tags of a piece were in the old file, in their new order."""
        return [part.span for part in parts if isinstance(part, Tag) and part.span]

    def _read_again(self, data: bytes) -> Self:
        """The pieces of a file that was written."""
        languages = self.source_language, self.target_language
        return self._read_pieces(data, self.contents.name, *languages, self.sentences)

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


def _touches(chunks: list[tuple[str, Chunk]], changes: Mapping[str, NewTarget]) -> bool:
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
    parts, done = [], 0
    for each in sorted(replacements):
        parts += [text[done : each.start], each.new]
        done = each.end
    return "".join([*parts, text[done:]])


def _named(piece: Piece, chunks: list[Chunk], names: Names) -> list[tuple[str, Chunk]]:
    """The chunks of a piece, the segments among them with their ids."""
    if len(chunks) == 1 and not chunks[0].name:
        return [(names.unique(piece.id) if chunks[0].is_segment else "", chunks[0])]
    count = sum([chunk.is_segment for chunk in chunks])
    found, number = [], 0
    for chunk in chunks:
        if not chunk.is_segment:
            found.append(("", chunk))
            continue
        number += 1
        suffix = chunk.name or (str(number) if count > 1 else "")
        found.append((names.unique(f"{piece.id}/{suffix}" if suffix else piece.id), chunk))
    return found


def segments_of(pieces: list[Piece], chunks: list[list[tuple[str, Chunk]]]) -> Iterator[DocumentSegment]:
    """The segments of some pieces, as they are divided."""
    for piece, some in zip(pieces, chunks, strict=True):
        for name, chunk in some:
            if name:
                inline = piece.inline if chunk.parts is piece.inline.parts else chunk.inline  # one for both, in memory
                text, state = inline.plain, piece.state
                if text is None:
                    text = inline.text
                    state = "locked" if inline.ambiguous else state
                yield DocumentSegment(
                    name, text, piece.target or "", state, inline, piece.context, piece.note, piece.limit
                )
