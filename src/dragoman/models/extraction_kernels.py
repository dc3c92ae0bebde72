"""All phrase pairs of an aligned sentence pair, each with its orientation towards its neighbours.

A pair of spans is consistent with the links when none leads from inside one span to outside the other, and at least one
joins them ([O] Eq. 14). The widest source span that a target span needs is known from the first and last links of its
words, so only consistent pairs are ever built; unlinked words at the borders of the source span may stay or go.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel

MONOTONE, SWAP, DISCONTINUOUS = range(3)

# Columns of a list of phrase pairs; an end is one past the last word
SOURCE_START, SOURCE_END, TARGET_START, TARGET_END, PREVIOUS, NEXT = range(6)


@kernel
def extract(links, J, I, longest, spans, n):
    """Write the phrase pairs of up to `longest` words a side behind the first n rows of spans [capacity, 6] (int32).

    `links` [L, 2] are (source, target) positions from 0. Returns the spans, a larger copy if they needed more room, and
    the new number of rows. Order: by target start, target end, source start from the right, source end.
    """
    source_reach = reach(links, 0, J)
    target_reach = reach(links, 1, I)
    linked = link_matrix(links, J, I)
    for t0 in range(I):
        low, high = J, -1  # the source words that the target words so far are linked to
        for t1 in range(t0 + 1, min(I, t0 + longest) + 1):
            low = min(low, target_reach[t1 - 1, 0])
            high = max(high, target_reach[t1 - 1, 1])
            if high - low >= longest:
                break
            if high < 0 or not is_closed(source_reach, low, high, t0, t1):
                continue
            s0 = low
            while s0 >= 0 and high - s0 < longest and (s0 == low or source_reach[s0, 1] < 0):
                s1 = high + 1
                while s1 <= J and s1 - s0 <= longest and (s1 == high + 1 or source_reach[s1 - 1, 1] < 0):
                    if n == spans.shape[0]:
                        spans = doubled(spans)
                    write(spans[n], linked, s0, s1, t0, t1)
                    n += 1
                    s1 += 1
                s0 -= 1
    return spans, n


@kernel
def extract_many(links, link_ends, source_ends, target_ends, longest):
    """`extract` for sentence pairs laid end to end; the ends [m] of each in links, source and target words.

    Returns the spans [n, 6], with positions inside their sentence, and the ends [m] of each sentence in them.
    """
    spans = np.empty((1024, 6), np.int32)
    span_ends = np.empty(link_ends.size, np.int64)
    n = 0
    link_start = source_start = target_start = np.int64(0)
    for m in range(link_ends.size):
        inside = links[link_start : link_ends[m]]
        J, I = source_ends[m] - source_start, target_ends[m] - target_start
        spans, n = extract(inside, J, I, longest, spans, n)
        span_ends[m] = n
        link_start, source_start, target_start = link_ends[m], source_ends[m], target_ends[m]
    return spans[:n], span_ends


@kernel
def reach(links, side, length):
    """[length, 2] the first and the last word that each word of one side is linked to; (huge, -1) if there is none."""
    found = np.empty((length, 2), np.int64)
    found[:, 0] = np.iinfo(np.int64).max
    found[:, 1] = -1
    for n in range(links.shape[0]):
        at, other = links[n, side], links[n, 1 - side]
        found[at, 0] = min(found[at, 0], other)
        found[at, 1] = max(found[at, 1], other)
    return found


@kernel
def is_closed(source_reach, low, high, t0, t1):
    """Whether no source word from low to high (inclusive) has a link that leaves the target span."""
    for j in range(low, high + 1):
        if source_reach[j, 1] >= 0 and (source_reach[j, 0] < t0 or source_reach[j, 1] >= t1):
            return False
    return True


@kernel
def link_matrix(links, J, I):
    """[J + 2, I + 2] where the links are, moved by one: the sentence's borders are linked at both ends."""
    linked = np.zeros((J + 2, I + 2), np.bool_)
    linked[0, 0] = linked[J + 1, I + 1] = True
    for n in range(links.shape[0]):
        linked[links[n, 0] + 1, links[n, 1] + 1] = True
    return linked


@kernel
def write(row, linked, s0, s1, t0, t1):
    """Fill one row of the list of phrase pairs."""
    row[SOURCE_START], row[SOURCE_END], row[TARGET_START], row[TARGET_END] = s0, s1, t0, t1
    row[PREVIOUS] = orientation(linked[s0, t0], linked[s1 + 1, t0])
    row[NEXT] = orientation(linked[s1 + 1, t1 + 1], linked[s0, t1 + 1])


@kernel
def orientation(straight, crossed):
    """From whether the neighbouring target word is linked to the source word on the same, on the opposite side.

    Word-based, as in Moses: the corner of the span decides, and if both corners are linked neither does.
    """
    if straight and not crossed:
        return MONOTONE
    if crossed and not straight:
        return SWAP
    return DISCONTINUOUS


@kernel
def doubled(spans):
    """A copy with twice the room."""
    larger = np.empty((2 * spans.shape[0] + 16, 6), np.int32)
    larger[: spans.shape[0]] = spans
    return larger
