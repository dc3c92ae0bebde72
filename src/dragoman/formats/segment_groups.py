"""Segments of a paragraph that people have put together, or divided in another place.

Only where a format leaves it to us how a paragraph is divided: pages, word processor files, Markdown and the like. What
stands in a file as a unit of its own, such as a string, a cell or a unit of XLIFF, stays one. The file is written as
before, since a paragraph is written as a whole.

>>> from dragoman.formats import read_document
>>> page = read_document(b"<p>Close it. Wait.</p><p>Open it.</p>", "page.html")
>>> first, second, _ = (segment.id for segment in page.segments)
>>> [segment.source for segment in regroup(page, [Merge(first, second)]).segments]
['Close it. Wait.', 'Open it.']
>>> [segment.source for segment in regroup(page, [Split(first, 5, "new")]).segments]
['Close', 'it.', 'Wait.', 'Open it.']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.division import MOST_TAGS, Chunk, Parts, whole
from dragoman.formats.document import CompactSegments, Document
from dragoman.formats.document_pieces import PieceSegments
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.packages import PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument

Named = tuple[str, Chunk]
PARAGRAPHS = frozenset(
    {"docx", "epub", "html", "markdown", "odt", "pptx", "rst", "xlsx", "xml"}
)  # formats that have them


class Merge(NamedTuple):
    """A segment and the one after it become one, which has the name of the first."""

    first: str
    second: str


class Split(NamedTuple):
    """A segment ends before a character of its source; the rest becomes a segment with a name of its own."""

    segment: str
    at: int
    new: str


Step = Merge | Split


def regroup(document: Document, steps: Sequence[Step]) -> Document:
    """The same document with its segments put together and divided, step by step."""
    if not steps:
        return document
    if isinstance(document, PackedDocument):
        return _regroup_packed(document, steps)
    if isinstance(document, PieceDocument):
        return _regroup_pieces(document, steps)
    raise _fixed(document)


def _fixed(document: Document) -> BadInputError:
    what = "the segments of this format are units of the file, which cannot be merged or split"
    return BadInputError(what, where=document.contents.name, remedy="translate them as they are")


def _regroup_packed(document: PackedDocument, steps: Sequence[Step]) -> PackedDocument:
    """Each step is one of a part; its names are those that its segments have there."""
    by_part: dict[str, list[Step]] = {}
    for step in steps:
        path = step[0].partition(":")[0]
        if path not in document.parts:
            raise _unknown(document, step[0])
        if isinstance(step, Merge) and step.second.partition(":")[0] != path:
            raise _apart(document)
        by_part.setdefault(path, []).append(_inside(step))
    parts = {path: _regroup_part(part, by_part.get(path, ())) for path, part in document.parts.items()}
    new = copy(document)
    object.__setattr__(new, "parts", parts)
    object.__setattr__(new, "segments", CompactSegments(new.segments_of_parts()))
    return new


def _inside(step: Step) -> Step:
    bare = [each.partition(":")[2] if isinstance(each, str) else each for each in step]
    return Merge(*map(str, bare)) if isinstance(step, Merge) else Split(str(bare[0]), step.at, str(bare[2]))


def _regroup_part(part: PieceDocument, steps: Sequence[Step]) -> PieceDocument:
    return _regroup_pieces(part, steps) if steps else part


def _regroup_pieces(document: PieceDocument, steps: Iterable[Step]) -> PieceDocument:
    chunks, places = document.chunks.copy(), dict(document.piece_of)
    touched: set[int] = set()
    for step in steps:
        at = places.get(step[0])
        if at is None:
            raise _unknown(document, step[0])
        if not document.prose or not document.sentences or not _is_ours(document.pieces[at]):
            raise _fixed(document)
        if isinstance(step, Merge):
            chunks.put(at, _merge(document, chunks[at], step))
            del places[step.second]
        else:
            chunks.put(at, _split(document, chunks[at], step))
            places[step.new] = at
        touched.add(at)
    new = copy(document)
    new.__dict__.pop("piece_of", None)
    object.__setattr__(new, "chunks", chunks)
    object.__setattr__(new, "segments", PieceSegments(chunks))
    object.__setattr__(new, "regrouped", document.regrouped | touched)
    return new


def _is_ours(piece: Piece) -> bool:
    """Whether it is up to us how a piece is divided."""
    return piece.divide is None and piece.target is None


def _merge(document: PieceDocument, chunks: list[Named], step: Merge) -> list[Named]:
    names = [name for name, _ in chunks]
    first = names.index(step.first)
    second = next((at for at in range(first + 1, len(names)) if names[at]), None)
    if second is None or names[second] != step.second:
        raise _apart(document)
    parts = _joined(part for _, chunk in chunks[first : second + 1] for part in chunk.parts)
    if sum(isinstance(part, Tag) for part in parts) > MOST_TAGS or Inline(parts).ambiguous:
        raise BadInputError("together they have tags that cannot be told apart", where=document.contents.name)
    return [*chunks[:first], (step.first, Chunk(parts, True)), *chunks[second + 1 :]]


def _joined(parts: Iterable[str | Tag]) -> Parts:
    """Parts in which texts that meet are one."""
    joined: Parts = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _split(document: PieceDocument, chunks: list[Named], step: Split) -> list[Named]:
    at = next(n for n, (name, _) in enumerate(chunks) if name == step.segment)
    before, after = _cut(document, chunks[at][1].parts, step.at)
    halves = whole(before), whole(after)
    if not all(sum(chunk.is_segment for chunk in half) == 1 for half in halves):
        what = "there would be nothing to translate on one side"
        raise BadInputError(what, where=document.contents.name, remedy="split it between two words")
    named = [
        (name if chunk.is_segment else "", chunk)
        for half, name in zip(halves, (step.segment, step.new), strict=True)
        for chunk in half
    ]
    return [*chunks[:at], *named, *chunks[at + 1 :]]


def _cut(document: PieceDocument, parts: Parts, at: int) -> tuple[Parts, Parts]:
    """The parts before and after a character of their text; never inside a tag, or between the two of a pair."""
    before, after, depth = list[str | Tag](), list[str | Tag](), 0
    for part in parts:
        shown = part if isinstance(part, str) else part.shown
        if at >= len(shown):
            before.append(part)
        elif at <= 0:
            after.append(part)
        elif isinstance(part, str):
            before.append(part[:at])
            after.append(part[at:])
        else:
            raise BadInputError("a tag cannot be split", where=document.contents.name, remedy="split between words")
        if at > 0 and isinstance(part, Tag):
            depth += (part.kind == "start") - (part.kind == "end")
        at -= len(shown)
    if depth > 0:
        what = "this place is inside a pair of tags, which has to stay in one segment"
        raise BadInputError(what, where=document.contents.name, remedy="split before or after the pair")
    return before, after


def _unknown(document: Document, name: str) -> BadInputError:
    return BadInputError(f"there is no segment {name!r}", where=document.contents.name)


def _apart(document: Document) -> BadInputError:
    what = "only segments that follow each other in one paragraph can be merged"
    return BadInputError(what, where=document.contents.name, remedy="translate them one by one")
