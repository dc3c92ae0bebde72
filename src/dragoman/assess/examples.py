"""Examples for the report: what two systems said, and what the person wrote; what the person changed is marked."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from rapidfuzz.distance import Levenshtein

from dragoman.assess.system_names import ALONE, BOTH, ENGINE, MEMORY, OVER, SIMILAR

LONGEST = 400  # characters of a text that is shown
SHORT = {MEMORY: "memory", ENGINE: "engine", BOTH: "before", SIMILAR: "before", ALONE: "dragoman", OVER: "dragoman"}
_PIECE = re.compile(r"\s+|\w+|[^\w\s]")


def side_by_side(gains: dict[str, Any], before: str, after: str) -> str:
    """The best gains beside the worst regressions."""
    if not gains["best"] and not gains["worst"]:
        return ""
    sides = []
    for title, found in (("Best gains", gains["best"]), ("Worst regressions", gains["worst"])):
        shown = "".join(_example(each, before, after) for each in found) or "<p>None.</p>"
        sides.append(f"<section><h3>{title}</h3>{shown}</section>")
    return f'<h2>Examples</h2><div class="examples">{"".join(sides)}</div>'


def _example(each: dict[str, Any], before: str, after: str) -> str:
    number = abs(each["words"])
    change = f"{number} word{'s' if number != 1 else ''} {'fewer' if each['words'] > 0 else 'more'} to correct"
    rows = [
        ("source", escape(_cut(each["source"]))),
        (SHORT.get(before, before), marked(_cut(each["before"]), _cut(each["reference"]))),
        (SHORT.get(after, after), marked(_cut(each["after"]), _cut(each["reference"]))),
        ("person", escape(_cut(each["reference"]))),
    ]
    shown = "".join(f'<dt>{escape(name)}</dt><dd dir="auto">{text or "<i>nothing</i>"}</dd>' for name, text in rows)
    return f'<div class="example"><small>{escape(each["kind"])}, {change}</small><dl>{shown}</dl></div>'


def marked(text: str, reference: str) -> str:
    """A text with what the person changed struck through.

    >>> marked("la tecla", "la luz")
    'la <mark class="wrong">tecla</mark>'
    """
    ours, theirs = (_PIECE.findall(each) for each in (text, reference))
    parts = []
    for step in Levenshtein.opcodes(ours, theirs):
        piece = escape("".join(ours[step.src_start : step.src_end]))
        parts.append(piece if step.tag == "equal" or not piece.strip() else f'<mark class="wrong">{piece}</mark>')
    return "".join(parts)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
