"""Repetition inside a window that slides over a text, and n-grams of a text that a language model has seen."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel
from dragoman.models.language_kernels import order_of
from dragoman.tables.table_kernels import ABSENT, joint_id, locate, path_key


@kernel
def window_rate(names, window):
    """Mean, over all windows of so many words, of the geometric mean of the shares of distinct n-grams that repeat.

    names [orders, words]: a number from 0 for the n-gram of 1, 2 … words that begins at each word, -1 for none.
    """
    orders, words = names.shape
    count = np.zeros((orders, names.max() + 1), np.int64)
    distinct, repeated = np.zeros(orders, np.int64), np.zeros(orders, np.int64)
    total = 0.0
    for end in range(1, words + 1):
        for n in range(orders):
            enter = end - 1 - n
            if enter >= max(0, end - window) and names[n, enter] >= 0:
                count[n, names[n, enter]] += 1
                distinct[n] += count[n, names[n, enter]] == 1
                repeated[n] += count[n, names[n, enter]] == 2
            leave = end - 1 - window
            if leave >= 0 and n < window and names[n, leave] >= 0:
                count[n, names[n, leave]] -= 1
                distinct[n] -= count[n, names[n, leave]] == 0
                repeated[n] -= count[n, names[n, leave]] == 1
        if end >= window:
            rate = 1.0
            for n in range(orders):
                rate *= repeated[n] / max(1, distinct[n])
            total += rate ** (1 / orders)
    return total / (words - window + 1)


@kernel
def reach(lm, words, starts, most):
    """[words] how many words, from each on and inside its sentence, the model has seen as one n-gram, up to `most`.

    Whatever begins an n-gram that was seen was seen itself, so that the first one missing ends the walk.
    """
    result = np.zeros(words.size, np.int64)
    longest = order_of(lm)
    for s in range(starts.size - 1):
        for i in range(starts[s], starts[s + 1]):
            node = np.int64(ABSENT)
            for n in range(min(most, starts[s + 1] - i)):
                table = lm.outer if n + 1 == longest else lm.inner
                in_base, in_layer = locate(table, path_key(node, words[i + n]))
                node = joint_id(table, in_base, in_layer)
                if node == ABSENT:
                    break
                result[i] = n + 1
    return result
