"""Translations that fit into a document: with the inline tags of their source.

1. What the memory says of the same words is taken, with the tags of this segment.
2. Otherwise the segment is translated with its tags, and pairs are put around the words that belong to those inside.
3. If they come out broken, it is translated without them, and they are put back likewise.
4. If that is not possible either, the pieces between the tags are translated one by one.

Tags that only divide a text, like the change from one subtitle to the next, are put back in proportion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.document import Document, DocumentSegment, NewTarget, NewTargets, UnwritableError
from dragoman.formats.inline import OPENERS, PAIRS, Inline, Kind, Tag, find_emptied_pair
from dragoman.parallel import map_in_order
from dragoman.progress import Progress
from dragoman.project.multiline import split_lines
from dragoman.text.affinity import Link
from dragoman.text.markup import Markup, TagPart, without
from dragoman.text.tag_placement import place, rearrange, renumber

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.types import Translation

CERTAIN = 0.999  # the weight of a link that is the best one of both its words
AHEAD = 64  # segments that another engine is asked for at once


def translate_segment(engine: Engine, document: Document, segment: DocumentSegment) -> str:
    """A translation with the tags of its source."""
    if _has_cues(segment):
        return _divided(engine, document, segment)
    if segment.inline.tags and (recalled := _recall(engine, document, segment)) is not None:
        return recalled
    found = engine.translate_text(segment.source)
    if segment.inline.tags and (moved := _moved(engine, found)) is not None and _fits(document, segment, moved):
        return moved
    if _fits(document, segment, found.text):
        return found.text
    placed = place_by_alignment(engine, segment.inline)
    if placed is not None and _fits(document, segment, placed):
        return placed
    parts = segment.inline.parts
    return "".join(engine.translate_text(part).text if isinstance(part, str) else part.shown for part in parts)


def _recall(engine: Engine, document: Document, segment: DocumentSegment) -> str | None:
    """What the memory says of the same words with other codes, or without any; None if not every code has a place."""
    if not engine.memory or engine.exact_match(segment.source) is not None:
        return None
    match = engine.same_words(segment.source)
    if match is None:
        return None
    if match.lost and engine.exact_match(_markup(segment.inline).bare) is None:
        return None
    target = place_by_alignment(engine, segment.inline) if match.lost else match.target
    return target if target is not None and _fits(document, segment, target) else None


Replace = Literal["nothing", "untranslated", "unconfirmed"]


class Filled(NamedTuple):
    """A document with translations."""

    data: bytes
    translated: int  # segments
    left_out: dict[str, str]  # segments whose translation the file cannot hold, and why
    untranslated: int = 0  # segments that nobody could translate, left in the source language
    targets: Mapping[str, NewTarget] = MappingProxyType({})  # what was written, by segment


def fill_document(
    engine: Engine,
    document: Document,
    progress: Progress | None = None,
    replace: Replace = "untranslated",
    ask: Callable[..., object] | None = None,
    kept: Mapping[str, str] = MappingProxyType({}),
) -> Filled:
    """Translate the segments of a document, on all cores; what cannot be written is left as it was.

    Segments without a target are translated; so are those whose target is blank, only tags or a mere copy of the
    source, unless `replace` is “nothing”; with “unconfirmed” also those that nobody has confirmed. `ask` asks another
    engine for many texts at once, as `Engine.ask_ahead` does; `kept` has the translations of sources that are settled.
    """
    targets, left_out, untranslated = NewTargets(), dict[str, str](), 0
    total = sum(1 for _ in wanted_segments(document, replace))
    translate = partial(_kept_or_translated, engine, document, kept)
    found = map_in_order(translate, _asked_ahead(ask or engine.ask_ahead, wanted_segments(document, replace), kept))
    for done, (segment, target) in enumerate(found, start=1):
        if is_left(engine, segment.source, target):
            untranslated += 1
            continue
        try:
            document.check(segment, target)
            targets.add(segment.id, target, "translated")
        except BadInputError as error:
            left_out[segment.id] = error.what
        if progress:
            progress("translating", done, total)
    while True:
        try:
            return Filled(document.fill(targets), len(targets), left_out, untranslated, targets)
        except UnwritableError as error:
            if not targets.remove(error.segment):
                raise
            left_out[error.segment] = error.what


def wanted_segments(document: Document, replace: Replace = "untranslated") -> Iterator[DocumentSegment]:
    """The segments of a document that are to be translated."""
    return (segment for segment in document.segments if _is_wanted(segment, replace))


def texts_of(segment: DocumentSegment) -> list[str]:
    """The texts that another engine is asked for when a segment is translated."""
    return split_lines(_without_cues(segment).source if _has_cues(segment) else segment.source)


def _asked_ahead(
    ask: Callable[..., object], segments: Iterable[DocumentSegment], kept: Mapping[str, str]
) -> Iterator[DocumentSegment]:
    """The same segments, the other engine asked for many at once, with the text around them."""
    remaining = iter(segments)
    while block := list(islice(remaining, AHEAD)):
        texts = [text for segment in block if segment.source not in kept for text in texts_of(segment)]
        ask(texts, around=" ".join(segment.source for segment in block))
        yield from block


def _kept_or_translated(
    engine: Engine, document: Document, kept: Mapping[str, str], segment: DocumentSegment
) -> tuple[DocumentSegment, str]:
    settled = kept.get(segment.source)
    if settled and _fits(document, segment, settled):
        return segment, settled
    return segment, translate_segment(engine, document, segment)


def is_left(engine: Engine, source: str, target: str) -> bool:
    """Whether a text was left in the source language: no word of it was known to anybody."""
    return target.strip() == source.strip() and any(_is_unknown(engine, line) for line in split_lines(source))


def _is_unknown(engine: Engine, line: str) -> bool:
    made = engine.translate(line)
    if made.upstream_flaw and made.text == line:
        return True
    words = [word.isalpha() and not fixed for word, fixed in zip(made.source.words, made.source.placeable, strict=True)]
    said = [phrase for phrase in made.phrases if any(words[slice(*phrase.source)])]
    return bool(said) and all(phrase.kind == "copy" for phrase in said)


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


def place_by_alignment(engine: Engine, source: Inline) -> str | None:
    """The translation of the text alone, with each tag at the words that it is at in the source; None if unknown."""
    markup = _markup(source)
    translation = engine.translate_text(markup.bare)
    if not getattr(translation, "alignment", None) and getattr(translation, "upstream", None) is None:
        return None
    ours, theirs = renumber(translation.source, markup.bare), renumber(translation.target, translation.text)
    links = [(ours[s], theirs[t], weight) for s, t, weight in _links(engine, translation) if s in ours and t in theirs]
    return place(markup, translation.text, links)


def _links(engine: Engine, translation: Translation) -> list[Link]:
    """Which tokens belong together: as the search has it, and where that leaves a choice, as the models say."""
    counts = Counter(s for s, _ in translation.alignment), Counter(t for _, t in translation.alignment)
    single = [(s, t) for s, t in translation.alignment if counts[0][s] == counts[1][t] == 1]
    if translation.memory is not None and (other := _surest(engine, translation, single)):
        return other
    found = [(s, t, 1.0) for s, t in single]
    if len(found) == len(translation.alignment):
        return found
    return found + engine.link_weights(translation.source.text, translation.target.text)


def _surest(engine: Engine, translation: Translation, single: Sequence[tuple[int, int]]) -> list[Link]:
    """Links by the models as they are now, if these surely contradict a link of two words that have no other.

    An alignment that was made when a correction was learned may be wrong about words that were new then.
    """
    links = engine.link_weights(translation.source.text, translation.target.text)
    sure = [(s, t) for s, t, weight in links if weight >= CERTAIN]
    ours, theirs = {s for s, _ in sure}, {t for _, t in sure}
    if all((s, t) in sure or (s not in ours and t not in theirs) for s, t in single):
        return []
    found = [(s, t, weight) for s, t, weight in links if weight >= CERTAIN or (s not in ours and t not in theirs)]
    left = [
        [at for at, word in enumerate(side.words) if word.isalnum() and at not in known]
        for side, known in ((translation.source, ours), (translation.target, theirs))
    ]
    if len(left[0]) == len(left[1]) == 1:  # what is left belongs together
        found.append((left[0][0], left[1][0], 1.0))
    return found


def _markup(source: Inline) -> Markup:
    """The text without its tags, and the tags."""
    return without(part if isinstance(part, str) else TagPart(part.shown, _kind(part)) for part in source.parts)


def _kind(tag: Tag) -> Kind:
    """Whether a tag opens or closes something, also one of two separate tags that belong together."""
    return "start" if tag.name in PAIRS else "end" if tag.name in OPENERS else tag.kind


def _moved(engine: Engine, translation: Translation) -> str | None:
    """A translation with its pairs around the right words; None if there is nothing to go by, or no need."""
    if not getattr(translation, "alignment", None) or translation.memory is not None:
        return None
    if translation.lines or translation.upstream == translation.text:
        return None
    return rearrange(translation.source, translation.target, _links(engine, translation))


def _divided(engine: Engine, document: Document, segment: DocumentSegment) -> str:
    """The translation of all that is said, divided like the source: each cue gets its share, and at least a word."""
    parts, whole = segment.inline.parts, _without_cues(segment)
    cues = [part for part in parts if isinstance(part, Tag) and part.name == "cue"]
    target = re.sub(r"\s+", " ", engine.translate_text(whole.source).text).strip()
    shares = [len(share) for share in re.split("|".join(re.escape(cue.shown) for cue in cues), segment.source)]
    spaces = [found.start() for found in re.finditer(r" (?![^<>]*>)", target)]
    if len(spaces) >= len(cues):
        placed = _share_out(target, spaces, shares, [cue.shown for cue in cues])
        if _fits(document, segment, placed):
            return placed
    return "".join(engine.translate_text(part).text if isinstance(part, str) else part.shown for part in parts)


def _has_cues(segment: DocumentSegment) -> bool:
    return any(tag.name == "cue" for tag in segment.inline.tags)


def _without_cues(segment: DocumentSegment) -> DocumentSegment:
    """All that is said in a segment, in one piece."""
    rest = Inline([part for part in segment.inline.parts if not (isinstance(part, Tag) and part.name == "cue")])
    text = re.sub(r"\s+", " ", rest.text)
    return DocumentSegment(segment.id, text, "", "new", Inline([text]) if not rest.tags else rest)


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
