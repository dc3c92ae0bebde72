r"""Codes in the strings of programs: places that a program fills in, markup, references. They become inline tags.

>>> [tag.shown for tag in read_codes("Hello, <b>%1$s</b>: {count} of {{total}} (100 % done)").tags]
['<b>', '%1$s', '</b>', '{count}', '{{total}}']
"""

from __future__ import annotations

import re
from collections import Counter

from dragoman.formats.inline import Inline, Tag
from dragoman.text.markup import Kind
from dragoman.text.placeholders import code_pattern

CODE = "program"  # the syntaxes that all strings of programs may have, besides those of any text
_NAME = re.compile(r"[\w:.-]+")


def words(text: str) -> frozenset[str]:
    """The words of a text as a set, for constants that are lists of names."""
    return frozenset(text.split())


def read_codes(text: str, named: tuple[str, ...] = ()) -> Inline:
    """A text with its codes as tags, also of the syntaxes that its format has; markup becomes pairs."""
    inline, at = Inline(), 0
    for found in code_pattern((CODE, *named)).finditer(text):
        if found.start() > at:
            inline.add(text[at : found.start()])
        inline.parts.append(_code(found[0]))
        at = found.end()
    if at < len(text) or not text:
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
