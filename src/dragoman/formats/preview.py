"""The text around a segment as its readers will see it: paragraphs, headings, lists, tables, subtitles over time.

1. `Preview(document)` finds out which piece each segment is in, once for a document.
2. `around(number)` is an excerpt: some blocks before and after that segment, bounded in blocks and in characters.

Documents that are pages have the looks of pages. Of all others, an excerpt is the neighbouring texts with their keys
and notes.

>>> from dragoman.formats import read_document
>>> page = b"<h1>Boilers</h1><ul><li>Press <b>here</b>.<li>Wait.</ul>"
>>> for block in Preview(read_document(page, "page.html")).around(2).blocks:
...     print(block.place.role, block.place.marker, [run.segment for run in block.runs])
heading  [1]
item • [2]
item • [3]
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from html import unescape
from typing import NamedTuple

from dragoman.formats.block_places import find_places
from dragoman.formats.codes import read_codes
from dragoman.formats.division import Chunk
from dragoman.formats.document import Document, DocumentSegment
from dragoman.formats.epub import NcxPart, OpfPart
from dragoman.formats.html import HtmlDocument
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.lines import TextDocument
from dragoman.formats.markdown import MarkdownDocument
from dragoman.formats.opendocument import OpenDocumentPart
from dragoman.formats.packages import PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument
from dragoman.formats.preview_blocks import Block, CueTime, Place, PreviewExcerpt, PreviewRun, TagLook
from dragoman.formats.runs import RunDocument
from dragoman.formats.subtitles import TIMES, SubtitlesDocument
from dragoman.formats.tag_looks import TagLooks

BEFORE, AFTER = 12, 24  # blocks
CHARACTERS = 8_000  # on each side
MOST_SEGMENTS = 60  # of one block, on each side of the one in question
CODE = 1_000  # characters of a block of code
_PRE = re.compile(r"<pre\b[^<>]*>(?P<code>[^<]*+(?:<(?!/?pre\b)[^<]*+)*)</pre\s*>", re.IGNORECASE)
_FENCE = re.compile(r"^ *(?P<fence>```++|~~~++)[^\n]*+\n(?P<code>.*?)^ *(?P=fence)", re.DOTALL | re.MULTILINE)
_MARKUP = re.compile(r"<[^<>]*>")
PAGES = (HtmlDocument, MarkdownDocument, RunDocument, OpenDocumentPart, NcxPart, OpfPart, SubtitlesDocument)


class _PreviewPage(NamedTuple):
    """A document, or a part of a packed one, that is shown as a page; its segments follow each other."""

    name: str
    document: PieceDocument
    first: int  # number of its first segment
    starts: list[int]  # number of the first segment of each piece, or of the next one that has any


class Preview:
    """The blocks of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def around(self, number: int, before: int = BEFORE, after: int = AFTER) -> PreviewExcerpt:
        """The blocks around the segment with this number, counted from 1."""
        part = self._part_of(number)
        if part is None:
            return self._neighbours(number, before, after)
        at = bisect_right(part.starts, number) - 1
        pieces = part.document.pieces
        first = _reach(pieces, at, -1, before)
        last = _reach(pieces, at, 1, after)
        some = range(first, last + 1)
        places = self._places(part, pieces[first : last + 1])
        blocks: list[Block] = []
        done = pieces[first].start
        for n, place in zip(some, places, strict=True):
            blocks += _code_blocks(part.document, done, pieces[n].start)
            blocks.append(self._block(part, n, place, number))
            done = max(done, pieces[n].end)
        return PreviewExcerpt(part.name, blocks, first > 0, last + 1 < len(pieces))

    @cached_property
    def _parts(self) -> list[_PreviewPage]:
        parts = self.document.parts if isinstance(self.document, PackedDocument) else {"": self.document}
        found, number = [], 1
        for name, part in parts.items():
            if isinstance(part, PieceDocument) and isinstance(part, PAGES):
                found.append(_PreviewPage(name, part, number, list(_starts(part, number))))
            number += len(part.segments)
        return found

    @cached_property
    def _looks(self) -> dict[str, TagLooks]:
        return {part.name: TagLooks(part.document) for part in self._parts}

    def _part_of(self, number: int) -> _PreviewPage | None:
        """The page that a segment is on; None if the document is no page."""
        at = bisect_right([part.first for part in self._parts], number) - 1
        found = self._parts[at] if at >= 0 else None
        return found if found and number < found.first + len(found.document.segments) else None

    def _places(self, part: _PreviewPage, pieces: Sequence[Piece]) -> list[Place]:
        if isinstance(part.document, SubtitlesDocument):
            return [Place("cue")] * len(pieces)
        if isinstance(part.document, NcxPart | OpfPart):
            return [Place("attribute", label=piece.context) for piece in pieces]
        return find_places(part.document, pieces)

    def _block(self, part: _PreviewPage, at: int, place: Place, wanted: int) -> Block:
        piece, chunks = part.document.pieces[at], part.document.chunks[at]
        runs: list[PreviewRun] = []
        looks: dict[int, list[TagLook]] = {}
        number = part.starts[at] - 1
        for name, chunk in chunks:
            if not name:
                runs += self._fixed(part, piece, chunk)
                continue
            number += 1
            if abs(number - wanted) <= MOST_SEGMENTS:
                runs.append(PreviewRun("segment", segment=number))
                looks[number] = self._tag_looks(part, piece, chunk.inline)
            elif abs(number - wanted) == MOST_SEGMENTS + 1:
                runs.append(PreviewRun("text", text=" … "))
        return Block(place, runs, piece.note, piece.limit, _cues(part.document, piece), looks)

    def _tag_looks(self, part: _PreviewPage, piece: Piece, inline: Inline) -> list[TagLook]:
        return [self._looks[part.name].find(piece, tag) for tag in inline.tags]

    def _fixed(self, part: _PreviewPage, piece: Piece, chunk: Chunk) -> Iterator[PreviewRun]:
        """What stands between the segments of a piece."""
        for each in chunk.parts:
            if isinstance(each, Tag):
                found = self._looks[part.name].find(piece, each)
                yield PreviewRun(found.kind, found.look, found.text)
            elif each:
                yield PreviewRun("text", text=each)

    def _neighbours(self, number: int, before: int, after: int) -> PreviewExcerpt:
        """The texts before and after one, each with its key."""
        segments = self.document.segments
        first = _reach(segments, number - 1, -1, before)
        last = _reach(segments, number - 1, 1, after)
        prose = isinstance(self.document, TextDocument)
        blocks = [_alone(segments[n], n + 1, prose=prose) for n in range(first, last + 1)]
        return PreviewExcerpt("", blocks, first > 0, last + 1 < len(segments))


def _starts(part: PieceDocument, number: int) -> Iterator[int]:
    for chunks in part.chunks:
        yield number
        number += sum(bool(name) for name, _ in chunks)


def _reach(items: Sequence[Piece | DocumentSegment], at: int, step: int, most: int) -> int:
    """How far an excerpt goes from an item in a direction."""
    characters = 0
    for _ in range(most):
        if not 0 <= at + step < len(items) or characters > CHARACTERS:
            break
        at += step
        characters += sum(map(len, items[at].inline.runs))
    return at


def look_at(source: str) -> list[TagLook]:
    """What the tags in a text look like that came from no file."""
    return [_PLAIN.find(None, tag) for tag in read_codes(source).tags]


def _alone(segment: DocumentSegment, number: int, *, prose: bool) -> Block:
    """A segment as a block of its own."""
    key = "" if segment.id.isdigit() else segment.id
    told = f"{key} · {segment.context}" if key and segment.context not in ("", key) else key or segment.context
    place = Place() if prose else Place("string", label=told)
    looks = [_PLAIN.find(None, tag) for tag in segment.inline.tags]
    return Block(place, [PreviewRun("segment", segment=number)], segment.note, segment.limit, looks={number: looks})


_PLAIN = TagLooks(None)


def _code_blocks(document: PieceDocument, start: int, end: int) -> Iterator[Block]:
    """The code that stands between two pieces of a page, where it is shown but not translated."""
    pattern = _PRE if isinstance(document, HtmlDocument) else _FENCE if isinstance(document, MarkdownDocument) else None
    if pattern is None:
        return
    for found in pattern.finditer(document.contents.text, start, min(end, start + CHARACTERS)):
        code = unescape(_MARKUP.sub("", found["code"])) if pattern is _PRE else found["code"]
        if code.strip():
            yield Block(Place("code"), [PreviewRun("text", text=code.strip("\r\n")[:CODE])])


def _cues(document: PieceDocument, piece: Piece) -> list[CueTime]:
    """When the cues of a piece are shown; their times are on the line before each."""
    if not isinstance(document, SubtitlesDocument):
        return []
    text = document.contents.text
    line = text.rfind("\n", 0, max(0, piece.start - 1)) + 1
    spans = [(line, piece.start)]
    spans += [tag.span for tag in piece.inline.tags if tag.name == "cue" and tag.span]
    found = (TIMES.search(text, *span) for span in spans)
    return [CueTime(*_seconds([int(each or 0) for each in times.groups()])) for times in found if times]


def _seconds(numbers: list[int]) -> tuple[float, float]:
    begin, end = ((h * 60 + m) * 60 + s + f / 1000 for h, m, s, f in (numbers[:4], numbers[4:]))
    return begin, end
