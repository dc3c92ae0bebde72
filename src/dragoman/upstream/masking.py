r"""Masking: what must survive an engine is replaced by marks before it is asked, and put back into what it says.

Tags, placeholders, code, addresses and terms of the glossary are masked; numbers only once an engine has lost one.
Neighbours without a gap between them share a mark. A mark is written in one of three ways:

- `words`: X1X, which engines take for a name and copy;
- `numbers`: 7341, for those that mangle the former;
- `tags`: `<x id="1"/>` in XML, for engines that have been taught to keep such tags.

>>> masked = mask("Press <b>OK</b> to open `{name}`.", "words")
>>> masked.text
'Press X1X OK X2X to open X3X.'
>>> restore(masked, "Pulse X1X Aceptar X2X para abrir x 3 x.")
'Pulse <b>Aceptar</b> para abrir `{name}`.'
>>> restore(masked, "Pulse X1X Aceptar para abrir X3X.") is None
True
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape

from dragoman.records import Sentence
from dragoman.text.markup import find_dividers
from dragoman.text.tokens import split
from dragoman.upstream.contract import Marking, TermPlace

LETTERS = "XZQWKVJ"  # of marks that are words: the first that makes no mark the text has itself
FIRST_NUMBER, STEP = 7341, 113  # of marks that are numbers: unlikely ones, all of four digits
MOST_MARKS = 20  # more than that no engine keeps apart
NUMBER = re.compile(r"\d[\d.,:/٫٬'’-]*")
TAG_MARK = re.compile(
    r"""<\s*+x\s++id\s*+=\s*+(?:["'“”«»]\s*+)?(\d++)\s*+(?:["'“”«»]\s*+)?(?:/\s*+)?>(?:\s*+<\s*+/\s*+x\s*+>)?""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark, what it stands for, and the sides on which a space was put so that it is a word of its own."""

    written: str
    value: str
    space_before: bool = False
    space_after: bool = False


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with marks in it."""

    text: str
    marks: tuple[Mark, ...]
    marking: Marking


@dataclass(frozen=True, slots=True)
class _MaskedPart:
    """A piece of a text that is to be masked."""

    start: int
    end: int
    value: str


def mask(
    text: str, marking: Marking, terms: Sequence[TermPlace] = (), *, numbers: bool = False, pairs: bool = True
) -> Masked | None:
    """The text with marks; None if there is nothing to mask, or too much of it. Without `pairs`, these stay as tags."""
    sentence = split(text)
    parts = _parts(sentence, terms, numbers, frozenset() if pairs else find_dividers(sentence.words))
    if not parts or len(parts) > MOST_MARKS:
        return None
    if marking == "tags":
        return _with_tags(text, parts)
    written = _numbers(text, len(parts)) if marking == "numbers" else _words(text, len(parts))
    return _with_words(text, parts, written, marking)


def _parts(
    sentence: Sentence, terms: Sequence[TermPlace], numbers: bool, left: Collection[int] = ()
) -> list[_MaskedPart]:
    """What is to be masked, from left to right, nothing twice; a term wins over what is inside it."""
    found = [_MaskedPart(*term) for term in sorted(terms)]
    taken = [(part.start, part.end) for part in found]
    tokens = zip(sentence.spans, sentence.words, sentence.placeable, strict=True)
    for number, ((start, end), word, fixed) in enumerate(tokens):
        wanted = number not in left and (fixed or (numbers and NUMBER.fullmatch(word) is not None))
        if wanted and not any(start < other_end and other_start < end for other_start, other_end in taken):
            found.append(_MaskedPart(start, end, word))
    return list(_merged(sorted(found, key=lambda part: part.start), terms))


def _merged(parts: list[_MaskedPart], terms: Sequence[TermPlace]) -> Iterator[_MaskedPart]:
    """Neighbours as one, unless one of them is a term, which may have to move by itself."""
    settled = {term.start for term in terms}
    last: _MaskedPart | None = None
    for part in parts:
        if last and last.end == part.start and not {last.start, part.start} & settled:
            last = _MaskedPart(last.start, part.end, last.value + part.value)
            continue
        if last:
            yield last
        last = part
    if last:
        yield last


def _words(text: str, count: int) -> list[str]:
    for letter in LETTERS:
        if not re.search(rf"{letter}\s?\d", text, re.IGNORECASE):
            return [f"{letter}{number}{letter}" for number in range(1, count + 1)]
    return []


def _numbers(text: str, count: int) -> list[str]:
    digits = "".join(filter(str.isdigit, text))
    candidates = (str(number) for number in range(FIRST_NUMBER, 9999, STEP) if str(number) not in digits)
    return [number for number, _ in zip(candidates, range(count), strict=False)]


def _with_words(text: str, parts: list[_MaskedPart], written: list[str], marking: Marking) -> Masked | None:
    if len(written) < len(parts):
        return None
    pieces: list[str] = []
    marks: list[Mark] = []
    at = 0
    for number, (part, mark) in enumerate(zip(parts, written, strict=True)):
        touches = bool(marks) and part.start == at  # two marks must not run into each other
        before = touches or _is_word(text[part.start - 1 : part.start])
        after = _is_word(text[part.end : part.end + 1])
        follows = number + 1 < len(parts) and parts[number + 1].start == part.end
        marks.append(Mark(mark, part.value, before, after or follows))
        pieces += [text[at : part.start], " " if before else "", mark, " " if after else ""]
        at = part.end
    return Masked("".join([*pieces, text[at:]]), tuple(marks), marking)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _with_tags(text: str, parts: list[_MaskedPart]) -> Masked:
    pieces: list[str] = []
    marks: list[Mark] = []
    at = 0
    for number, part in enumerate(parts, start=1):
        marks.append(Mark(str(number), part.value))
        pieces += [escape(text[at : part.start], quote=False), f'<x id="{number}"/>']
        at = part.end
    return Masked("".join([*pieces, escape(text[at:], quote=False)]), tuple(marks), "tags")


def restore(masked: Masked, answer: str) -> str | None:
    """The answer with what the marks stand for; None unless each mark is there exactly once."""
    if masked.marking == "tags":
        return _restore_tags(masked, answer)
    places: list[tuple[int, int, Mark]] = []
    for mark in masked.marks:
        found = list(_pattern(_loosely(mark.written, masked.marking)).finditer(answer))
        if len(found) != 1:
            return None
        places.append((*found[0].span(), mark))
    letter = masked.marks[0].written[0]
    if masked.marking == "words" and len(_pattern(rf"{letter}\s?\d+(?:\s?{letter})?").findall(answer)) != len(places):
        return None  # there is one that we have not given, or a piece of one
    return _put_back(answer, sorted(places, key=lambda place: place[:2]))


def _put_back(answer: str, places: list[tuple[int, int, Mark]]) -> str | None:
    pieces, at = [], 0
    for start, end, mark in places:
        if start < at:
            return None
        before = answer[at:start]
        pieces += [before.rstrip(" ") if mark.space_before else before, mark.value]
        at = end
        while mark.space_after and answer[at : at + 1] == " ":
            at += 1
    return "".join([*pieces, answer[at:]])


def _restore_tags(masked: Masked, answer: str) -> str | None:
    pieces = TAG_MARK.split(answer)
    if sorted(pieces[1::2]) != sorted(mark.written for mark in masked.marks):
        return None
    values = {mark.written: mark.value for mark in masked.marks}
    return "".join(values[piece] if at % 2 else unescape(piece) for at, piece in enumerate(pieces))


def _loosely(written: str, marking: Marking) -> str:
    """A pattern for a mark as engines write it: spaced out, in small letters, with a separator of thousands."""
    if marking == "numbers":
        return rf"{written[0]}[.,'’\s]?{written[1:]}"
    return rf"{written[0]}\s?{written[1:-1]}\s?{written[-1]}"


def _pattern(inside: str) -> re.Pattern[str]:
    # No letter before or after; and no digit either, with or without a separator: 12.7341 is another number.
    return re.compile(rf"(?<![\w])(?<!\d[.,]){inside}(?![\w])(?![.,]\d)", re.IGNORECASE)
