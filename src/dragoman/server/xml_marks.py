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
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)(?=[\s>/])[^<>]*>")
_NOT_TRANSLATED = re.compile(r"""\s(?:translate\s*=\s*["']no["']|class\s*=\s*["'][^"']*\bnotranslate\b[^"']*["'])""")


def mask_elements(text: str, ignored: Collection[str]) -> tuple[str, dict[str, str]]:
    """The text with marks for elements of these names, for those that say so themselves, and for empty ones."""
    elements: dict[str, str] = {}
    parts, done, ends = list[str](), 0, _ends(text)
    for found in _START.finditer(text):
        if found.start() < done:
            continue
        end = ends.get(found.start())
        if end is None:
            continue
        is_empty = text.rfind("</", found.end(), end) == found.end()
        if not (found[1] in ignored or is_empty or _NOT_TRANSLATED.search(found[0])):
            continue
        mark = f'<x id="{FIRST + len(elements)}"/>'
        elements[mark] = text[found.start() : end]
        parts += [text[done : found.start()], mark]
        done = end
    return "".join([*parts, text[done:]]), elements


def _ends(text: str) -> dict[int, int]:
    """Where each element ends, by where it begins; found in one pass, however many are never closed."""
    ends: dict[int, int] = {}
    begun: dict[str, list[int]] = {}
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if not tag[0].endswith("/>"):
                begun.setdefault(tag[2], []).append(tag.start())
        elif begun.get(tag[2]):
            ends[begun[tag[2]].pop()] = tag.end()
    return ends


def restore_elements(text: str, elements: dict[str, str]) -> str:
    """A text with the elements in the places of their marks."""
    for mark, element in elements.items():
        text = text.replace(mark, element)
    return text
