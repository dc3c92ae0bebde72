"""What is done to whole phrase models: pruning a layer, entering the phrases of another model or of a file."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import lean
from dragoman.models.phrases_kernels import CURSOR, DROPPED, add_pair, summed, value
from dragoman.tables.table_kernels import ABSENT, HIGH, LIVE, extend, locate, parent_of, word_of


@lean
def prune(phrases, limit):
    """Drop pairs of the layer until no more than `limit` are left; returns how many were dropped.

    Round and round from where the last pruning stopped, so that what has stood longest goes first: pairs seen once,
    base and layer together, then those seen up to twice, four times, and so on. A pair that says that something of the
    base was taken back is kept.
    """
    index = phrases.pairs.layer
    before = index.state[LIVE]
    few = 1
    seen = 0
    while index.state[LIVE] > limit and few < 1 << 31:
        if seen >= index.state[HIGH]:
            few *= 2
            seen = 0
        if phrases.state[CURSOR] >= index.state[HIGH]:
            phrases.state[CURSOR] = 0
        entry = phrases.state[CURSOR]
        if index.keys[entry] >= 0 and 0 < phrases.pair.counts[entry] <= few:
            below, _ = locate(phrases.pairs, index.keys[entry])
            if value(phrases.base_pair.counts, below) + phrases.pair.counts[entry] <= few:
                drop(phrases, entry)
        phrases.state[CURSOR] += 1
        seen += 1
    return before - index.state[LIVE]


@lean
def drop(phrases, entry):
    """Take a pair out of the layer with all that was counted of it."""
    key = phrases.pairs.layer.keys[entry]
    pair = phrases.pair
    count, previous_monotone, previous_swap, next_monotone, next_swap = summed(pair, pair, np.int64(ABSENT), entry)
    phrases.state[DROPPED] += count
    f, e = parent_of(key), word_of(key)
    add_pair(phrases, f, e, -count, -previous_monotone, -previous_swap, -next_monotone, -next_swap)


@lean
def graft(layered, uses, other, here):
    """Enter all paths of an index without a base; here [its HIGH] gets their joint ids, which must then be held."""
    here[:] = ABSENT
    for entry in range(other.state[HIGH]):
        if other.keys[entry] < 0:
            continue
        while here[entry] == ABSENT:  # the nearest path that it goes on from and that is not here yet, again and again
            node = entry
            parent = parent_of(other.keys[node])
            while parent != ABSENT and here[parent] == ABSENT:
                node = parent
                parent = parent_of(other.keys[node])
            above = here[parent] if parent != ABSENT else np.int64(ABSENT)
            here[node] = extend(layered, uses, above, word_of(other.keys[node]))


@lean
def add_pairs(phrases, f, e, amounts):
    """`add_pair` for paths f [n], e [n] and amounts [n, 5]."""
    for n in range(f.size):
        row = amounts[n]
        add_pair(phrases, f[n], e[n], row[0], row[1], row[2], row[3], row[4])


@lean
def enter_many(layered, uses, words, ends, ids):
    """Enter phrases laid end to end, with the ends [n] of each; ids [n] gets their paths, which must then be held."""
    start = np.int64(0)
    for n in range(ends.size):
        node = np.int64(ABSENT)
        for word in words[start : ends[n]]:
            node = extend(layered, uses, node, word)
        ids[n] = node
        start = ends[n]
