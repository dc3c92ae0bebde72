"""Multi-stack beam search with cube pruning, over flat arrays ([O] §3.6; cube pruning after Huang and Chiang, 2007).

1. `search` goes through the stacks: hypotheses are stacked by their number of covered source words, those that have not
   yet come to the end of a given prefix by their number of target words. States of a stack with equal coverage and last
   position form a group; a group with the options of one span is a *cube*, filed under the stack it leads to.
2. When a stack's turn comes, its cubes are worked off together from a heap, best first, up to a number of pops; each
   pop makes an arc, and a state if there is no equal one. Then the stack is pruned to its size.
3. `finish` adds what the end of the sentence adds, as arcs into the last state.

No stack remains empty: the word at the gap may always be next, and has at least one option; before the end of a prefix,
its next word may always be inserted.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.search.hypotheses_kernels import (
    CUBES,
    FINAL,
    ITEMS,
    NONE,
    SPARE,
    STATES,
    covered,
    covered_words,
    covers_nothing,
    end_language,
    enter,
    final_gain,
    future,
    lead,
    may_cover,
    new_arc,
    step_gain,
)
from dragoman.search.options_kernels import WINDOW
from dragoman.search.recall_kernels import say


class Task(NamedTuple):
    """What is to be searched: a sentence with all that is known of it beforehand."""

    J: int  # source words
    options: NamedTuple  # SpanOptions
    weights: np.ndarray  # [FEATURES] float64
    inside: np.ndarray  # [J, WINDOW + 1] float64, what uncovered words will add at best, by start and number
    after: np.ndarray  # [J + 1] float64, the same from a word to the end
    recall: NamedTuple  # Recall, of the language model
    first: np.ndarray  # [prefix + 1] int64, the blocks for each number of given words that stand already
    block: np.ndarray  # [blocks, 5] int64: span, first option, one past the last, given words that then stand


@lean
def push(work, task, settings, cube, row, column, lm):
    """Work out one cell of a cube and put it on the heap."""
    state, option = work.grouped[work.cube[cube, 0] + row], work.cube[cube, 2] + column
    options = task.options
    words = options.words, options.begin[option], options.stop[option]
    language, memory = say(task.recall, lm, work.memory[state], *words)
    gain = step_gain(work, options, task.weights, settings.delta, state, option, language)
    gap, mask = covered(work.gap[state], work.mask[state], options.start[option], options.end[option])
    item = work.sizes[ITEMS]
    work.sizes[ITEMS] += 1
    work.item[item, 0], work.item[item, 1], work.item[item, 2], work.item[item, 3] = cube, row, column, memory
    work.value[item, 0], work.value[item, 2] = gain, language
    work.value[item, 1] = work.score[state] + gain + future(gap, mask, task.J, task.inside, task.after)
    return item


@lean
def precedes(work, a, b):
    """Order of the heap: the better first, the earlier among equals."""
    if work.value[a, 1] != work.value[b, 1]:
        return work.value[a, 1] > work.value[b, 1]
    return a < b


@lean
def put(work, size, item):
    """Put an item on the heap of `size` items; returns the new size."""
    heap = work.heap
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if not precedes(work, item, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = item
    return size + 1


@lean
def take(work, size):
    """The best of the `size` items on the heap, taken off it."""
    heap = work.heap
    top, item = heap[0], heap[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        if below + 1 < size - 1 and precedes(work, heap[below + 1], heap[below]):
            below += 1
        if not precedes(work, heap[below], item):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = item
    return top


@lean
def accept(work, task, settings, item):
    """Make an arc of an item of the heap, and a state if there is no equal one."""
    cube, memory = work.item[item, 0], work.item[item, 3]
    origin = work.grouped[work.cube[cube, 0] + work.item[item, 1]]
    option = work.cube[cube, 2] + work.item[item, 2]
    options, gain = task.options, work.value[item, 0]
    arc = new_arc(work, origin, option, gain, work.value[item, 2])
    rest = work.value[item, 1] - work.score[origin] - gain
    length = np.int64(NONE)
    if settings.length:
        length = work.length[origin] + options.stop[option] - options.begin[option]
    last, kin = work.last[origin], work.kin[origin]
    if not covers_nothing(options, option):
        last, kin = options.end[option], options.kin[option] if settings.reordering else np.int64(NONE)
    gap, mask = covered(work.gap[origin], work.mask[origin], options.start[option], options.end[option])
    enter(work, arc, gap, mask, last, memory, kin, length, rest)


@lean
def work_off(work, task, settings, stack, lm):
    """Pop the best cells of all cubes that lead to a stack, and make states and arcs of them."""
    work.sizes[ITEMS] = 0
    size = 0
    cube = work.queue[stack]
    while cube != NONE:
        size = put(work, size, push(work, task, settings, cube, 0, 0, lm))
        cube = work.cube[cube, 4]
    pops = 0
    while size > 0 and pops < settings.pops:
        item = take(work, size)
        size -= 1
        pops += 1
        accept(work, task, settings, item)
        cube, row, column = work.item[item, 0], work.item[item, 1], work.item[item, 2]
        if column + 1 < work.cube[cube, 3] - work.cube[cube, 2]:  # each cell is reached in one way: along its row
            size = put(work, size, push(work, task, settings, cube, row, column + 1, lm))
        if column == 0 and row + 1 < work.cube[cube, 1] - work.cube[cube, 0]:  # and rows along the first column
            size = put(work, size, push(work, task, settings, cube, row + 1, 0, lm))
    give_back(work, stack)


@lean
def give_back(work, stack):
    """Let the room of a stack's cubes serve those filed next."""
    cube = work.queue[stack]
    while cube != NONE:
        after = work.cube[cube, 4]
        work.cube[cube, 4] = work.sizes[SPARE]
        work.sizes[SPARE] = cube
        cube = after


@lean
def same_group(work, a, b):
    """Whether two states have the same coverage and last position."""
    return work.gap[a] == work.gap[b] and work.mask[a] == work.mask[b] and work.last[a] == work.last[b]


@lean
def before_in_group(work, a, b):
    """Order of the states of a stack: by coverage and last position, then the better first, then the earlier."""
    if work.gap[a] != work.gap[b]:
        return work.gap[a] < work.gap[b]
    if work.mask[a] != work.mask[b]:
        return work.mask[a] < work.mask[b]
    if work.last[a] != work.last[b]:
        return work.last[a] < work.last[b]
    return better(work, a, b)


@lean
def better(work, a, b):
    """Order of pruning."""
    if work.total[a] != work.total[b]:
        return work.total[a] > work.total[b]
    return a < b


@lean
def in_order(work, a, b, by_group):
    """Whether state a comes before state b."""
    return before_in_group(work, a, b) if by_group else better(work, a, b)


@lean
def heap_sort(work, rows, n, by_group):
    """Sort states rows[:n] by `before_in_group`, or by `better`."""
    for first in range(n // 2 - 1, -1, -1):
        sink(work, rows, first, n, by_group)
    for last in range(n - 1, 0, -1):
        rows[0], rows[last] = rows[last], rows[0]
        sink(work, rows, 0, last, by_group)


@lean
def sink(work, rows, at, n, by_group):
    """Restore the heap below a place, the last in order on top."""
    state = rows[at]
    while True:
        below = 2 * at + 1
        if below >= n:
            break
        if below + 1 < n:
            below += in_order(work, rows[below], rows[below + 1], by_group)
        if in_order(work, rows[below], state, by_group):
            break
        rows[at] = rows[below]
        at = below
    rows[at] = state


@lean
def prune(work, settings, first, last, placed):
    """Keep the best of the states first … last − 1, grouped, in work.grouped from `placed` on; returns the new end."""
    n = last - first
    kept = work.kept
    for i in range(n):
        kept[i] = first + i
    if n > settings.stack:
        heap_sort(work, kept, n, False)
        n = settings.stack
    best = work.total[kept[0]] if n > 0 else 0.0
    for i in range(n):
        best = max(best, work.total[kept[i]])
    end = placed
    for i in range(n):
        if not work.total[kept[i]] < best - settings.threshold:
            work.grouped[end] = kept[i]
            end += 1
    heap_sort(work, work.grouped[placed:end], end - placed, True)
    return end


@lean
def file_cube(work, stack, begin, end, first, last):
    """File the cube of the states grouped[begin:end] and the options first … last − 1 under a stack."""
    cube = work.sizes[SPARE]
    if cube != NONE:
        work.sizes[SPARE] = work.cube[cube, 4]
    else:
        cube = work.sizes[CUBES]
        work.sizes[CUBES] += 1
    row = work.cube[cube]
    row[0], row[1], row[2], row[3], row[4] = begin, end, first, last, work.queue[stack]
    work.queue[stack] = cube


@lean
def file_spans(work, task, settings, begin, end, stack):
    """File a cube for each span that the group grouped[begin:end] of a stack may cover next."""
    options, head = task.options, work.grouped[begin]
    longest = options.first.shape[1] - 1
    gap, mask, last = work.gap[head], work.mask[head], work.last[head]
    lowest, highest = gap, min(task.J, gap + WINDOW)
    if settings.distortion >= 0:
        lowest, highest = max(gap, last - settings.distortion), min(highest, last + settings.distortion + 1)
    for s in range(lowest, highest):
        for length in range(1, min(longest, task.J - s) + 1):
            a, b = options.first[s, length - 1], options.first[s, length]
            if a < b and may_cover(gap, mask, last, s, s + length, settings.distortion):
                file_cube(work, stack + length, begin, end, a, b)


@lean
def file_blocks(work, task, settings, begin, end, stack):
    """File a cube for each block of options with which the group grouped[begin:end] may go on with the prefix."""
    head = work.grouped[begin]
    gap, mask, last = work.gap[head], work.mask[head], work.last[head]
    done = settings.prefix + covered_words(work, head)
    for n in range(task.first[stack], task.first[stack + 1]):
        block = task.block[n]
        if block[0] == block[1] or may_cover(gap, mask, last, block[0], block[1], settings.distortion):
            reached = block[4] if block[4] < settings.prefix else done + block[1] - block[0]
            file_cube(work, reached, begin, end, block[2], block[3])


@lean
def file_cubes(work, task, settings, begin, end, stack):
    """File cubes for all that the states grouped[begin:end] of a stack may do next."""
    at = begin
    while at < end:
        after = at + 1
        while after < end and same_group(work, work.grouped[at], work.grouped[after]):
            after += 1
        if stack < settings.prefix:
            file_blocks(work, task, settings, at, after, stack)
        elif not settings.exact:
            file_spans(work, task, settings, at, after, stack)
        at = after


@lean
def search(work, task, settings, lm, lengths):
    """Fill the workspace with states and arcs; the best way into the state sizes[FINAL] is the translation."""
    work.sizes[:] = 0
    work.sizes[SPARE] = NONE
    work.queue[:] = NONE
    work.gap[0], work.mask[0], work.last[0], work.memory[0] = 0, 0, 0, settings.memory
    work.kin[0], work.length[0] = NONE, 0 if settings.length else NONE
    work.score[0], work.total[0], work.best[0] = 0.0, 0.0, NONE
    work.sizes[STATES] = 1
    first, placed, free = np.int64(0), np.int64(0), np.int64(0)
    last = settings.prefix + task.J
    for stack in range(last + 1):
        if stack > 0:
            work.slots[:] = 0
            work_off(work, task, settings, stack, lm)
        end = prune(work, settings, first, work.sizes[STATES], placed)
        if stack == (settings.prefix if settings.exact else last):
            free = placed
        if stack < last:
            file_cubes(work, task, settings, placed, end, stack)
        first, placed = work.sizes[STATES], end
    finish(work, task, settings, free, placed, lm, lengths)


@lean
def finish(work, task, settings, begin, end, lm, lengths):
    """Lead all whole hypotheses, grouped[begin:end], into one last state."""
    final = work.sizes[STATES]
    work.sizes[STATES] += 1
    work.sizes[FINAL] = final
    work.best[final] = NONE
    for i in range(begin, end):
        state = work.grouped[i]
        language = end_language(work, settings, state, lm)
        gain = final_gain(work, task.options, task.weights, task.J, state, language, lengths)
        lead(work, new_arc(work, state, NONE, gain, language), final)
