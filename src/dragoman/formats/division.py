"""How the text of a piece is divided into segments, and what between them stays as it is.

Joining the chunks gives the piece again, so a division can be undone whatever it was. Tags and white space at the ends
of a segment, tags around all of it, and text that nobody translates (numbers, addresses, names in code) remain outside
of segments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dragoman.formats.inline import Inline, Tag
from dragoman.text.sentences import STAND_IN, find_boundaries

Parts = list[str | Tag]
MOST_TAGS = 500  # of a segment; one with more is no text that a person could translate
DATA = 5000  # characters without a space are data, such as a picture in base64
_SPACE = re.compile(r"\s")
# Tags that are not words of a sentence: at the ends of one they are left out of the segment.
TRIMMED = frozenset({"x", "br", "cue", "hr", "img", "input", "select", "textarea", "wbr"})
_FIXED = re.compile(
    r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|(?:\.{0,2}|~)/[\w.+@%/-]*|[A-Za-z]:\\\S*"  # paths
    r"|#[0-9A-Fa-f]{3,8}|[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z0-9]+(?:_[A-Z0-9]+)+|[a-z][\w-]*(?:\.[a-z][\w-]*){2,}"
)


class Chunk(NamedTuple):
    """Some parts of a piece: a segment, or what stands between two."""

    parts: Parts
    is_segment: bool
    name: str = ""  # of a form, such as "other" of a plural; otherwise segments are numbered

    @property
    def inline(self) -> Inline:
        """The parts as a text with tags."""
        return Inline(self.parts)


Divide = Callable[[Parts], list[Chunk]]
FindBoundaries = Callable[[str, str | None], list[int]]  # where sentences begin in a text of a language


def is_translatable(parts: Sequence[str | Tag]) -> bool:
    """Whether there are words in a text that are not just an address, a path or a name in code.

    >>> [text for text in ("Save", "100 %", "https://x.org/a", "menu_file_open", "e-mail") if is_translatable([text])]
    ['Save', 'e-mail']
    """
    if len(parts) == 1 and isinstance(parts[0], str):
        return _has_words(parts[0].strip())
    if sum(isinstance(part, Tag) for part in parts) > MOST_TAGS:
        return False
    return _has_words("".join(part for part in parts if isinstance(part, str)).strip())


def _has_words(text: str) -> bool:
    if len(text) > DATA and text.isascii() and not _SPACE.search(text):
        return False
    if " " in text and text[0].isalpha():  # more than one word, and no address, path or name has a space in it
        return True
    return any(map(str.isalpha, text)) and _FIXED.fullmatch(text) is None


def whole(parts: Parts) -> list[Chunk]:
    """All of the text as one segment, but for what surrounds it."""
    if len(parts) == 1 and isinstance(parts[0], str) and parts[0] == parts[0].strip():
        return [Chunk(parts, is_translatable(parts))]
    before, middle, after = _trim(parts)
    found = [Chunk(before, False), Chunk(middle, is_translatable(middle)), Chunk(after, False)]
    return [chunk for chunk in found if chunk.parts]


def untrimmed(parts: Parts) -> list[Chunk]:
    """All of the text as one segment, with what surrounds it, as targets in the file have it, too."""
    return [Chunk(parts, is_translatable(parts))]


def into_sentences(language: str | None, find: FindBoundaries = find_boundaries) -> Divide:
    """A division into sentences, by our rules or others; a sentence never ends inside a pair of tags."""

    def divide(parts: Parts) -> list[Chunk]:
        if len(parts) == 1 and isinstance(parts[0], str):  # most are
            return _divide_text(parts[0], find, language)
        before, middle, after = _trim(parts)
        if sum(len(part) for part in middle if isinstance(part, str)) < 2:
            return whole(parts)
        flat = "".join(part if isinstance(part, str) else STAND_IN for part in middle)
        ends = find(flat, language)
        if ends and len(middle) > 1:
            enclosed = _enclosed(middle)
            ends = [end for end in ends if end not in enclosed]
        if not ends:
            return whole(parts)
        found = [Chunk(before, False)]
        for sentence in cut_parts(middle, ends):
            found += whole(sentence)
        found.append(Chunk(after, False))
        return [chunk for chunk in found if chunk.parts]

    return divide


def _divide_text(text: str, find: FindBoundaries, language: str | None) -> list[Chunk]:
    """The sentences of a text without tags: the same as for one with tags, in fewer steps."""
    bare = text.strip()
    ends = find(bare, language) if len(bare) > 1 else []
    if not ends:
        return whole([text])
    begin = len(text) - len(text.lstrip())
    found = [Chunk([text[:begin]], False)] if begin else []
    at = 0
    for end in (*ends, len(bare)):
        sentence = bare[at:end]
        shown = sentence.rstrip()
        if not shown or sentence[0].isspace():
            found += whole([sentence])
        else:
            found.append(Chunk([shown], _has_words(shown)))
            if len(shown) < len(sentence):
                found.append(Chunk([sentence[len(shown) :]], False))
        at = end
    if begin + at < len(text):
        found.append(Chunk([text[begin + at :]], False))
    return found


def cut_parts(parts: Parts, ends: list[int]) -> list[Parts]:
    """Parts divided at some positions, where a tag counts as one character."""
    found: list[Parts] = [[]]
    left = [*ends, -1][::-1]
    at = 0
    for part in parts:
        length = len(part) if isinstance(part, str) else 1
        begin = 0
        while at < left[-1] <= at + length:
            cut = left.pop() - at
            found[-1].append(part[begin:cut] if isinstance(part, str) else part)
            found.append([])
            begin = cut
        if begin < length:
            found[-1].append(part[begin:] if isinstance(part, str) else part)
        at += length
    return [each for each in found if each]


def length_of(parts: Parts) -> int:
    """How long some parts are, where a tag counts as one character."""
    return sum(len(part) if isinstance(part, str) else 1 for part in parts)


def _enclosed(parts: Parts) -> set[int]:
    """The positions inside pairs of tags."""
    inside: set[int] = set()
    at = depth = 0
    for part in parts:
        length = len(part) if isinstance(part, str) else 1
        if isinstance(part, Tag):
            depth += (part.kind == "start") - (part.kind == "end")
        if depth > 0:
            inside.update(range(at + 1, at + length + 1))
        at += length
    return inside


def _trim(parts: Parts) -> tuple[Parts, Parts, Parts]:
    """What is before the text, the text, and what is after it."""
    if len(parts) == 1 and isinstance(parts[0], str):  # most are: no need to look at ends again and again
        text = parts[0]
        bare = text.strip()
        begin = len(text) - len(text.lstrip())
        return _some(text[:begin]), _some(bare), _some(text[begin + len(bare) :])
    middle = [part for part in parts if part != ""]
    closing = _closings(middle)
    before: Parts = []
    after: Parts = []  # from the last to the first
    low, high = 0, len(middle)
    while low < high:
        first, last = middle[low], middle[high - 1]
        if isinstance(first, str) and first[:1].isspace():
            bare = first.lstrip()
            before.append(first[: len(first) - len(bare)])
            middle[low] = bare
            low += not bare
        elif isinstance(last, str) and last[-1:].isspace():
            bare = last.rstrip()
            after.append(last[len(bare) :])
            middle[high - 1] = bare
            high -= not bare
        elif isinstance(first, Tag) and first.kind == "alone" and first.name in TRIMMED:
            before.append(first)
            low += 1
        elif isinstance(last, Tag) and last.kind == "alone" and last.name in TRIMMED:
            after.append(last)
            high -= 1
        elif isinstance(first, Tag) and first.kind == "start" and closing.get(low) == high - 1:
            before.append(first)
            after.append(last)
            low, high = low + 1, high - 1
        else:
            break
    return before, middle[low:high], after[::-1]


def _some(text: str) -> Parts:
    return [text] if text else []


def _closings(parts: Parts) -> dict[int, int]:
    """Where the tag that closes each one is."""
    begun: list[int] = []
    found: dict[int, int] = {}
    for number, part in enumerate(parts):
        if isinstance(part, Tag) and part.kind == "start":
            begun.append(number)
        elif isinstance(part, Tag) and part.kind == "end" and begun:
            found[begun.pop()] = number
    return found
