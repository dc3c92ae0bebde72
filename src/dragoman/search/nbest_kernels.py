"""The n best ways through a search graph, one after another, without searching again.

From the last state backwards, a partial way is known by the arcs it consists of; its priority is the score of its arcs
plus that of the best way from the first state to where it has come, which is known exactly. So whole ways leave the
heap in the order of their scores (A* with a perfect estimate). Where only distinct translations are wanted, a partial
way is given up when a better one has come to the same state with the same words.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import inlined, kernel, lean
from dragoman.search.stacks_kernels import put, take

NONE = -1


class Graph(NamedTuple):
    """States and arcs; the arcs into state s are arcs[begin[s]:begin[s + 1]]. State 0 is the first."""

    score: np.ndarray  # [states] float64, of the best way from the first state
    begin: np.ndarray  # [states + 1] int64
    arcs: np.ndarray  # [arcs] int64
    origin: np.ndarray  # [arcs] int64
    gain: np.ndarray  # [arcs] float64
    label: np.ndarray  # [arcs] int64, the phrase that an arc adds, NONE for nothing
    first: np.ndarray  # [phrases] int64, where its words begin
    last: np.ndarray  # [phrases] int64, one past where they end
    words: np.ndarray  # [·] int64


@kernel
def arcs_by(ends, states):
    """(begin [states + 1], arcs [n]) such that arcs[begin[s]:begin[s + 1]] are those with ends[arc] = s, in order."""
    begin = np.zeros(states + 1, np.int64)
    for arc in range(ends.size):
        begin[ends[arc] + 1] += 1
    begin = np.cumsum(begin)
    place = begin[:-1].copy()
    arcs = np.empty(ends.size, np.int64)
    for arc in range(ends.size):
        arcs[place[ends[arc]]] = arc
        place[ends[arc]] += 1
    return begin, arcs


@kernel
def grown(array):
    """A copy with twice the room."""
    larger = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


class Heap(NamedTuple):
    """Partial ways, and the order in which they wait."""

    step: np.ndarray  # [items, 2] int64, first arc of each, and the partial way behind it
    where: np.ndarray  # [items] int64, state it has come to
    behind: np.ndarray  # [items] float64, score of its arcs
    said: np.ndarray  # [items] uint64, hash of its words, however they are divided into phrases
    heap: np.ndarray  # [items] int64
    ranks: np.ndarray  # [items] float64, of those on the heap: the score, with that of the best way to its state


@kernel
def new_heap(items):
    """Room for so many partial ways."""
    step, where, heap = np.empty((items, 2), np.int64), np.empty(items, np.int64), np.empty(items, np.int64)
    return Heap(step, where, np.empty(items), np.zeros(items, np.uint64), heap, np.empty(items))


@kernel
def roomier(ways):
    """The same with twice the room."""
    step, where, behind, said, heap, ranks = ways
    return Heap(grown(step), grown(where), grown(behind), grown(said), grown(heap), grown(ranks))


@inlined
def hashed(graph, label, h):
    """Add the words of an arc before those that are in the hash already."""
    if label != NONE:
        for i in range(graph.last[label] - 1, graph.first[label] - 1, -1):
            h = (h ^ np.uint64(graph.words[i])) * np.uint64(0x9E3779B97F4A7C15)
            h ^= h >> np.uint64(31)
    return h


@inlined
def extend_back(graph, ways, item, new, size):
    """Make partial ways, from `new` on, of way `item` and each arc into its state, and put them on the heap."""
    state = ways.where[item]
    for place in range(graph.begin[state], graph.begin[state + 1]):
        arc = graph.arcs[place]
        origin = graph.origin[arc]
        ways.step[new, 0], ways.step[new, 1] = arc, item
        ways.where[new] = origin
        ways.behind[new] = ways.behind[item] + graph.gain[arc]
        ways.said[new] = hashed(graph, graph.label[arc], ways.said[item])
        size = put(ways.heap, ways.ranks, size, new, graph.score[origin] + ways.behind[new])
        new += 1


@kernel
def best_ways(graph, final, count, distinct, most):
    """(ends [k], arcs, scores [k]): the arcs of the k ≤ count best ways from state 0 to `final`, in order.

    With `distinct`, of the ways with equal words only the best counts; at most `most` partial ways are looked at. If
    very many ways are equally good, that may be too few to find any.
    """
    ways = new_heap(1024)
    ways.step[0, 0], ways.step[0, 1] = NONE, NONE
    ways.where[0], ways.behind[0], ways.heap[0], ways.ranks[0] = final, 0.0, 0, graph.score[final]
    ways.said[0] = 1469598103934665603
    items, size = 1, 1
    ends, scores, arcs = np.zeros(count, np.int64), np.empty(count), np.empty(64, np.int64)
    seen, known = np.zeros(1024, np.uint64), 0
    found, filled, looked = 0, 0, 0
    while size > 0 and found < count and looked < most:
        score, item = ways.ranks[0], take(ways.heap, ways.ranks, size)
        size -= 1
        looked += 1
        state = ways.where[item]
        if distinct:
            if not remember(seen, ways.said[item] + np.uint64(state) * np.uint64(0xC4CEB9FE1A85EC53)):
                continue
            known += 1
            if 2 * known > seen.size:
                seen = spread(seen)
        if state == 0:
            arcs, filled = append_way(ways.step, item, arcs, filled)
            ends[found], scores[found] = filled, score
            found += 1
            continue
        more = graph.begin[state + 1] - graph.begin[state]
        while items + more > ways.heap.size:
            ways = roomier(ways)
        extend_back(graph, ways, item, items, size)
        items, size = items + more, size + more
    return ends[:found], arcs[:filled], scores[:found]


@lean
def remember(seen, h):
    """Put a hash into a table [2^k] of hashes, 0 where there is none; false if it was there already."""
    h |= np.uint64(1)
    at = np.int64((h ^ (h >> np.uint64(32))) & np.uint64(seen.size - 1))
    while seen[at] != 0:
        if seen[at] == h:
            return False
        at = (at + 1) & (seen.size - 1)
    seen[at] = h
    return True


@kernel
def spread(seen):
    """The same table with twice the room."""
    larger = np.zeros(2 * seen.size, np.uint64)
    for h in seen:
        if h != 0:
            remember(larger, h)
    return larger


@kernel
def append_way(step, item, arcs, filled):
    """(arcs with those of a whole way added from place `filled` on, how many there are then)."""
    while step[item, 0] != NONE:
        if filled == arcs.size:
            arcs = grown(arcs)
        arcs[filled] = step[item, 0]
        filled += 1
        item = step[item, 1]
    return arcs, filled


@lean
def add_features(ends, rows, each, features):
    """Sum the features of the arcs of each way: features [k, M] += each [rows of the arcs, M]."""
    begin = 0
    for k in range(ends.size):
        for i in range(begin, ends[k]):
            for r in range(each.shape[1]):
                features[k, r] += each[rows[i], r]
        begin = ends[k]
