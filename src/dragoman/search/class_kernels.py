"""What the n-gram model of word classes says of the words of a translation, as compiled functions."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import inlined
from dragoman.search.lm_cache_kernels import remembered

OFF = -1  # in place of a state, where classes are not used


class ClassArrays(NamedTuple):
    """Word classes and the model of their n-grams; without classes, nothing is asked of it."""

    of: np.ndarray  # [words] int64, the class of each
    other: int  # the class of all further words
    lm: NamedTuple  # LanguageArrays
    memo: NamedTuple  # Memo


@inlined
def say_classes(classes, state, words, begin, end):
    """(log probability of the classes of words[begin:end] after a state, state after them); nothing if it is OFF."""
    total = 0.0
    if state == OFF:
        return total, np.int64(OFF)
    for i in range(begin, end):
        known = words[i] < classes.of.size
        value, state = remembered(classes.memo, classes.lm, state, classes.of[words[i]] if known else classes.other)
        total += value
    return total, state
