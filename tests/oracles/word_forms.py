"""Relatives of an unknown word, by comparing it with every known word."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

LINKS = ("", "s", "es", "n", "en", "er")


def splits(word: str) -> set[tuple[str, str]]:
    """All (stem, ending): at most three characters after a stem of four or more, at least 60 % of the word."""
    both = {(word[:n], word[n:]) for n in range(len(word) + 1)}
    return {(s, e) for s, e in both if len(e) <= 3 and len(s) >= 4 and len(s) >= 0.6 * len(word)}


def alternate(one: str, other: str, words: set[str]) -> bool:
    """Whether five stems or more occur with both endings."""
    stems = [{s for word in words for s, e in splits(word) if e == ending} for ending in (one, other)]
    return len(stems[0] & stems[1]) >= 5


def inflections(word: str, base: set[str], layer: set[str]) -> list[str]:
    """Known words with the same stem and an alternating ending, those with the longest common stem first.

    Endings that alternate in the base hold for all words, others for words of the layer only.
    """
    found = []
    for form in (base | layer) - {word}:
        common = [(len(a), a, b) for s, a in splits(word) for t, b in splits(form) if s == t]
        if common:
            size, a, b = min(common)
            if alternate(a, b, base) or (form in layer and alternate(a, b, layer)):
                found.append((size, form))
    return [form for _, form in sorted(found)]


def parts(word: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Two or three known words, with linking elements between them, whose counts have the largest geometric mean."""
    known = [part for part in counts if len(part) >= 4]
    fits = [
        (prod(counts[part] for part in chosen) ** (1 / size), chosen)
        for size in (2, 3)
        for chosen in product(known, repeat=size)
        for links in product(LINKS, repeat=size - 1)
        if "".join(a + b for a, b in zip(chosen, (*links, ""), strict=True)) == word
    ]
    return max(fits)[1] if fits else ()
