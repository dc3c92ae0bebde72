r"""Codes in the strings of programs: places that a program fills in, markup, references. They become inline tags.

>>> [tag.shown for tag in read_codes("Hello, <b>%1$s</b>: {count} of {{total}} (100 % done)").tags]
['<b>', '%1$s', '</b>', '{count}', '{{total}}']
"""

from __future__ import annotations

import re
from collections import Counter

from dragoman.formats.inline import Inline, Kind, Tag

_TAG = r"</?[A-Za-z][\w:.-]{0,40}(?:\s[^<>]{0,2000})?/?>|</?\d{1,3}/?>"
_FORMAT = r"[#0+-]*\d{0,4}(?:\.\d{1,4}|\.\*)?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcCsSp@]"
_PERCENT = rf"%\d{{1,2}}\${_FORMAT}|%{_FORMAT}(?![A-Za-z])"  # a number before the dollar leaves no doubt, as in "%1$si"
CODE = re.compile(
    rf"(?=[<{{%$#@&])(?:{_TAG}"
    r"|[%$#@]?\{\{[^{}]{0,400}\}\}|[%$#@]?\{[^{}]{0,400}\}"  # {name}, {{name}}, %{name}, ${name}
    r"|\$t\([^()]{0,400}\)"  # i18next refers to another key
    r"|%\([\w.]{1,60}\)[#0 +-]*\d{0,4}(?:\.\d{1,4})?[diouxXeEfFgGaAcCrs]"  # Python
    r"|%(?:\d{1,2}\$)?#@\w{1,60}@"  # Apple's plural forms
    r"|(?<![\d%])%[-_^]?[A-Za-z](?![A-Za-z])"  # times: %Y, %-d
    rf"|{_PERCENT}|%[nL]?\d{{1,2}}(?!\d*[%\s])|%n\b|%%"  # Qt
    r"|&(?:[A-Za-z][A-Za-z0-9]{1,31}|\#\d{1,7}|\#x[0-9A-Fa-f]{1,6});)",
)
_NAME = re.compile(r"[\w:.-]+")
_MAY_BEGIN = re.compile(r"[<{%$#@&]")  # a code: a quick look, since most strings have none


def words(text: str) -> frozenset[str]:
    """The words of a text as a set, for constants that are lists of names."""
    return frozenset(text.split())


def read_codes(text: str) -> Inline:
    """A text with its codes as tags; markup that opens and closes becomes pairs."""
    if text and (_MAY_BEGIN.search(text) is None or CODE.search(text) is None):
        return Inline([text])
    inline, at = Inline(), 0
    for found in CODE.finditer(text):
        if found.start() > at:
            inline.add(text[at : found.start()])
        inline.parts.append(_code(found[0]))
        at = found.end()
    if at < len(text):
        inline.add(text[at:])
    pair_up(inline.parts)
    return inline


def _code(shown: str) -> Tag:
    if not shown.startswith("<"):
        return Tag(shown, shown.encode(), "alone", shown, None)
    name = _NAME.search(shown)
    kind: Kind = "alone" if shown.endswith("/>") else "end" if shown.startswith("</") else "start"
    return Tag(shown, shown.encode(), kind, name[0].lower() if name else shown, None)


def pair_up(parts: list[str | Tag]) -> None:
    """Leave only those tags as pairs that enclose something; a `<br>` that nothing closes stands alone."""
    if all(isinstance(part, str) for part in parts):
        return
    begun: list[tuple[int, str]] = []
    waiting: Counter[str] = Counter()  # how many of each name are open
    paired: set[int] = set()
    for number, part in enumerate(parts):
        if isinstance(part, Tag) and part.kind == "start":
            begun.append((number, part.name))
            waiting[part.name] += 1
        elif isinstance(part, Tag) and part.kind == "end" and waiting[part.name]:
            opened, name = -1, ""
            while name != part.name:
                opened, name = begun.pop()
                waiting[name] -= 1
            paired |= {opened, number}
    for number, part in enumerate(parts):
        if isinstance(part, Tag) and part.kind != "alone" and number not in paired:
            parts[number] = part._replace(kind="alone")
