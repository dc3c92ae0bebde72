"""Text with inline tags: how the contents of an element become text, and how a target becomes contents.

Characters are shown as they are (`&amp;` as `&`), tags as tags. An element that only encloses text is shown
as two tags around it, `<g id="1">…</g>`; any other is shown as one, `<ph id="1"/>`, even if there is native code in
it, because that is not translated. So each tag is one placeable, which is copied when a segment is translated.

When a target is written, only the tags of the source count as tags, each as often as there, and their contents
are those of the source. Everything else is text, and `<b>` becomes `&lt;b&gt;`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from dragoman.formats.elements import Element, escape, tag_attributes, tag_name
from dragoman.text.markup import OPENERS, PAIRS, Kind

# The attributes that say which separate tags belong together.
REFERENCES = ("startRef", "rid", "i", "id")


class Tag(NamedTuple):
    """A tag in a text."""

    shown: str
    raw: bytes  # as it stands in the file, with all that is in it
    kind: Kind
    name: str
    partner: str | None  # what the two tags of a pair have in common
    span: tuple[int, int] | None = None  # its position in the file, if pieces of its own may be inside it


@dataclass(slots=True)
class Inline:
    """The contents of an element."""

    parts: list[str | Tag] = field(default_factory=list)

    @property
    def plain(self) -> str | None:
        """The text if it has no tags, as most have not."""
        parts = self.parts
        return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else None

    @property
    def text(self) -> str:
        """The text as people see it."""
        if self.plain is not None:
            return self.plain
        return "".join(part if isinstance(part, str) else part.shown for part in self.parts)

    @property
    def tags(self) -> list[Tag]:
        """The tags, in order."""
        return [part for part in self.parts if isinstance(part, Tag)]

    @property
    def runs(self) -> Iterator[str]:
        """The stretches of text between tags."""
        return (part for part in self.parts if isinstance(part, str))

    @property
    def ambiguous(self) -> bool:
        """Whether it has text that looks like one of its own tags, so that the two cannot be told apart."""
        if self.plain is not None:
            return False
        shown = {tag.shown for tag in self.tags}
        if not shown:
            return False
        text = "\0".join(self.runs)
        return any(tag in text for tag in shown)

    def add(self, text: str) -> None:
        """Go on with some text."""
        if self.parts and isinstance(self.parts[-1], str):
            self.parts[-1] += text
        else:
            self.parts.append(text)


def read_inline(data: bytes, element: Element, marking: frozenset[str]) -> Inline:
    """The contents of an element; elements with names in `marking` only enclose text."""
    text = element.only_text
    if text is not None:
        return Inline([text] if text else [])
    inline = Inline()
    _read(data, element, marking, inline)
    return inline


def _read(data: bytes, element: Element, marking: frozenset[str], inline: Inline) -> None:
    for each in element.content:
        if isinstance(each, str):
            inline.add(each)
        elif each.name in marking and not each.empty and not _protected(each):
            inline.parts.append(_tag(data, each, "start"))
            _read(data, each, marking, inline)
            raw = data[each.close : each.end]
            inline.parts.append(Tag(f"</{tag_name(data, each)}>", raw, "end", each.name, None))
        else:
            inline.parts.append(_tag(data, each, "alone"))


def _protected(element: Element) -> bool:
    """Whether there is nothing to translate in an element; `<em startRef="…">` is a mark of XLIFF 2, not emphasis."""
    attributes = element.attributes
    return attributes.get("mtype") == "protected" or attributes.get("translate") == "no" or "startRef" in attributes


def _tag(data: bytes, element: Element, kind: Literal["start", "alone"]) -> Tag:
    """A tag in its usual spelling, so that it is a placeable whatever the spaces and quotes in the file."""
    written = [(name, re.sub(r"\s", " ", value)) for name, value in tag_attributes(data, element)]
    spelled = "".join(f' {name}="{value.replace(chr(34), "&quot;").replace(">", "&gt;")}"' for name, value in written)
    shown = f"<{tag_name(data, element)}{spelled}{'/' if kind == 'alone' else ''}>"
    raw = data[element.start : element.end if kind == "alone" else element.inside]
    reference = next((element.attributes[name] for name in REFERENCES if name in element.attributes), "")
    opening = OPENERS.get(element.name, element.name)
    return Tag(shown, raw, kind, element.name, f"{opening} {reference}" if opening in PAIRS else None)


def write_inline(source: Inline, target: str, newline: str) -> bytes:
    """A target without broken tags, as the contents of an element."""
    if source.plain is not None:
        return escape(target).replace("\n", newline).encode()
    parts = split_target(source, target)
    return b"".join(
        escape(part).replace("\n", newline).encode() if isinstance(part, str) else part.raw for part in parts
    )


def find_broken_tag(source: Inline, target: str, names: frozenset[str]) -> str | None:
    """What is wrong with the tags in a target; `names` are the elements that can be tags in its format."""
    if source.plain is not None:
        return _find_stranger(source, [target], names) if "<" in target else None
    parts = list(split_target(source, target))
    tags = [part for part in parts if isinstance(part, Tag)]
    return _find_difference(source, tags) or _find_stranger(source, parts, names) or _find_bad_nesting(tags)


def split_target(source: Inline, target: str) -> Iterator[str | Tag]:
    """Text and tags of a target; if tags look the same, they come in the order of the source."""
    if source.plain is not None:
        if target:
            yield target
        return
    supply: dict[str, list[Tag]] = {}
    for tag in source.tags:
        supply.setdefault(tag.shown, []).append(tag)
    done = 0
    for start, shown in _occurrences(target, list(supply)):
        if start > done:
            yield target[done:start]
        same = supply[shown]
        yield same.pop(0) if len(same) > 1 else same[0]
        done = start + len(shown)
    if done < len(target):
        yield target[done:]


def _occurrences(text: str, wanted: list[str]) -> Iterator[tuple[int, str]]:
    """Where some strings occur, from left to right; of those that begin at one place, the first in the list."""
    found = []
    for order, each in enumerate(wanted):
        at = text.find(each)
        while each and at >= 0:
            found.append((at, order))
            at = text.find(each, at + 1)
    done = 0
    for at, order in sorted(found):
        if at >= done:
            yield at, wanted[order]
            done = at + len(wanted[order])


def _find_difference(source: Inline, tags: list[Tag]) -> str | None:
    wanted, found = Counter(tag.shown for tag in source.tags), Counter(tag.shown for tag in tags)
    for what, which in (("lacks", wanted - found), ("has too many of", found - wanted)):
        if which:
            return f"{what} {', '.join(sorted(which.elements()))}"
    return None


def _find_stranger(source: Inline, parts: list[str | Tag], names: frozenset[str]) -> str | None:
    """A tag of the format that is not in the source: a mistake, unless the source has it as text."""
    if not names or not any(isinstance(part, str) and "<" in part for part in parts):
        return None
    looks = _tags_named(names)
    for part in parts:
        for found in looks.finditer(part) if isinstance(part, str) else ():
            if not any(found[0] in run for run in source.runs):
                return f"has {found[0]}, which the source lacks"
    return None


@lru_cache
def _tags_named(names: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"</?(?:[\w.-]+:)?(?:{'|'.join(sorted(names))})(?:\s[^<>]*)?/?>")


def _find_bad_nesting(tags: list[Tag]) -> str | None:
    marking: list[str] = []
    for tag in tags:
        if tag.kind == "start":
            marking.append(tag.name)
        elif tag.kind == "end" and (not marking or marking.pop() != tag.name):
            return f"has {tag.shown} in the wrong place"
    begun: set[str | None] = set()
    opened = {tag.partner for tag in tags if tag.name in PAIRS}
    for tag in tags:
        if tag.name in OPENERS and tag.partner in opened - begun:
            return f"has {tag.shown} before what it closes"
        begun.add(tag.partner)
    return None


def find_emptied_pair(source: Inline, target: str) -> str | None:
    """The first tag of a pair that contains words in the source but none in a target without broken tags."""
    emptied = _around_nothing(split_target(source, target)) - _around_nothing(source.parts)
    return min(emptied, default=None)


def _around_nothing(parts: Iterable[str | Tag]) -> set[str]:
    """The first tags of the pairs without text between them."""
    found: set[str] = set()
    written = 0  # characters that can be seen
    begun: dict[str | None, list[tuple[str, int]]] = {}  # by what a pair has in common: first tags, and `written` there
    for part in parts:
        if isinstance(part, str):
            written += len(part.strip())
        elif part.kind == "start" or part.name in PAIRS:
            begun.setdefault(part.partner, []).append((part.shown, written))
        elif (part.kind == "end" or part.name in OPENERS) and begun.get(part.partner):
            shown, before = begun[part.partner].pop()
            if before == written:
                found.add(shown)
    return found
