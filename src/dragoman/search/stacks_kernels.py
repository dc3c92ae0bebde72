"""The order in which hypotheses wait and are kept: a heap of what can be done next, and the pruning of a stack."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import lean


@lean
def precedes(a, item, b, other):
    """Order of the heap, given priorities and items: the better first, the earlier among equals."""
    return a > b or (a == b and item < other)


@lean
def put(heap, ranks, size, item, priority):
    """Put an item on the heap of `size` items, whose priorities are `ranks`; returns the new size."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if not precedes(priority, item, ranks[above], heap[above]):
            break
        heap[at], ranks[at] = heap[above], ranks[above]
        at = above
    heap[at], ranks[at] = item, priority
    return size + 1


@lean
def take(heap, ranks, size):
    """The best of the `size` items on the heap, taken off it."""
    top, item, priority = heap[0], heap[size - 1], ranks[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        if below + 1 < size - 1 and precedes(ranks[below + 1], heap[below + 1], ranks[below], heap[below]):
            below += 1
        if not precedes(ranks[below], heap[below], priority, item):
            break
        heap[at], ranks[at] = heap[below], ranks[below]
        at = below
    heap[at], ranks[at] = item, priority
    return top


@lean
def before_in_group(states, a, b):
    """Order of the states of a stack: by coverage and last position, then the better first, then the earlier."""
    one, two = states[a], states[b]
    if one.gap != two.gap:
        return one.gap < two.gap
    if one.mask != two.mask:
        return one.mask < two.mask
    if one.last != two.last:
        return one.last < two.last
    return better(states, a, b)


@lean
def better(states, a, b):
    """Order of pruning."""
    one, two = states[a].total, states[b].total
    return one > two or (one == two and a < b)


@lean
def keep_best(states, numbers, n, most):
    """Bring the `most` best of the states numbers[:n] to the front, in any order (Hoare's selection)."""
    low, high = 0, n - 1
    while low < high:
        pivot = numbers[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while better(states, numbers[i], pivot):
                i += 1
            while better(states, pivot, numbers[j]):
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i += 1
                j -= 1
        if most - 1 <= j:
            high = j
        elif most - 1 >= i:
            low = i
        else:
            break


@lean
def sort_groups(states, numbers):
    """Sort states by `before_in_group` (heap sort)."""
    n = numbers.size
    for first in range(n // 2 - 1, -1, -1):
        sink(states, numbers, first, n)
    for last in range(n - 1, 0, -1):
        numbers[0], numbers[last] = numbers[last], numbers[0]
        sink(states, numbers, 0, last)


@lean
def sink(states, numbers, at, n):
    """Restore the heap below a place, the last in order on top."""
    state = numbers[at]
    while True:
        below = 2 * at + 1
        if below >= n:
            break
        if below + 1 < n:
            below += before_in_group(states, numbers[below], numbers[below + 1])
        if before_in_group(states, numbers[below], state):
            break
        numbers[at] = numbers[below]
        at = below
    numbers[at] = state


@lean
def prune(work, settings, first, last, placed):
    """Keep the best of the states first … last − 1, grouped, in work.grouped from `placed` on; returns the new end."""
    n = last - first
    states, kept = work.states, work.kept
    best = -np.inf
    for i in range(n):
        kept[i] = first + i
        best = max(best, states[first + i].total)
    if n > settings.stack:
        keep_best(states, kept, n, settings.stack)
        n = settings.stack
    end = placed
    for i in range(n):
        if not states[kept[i]].total < best - settings.threshold:
            work.grouped[end] = kept[i]
            end += 1
    sort_groups(states, work.grouped[placed:end])
    return end
