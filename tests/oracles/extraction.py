"""Phrase extraction by looking at every pair of spans ([O] Eq. 14)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

Span = tuple[int, int]


def extract(links: Iterable[tuple[int, int]], J: int, I: int, longest: int) -> dict[tuple[Span, Span], tuple[str, str]]:
    """Every consistent pair of spans, each (start, one past the end), with its orientation to previous and next."""
    links = set(links)
    found = {}
    for source, target in product(spans(J, longest), spans(I, longest)):
        inside = {(source[0] <= j < source[1], target[0] <= i < target[1]) for j, i in links}
        if (True, True) in inside and (True, False) not in inside and (False, True) not in inside:
            found[source, target] = orientations(links | {(-1, -1), (J, I)}, source, target)
    return found


def spans(length: int, longest: int) -> list[Span]:
    """All spans of up to `longest` words."""
    return [(start, end) for start in range(length) for end in range(start + 1, min(length, start + longest) + 1)]


def orientations(links: set[tuple[int, int]], source: Span, target: Span) -> tuple[str, str]:
    """By the links at the corners of the pair of spans; the borders of the sentence count as linked."""
    before, after = source[0] - 1, source[1]
    previous, following = target[0] - 1, target[1]
    return (
        orientation((before, previous) in links, (after, previous) in links),
        orientation((after, following) in links, (before, following) in links),
    )


def orientation(straight: bool, crossed: bool) -> str:
    """Word-based, as in Moses."""
    if straight == crossed:
        return "discontinuous"
    return "monotone" if straight else "swap"
