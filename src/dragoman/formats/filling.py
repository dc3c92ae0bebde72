"""Translations that fit into a document: with the inline tags of their source.

1. What the memory says of the same words is taken, with the tags of this segment.
2. Otherwise the segment is translated with its tags, which the engine copies.
3. If they come out broken, it is translated without them, and they are put back by the word alignment.
4. If that is not possible either, the pieces between the tags are translated one by one.

Tags that only divide a text, like the change from one subtitle to the next, are put back in proportion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.document import Document, DocumentSegment, State, UnwritableError
from dragoman.formats.inline import Inline, Tag, find_emptied_pair
from dragoman.parallel import map_in_order
from dragoman.progress import Progress

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.types import Translation


def translate_segment(engine: Engine, document: Document, segment: DocumentSegment) -> str:
    """A translation with the tags of its source."""
    if any(tag.name == "cue" for tag in segment.inline.tags):
        return _divided(engine, document, segment)
    if segment.inline.tags and (recalled := _recall(engine, document, segment)) is not None:
        return recalled
    target = engine.translate_text(segment.source).text
    if _fits(document, segment, target):
        return target
    placed = place_by_alignment(engine, segment.inline)
    if placed is not None and _fits(document, segment, placed):
        return placed
    parts = segment.inline.parts
    return "".join(engine.translate_text(part).text if isinstance(part, str) else part.shown for part in parts)


def _recall(engine: Engine, document: Document, segment: DocumentSegment) -> str | None:
    """What the memory says of the same words with other codes, if it has a place for each code of the segment."""
    if not engine.memory or engine.exact_match(segment.source) is not None:
        return None
    match = engine.same_words(segment.source)
    return match.target if match and not match.lost and _fits(document, segment, match.target) else None


Replace = Literal["nothing", "untranslated", "unconfirmed"]


class Filled(NamedTuple):
    """A document with translations."""

    data: bytes
    translated: int  # segments
    left_out: dict[str, str]  # segments whose translation the file cannot hold, and why


def fill_document(
    engine: Engine, document: Document, progress: Progress | None = None, replace: Replace = "untranslated"
) -> Filled:
    """Translate the segments of a document, on all cores; what cannot be written is left as it was.

    Segments without a target are translated; so are those whose target is blank, only tags or a mere copy of the
    source, unless `replace` is “nothing”; with “unconfirmed” also those that nobody has confirmed.
    """
    new = [segment for segment in document.segments if _is_wanted(segment, replace)]
    targets: dict[str, str | tuple[str, State]] = {}
    left_out: dict[str, str] = {}
    found = map_in_order(partial(translate_segment, engine, document), new)
    for done, (segment, target) in enumerate(zip(new, found, strict=True), start=1):
        try:
            document.check(segment, target)
            targets[segment.id] = target, "translated"
        except BadInputError as error:
            left_out[segment.id] = error.what
        if progress:
            progress("translating", done, len(new))
    while True:
        try:
            return Filled(document.fill(targets), len(targets), left_out)
        except UnwritableError as error:
            if targets.pop(error.segment, None) is None:
                raise
            left_out[error.segment] = error.what


def _is_wanted(segment: DocumentSegment, replace: Replace) -> bool:
    if replace == "nothing" and segment.target:
        return False
    return segment.state == "new" or (replace == "unconfirmed" and segment.state == "translated")


def _fits(document: Document, segment: DocumentSegment, target: str) -> bool:
    """Whether a target can be written; and no pair of tags has lost its words, which only a person may mean."""
    try:
        document.check(segment, target)
    except BadInputError:
        return False
    return find_emptied_pair(segment.inline, target) is None


class _Placed(NamedTuple):
    """A tag and its position in a target; tags at one position come in this order."""

    position: int
    order: tuple[int, int]
    tag: Tag


def place_by_alignment(engine: Engine, source: Inline) -> str | None:
    """The translation of the text alone, with each tag at the words that it is at in the source; None if unknown."""
    plain, positions = _without_tags(source)
    translation = engine.translate_text(plain)
    if not getattr(translation, "alignment", None):
        return None
    placed = list(_places(source.tags, positions, translation))
    if len(placed) < len(source.tags):
        return None
    text, done, parts = translation.text, 0, []
    for position, _, tag in sorted(placed):
        parts += [text[done:position], tag.shown]
        done = position
    return "".join([*parts, text[done:]])


def _without_tags(source: Inline) -> tuple[str, list[int]]:
    """The text, and where each tag is in it; words that only a tag has kept apart get a space between them."""
    plain, positions = "", []
    for part in source.parts:
        if isinstance(part, Tag):
            positions.append(len(plain))
            plain += " " if part.kind == "alone" and plain[-1:].isalnum() else ""
        else:
            plain += part[1:] if plain[-1:] == " " and part[:1] == " " else part
    return plain, positions


def _places(tags: list[Tag], positions: list[int], translation: Translation) -> Iterator[_Placed]:
    """Where the tags go: pairs around the words aligned to those inside, others after the word before them."""
    source, target, links = translation.source.spans, translation.target.spans, translation.alignment
    begun: list[int] = []
    for number, (tag, at) in enumerate(zip(tags, positions, strict=True)):
        if tag.kind == "start":
            begun.append(number)
        elif tag.kind == "end" and begun:
            first = begun.pop()
            inside = [t for s, t in links if positions[first] <= source[s][0] and source[s][1] <= at]
            if inside:
                yield _Placed(target[min(inside)][0], (2, first), tags[first])
                yield _Placed(target[max(inside)][1], (0, -first), tag)
        else:
            before = [s for s, (_, end) in enumerate(source) if end <= at]
            aligned = [t for s, t in links if before and s == before[-1]]
            if aligned or not before:
                yield _Placed(target[max(aligned)][1] if aligned else 0, (1, number), tag)


def _divided(engine: Engine, document: Document, segment: DocumentSegment) -> str:
    """The translation of all that is said, divided like the source: each cue gets its share, and at least a word."""
    parts = segment.inline.parts
    cues = [part for part in parts if isinstance(part, Tag) and part.name == "cue"]
    rest = Inline([part for part in parts if part not in cues])
    text = re.sub(r"\s+", " ", rest.text)
    whole = DocumentSegment(segment.id, text, "", "new", Inline([text]) if not rest.tags else rest)
    target = re.sub(r"\s+", " ", engine.translate_text(whole.source).text).strip()
    shares = [len(share) for share in re.split("|".join(re.escape(cue.shown) for cue in cues), segment.source)]
    spaces = [found.start() for found in re.finditer(r" (?![^<>]*>)", target)]
    if len(spaces) >= len(cues):
        placed = _share_out(target, spaces, shares, [cue.shown for cue in cues])
        if _fits(document, segment, placed):
            return placed
    return "".join(engine.translate_text(part).text if isinstance(part, str) else part.shown for part in parts)


def _share_out(target: str, spaces: list[int], shares: list[int], cues: list[str]) -> str:
    """A target divided at spaces, as near as possible to the shares of the source."""
    parts, done, first = [], 0, 0
    for number, cue in enumerate(cues):
        wanted = len(target) * sum(shares[: number + 1]) / sum(shares)
        choice = spaces[first : len(spaces) - (len(cues) - number - 1)]
        at = min(choice, key=lambda space: abs(space - wanted))
        first = spaces.index(at) + 1
        parts += [target[done:at], f" {cue}"]
        done = at
    return "".join([*parts, target[done:]])
