"""Regular expressions whose groups are repeated possessively, right in every version of Python.

Before Python 3.11.5, an assertion that fails in such a group leaves characters in the match that it only looked at
(python/cpython#106052): `(?:a++|b(?=c))++` takes all of "aab". There `regex` compiles them, which is slower.

>>> compile_pattern("(?:a++|b(?=c))++").match("aab").end()
2
"""

from __future__ import annotations

import re
from importlib import import_module


def is_right() -> bool:
    """Whether `re` of this Python gets such patterns right."""
    found = re.match("(?:a++|b(?=c))++", "aab")
    return found is not None and found.end() == len("aa")


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern compiled by `re`, or by `regex` if `re` would get it wrong."""
    if is_right():
        return re.compile(pattern)
    compiled: re.Pattern[str] = import_module("regex").compile(pattern)  # takes a while to load
    return compiled
