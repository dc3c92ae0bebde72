"""Pairs of texts as callers give them: anything else is refused, and the row is named.

>>> list(checked_pairs([("green", "verde"), ("red", None)]))
Traceback (most recent call last):
...
dragoman.errors.BadInputError: pair 2 is ('red', None), not two texts; give pairs such as zip(sources, targets)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dragoman.errors import BadInputError

REMEDY = "give pairs such as zip(sources, targets)"


def checked_pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The same pairs; an error at the first that is not two texts, and for what only looks like pairs."""
    given: Any = pairs
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        raise BadInputError(f"expected pairs of texts, not a {type(given).__name__}", remedy=REMEDY)
    if hasattr(given, "columns"):  # iterating over a table gives the names of its columns
        first, second, *_ = [*map(str, given.columns), "source", "target"]
        remedy = f"give zip(table[{first!r}], table[{second!r}])"
        raise BadInputError(f"a {type(given).__name__} is not a list of pairs", remedy=remedy)
    if isinstance(given, list | tuple) and len(given) == 2 and all(isinstance(each, list) for each in given):
        what = "two lists could be two pairs, or all sources and all targets"
        raise BadInputError(what, remedy="give pairs as tuples: zip(sources, targets)")
    for number, pair in enumerate(given, start=1):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            shown = repr(pair)
            shown = shown if len(shown) <= 80 else f"{shown[:79]}…"
            raise BadInputError(f"pair {number} is {shown}, not two texts", remedy=REMEDY)
        yield pair[0], pair[1]
