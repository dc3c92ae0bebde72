"""The rules of SRX tried one after the other at every place of a text."""

from __future__ import annotations

import re

from dragoman.formats.srx import BreakRule


def slow_boundaries(text: str, rules: list[BreakRule]) -> list[int]:
    """Where sentences begin: the first rule of which both parts fit at a place decides about it."""
    found = set()
    for place in range(len(text) + 1):
        for rule in rules:
            if not rule.before and not rule.after:
                continue
            before = any(re.fullmatch(rule.before, text[begin:place]) for begin in range(place + 1))
            if before and re.match(rule.after, text[place:]):
                if rule.breaks:
                    found.add(place + len(text[place:]) - len(text[place:].lstrip()))
                break
    return sorted(found - {0, len(text)})
