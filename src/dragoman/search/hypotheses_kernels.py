"""Hypotheses as flat arrays: states, arcs between them, and what a step from one to the next adds to the score.

A *state* is a set of hypotheses that no continuation can tell apart: which source words are covered, where the last
phrase ended, the language model's state, and what the reordering and length models will want to know. An *arc* is one
way into a state: the state before, and a phrase option. All arcs are kept: together they are the word graph. A state
is made after those that lead to it, so the order of states is an order of the graph.

Coverage is the first uncovered word and the words covered beyond it, as bits: sentences may have any length, but a
search never moves more than WINDOW words beyond the first uncovered one.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import END, advance
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
from dragoman.search.options_kernels import SURCHARGE, WINDOW, surcharges

NONE = -1
MONOTONE, SWAP, DISCONTINUOUS = 0, 1, 2

# Places in Workspace.sizes
STATES, ARCS, CUBES, ITEMS = 0, 1, 2, 3
FINAL = 4  # the state of whole translations
SPARE = 5  # the first of the cubes that have been worked off, linked like a queue, or NONE
PLACES = 6


class Settings(NamedTuple):
    """What a search may spend and what it has to observe: all int64, float64 or bool scalars."""

    pops: int  # of the heap, for each stack
    stack: int  # states kept in each stack
    threshold: float  # a state this much below the best of its stack is dropped
    distortion: int  # source words that may be jumped over, negative for any number
    delta: float  # of the geometric models
    reordering: bool  # whether states remember their last phrase, for the lexicalised reordering model
    length: bool  # whether states remember their number of target words, for the source-length model
    memory: int  # state of the language model before the first word
    ends: bool  # whether the sentence ends here, or another piece of it follows
    prefix: int  # target words that are given
    exact: bool  # whether nothing may follow these


class Workspace(NamedTuple):
    """Room for one search; `sizes` says how much of it is filled."""

    sizes: np.ndarray  # [PLACES] int64
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
    language: np.ndarray  # [arcs] float64, what the language model says of the step
    slots: np.ndarray  # [2^k] int64, hash table of the states of one stack, state + 1
    kept: np.ndarray  # [states] int64, states of one stack in order
    cube: np.ndarray  # [cubes, 5] int64: first state, one past the last, first option, one past the last, next cube
    queue: np.ndarray  # [stacks] int64, first cube of each stack, or NONE
    grouped: np.ndarray  # [states] int64, states in the order of their groups
    item: np.ndarray  # [items, 4] int64: cube, row, column, language state
    value: np.ndarray  # [items, 3] float64: gain, priority, language
    heap: np.ndarray  # [items] int64


@lean
def covers_nothing(options, option):
    """Whether an option adds words of a given prefix without translating anything."""
    return options.start[option] == options.end[option]


@lean
def orientation(start, end, previous_start, previous_end):
    """How a phrase lies to the phrase before it."""
    if start == previous_end:
        return MONOTONE
    return SWAP if end == previous_start else DISCONTINUOUS


@lean
def turn_to(work, options, state, option):
    """How an option lies to the last phrase of a state; at the start, monotone if it is the first."""
    before, last = work.kin[state], work.last[state]
    if before == NONE:
        return MONOTONE if options.start[option] == last else DISCONTINUOUS
    return orientation(options.start[option], options.end[option], options.start[before], last)


@lean
def turn_at_end(work, J, state):
    """How the end of the sentence lies to the last phrase of a state."""
    return MONOTONE if work.last[state] == J else DISCONTINUOUS


@lean
def step_gain(work, options, weights, delta, state, option, language):
    """What a step adds to the score, given what the language model says of it."""
    gain = options.score[option] + weights[LANGUAGE] * language
    if covers_nothing(options, option):
        return gain
    jump = options.start[option] - work.last[state]
    gain -= weights[LINEAR_DISTORTION] * abs(jump)
    if weights[DISTORTION] != 0.0:
        gain += weights[DISTORTION] * geometric_jump(delta, jump + 1)
    turn = turn_to(work, options, state, option)
    if work.kin[state] != NONE:
        gain += weights[NEXT + turn] * options.orientations[work.kin[state], 1, turn]
    return gain + weights[PREVIOUS + turn] * options.orientations[option, 0, turn]


@lean
def final_gain(work, options, weights, J, state, language, lengths):
    """What the end of the sentence adds; source words that an exact translation leaves over are paid for."""
    gain = weights[LANGUAGE] * language + SURCHARGE * (J - covered_words(work, state))
    if work.kin[state] != NONE:
        turn = turn_at_end(work, J, state)
        gain += weights[NEXT + turn] * options.orientations[work.kin[state], 1, turn]
    if work.length[state] != NONE:
        gain += weights[SOURCE_LENGTH] * length_score(lengths, J, work.length[state])
    return gain


@lean
def end_language(work, settings, state, lm):
    """What the language model says of the end of the sentence; nothing if it goes on in another piece."""
    return advance(lm, work.memory[state], END)[0] if settings.ends else 0.0


@lean
def covered_words(work, state):
    """How many source words a state has covered."""
    n = work.gap[state]
    mask = work.mask[state]
    while mask != 0:
        n += mask & 1
        mask >>= 1
    return n


@lean
def covered(gap, mask, start, end):
    """(first uncovered word, bits beyond it) after the span has been covered too."""
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
def may_cover(gap, mask, last, start, end, limit):
    """Whether a span may be next: free, within the window, and not beyond the distortion limit, now or on the way back.

    The word at the gap may always be next, whatever came before: since every span ends within `limit` words of the gap
    or begins there, the last one ended at most that far beyond the gap, and what is covered beyond it likewise.
    """
    if start < gap or end - gap > WINDOW or (mask >> (start - gap)) & ((np.int64(1) << (end - start)) - 1):
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
def find_state(work, gap, mask, last, memory, kin, length):
    """(the state of this stack with these properties or NONE, the slot where it stands or belongs)."""
    at = slot_of(gap, mask, last, memory, kin, length, work.slots)
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
            return s, at
        at = (at + 1) & (work.slots.size - 1)
    return np.int64(NONE), at


@lean
def lead(work, arc, state):
    """Let an arc lead into a state; among equally good ways into it, the one from the earliest state is the best."""
    work.target[arc] = state
    origin, best = work.origin[arc], work.best[state]
    score = work.score[origin] + work.gain[arc]
    if best == NONE or score > work.score[state] or (score == work.score[state] and origin < work.origin[best]):
        work.score[state], work.best[state] = score, arc


@lean
def enter(work, arc, gap, mask, last, memory, kin, length, rest):
    """Lead an arc into the equal state of this stack if there is one, otherwise into a new state."""
    state, at = find_state(work, gap, mask, last, memory, kin, length)
    if state == NONE:
        state = work.sizes[STATES]
        work.sizes[STATES] += 1
        work.slots[at] = state + 1
        work.gap[state], work.mask[state], work.last[state] = gap, mask, last
        work.memory[state], work.kin[state], work.length[state] = memory, kin, length
        work.best[state] = NONE
    lead(work, arc, state)
    work.total[state] = work.score[state] + rest


@lean
def new_arc(work, origin, option, gain, language):
    """Add an arc that does not lead anywhere yet."""
    arc = work.sizes[ARCS]
    work.sizes[ARCS] += 1
    work.origin[arc], work.option[arc], work.gain[arc], work.language[arc] = origin, option, gain, language
    return arc


@lean
def arc_features(work, options, J, delta, arc, lengths, features):
    """Write the features of one arc into `features` [FEATURES]."""
    state, option = work.origin[arc], work.option[arc]
    for r in range(FEATURES):
        features[r] = 0.0 if option == NONE else options.features[option, r]
    features[LANGUAGE] = work.language[arc]
    if option == NONE:
        turn = turn_at_end(work, J, state)
        if work.length[state] != NONE:
            features[SOURCE_LENGTH] = length_score(lengths, J, work.length[state])
    elif covers_nothing(options, option):
        return
    else:
        jump = options.start[option] - work.last[state]
        features[LINEAR_DISTORTION] = -abs(jump)
        features[DISTORTION] = geometric_jump(delta, jump + 1)
        turn = turn_to(work, options, state, option)
        features[PREVIOUS + turn] = options.orientations[option, 0, turn]
    if work.kin[state] != NONE:
        features[NEXT + turn] = options.orientations[work.kin[state], 1, turn]


@lean
def fill_arc_features(work, options, J, delta, arcs, lengths, features):
    """`arc_features` of each of the arcs [n] into `features` [n, FEATURES]."""
    for n in range(arcs.size):
        arc_features(work, options, J, delta, arcs[n], lengths, features[n])


@lean
def fill_surcharges(work, options, J, arcs, counts):
    """How often the SURCHARGE is in the score of each of the arcs [n], into `counts` [n]."""
    for n in range(arcs.size):
        option = work.option[arcs[n]]
        if option == NONE:
            counts[n] = J - covered_words(work, work.origin[arcs[n]])
        else:
            counts[n] = surcharges(options.path[option])
