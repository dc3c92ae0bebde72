"""How sure the words of a translation are, by what a word graph thinks of the same words.

The two may differ in a word or in spaces; what stands in the same order in both is the same word.

>>> carry_over(["Pulse", "la", "tecla", "verde"], ["Pulse", "el", "botón", "verde"], [0.9, 0.8, 0.7, 0.6])
[0.9, 0.0, 0.0, 0.6]
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher


def carry_over(words: Sequence[str], known: Sequence[str], confidences: Sequence[float]) -> list[float]:
    """The confidence of each word: that of the same word among those known, or 0 where those have another."""
    found = [0.0] * len(words)
    for begin, other, size in SequenceMatcher(None, words, known, autojunk=False).get_matching_blocks():
        found[begin : begin + size] = confidences[other : other + size]
    return found
