r"""The tokens' definition of a tag as a JavaScript pattern, so that the workbench has no second one.

Python's possessive repetitions, which keep the pattern fast whatever the text, are written as what they mean: a
lookahead that captures, and a reference to what it has captured. Classes of characters are spelled out, because
JavaScript's ``\w``, ``\d`` and ``\s`` stand for other characters than Python's.

>>> to_javascript(r"%[A-Za-z_]\w++%")
'%[A-Za-z_](?=(?<p1>[\\p{L}\\p{N}_]+))\\k<p1>%'
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from dragoman.text.placeholders import SYNTAXES

RUN = r"(?P<sign>[<%{$#`:/~.\\&])(?P=sign)+"  # one token, whatever follows
_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CLASSES: Final = {r"\w": r"\p{L}\p{N}_", r"\d": r"\p{Nd}", r"\s": _SPACE}
_NEGATED: Final = {r"\W": r"\w", r"\D": r"\d", r"\S": r"\s"}
_PIECE = re.compile(
    r"(?P<escape>\\(?:U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.))"
    r"|(?P<class>\[\^?(?:\\.|[^\]\\])++(?:\]|\Z))"
    r"|(?P<same>\(\?P=(?P<of>\w+)\))"
    r"|(?P<open>\((?:\?(?:[:=!]|<[=!]|P<\w+>))?)"
    r"|(?P<close>\))"
    r"|(?P<repeat>(?:[*+?]|\{\d*+(?:,\d*+)?\}))(?P<possessive>\+)?"
    r"|(?P<other>.)",
    re.DOTALL,
)
_SYNTAX = frozenset(r"^$\.*+?()[]{}|/")


@cache
def tag_pattern(tokens: str) -> str | None:
    """A pattern whose group `tag` matches the tags in a text; None for tokens that have no tags.

    It also matches what can look like a tag but is none, so that the search goes on behind it: a ``%s`` in a URL or in
    a piece of code, and the second of two signs in a row, ``%%s``.
    """
    if tokens == "words":
        return None
    return to_javascript(_pattern())


def _pattern() -> str:
    plain = [syntax for syntax in SYNTAXES if syntax.is_plain]
    slots, others = ("|".join(each.pattern for each in plain if each.is_slot == is_slot) for is_slot in (True, False))
    return f"{others}|(?P<tag>{slots})|{RUN}"


def to_javascript(pattern: str) -> str:
    """A pattern of Python's `re`, without flags, as one that means the same in JavaScript with the flag ``u``."""
    done: list[str] = []  # the pieces so far; an atom, such as a group, is one piece once it is complete
    opened: list[int] = []  # where in these the groups begin that are not closed
    possessive = 0
    for found in _PIECE.finditer(pattern):
        kind, text = found.lastgroup, found[0]
        if found["same"]:
            done.append(f"\\k<{found['of']}>")
        elif found["open"]:
            opened.append(len(done))
            done.append(text.replace("?P<", "?<"))
        elif found["close"]:
            begin = opened.pop()
            done[begin:] = ["".join(done[begin:]) + text]
        elif found["repeat"] and kind == "possessive":
            possessive += 1
            name = f"p{possessive}"
            done[-1] = f"(?=(?<{name}>{done[-1]}{found['repeat']}))\\k<{name}>"
        elif found["repeat"]:
            done[-1] += text
        elif found["class"]:
            done.append(f"[{_inside(text[1:-1])}]")
        else:
            done.append(_escaped(text) if found["escape"] else text)
    return "".join(done)


def _inside(text: str) -> str:
    """The inside of a class of characters."""
    pieces = re.finditer(r"\\(?:U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)|.", text, re.DOTALL)
    return "".join(_CLASSES.get(each[0]) or _character(each[0]) for each in pieces)


def _escaped(text: str) -> str:
    if text in _CLASSES:
        return f"[{_CLASSES[text]}]"
    if text in _NEGATED:
        return f"[^{_CLASSES[_NEGATED[text]]}]"
    return _character(text)


def _character(text: str) -> str:
    """A character, escaped or not; JavaScript only allows characters with a meaning of their own to be escaped."""
    if text.startswith(r"\U"):
        return f"\\u{{{text[2:].lstrip('0')}}}"
    if len(text) == 2 and text[1] not in _SYNTAX and not text[1].isalnum() and text[1] != "-":
        return text[1]
    return text
