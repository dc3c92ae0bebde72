"""Texts and pairs of texts as callers give them: anything else is refused, and the one that is wrong is named.

>>> list(checked_pairs([("green", "verde"), ("red", None)]))
Traceback (most recent call last):
...
dragoman.errors.BadInputError: pair 2 is ('red', None), not two texts; give pairs such as zip(sources, targets)
>>> list(checked_texts(["green", 3]))
Traceback (most recent call last):
...
dragoman.errors.BadInputError: text 2 is 3, not a string; leave it out, or give "" in its place
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dragoman.errors import BadInputError
from dragoman.text.tokens import refuse_surrogates

PAIRS = "give pairs such as zip(sources, targets)"
MOST_SHOWN = 80  # characters of what was given


def check_one_text(given: object) -> None:
    """Refuse anything but a string, and say what to call instead."""
    if isinstance(given, str):
        return
    if isinstance(given, bytes):
        raise BadInputError("expected one text, not bytes", remedy="decode them first, such as data.decode()")
    many = isinstance(given, Iterable)
    remedy = "call translate_all(texts) for many" if many else "give a string"
    raise BadInputError(f"expected one text, not {_kind(given) if many else _shown(given)}", remedy=remedy)


def checked_texts(texts: Iterable[str]) -> Iterator[str]:
    """The same texts; an error at the first that is not one, and for what only looks like texts."""
    given: Any = texts
    if isinstance(given, str | bytes):
        raise BadInputError("expected many texts, not one", remedy="call translate(text) for one")
    if not isinstance(given, Iterable):
        raise BadInputError(f"expected many texts, not {_shown(given)}", remedy="give a list of strings")
    if hasattr(given, "columns"):
        first, *_ = [*map(str, given.columns), "source"]
        raise BadInputError(f"{_kind(given)} is not a list of texts", remedy=f"give a column: table[{first!r}]")
    return _each(given)


def _each(texts: Iterable[Any]) -> Iterator[str]:
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            what = f"text {number} is {_shown(text)}, not a string"
            raise BadInputError(what, remedy='leave it out, or give "" in its place')
        try:
            refuse_surrogates(text)
        except BadInputError as error:
            raise BadInputError(error.what, where=f"text {number}", remedy=error.remedy) from None
        yield text


def checked_pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The same pairs; an error at the first that is not two texts, and for what only looks like pairs."""
    given: Any = pairs
    if isinstance(given, Mapping):
        raise BadInputError(f"expected pairs of texts, not {_kind(given)}", remedy=f"{PAIRS}, or pairs.items()")
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        found = _kind(given) if isinstance(given, str | bytes) else _shown(given)
        raise BadInputError(f"expected pairs of texts, not {found}", remedy=PAIRS)
    if hasattr(given, "columns"):  # iterating over a table gives the names of its columns
        first, second, *_ = [*map(str, given.columns), "source", "target"]
        remedy = f"give zip(table[{first!r}], table[{second!r}])"
        raise BadInputError(f"{_kind(given)} is not a list of pairs", remedy=remedy)
    if isinstance(given, list | tuple) and len(given) == 2 and all(isinstance(each, list) for each in given):
        what = "two lists could be two pairs, or all sources and all targets"
        raise BadInputError(what, remedy="give pairs as tuples: zip(sources, targets)")
    for number, pair in enumerate(given, start=1):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise BadInputError(f"pair {number} is {_shown(pair)}, not two texts", remedy=PAIRS)
        yield pair[0], pair[1]


def _kind(given: object) -> str:
    """The name of the type of what was given, with its article."""
    name = type(given).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"
