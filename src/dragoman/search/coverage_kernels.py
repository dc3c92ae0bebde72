"""Which source words a hypothesis has covered, which it may cover next, and what the others will add at best.

Coverage is the first uncovered word and the words covered beyond it, as bits: sentences may have any length, but a
search never moves more than WINDOW words beyond the first uncovered one.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import lean
from dragoman.search.options_kernels import WINDOW


@lean
def covered_words(state):
    """How many source words a state has covered."""
    n = np.int64(state.gap)
    mask = state.mask
    while mask != 0:
        n += mask & 1
        mask >>= 1
    return n


@lean
def covered(state, start, end):
    """(first uncovered word, bits beyond it) after a span has been covered too."""
    gap, mask = np.int64(state.gap), state.mask
    if start < end:
        mask |= ((np.int64(1) << (end - start)) - 1) << (start - gap)
    while mask & 1:
        mask >>= 1
        gap += 1
    return gap, mask


@lean
def future(gap, mask, J, inside, after):
    """Estimate of what the uncovered words will add."""
    total = 0.0
    at = gap
    while mask != 0:
        free = 0
        while not (mask >> free) & 1:
            free += 1
        total += inside[at, free]
        mask >>= free
        at += free
        while mask & 1:
            mask >>= 1
            at += 1
    return total + after[at] if at < J else total


@lean
def may_cover(state, start, end, limit):
    """Whether a span may be next: free, within the window, and not beyond the distortion limit, now or on the way back.

    The word at the gap may always be next, whatever came before: since every span ends within `limit` words of the gap
    or begins there, the last one ended at most that far beyond the gap, and what is covered beyond it likewise.
    """
    gap = np.int64(state.gap)
    if start < gap or end - gap > WINDOW or (state.mask >> (start - gap)) & ((np.int64(1) << (end - start)) - 1):
        return False
    if limit < 0:
        return True
    return abs(start - state.last) <= limit and (start == gap or end - gap <= limit)
