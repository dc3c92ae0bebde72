"""Edits of TER by sacrebleu's own code, and of WER by the textbook recursion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sacrebleu.metrics.lib_ter import translation_edit_rate


def ter_edits(hypothesis: Sequence[int], reference: Sequence[int]) -> int:
    """Edits, moves among them."""
    return translation_edit_rate([str(word) for word in hypothesis], [str(word) for word in reference])[0]


def wer_edits(hypothesis: Sequence[int], reference: Sequence[int]) -> int:
    """Words to insert, delete or replace."""

    @cache
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        replaced = distance(i - 1, j - 1) + (hypothesis[i - 1] != reference[j - 1])
        return min(replaced, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(hypothesis), len(reference))
