"""Word classes by exchange, as compiled functions."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import lean


@lean
def entropy(logarithms, n):
    """N log n; `logarithms` [k] holds the first of these."""
    return logarithms[n] if n < logarithms.size else n * math.log(np.float64(n))


@lean
def exchange(begin, context, count, of, table, total, logarithms, gains):
    """Move each word to the class in which the text is likeliest, once, in order; returns how many have moved.

    Word w was seen count[k] times in context[k] for k from begin[w] to begin[w + 1]. `of` [words] tells the class of
    each, `table` [contexts, classes] and `total` [classes] the sums over the words of each class; `gains` [classes] is
    scratch. The likelihood is that of each context given the class of the word beside it.
    """
    moved = 0
    for w in range(of.size):
        old, seen = of[w], np.int64(0)
        gains[:] = 0.0
        for k in range(begin[w], begin[w + 1]):
            row, times = table[context[k]], count[k]
            row[old] -= times
            seen += times
            alone = entropy(logarithms, times)
            for c in range(gains.size):
                if row[c] > 0:
                    gains[c] += entropy(logarithms, row[c] + times) - entropy(logarithms, row[c]) - alone
        total[old] -= seen
        best = old
        for c in range(gains.size):
            gains[c] -= entropy(logarithms, total[c] + seen) - entropy(logarithms, total[c])
            if gains[c] > gains[best]:
                best = c
        for k in range(begin[w], begin[w + 1]):
            table[context[k], best] += count[k]
        total[best] += seen
        of[w] = best
        moved += best != old
    return moved
