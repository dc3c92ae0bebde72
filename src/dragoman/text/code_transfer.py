"""The codes of a translation memory's entry, replaced by those of the text that it is used for.

The same sentence has other codes in another file: `<bpt i="1" type="bold"/>` in a TMX memory, `<g1>` in a document,
`<b>` on a page. Codes belong together if they are the same, or else mean the same (bold), or else have the same number,
or else come in the same order; pairs with pairs, and single ones with single ones.

>>> carry_codes("Press <g1>here</g1>.", 'Press <bpt i="1"/>here<ept i="1"/>.', 'Pulse <bpt i="1"/>aquí<ept i="1"/>.')
Carried(target='Pulse <g1>aquí</g1>.', lost=(), extra=())
>>> carry_codes("Press <g1>here</g1><x2/>.", "Press <b>here</b>.", "Pulse <b>aquí</b>.").lost
('<x2/>',)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from dragoman.records import Match
from dragoman.text.markup import OPENERS, PAIRS
from dragoman.text.placeholders import TAG

MOST_CODES = 200  # of a text; one with more is left as it is
PENALTY, MOST_PENALTY = 1.0, 5.0  # percent: for each code that is lost or extra, and for all of them
DIFFERENT = 99.0  # percent: at most so similar are texts whose codes differ
_CODE = re.compile(TAG)
_NAME = re.compile(r"</?([A-Za-z][\w:.-]*)")
_NUMBER = re.compile(r"""\s(?:i|rid|startRef|id|x)\s*=\s*["']?[A-Za-z_-]*(\d+)|^</?[A-Za-z]+(\d+)[\s/>]""")
_TYPE = re.compile(r"""\s(?:type|ctype|fs|subType)\s*=\s*["']?(?:x-)?([A-Za-z]+)""")
_MEANINGS = {
    **dict.fromkeys(("b", "strong", "bold"), "bold"),
    **dict.fromkeys(("i", "em", "italic"), "italic"),
    **dict.fromkeys(("u", "ulined", "underlined", "underline"), "underline"),
    **dict.fromkeys(("a", "link", "hyperlink", "url"), "link"),
    **dict.fromkeys(("br", "lb", "linebreak"), "break"),
    **dict.fromkeys(("img", "image"), "image"),
}


class Carried(NamedTuple):
    """A target with the codes of another text."""

    target: str
    lost: tuple[str, ...]  # codes of the text that the target lacks
    extra: tuple[str, ...]  # codes of the entry that were left out, because the text has none like them


class _Unit(NamedTuple):
    """A code that stands alone, or two that enclose something: where they are, and what they say."""

    places: tuple[int, ...]  # in the list of codes
    codes: tuple[str, ...]
    meaning: str | None
    number: str | None


def bare(text: str) -> str:
    """A text without its codes; where one stood between two spaces, one of them is left.

    >>> bare("Press <b>the button</b> <x1/> now.")
    'Press the button now.'
    """
    return re.sub(r" {2,}", " ", _CODE.sub("", text)).strip() if "<" in text else text


def carry_match(match: Match, text: str) -> Match:
    """A match with the codes of a text, and with what differs in them told."""
    if match.source == text or ("<" not in text and "<" not in match.source):
        return match
    target, lost, extra = carry_codes(text, match.source, match.target)
    return match._replace(target=target, lost=lost, extra=extra)


def carry_codes(text: str, source: str, target: str) -> Carried:
    """The target of an entry with the codes of a text in place of its own."""
    ours, theirs, written = (_CODE.findall(each) for each in (text, source, target))
    if ours == theirs or max(map(len, (ours, theirs, written))) > MOST_CODES:
        return Carried(target, (), ())
    wanted, known, placed = _units(ours), _units(theirs), _units(written)
    to_entry = _assign(placed, known)
    to_text = _assign(known, wanted)
    new: dict[int, str] = {}
    done: set[int] = set()
    for number, unit in enumerate(placed):
        match = to_text.get(to_entry.get(number, -1), -1)
        if match >= 0:
            done.add(match)
        codes = wanted[match].codes if match >= 0 else ("",) * len(unit.codes)
        new.update(zip(unit.places, codes, strict=True))
    replaced = _replace(target, new)
    missing = [unit for number, unit in enumerate(wanted) if number not in done]
    replaced, missing = _put_around(text, replaced, missing)
    extra = tuple(code for number, code in enumerate(written) if not new.get(number))
    return Carried(replaced, tuple(code for unit in missing for code in unit.codes), extra)


def _units(codes: Sequence[str]) -> list[_Unit]:
    """The codes of a text, in the order in which they begin."""
    begun: list[tuple[int, str]] = []
    ends: dict[int, int] = {}
    for place, code in enumerate(codes):
        name = _NAME.match(code)
        if name is None:
            continue
        kind = name[1].lower()
        if kind in OPENERS or code.startswith("</"):
            wanted = f"{OPENERS[kind]} {_number(code)}" if kind in OPENERS else kind
            at = next((n for n in reversed(range(len(begun))) if begun[n][1] == wanted), -1)
            if at >= 0:
                ends[begun.pop(at)[0]] = place
        elif kind in PAIRS:
            begun.append((place, f"{kind} {_number(code)}"))
        elif not code.endswith("/>"):
            begun.append((place, kind))
    inside = {*ends.values()}
    found = []
    for place, code in enumerate(codes):
        if place not in inside:
            places = (place, ends[place]) if place in ends else (place,)
            found.append(_Unit(places, tuple(codes[each] for each in places), _meaning(code), _number(code)))
    return found


def _number(code: str) -> str | None:
    found = _NUMBER.search(code)
    return (found[1] or found[2]) if found else None


def _meaning(code: str) -> str | None:
    said, name = _TYPE.search(code), _NAME.match(code)
    return _MEANINGS.get(said[1].lower() if said else name[1].lower() if name else "")


# What units that belong together have in common; the surest comes first, their order last.
_WAYS: list[Callable[[_Unit], Hashable]] = [
    lambda unit: unit.codes,
    lambda unit: unit.meaning,
    lambda unit: unit.number,
    lambda _: True,
]


def _assign(units: list[_Unit], others: list[_Unit]) -> dict[int, int]:
    """Which of the others each unit belongs to."""
    found: dict[int, int] = {}
    for way in _WAYS:
        waiting = [number for number in range(len(others)) if number not in {*found.values()}]
        for number, unit in enumerate(units):
            said = way(unit)
            if number in found or said is None:
                continue
            fitting = (each for each in waiting if way(others[each]) == said and _fit(unit, others[each]))
            match = next(fitting, None)
            if match is not None:
                found[number] = match
                waiting.remove(match)
    return found


def _fit(one: _Unit, other: _Unit) -> bool:
    """Whether two units can belong together: both pairs or both alone, and not of different meanings."""
    return len(one.places) == len(other.places) and (
        one.meaning == other.meaning or one.meaning is None or other.meaning is None
    )


def _replace(target: str, new: dict[int, str]) -> str:
    """The target with its codes replaced; where one goes away between two spaces, so does one of these."""
    parts, done = [""], 0
    for place, found in enumerate(_CODE.finditer(target)):
        parts[-1] += target[done : found.start()]
        code, done = new.get(place, ""), found.end()
        if not code and parts[-1].endswith(" ") and target[done : done + 1] in (" ", ""):
            parts[-1] = parts[-1][:-1]
        parts[-1] += code
    return parts[-1] + target[done:]


def _put_around(text: str, target: str, missing: list[_Unit]) -> tuple[str, list[_Unit]]:
    """Put pairs around the target that are around all of the text; the other units remain missing."""
    spans = [found.span() for found in _CODE.finditer(text)]
    rest, first, last = [], 0, len(spans) - 1
    around: list[_Unit] = []
    at, end = 0, len(text)
    while first < last and spans[first][0] == at and spans[last][1] == end:
        unit = next((each for each in missing if each.places == (first, last)), None)
        if unit is None:
            break
        around.append(unit)
        at, end, first, last = spans[first][1], spans[last][0], first + 1, last - 1
    for unit in reversed(around):
        target = f"{unit.codes[0]}{target}{unit.codes[1]}"
    rest = [unit for unit in missing if unit not in around]
    return target, rest
