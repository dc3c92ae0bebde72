"""What the language model was asked in one search, so that nothing is looked up twice: most questions come again."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import advance

NOTHING = -1


class Recall(NamedTuple):
    """A table in which a newer question takes the place of an older one; `asked` starts as NOTHING."""

    asked: np.ndarray  # [2^k, 3] int64: state, word, state after it
    answer: np.ndarray  # [2^k] float64, log p(word | state)


@lean
def remembered(recall, lm, state, word):
    """`advance` of the language model: (log p(word | state), state after it)."""
    h = (np.uint64(state) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(word) * np.uint64(0xC4CEB9FE1A85EC53))
    at = np.int64((h ^ (h >> np.uint64(29))) & np.uint64(recall.answer.size - 1))
    asked = recall.asked[at]
    if asked[0] != state or asked[1] != word:
        recall.answer[at], after = advance(lm, state, word)
        asked[0], asked[1], asked[2] = state, word, after
    return recall.answer[at], asked[2]


@lean
def say(recall, lm, state, words, begin, end):
    """(log probability of words[begin:end] after a state, state after them)."""
    total = 0.0
    for i in range(begin, end):
        value, state = remembered(recall, lm, state, words[i])
        total += value
    return total, state
