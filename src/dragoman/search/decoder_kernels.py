"""Multi-stack beam search with cube pruning, over flat arrays ([O] §3.6; cube pruning after Huang and Chiang, 2007).

A *state* is a set of hypotheses that no continuation can tell apart: which source words are covered, where the last
phrase ended, the language model's state, and what the reordering and length models will want to know. An *arc* is one
way into a state: the state before, and a phrase option. All arcs are kept: together they are the word graph.

1. `search` goes through the stacks, by number of covered source words. States of a stack with equal coverage and last
   position form a group; a group with the options of one span is a *cube*, filed under the stack it leads to.
2. When a stack's turn comes, its cubes are worked off together from a heap, best first, up to a number of pops; each pop
   makes an arc, and a state if there is no equal one. Then the stack is pruned to its size.
3. `finish` adds what the end of the sentence adds, as arcs into the last state.

Coverage is the first uncovered word and the words covered beyond it, as bits: sentences may have any length, but a
search never moves more than WINDOW words beyond the first uncovered one.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import END, advance, start
from dragoman.models.lengths_kernels import length_score
from dragoman.models.loglinear_kernels import (
    DISTORTION,
    FEATURES,
    LANGUAGE,
    LINEAR_DISTORTION,
    NEXT,
    PREVIOUS,
    SOURCE_LENGTH,
    geometric_jump,
)
from dragoman.search.options_kernels import WINDOW

NONE = -1
MONOTONE, SWAP, DISCONTINUOUS = 0, 1, 2

# Places in Workspace.sizes
STATES, ARCS, CUBES, ITEMS, FINAL = 0, 1, 2, 3, 4


class Settings(NamedTuple):
    """What a search may spend: all int64 or float64 scalars."""

    pops: int  # of the heap, for each stack
    stack: int  # states kept in each stack
    threshold: float  # a state this much below the best of its stack is dropped
    distortion: int  # source words that may be jumped over, negative for any number
    delta: float  # of the geometric models
    reordering: bool  # whether states remember their last phrase, for the lexicalised reordering model
    length: bool  # whether states remember their number of target words, for the source-length model


class Workspace(NamedTuple):
    """Room for one search; `sizes` says how much of it is filled."""

    sizes: np.ndarray  # [5] int64: STATES, ARCS, CUBES, ITEMS, FINAL (the state of whole translations, or NONE)
    gap: np.ndarray  # [states] int64, first uncovered source word
    mask: np.ndarray  # [states] int64, bit k: word gap + k is covered
    last: np.ndarray  # [states] int64, one past the last source word of the last phrase
    memory: np.ndarray  # [states] int64, state of the language model
    kin: np.ndarray  # [states] int64, option that stands for the last one towards the reordering model, or NONE
    length: np.ndarray  # [states] int64, target words, or NONE where no feature asks
    score: np.ndarray  # [states] float64, of the best way here
    total: np.ndarray  # [states] float64, score plus estimate of the rest
    best: np.ndarray  # [states] int64, the best arc into each
    origin: np.ndarray  # [arcs] int64, state before
    option: np.ndarray  # [arcs] int64, or NONE for the arcs into FINAL
    target: np.ndarray  # [arcs] int64, state after
    gain: np.ndarray  # [arcs] float64, what the step adds to the score
    slots: np.ndarray  # [2^k] int64, hash table of the states of one stack, state + 1
    kept: np.ndarray  # [states] int64, states of one stack in order
    cube: np.ndarray  # [cubes, 5] int64: first state, one past the last, first option, one past the last, next cube
    queue: np.ndarray  # [stacks] int64, first cube of each stack, or NONE
    grouped: np.ndarray  # [states] int64, states in the order of their groups
    item: np.ndarray  # [items, 4] int64: cube, row, column, language state
    value: np.ndarray  # [items, 2] float64: gain, priority
    heap: np.ndarray  # [items] int64


@lean
def orientation(start, end, previous_start, previous_end):
    """How a phrase lies to the phrase before it."""
    if start == previous_end:
        return MONOTONE
    return SWAP if end == previous_start else DISCONTINUOUS


@lean
def step_gain(work, options, weights, delta, state, option, lm):
    """(what a step adds to the score, state of the language model after it)."""
    memory = work.memory[state]
    language = 0.0
    for i in range(options.begin[option], options.stop[option]):
        value, memory = advance(lm, memory, options.words[i])
        language += value
    jump = options.start[option] - work.last[state]
    gain = options.score[option] + weights[LANGUAGE] * language - weights[LINEAR_DISTORTION] * abs(jump)
    if weights[DISTORTION] != 0.0:
        gain += weights[DISTORTION] * geometric_jump(delta, jump + 1)
    before = work.kin[state]
    if before == NONE:
        turn = MONOTONE if jump == 0 else DISCONTINUOUS
    else:
        turn = orientation(options.start[option], options.end[option], options.start[before], work.last[state])
        gain += weights[NEXT + turn] * options.orientations[before, 1, turn]
    gain += weights[PREVIOUS + turn] * options.orientations[option, 0, turn]
    return gain, memory


@lean
def final_gain(work, options, weights, J, state, lm, lengths):
    """What the end of the sentence adds."""
    gain = weights[LANGUAGE] * advance(lm, work.memory[state], END)[0]
    before = work.kin[state]
    if before != NONE:
        turn = MONOTONE if work.last[state] == J else DISCONTINUOUS
        gain += weights[NEXT + turn] * options.orientations[before, 1, turn]
    if work.length[state] != NONE:
        gain += weights[SOURCE_LENGTH] * length_score(lengths, J, work.length[state])
    return gain


@lean
def covered(gap, mask, start, end):
    """(first uncovered word, bits beyond it) after the span has been covered too."""
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
def may_cover(gap, mask, last, start, end, limit):
    """Whether a span may be next: free, within the window, and not beyond the distortion limit, now or on the way back."""
    if end - gap > WINDOW or (mask >> (start - gap)) & ((np.int64(1) << (end - start)) - 1):
        return False
    if limit < 0:
        return True
    return abs(start - last) <= limit and (start == gap or end - gap <= limit)


@lean
def slot_of(gap, mask, last, memory, kin, length, slots):
    """First slot for a state with these properties."""
    h = np.uint64(gap * 31 + last) * np.uint64(0x9E3779B97F4A7C15)
    h ^= np.uint64(mask) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(29))) + np.uint64(memory) * np.uint64(0xC4CEB9FE1A85EC53)
    h ^= np.uint64(kin + 2) * np.uint64(0xD6E8FEB86659FD93) + np.uint64(length + 2) * np.uint64(0xA0761D6478BD642F)
    h *= np.uint64(0xE7037ED1A0B428DB)
    return np.int64((h ^ (h >> np.uint64(32))) & np.uint64(slots.size - 1))


@lean
def enter(work, origin, option, gain, gap, mask, last, memory, kin, length, rest):
    """Add an arc, into the equal state of this stack if there is one, otherwise into a new state; returns the state."""
    at = slot_of(gap, mask, last, memory, kin, length, work.slots)
    state = np.int64(NONE)
    while work.slots[at] != 0:
        s = work.slots[at] - 1
        if (
            work.memory[s] == memory
            and work.gap[s] == gap
            and work.mask[s] == mask
            and work.last[s] == last
            and work.kin[s] == kin
            and work.length[s] == length
        ):
            state = s
            break
        at = (at + 1) & (work.slots.size - 1)
    score = work.score[origin] + gain
    arc = work.sizes[ARCS]
    work.sizes[ARCS] += 1
    if state == NONE:
        state = work.sizes[STATES]
        work.sizes[STATES] += 1
        work.slots[at] = state + 1
        work.gap[state], work.mask[state], work.last[state] = gap, mask, last
        work.memory[state], work.kin[state], work.length[state] = memory, kin, length
        work.score[state], work.total[state], work.best[state] = score, score + rest, arc
    elif score > work.score[state]:
        work.score[state], work.total[state], work.best[state] = score, score + rest, arc
    work.origin[arc], work.option[arc], work.target[arc], work.gain[arc] = origin, option, state, gain
    return state


@lean
def push(work, options, weights, settings, cube, row, column, J, inside, after, lm):
    """Work out one cell of a cube and put it on the heap."""
    state, option = work.grouped[work.cube[cube, 0] + row], work.cube[cube, 2] + column
    gain, memory = step_gain(work, options, weights, settings.delta, state, option, lm)
    gap, mask = covered(work.gap[state], work.mask[state], options.start[option], options.end[option])
    item = work.sizes[ITEMS]
    work.sizes[ITEMS] += 1
    work.item[item, 0], work.item[item, 1], work.item[item, 2], work.item[item, 3] = cube, row, column, memory
    work.value[item, 0] = gain
    work.value[item, 1] = work.score[state] + gain + future(gap, mask, J, inside, after)


@lean
def precedes(work, a, b):
    """Order of the heap: the better first, the earlier among equals."""
    if work.value[a, 1] != work.value[b, 1]:
        return work.value[a, 1] > work.value[b, 1]
    return a < b


@lean
def sift_up(work, size):
    """Let the last of `size` items of the heap rise to its place."""
    heap = work.heap
    at = size - 1
    item = heap[at]
    while at > 0:
        above = (at - 1) >> 1
        if not precedes(work, item, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = item


@lean
def sift_down(work, size):
    """Let the first of `size` items of the heap sink to its place."""
    heap = work.heap
    at = 0
    item = heap[0]
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and precedes(work, heap[below + 1], heap[below]):
            below += 1
        if not precedes(work, heap[below], item):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = item


@lean
def work_off(work, options, weights, settings, stack, J, inside, after, lm):
    """Pop the best cells of all cubes that lead to a stack, and make states and arcs of them."""
    work.sizes[ITEMS] = 0
    size = 0
    cube = work.queue[stack]
    while cube != NONE:
        push(work, options, weights, settings, cube, 0, 0, J, inside, after, lm)
        work.heap[size] = work.sizes[ITEMS] - 1
        size += 1
        sift_up(work, size)
        cube = work.cube[cube, 4]
    pops = 0
    while size > 0 and pops < settings.pops:
        item = work.heap[0]
        cube, row, column = work.item[item, 0], work.item[item, 1], work.item[item, 2]
        pops += 1
        size -= 1
        work.heap[0] = work.heap[size]
        if size > 0:
            sift_down(work, size)
        origin, option = work.grouped[work.cube[cube, 0] + row], work.cube[cube, 2] + column
        gap, mask = covered(work.gap[origin], work.mask[origin], options.start[option], options.end[option])
        rest = work.value[item, 1] - work.score[origin] - work.value[item, 0]
        kin = options.kin[option] if settings.reordering else np.int64(NONE)
        length = np.int64(NONE)
        if settings.length:
            length = work.length[origin] + options.stop[option] - options.begin[option]
        memory = work.item[item, 3]
        enter(work, origin, option, work.value[item, 0], gap, mask, options.end[option], memory, kin, length, rest)
        if column + 1 < work.cube[cube, 3] - work.cube[cube, 2]:  # each cell is reached in one way: along its row
            push(work, options, weights, settings, cube, row, column + 1, J, inside, after, lm)
            work.heap[size] = work.sizes[ITEMS] - 1
            size += 1
            sift_up(work, size)
        if column == 0 and row + 1 < work.cube[cube, 1] - work.cube[cube, 0]:  # and rows along the first column
            push(work, options, weights, settings, cube, row + 1, 0, J, inside, after, lm)
            work.heap[size] = work.sizes[ITEMS] - 1
            size += 1
            sift_up(work, size)


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
def in_order(work, a, b, by_group):
    """Whether state a comes before state b."""
    return before_in_group(work, a, b) if by_group else better(work, a, b)


@lean
def better(work, a, b):
    """Order of pruning."""
    if work.total[a] != work.total[b]:
        return work.total[a] > work.total[b]
    return a < b


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
        if work.total[kept[i]] >= best - settings.threshold:
            work.grouped[end] = kept[i]
            end += 1
    heap_sort(work, work.grouped[placed:end], end - placed, True)
    return end


@lean
def file_cubes(work, options, settings, begin, end, stack, J):
    """File a cube for each span that each group of states grouped[begin:end] may cover next."""
    longest = options.first.shape[1] - 1
    at = begin
    while at < end:
        head = work.grouped[at]
        after = at + 1
        while after < end and same_group(work, head, work.grouped[after]):
            after += 1
        gap, mask, last = work.gap[head], work.mask[head], work.last[head]
        for s in range(gap, min(J, gap + WINDOW)):
            for length in range(1, min(longest, J - s) + 1):
                a, b = options.first[s, length - 1], options.first[s, length]
                if a < b and may_cover(gap, mask, last, s, s + length, settings.distortion):
                    cube = work.sizes[CUBES]
                    work.sizes[CUBES] += 1
                    row = work.cube[cube]
                    row[0], row[1], row[2], row[3], row[4] = at, after, a, b, work.queue[stack + length]
                    work.queue[stack + length] = cube
        at = after


@lean
def same_group(work, a, b):
    """Whether two states have the same coverage and last position."""
    return work.gap[a] == work.gap[b] and work.mask[a] == work.mask[b] and work.last[a] == work.last[b]


@lean
def search(work, options, weights, settings, J, inside, after, lm, lengths):
    """Fill the workspace with states and arcs; the best way into the state sizes[FINAL] is the translation."""
    work.sizes[:] = 0
    work.queue[: J + 1] = NONE
    work.gap[0], work.mask[0], work.last[0], work.memory[0] = 0, 0, 0, start(lm)
    work.kin[0], work.length[0] = NONE, 0 if settings.length else NONE
    work.score[0], work.total[0], work.best[0] = 0.0, 0.0, NONE
    work.sizes[STATES] = 1
    first, placed = np.int64(0), np.int64(0)
    for stack in range(J + 1):
        if stack > 0:
            work.slots[:] = 0
            work_off(work, options, weights, settings, stack, J, inside, after, lm)
        end = prune(work, settings, first, work.sizes[STATES], placed)
        if stack < J:
            file_cubes(work, options, settings, placed, end, stack, J)
        else:
            finish(work, options, weights, placed, end, J, lm, lengths)
        first, placed = work.sizes[STATES], end


@lean
def finish(work, options, weights, begin, end, J, lm, lengths):
    """Lead all whole hypotheses into one last state."""
    final = work.sizes[STATES]
    work.sizes[FINAL] = final if end > begin else NONE
    if end == begin:
        return
    work.sizes[STATES] += 1
    work.best[final] = NONE
    for i in range(begin, end):
        state = work.grouped[i]
        gain = final_gain(work, options, weights, J, state, lm, lengths)
        arc = work.sizes[ARCS]
        work.sizes[ARCS] += 1
        work.origin[arc], work.option[arc], work.target[arc], work.gain[arc] = state, NONE, final, gain
        if work.best[final] == NONE or work.score[state] + gain > work.score[final]:
            work.score[final], work.best[final] = work.score[state] + gain, arc


@lean
def arc_features(work, options, J, delta, arc, lm, lengths, features):
    """Write the features of one arc into `features` [FEATURES]."""
    state, option = work.origin[arc], work.option[arc]
    memory = work.memory[state]
    before = work.kin[state]
    if option == NONE:
        features[:] = 0.0
        features[LANGUAGE] = advance(lm, memory, END)[0]
        if before != NONE:
            turn = MONOTONE if work.last[state] == J else DISCONTINUOUS
            features[NEXT + turn] = options.orientations[before, 1, turn]
        if work.length[state] != NONE:
            features[SOURCE_LENGTH] = length_score(lengths, J, work.length[state])
        return
    for r in range(FEATURES):
        features[r] = options.features[option, r]
    for i in range(options.begin[option], options.stop[option]):
        value, memory = advance(lm, memory, options.words[i])
        features[LANGUAGE] += value
    jump = options.start[option] - work.last[state]
    features[LINEAR_DISTORTION] = -abs(jump)
    features[DISTORTION] = geometric_jump(delta, jump + 1)
    if before == NONE:
        turn = MONOTONE if jump == 0 else DISCONTINUOUS
    else:
        turn = orientation(options.start[option], options.end[option], options.start[before], work.last[state])
        features[NEXT + turn] = options.orientations[before, 1, turn]
    features[PREVIOUS + turn] = options.orientations[option, 0, turn]


@lean
def fill_arc_features(work, options, J, delta, arcs, lm, lengths, features):
    """`arc_features` of each of the arcs [n] into `features` [n, FEATURES]."""
    for n in range(arcs.size):
        arc_features(work, options, J, delta, arcs[n], lm, lengths, features[n])
