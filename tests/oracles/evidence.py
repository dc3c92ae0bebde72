"""Evidence of changes, counted by going through all corrections again for every question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LONGEST, LINKED = 6, 2


class Corrected(NamedTuple):
    """A source, an answer with its links to it, and what a person made of the answer."""

    source: Sequence[int]
    answer: Sequence[int]
    links: frozenset[tuple[int, int]]
    changes: Sequence[tuple[int, int, tuple[int, ...]]]  # first word replaced, one past the last, words instead


def linked_words(given: Corrected, begin: int, stop: int) -> tuple[int, ...]:
    """The source words that are linked to a piece, in order."""
    return tuple(word for j, word in enumerate(given.source) if any((j, i) in given.links for i in range(begin, stop)))


def context(given: Corrected, name: str, begin: int, stop: int) -> tuple[object, ...] | None:
    """What a piece is counted by; None if it has no such context."""
    before = {"left": 1, "both": 1, "wide": 2}.get(name, 0)
    after = {"right": 1, "both": 1, "wide": 2}.get(name, 0)
    if begin == stop and name not in ("both", "wide"):
        return None
    framed = ["start", *given.answer, "end"]
    first, last = max(0, begin + 1 - before), min(len(framed), stop + 1 + after)
    if last - first > LONGEST:
        return None
    source: tuple[int, ...] = ()
    if name == "source":
        source = linked_words(given, begin, stop)
        if stop - begin > LINKED or not source:
            return None
    return (tuple(framed[first:last]), begin + 1 - first, source)


def is_kept(given: Corrected, first: int, last: int) -> bool:
    """Whether a stretch of the framed answer was left alone, with nothing put in between."""
    for begin, stop, _ in given.changes:
        if begin == stop and first < begin + 1 < last:
            return False
        if any(first <= i + 1 < last for i in range(begin, stop)):
            return False
    return True


def evidence(
    history: Sequence[Corrected], now: Corrected, name: str, change: tuple[int, int, tuple[int, ...]]
) -> list[int]:
    """How often the piece of a change was replaced so, otherwise, or kept, in one kind of context."""
    begin, stop, instead = change
    wanted = context(now, name, begin, stop)
    if wanted is None:
        return [0, 0, 0]
    stretch, offset, source = wanted
    size = len(stretch) if isinstance(stretch, tuple) else 0
    seen = kept = so = 0
    for old in history:
        framed = ["start", *old.answer, "end"]
        for first in range(len(framed) - size + 1):
            if tuple(framed[first : first + size]) != stretch:
                continue
            if source and linked_words(old, first - 1, first - 1 + size) != source:
                continue
            seen += 1
            kept += is_kept(old, first, first + size)
        for other in old.changes:
            same = context(old, name, other[0], other[1])
            so += same == (stretch, offset, source) and other[2] == instead
    return [so, seen - kept - so, kept]
