"""The n best ways through a search graph, one after another, without searching again.

From the last state backwards, a partial way is known by the arcs it consists of; its priority is the score of its arcs
plus that of the best way from the first state to where it has come, which is known exactly. So whole ways leave the heap
in the order of their scores (A* with a perfect estimate).
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel

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
def arcs_by_target(target, states):
    """(begin [states + 1], arcs [n]) such that arcs[begin[s]:begin[s + 1]] are those into state s, in their order."""
    begin = np.zeros(states + 1, np.int64)
    for arc in range(target.size):
        begin[target[arc] + 1] += 1
    begin = np.cumsum(begin)
    place = begin[:-1].copy()
    arcs = np.empty(target.size, np.int64)
    for arc in range(target.size):
        arcs[place[target[arc]]] = arc
        place[target[arc]] += 1
    return begin, arcs


@kernel
def grown(array):
    """A copy with twice the room."""
    larger = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@kernel
def heap_push(heap, size, priority, item):
    """Put an item on the heap of `size` items."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        other = heap[above]
        if priority[other] > priority[item] or (priority[other] == priority[item] and other < item):
            break
        heap[at] = other
        at = above
    heap[at] = item


@kernel
def heap_pop(heap, size, priority):
    """Take the best item from the heap of `size` items: higher priority, then the earlier."""
    top = heap[0]
    item = heap[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        if below + 1 < size - 1:
            a, b = heap[below], heap[below + 1]
            if priority[b] > priority[a] or (priority[b] == priority[a] and b < a):
                below += 1
        other = heap[below]
        if priority[item] > priority[other] or (priority[item] == priority[other] and item < other):
            break
        heap[at] = other
        at = below
    heap[at] = item
    return top


@kernel
def best_ways(graph, final, count, distinct, most):
    """(ends [k], arcs, scores [k]): the arcs of the k ≤ count best ways from state 0 to `final`, in order.

    With `distinct`, of the ways with equal words only the best counts; at most `most` ways are looked at.
    """
    step = np.empty((1024, 2), np.int64)  # of a partial way: its first arc, and the partial way behind it
    behind = np.empty(1024)  # score of its arcs
    priority = np.empty(1024)
    where = np.empty(1024, np.int64)  # state it has come to
    heap = np.empty(1024, np.int64)
    step[0, 0], step[0, 1] = NONE, NONE
    behind[0], priority[0], where[0], heap[0] = 0.0, graph.score[final], final, 0
    items, size = 1, 1
    ends, scores = np.zeros(count, np.int64), np.empty(count)
    ways = np.empty(64, np.int64)
    seen = set()
    seen.add(np.uint64(0))
    found, filled, looked = 0, 0, 0
    while size > 0 and found < count and looked < most:
        item = heap_pop(heap, size, priority)
        size -= 1
        state = where[item]
        if state == 0:
            looked += 1
            if distinct:
                h = way_hash(graph, step, item)
                if h in seen:
                    continue
                seen.add(h)
            at = item
            while step[at, 0] != NONE:
                if filled == ways.size:
                    ways = grown(ways)
                ways[filled] = step[at, 0]
                filled += 1
                at = step[at, 1]
            ends[found], scores[found] = filled, priority[item]
            found += 1
            continue
        for place in range(graph.begin[state], graph.begin[state + 1]):
            arc = graph.arcs[place]
            if items == heap.size:
                step, behind, priority, where, heap = (
                    grown(step),
                    grown(behind),
                    grown(priority),
                    grown(where),
                    grown(heap),
                )
            step[items, 0], step[items, 1] = arc, item
            behind[items] = behind[item] + graph.gain[arc]
            where[items] = graph.origin[arc]
            priority[items] = graph.score[graph.origin[arc]] + behind[items]
            heap_push(heap, size, priority, items)
            size += 1
            items += 1
    return ends[:found], ways[:filled], scores[:found]


@kernel
def way_hash(graph, step, item):
    """A hash of the words of a whole way, however they are divided into phrases."""
    h = np.uint64(1469598103934665603)
    while step[item, 0] != NONE:
        label = graph.label[step[item, 0]]
        if label != NONE:
            for i in range(graph.first[label], graph.last[label]):
                h = (h ^ np.uint64(graph.words[i])) * np.uint64(0x9E3779B97F4A7C15)
                h ^= h >> np.uint64(31)
        item = step[item, 1]
    return h
