"""Multi-stack beam search with cube pruning, over flat arrays ([O] §3.6; cube pruning after Huang and Chiang, 2007).

1. `search` goes through the stacks: hypotheses are stacked by their number of covered source words, those that have not
   yet come to the end of a given prefix by their number of target words. States of a stack with equal coverage and last
   position form a group; a group with the options of one span is a *cube*, filed under the stack it leads to.
2. When a stack's turn comes, its cubes are worked off together from a heap, best first, up to a number of pops; each
   pop makes an arc, and a state if there is no equal one. Then the stack is pruned to its size.
3. `finish` adds what the end of the sentence adds, as arcs into the last state.

There is always a translation: the word at the gap may always be next, and has at least one option; before the end of a
prefix, its next word may always be inserted.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import inlined, lean
from dragoman.models.loglinear_kernels import CLASS_LANGUAGE, LANGUAGE, UPSTREAM_BREAKS, UPSTREAM_LEFT
from dragoman.search.class_kernels import say_classes
from dragoman.search.coverage_kernels import covered, covered_words, future, may_cover
from dragoman.search.hypotheses_kernels import (
    CUBES,
    FINAL,
    ITEMS,
    NONE,
    SPARE,
    STATES,
    continues,
    end_classes,
    end_language,
    enter,
    final_gain,
    lead,
    move_gain,
    new_arc,
    skipped,
    turn_gain,
)
from dragoman.search.lm_cache_kernels import say, say_after
from dragoman.search.options_kernels import NOWHERE, WINDOW
from dragoman.search.stacks_kernels import prune, put, take


class Task(NamedTuple):
    """What is to be searched: a sentence with all that is known of it beforehand."""

    J: int  # source words
    options: NamedTuple  # SpanOptions
    weights: np.ndarray  # [FEATURES] float64
    inside: np.ndarray  # [J, WINDOW + 1] float64, what uncovered words will add at best, by start and number
    after: np.ndarray  # [J + 1] float64, the same from a word to the end
    memo: NamedTuple  # Memo, of the language model
    first: np.ndarray  # [prefix + 1] int64, the blocks for each number of given words that stand already
    block: np.ndarray  # [blocks, 5] int64: span, first option, one past the last, given words that then stand
    answer: NamedTuple  # AnswerIds
    classes: NamedTuple  # ClassArrays


@inlined
def step(task, settings, state, place, move, lm):
    """What an option adds to a state: (language, classes, states of both models after, place in `answer`, gain)."""
    options, answer = task.options, task.answer
    option = options.row[place]
    if answer.words.size == 0:
        language, lm_state = say(task.memo, lm, state.lm_state, options.words, option.begin, option.stop)
        reached, next_in_turn = np.int64(NONE), False
    else:
        next_in_turn = continues(answer, state, option.place)
        at = np.int64(state.place) if option.place == NOWHERE else np.int64(option.place)
        follows = option.place == NOWHERE or (next_in_turn and option.place == state.place)
        said = task.memo, lm, state.lm_state, options.words, option.begin, option.stop
        language, lm_state, reached = say_after(*said, answer, at, follows)
        if option.place != NOWHERE:
            reached = np.int64(option.reach)
        elif option.start == option.end and reached == NONE:
            reached = np.int64(state.place)
    classes, class_state = say_classes(task.classes, state.class_state, options.words, option.begin, option.stop)
    gain = option.score + task.weights[LANGUAGE] * language + task.weights[CLASS_LANGUAGE] * classes
    if next_in_turn:
        gain -= task.weights[UPSTREAM_LEFT] * skipped(answer, state, option.place)
        return language, classes, lm_state, class_state, reached, gain
    gain += move
    if settings.reordering:
        gain += turn_gain(options, task.weights, state, place)
    if answer.words.size > 0 and option.start < option.end:
        gain -= task.weights[UPSTREAM_BREAKS]
    return language, classes, lm_state, class_state, reached, gain


@inlined
def push(work, task, settings, n, row, column, lm, size):
    """Work out one cell of cube n and put it on the heap of `size` items; returns the new size."""
    cube = work.cubes[n]
    state, place = work.states[work.grouped[cube.begin + row]], np.int64(cube.first) + column
    language, classes, lm_state, class_state, reached, gain = step(task, settings, state, place, cube.move, lm)
    number = work.sizes[ITEMS]
    work.sizes[ITEMS] += 1
    item = work.items[number]
    item.cube, item.row, item.column = n, row, column
    item.lm_state, item.gain, item.language, item.place = lm_state, gain, language, reached
    item.class_state, item.classes = class_state, classes
    return put(work.heap, work.ranks, size, number, state.score + gain + cube.rest)


@lean
def accept(work, task, settings, item):
    """Make an arc of an item of the heap, and a state if there is no equal one."""
    cube = work.cubes[item.cube]
    origin, place = work.grouped[cube.begin + item.row], np.int64(cube.first) + item.column
    state, option = work.states[origin], task.options.row[place]
    last, kin, length = np.int64(state.last), np.int64(state.kin), np.int64(NONE)
    if option.start < option.end:
        last, kin = np.int64(option.end), np.int64(option.kin) if settings.reordering else np.int64(NONE)
    if settings.length:
        length = np.int64(state.length) + option.stop - option.begin
    arc = new_arc(work, origin, place, item.gain, item.language, item.classes)
    said = item.lm_state, item.class_state
    enter(work, arc, np.int64(cube.gap), cube.mask, last, *said, kin, length, np.int64(item.place), cube.rest)


@lean
def work_off(work, task, settings, stack, lm):
    """Pop the best cells of all cubes that lead to a stack, and make states and arcs of them."""
    work.sizes[ITEMS] = 0
    size, pops, zero = np.int64(0), np.int64(0), np.int64(0)
    n = work.queue[stack]
    while n != NONE:
        size = push(work, task, settings, n, zero, zero, lm, size)
        n = np.int64(work.cubes[n].after)
    while size > 0 and pops < settings.pops:
        item = work.items[take(work.heap, work.ranks, size)]
        size -= 1
        pops += 1
        accept(work, task, settings, item)
        n, row, column = np.int64(item.cube), np.int64(item.row), np.int64(item.column)
        cube = work.cubes[n]
        if column + 1 < cube.last - cube.first:  # each cell is reached in one way: along its row
            size = push(work, task, settings, n, row, column + 1, lm, size)
        if column == 0 and row + 1 < cube.end - cube.begin:  # and rows along the first column
            size = push(work, task, settings, n, row + 1, zero, lm, size)
    give_back(work, stack)


@lean
def give_back(work, stack):
    """Let the room of a stack's cubes serve those filed next."""
    n = work.queue[stack]
    while n != NONE:
        after = np.int64(work.cubes[n].after)
        work.cubes[n].after = work.sizes[SPARE]
        work.sizes[SPARE] = n
        n = after


@lean
def same_group(a, b):
    """Whether two states have the same coverage and last position."""
    return a.mask == b.mask and a.gap == b.gap and a.last == b.last


@lean
def file_cube(work, task, settings, stack, begin, end, start, stop, first, last):
    """File the cube of the states grouped[begin:end] and the options first … last − 1 of a span under a stack."""
    n = work.sizes[SPARE]
    if n != NONE:
        work.sizes[SPARE] = work.cubes[n].after
    else:
        n = work.sizes[CUBES]
        work.sizes[CUBES] += 1
    cube, state = work.cubes[n], work.states[work.grouped[begin]]
    cube.begin, cube.end, cube.first, cube.last, cube.after = begin, end, first, last, work.queue[stack]
    work.queue[stack] = n
    gap, mask = covered(state, start, stop)
    cube.gap, cube.mask, cube.rest = gap, mask, future(gap, mask, task.J, task.inside, task.after)
    cube.move = 0.0 if start == stop else move_gain(task.weights, settings.delta, state.last, start)


@lean
def file_spans(work, task, settings, begin, end, stack):
    """File a cube for each span that the group grouped[begin:end] of a stack may cover next."""
    first, state = task.options.first, work.states[work.grouped[begin]]
    longest = first.shape[1] - 1
    lowest, highest = np.int64(state.gap), min(task.J, np.int64(state.gap) + WINDOW)
    if settings.distortion >= 0:
        lowest = max(lowest, state.last - settings.distortion)
        highest = min(highest, state.last + settings.distortion + 1)
    for s in range(lowest, highest):
        for length in range(1, min(longest, task.J - s) + 1):
            a, b = first[s, length - 1], first[s, length]
            if a < b and may_cover(state, s, s + length, settings.distortion):
                file_cube(work, task, settings, stack + length, begin, end, s, s + length, a, b)


@lean
def file_blocks(work, task, settings, begin, end, stack):
    """File a cube for each block of options with which the group grouped[begin:end] may go on with the prefix."""
    state = work.states[work.grouped[begin]]
    done = settings.prefix + covered_words(state)
    for n in range(task.first[stack], task.first[stack + 1]):
        block = task.block[n]
        if block[0] == block[1] or may_cover(state, block[0], block[1], settings.distortion):
            reached = block[4] if block[4] < settings.prefix else done + block[1] - block[0]
            file_cube(work, task, settings, reached, begin, end, block[0], block[1], block[2], block[3])


@lean
def file_cubes(work, task, settings, begin, end, stack):
    """File cubes for all that the states grouped[begin:end] of a stack may do next."""
    states, grouped = work.states, work.grouped
    at = begin
    while at < end:
        after = at + 1
        while after < end and same_group(states[grouped[at]], states[grouped[after]]):
            after += 1
        if stack < settings.prefix:
            file_blocks(work, task, settings, at, after, stack)
        elif not settings.exact:
            file_spans(work, task, settings, at, after, stack)
        at = after


@lean
def start(work, settings, answer):
    """Make the first state: nothing covered, nothing said."""
    work.sizes[:] = 0
    work.sizes[SPARE] = NONE
    work.sizes[STATES] = 1
    work.queue[:] = NONE
    state = work.states[0]
    state.gap, state.mask, state.last, state.lm_state = 0, 0, 0, settings.lm_state
    state.class_state = settings.class_state
    state.kin, state.length = NONE, 0 if settings.length else NONE
    state.score, state.total, state.best = 0.0, 0.0, NONE
    state.place = 0 if answer.words.size > 0 else NONE


@lean
def search(work, task, settings, lm, lengths):
    """Fill the workspace with states and arcs; the best way into the state sizes[FINAL] is the translation."""
    start(work, settings, task.answer)
    first, placed, whole = np.int64(0), np.int64(0), np.int64(0)
    last = settings.prefix + task.J
    for stack in range(last + 1):
        if stack > 0:
            work.slots[:] = 0
            work_off(work, task, settings, stack, lm)
        end = prune(work, settings, first, work.sizes[STATES], placed)
        if stack == (settings.prefix if settings.exact else last):
            whole = placed
        if stack < last:
            file_cubes(work, task, settings, placed, end, stack)
        first, placed = work.sizes[STATES], end
    finish(work, task, settings, whole, placed, lm, lengths)


@lean
def finish(work, task, settings, begin, end, lm, lengths):
    """Lead all whole hypotheses, grouped[begin:end], into one last state."""
    final = work.sizes[STATES]
    work.sizes[STATES] += 1
    work.sizes[FINAL] = final
    work.states[final].best = NONE
    for i in range(begin, end):
        state = work.states[work.grouped[i]]
        language = end_language(settings, state, lm, task.answer)
        classes = end_classes(settings, state, task.classes)
        gain = final_gain(task.options, task.weights, task.J, state, language, classes, lengths, task.answer)
        lead(work, new_arc(work, work.grouped[i], NONE, gain, language, classes), final)
