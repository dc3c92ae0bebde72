"""Elements of XML or HTML that are not to be translated, replaced by marks that come back unchanged.

>>> masked, elements = mask_elements('Press <x id="5"></x> or <code>go</code>.', {"code"})
>>> masked
'Press <x id="900001"/> or <x id="900002"/>.'
>>> restore_elements('Pulse <x id="900001"/> o <x id="900002"/>.', elements)
'Pulse <x id="5"></x> o <code>go</code>.'
"""

from __future__ import annotations

import re
from collections.abc import Collection

FIRST = 900_001  # of the ids of marks: not likely to be in a text
_START = re.compile(r"""<([A-Za-z][\w:.-]*)(?:\s(?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)?(?<!/)>""")
_NOT_TRANSLATED = re.compile(r"""\s(?:translate\s*=\s*["']no["']|class\s*=\s*["'][^"']*\bnotranslate\b[^"']*["'])""")


def mask_elements(text: str, ignored: Collection[str]) -> tuple[str, dict[str, str]]:
    """The text with marks for elements of these names, for those that say so themselves, and for empty ones."""
    elements: dict[str, str] = {}
    parts, done = list[str](), 0
    for found in _START.finditer(text):
        if found.start() < done:
            continue
        end = _end_of(text, found)
        inside = "" if end is None else text[found.end() : end].rpartition("</")[0]
        if end is None or not (found[1] in ignored or not inside or _NOT_TRANSLATED.search(found[0])):
            continue
        mark = f'<x id="{FIRST + len(elements)}"/>'
        elements[mark] = text[found.start() : end]
        parts += [text[done : found.start()], mark]
        done = end
    return "".join([*parts, text[done:]]), elements


def _end_of(text: str, start: re.Match[str]) -> int | None:
    """Where the element ends that begins here; None if it does not."""
    depth = 1
    for tag in re.finditer(rf"<(/?){re.escape(start[1])}(?=[\s>/])[^<>]*>", text[start.end() :]):
        depth += -1 if tag[1] else 0 if tag[0].endswith("/>") else 1
        if depth == 0:
            return start.end() + tag.end()
    return None


def restore_elements(text: str, elements: dict[str, str]) -> str:
    """A text with the elements in the places of their marks."""
    for mark, element in elements.items():
        text = text.replace(mark, element)
    return text
