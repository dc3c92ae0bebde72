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

from dragoman.errors import BadInputError, DragomanError
from dragoman.formats.document import Document, DocumentSegment, NewTarget, NewTargets, UnwritableError
from dragoman.formats.inline import Inline, Tag, find_emptied_pair
from dragoman.parallel import map_in_order
from dragoman.progress import Progress
from dragoman.project.consultant import UnaskedError
from dragoman.project.glossary import Glossary, extra_terms
from dragoman.text.affinity import Link
from dragoman.text.markup import OPENERS, PAIRS, Kind, Markup, TagPart, take_quotes_along, without
from dragoman.text.tag_placement import place, rearrange, renumber
from dragoman.text.tokens import split

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.records import Translation

CERTAIN = 0.999  # the weight of a link that is the best one of both its words
AHEAD = 64  # segments that another engine is asked for at once
MOST_UNKNOWN = 0.25  # of the words of a translation; with more it is a mixture of two languages


class SegmentDraft(NamedTuple):
    """A translation with the tags of its source, and what it was made of, unless that is a correction."""

    text: str
    made: Translation | None = None


def translate_segment(engine: Engine, document: Document, segment: DocumentSegment) -> str:
    """A translation with the tags of its source."""
    return draft_segment(engine, document, segment).text


def draft_segment(engine: Engine, document: Document, segment: DocumentSegment) -> SegmentDraft:
    """A translation with the tags of its source, and what it was made of."""
    with extra_terms(_own_codes([segment])):
        return _draft(engine, document, segment)


def _own_codes(segments: Iterable[DocumentSegment]) -> Glossary | None:
    """The placeholders that only a format knows, as terms that are translated as they are; None if there are none."""
    shown = {tag.shown for segment in segments for tag in segment.inline.tags if not tag.shown.startswith("<")}
    own = Glossary({code: code for code in shown if not any(split(code).placeable)})
    own.cases = dict.fromkeys(own.terms, "any")
    return own if len(own) else None


def _draft(engine: Engine, document: Document, segment: DocumentSegment) -> SegmentDraft:
    if _has_cues(segment):
        return _divided(engine, document, segment)
    if segment.inline.tags and (recalled := _recall(engine, document, segment)) is not None:
        return SegmentDraft(recalled)
    found = engine.translate_text(segment.source)
    return SegmentDraft(_with_tags(engine, document, segment, found), found)


def _with_tags(engine: Engine, document: Document, segment: DocumentSegment, found: Translation) -> str:
    if segment.inline.tags and (moved := _moved(engine, found)) is not None and _fits(document, segment, moved):
        return moved
    if _fits(document, segment, found.text):
        return found.text
    placed = place_by_alignment(engine, _markup(segment.inline))
    if placed is not None and _fits(document, segment, placed):
        return placed
    return _in_pieces(engine, segment)


def _in_pieces(engine: Engine, segment: DocumentSegment) -> str:
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
    target = place_by_alignment(engine, _markup(segment.inline)) if match.lost else match.target
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
    kept: Mapping[str, NewTarget] = MappingProxyType({}),
) -> Filled:
    """Translate the segments of a document, on all cores; what cannot be translated or written is left as it was.

    Segments without a target are translated; so are those whose target is blank, only tags or a mere copy of the
    source, unless `replace` is “nothing”; with “unconfirmed” also those that nobody has confirmed. `ask` asks another
    engine for many texts at once, as `Engine.ask_ahead` does; `kept` has the targets of segments that are settled.
    """
    targets, left_out, untranslated = NewTargets(), dict[str, str](), 0
    total = sum(1 for _ in wanted_segments(document, replace, kept))
    wanted = _asked_ahead(ask or engine.ask_ahead, wanted_segments(document, replace, kept), kept)
    found = map_in_order(partial(_translated, engine, document, kept), wanted)
    for done, (segment, new) in enumerate(found, start=1):
        if isinstance(new, NewTarget):
            targets.add(segment.id, *new)
        elif new is None:
            untranslated += 1
        else:
            left_out[segment.id] = new
        if progress:
            progress("translating", done, total)
    while True:
        try:
            return Filled(document.fill(targets), len(targets), left_out, untranslated, targets)
        except UnwritableError as error:
            if not targets.remove(error.segment):
                raise
            left_out[error.segment] = error.what


def _translated(
    engine: Engine, document: Document, kept: Mapping[str, NewTarget], segment: DocumentSegment
) -> tuple[DocumentSegment, NewTarget | str | None]:
    """The new target of a segment; or None if nobody knows it, or else why there is none."""
    try:
        new = kept.get(segment.id)
        if new is None:
            draft = draft_segment(engine, document, segment)
            if is_left(segment.source, draft):
                return segment, None
            new = NewTarget(draft.text, "translated")
        document.check(segment, new.target)
        return segment, new
    except BadInputError as error:
        return segment, error.what
    except (DragomanError, UnaskedError):
        raise
    except Exception as error:  # one segment must not end a whole directory
        return segment, f"cannot be translated ({type(error).__name__}: {error})"


def wanted_segments(
    document: Document, replace: Replace = "untranslated", kept: Mapping[str, NewTarget] = MappingProxyType({})
) -> Iterator[DocumentSegment]:
    """The segments of a document that are to be translated, or have been settled."""
    return (segment for segment in document.segments if segment.id in kept or _is_wanted(segment, replace))


def texts_of(segment: DocumentSegment) -> list[str]:
    """The texts that another engine is asked for when a segment is translated."""
    return [_without_cues(segment).source if _has_cues(segment) else segment.source]


def _asked_ahead(
    ask: Callable[..., object], segments: Iterable[DocumentSegment], kept: Mapping[str, NewTarget]
) -> Iterator[DocumentSegment]:
    """The same segments, the other engine asked for many at once, with the text around them."""
    remaining = iter(segments)
    while block := list(islice(remaining, AHEAD)):
        texts = [text for segment in block if segment.id not in kept for text in texts_of(segment)]
        with extra_terms(_own_codes(block)):
            ask(texts, around=" ".join(segment.source for segment in block))
        yield from block


def is_left(source: str, draft: SegmentDraft) -> bool:
    """Whether a text is better left in the source language: too many of its words were known to nobody."""
    if draft.made is None:
        return False
    counts = [_unknown(line) for line in draft.made.lines or (draft.made,)]
    words, unknown = sum(words for words, _ in counts), sum(unknown for _, unknown in counts)
    if draft.text.strip() == source.strip():
        return any(words and unknown == words for words, unknown in counts)
    return unknown > MOST_UNKNOWN * words


def _unknown(made: Translation) -> tuple[int, int]:
    """How many words of a line there are to translate, and how many of them were merely copied."""
    words = [word.isalpha() and not fixed for word, fixed in zip(made.source.words, made.source.placeable, strict=True)]
    said = [(sum(words[slice(*phrase.source)]), phrase.kind) for phrase in made.phrases]
    number = sum(number for number, _ in said)
    if made.upstream_flaw and made.text == made.source.text:
        return max(number, 1), max(number, 1)
    return number, sum(number for number, kind in said if kind == "copy")


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


def place_by_alignment(engine: Engine, markup: Markup) -> str | None:
    """The translation of the text alone, with each tag at the words that it is at in the source; None if unknown."""
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
    parts = (part if isinstance(part, str) else TagPart(part.shown, _kind(part)) for part in source.parts)
    return without(take_quotes_along(parts))


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


def _divided(engine: Engine, document: Document, segment: DocumentSegment) -> SegmentDraft:
    """The translation of all that is said, divided like the source: each cue gets its share, and at least a word."""
    parts, whole = segment.inline.parts, _without_cues(segment)
    cues = [part for part in parts if isinstance(part, Tag) and part.name == "cue"]
    made = engine.translate_text(whole.source)
    target = re.sub(r"\s+", " ", made.text).strip()
    shares = [len(share) for share in re.split("|".join(re.escape(cue.shown) for cue in cues), segment.source)]
    spaces = [found.start() for found in re.finditer(r"<[^<>]*>| ", target) if found[0] == " "]
    if len(spaces) >= len(cues):
        placed = _share_out(target, spaces, shares, [cue.shown for cue in cues])
        if _fits(document, segment, placed):
            return SegmentDraft(placed, made)
    return SegmentDraft(_in_pieces(engine, segment), made)


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
