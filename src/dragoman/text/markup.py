r"""Tags taken out of a text, so that it can be translated without them; `tag_placement` puts them back.

A tag that opens and one that closes belong together. Where only a tag kept two words apart, the bare text has a space.

>>> markup = take_out("Press <b>the green button</b> now.")
>>> markup.bare
'Press the green button now.'
>>> [(marker.shown, marker.at, marker.partner) for marker in markup.markers]
[('<b>', 6, 1), ('</b>', 22, 0)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from dragoman.text.tokens import is_slot, split

TAG = re.compile(r"<(/?)([A-Za-z\d][\w:.-]*+)[^<>]*?(/?)>")
AROUND = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "‘": "’", "«": "»", "(": ")", "[": "]"}
BREAKS = frozenset({"br", "hr"})  # tags that divide a text and are no word of it
# Empty tags of XLIFF and TMX that belong together by a reference: which opens, and which closes.
PAIRS = {"bpt": "ept", "bx": "ex", "sc": "ec", "sm": "em"}
OPENERS = {closing: opening for opening, closing in PAIRS.items()}
REFERENCE = re.compile(r"""\s(?:startRef|rid|i|id)="([^"]*)\"""")

Kind = Literal["start", "end", "alone"]


class TagPart(NamedTuple):
    """A tag of a text, before it is known what it belongs to."""

    shown: str
    kind: Kind


class Marker(NamedTuple):
    """A tag that was taken out."""

    shown: str
    at: int  # its position in the bare text
    partner: int | None = None  # the number of the tag that closes or opens it; None if it stands alone
    space_before: bool = False
    space_after: bool = False


class Markup(NamedTuple):
    """A text without its tags, and the tags."""

    bare: str
    markers: tuple[Marker, ...]


def take_out(text: str, *, everything: bool = False) -> Markup:
    """A text without its pairs of tags and its line breaks; with `everything`, without any tag or placeholder.

    >>> take_out("Open {name}<br/>in <a>the <x/>folder</a>").bare
    'Open {name} in the <x/>folder'
    >>> take_out('Open "{name}" now', everything=True).bare
    'Open now'
    """
    parts = _parts(text, everything=everything)
    return without(take_quotes_along(parts) if everything else parts)


def _parts(text: str, *, everything: bool) -> Iterator[str | TagPart]:
    sentence = split(text)
    paired = pair_tags(sentence.words)
    for number, (gap, word) in enumerate(zip(sentence.gaps, sentence.words, strict=False)):
        yield gap
        if number in paired:
            yield TagPart(word, paired[number])
        elif _is_break(word) or (everything and is_slot(word)):
            yield TagPart(word, "alone")
        else:
            yield word
    yield sentence.gaps[-1]


def take_quotes_along(parts: Iterable[str | TagPart]) -> list[str | TagPart]:
    """The parts with quotation marks and brackets around a single tag or placeholder made part of it.

    Otherwise these would stay behind, with nothing in between, and it would be put back beside them.
    """
    found: list[str | TagPart] = []
    for part in parts:
        if found and isinstance(found[-1], str) and isinstance(part, str):
            found[-1] += part
        elif part != "":
            found.append(part)
    for at, part in enumerate(found[1:-1], start=1):
        before, after = found[at - 1], found[at + 1]
        if isinstance(part, str) or part.kind != "alone" or not (isinstance(before, str) and isinstance(after, str)):
            continue
        many = 0
        while before[: len(before) - many][-1:] in AROUND and AROUND[before[-1 - many]] == after[many : many + 1]:
            many += 1
        shown = f"{before[len(before) - many :]}{part.shown}{after[:many]}"
        found[at - 1 : at + 2] = [before[: len(before) - many], part._replace(shown=shown), after[many:]]
    return found


def find_dividers(words: tuple[str, ...]) -> frozenset[int]:
    """The tokens that `take_out` takes out: tags that enclose something, and line breaks."""
    return frozenset(pair_tags(words)) | {number for number, word in enumerate(words) if _is_break(word)}


def pair_tags(words: tuple[str, ...]) -> dict[int, Kind]:
    """Which tokens are tags that enclose something."""
    begun: list[tuple[int, str]] = []
    found: dict[int, Kind] = {}
    for number, word in enumerate(words):
        kind, name = _role(word) if word[0] == "<" else ("alone", "")
        if kind == "start":
            begun.append((number, name))
        elif kind == "end" and any(name == other for _, other in begun):
            while begun[-1][1] != name:
                begun.pop()
            found |= {begun.pop()[0]: "start", number: "end"}
    return found


def _role(word: str) -> tuple[Kind, str]:
    """Whether a tag opens or closes something, and what the two have in common."""
    tag = TAG.fullmatch(word)
    if tag is None:
        return "alone", ""
    if tag[3]:
        reference = REFERENCE.search(word)
        if tag[2] in PAIRS:
            return "start", f"{tag[2]} {reference[1] if reference else ''}"
        if tag[2] in OPENERS:
            return "end", f"{OPENERS[tag[2]]} {reference[1] if reference else ''}"
        return "alone", ""
    return "end" if tag[1] else "start", tag[2]


def _is_break(word: str) -> bool:
    tag = TAG.fullmatch(word) if word[0] == "<" else None
    return tag is not None and tag[2].lower() in BREAKS


def find_unopened(tags: Iterable[str]) -> int | None:
    """The first of some tags that closes what is not the last one open."""
    opened: list[str] = []
    for number, shown in enumerate(tags):
        tag = TAG.fullmatch(shown)
        if tag is None or tag[3]:
            continue
        if not tag[1]:
            opened.append(tag[2])
        elif not opened or opened.pop() != tag[2]:
            return number
    return None


def without(parts: Iterable[str | TagPart]) -> Markup:
    """Text without the tags in it; they must be paired already."""
    bare = ""
    found: list[Marker] = []
    begun: list[int] = []
    given = [part for part in parts if part != ""]
    for number, part in enumerate(given):
        if isinstance(part, str):
            bare += part.lstrip(" ") if bare.endswith(" ") and found and found[-1].at == len(bare) else part
            continue
        before, after = given[number - 1] if number else "", given[number + 1] if number + 1 < len(given) else ""
        spaces = isinstance(before, str) and before[-1:].isspace(), isinstance(after, str) and after[:1].isspace()
        marker = Marker(part.shown, len(bare), None, *spaces)
        if part.kind == "start":
            begun.append(len(found))
        elif part.kind == "end" and begun:
            opened = begun.pop()
            found[opened] = found[opened]._replace(partner=len(found))
            marker = marker._replace(partner=opened)
        elif bare and not bare[-1].isspace() and isinstance(after, str) and after[:1].isalnum():
            bare += " "
        found.append(marker)
    return Markup(bare, tuple(found))
