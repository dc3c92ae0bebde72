"""Hypotheses as flat arrays: states, arcs between them, and what a step from one to the next adds to the score.

A *state* is a set of hypotheses that no continuation can tell apart: which source words are covered, where the last
phrase ended, the language model's state, and what the reordering and length models will want to know. An *arc* is one
way into a state: the state before, and a phrase option. All arcs are kept: together they are the word graph. A state
is made after those that lead to it, so the order of states is an order of the graph.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.models.extraction_kernels import DISCONTINUOUS, MONOTONE, SWAP
from dragoman.models.language_kernels import END, advance
from dragoman.models.lengths_kernels import length_score
from dragoman.models.loglinear_kernels import (
    CLASS_LANGUAGE,
    DISTORTION,
    FEATURES,
    LANGUAGE,
    LINEAR_DISTORTION,
    NEXT,
    PREVIOUS,
    SOURCE_LENGTH,
    UPSTREAM_BREAKS,
    UPSTREAM_LEFT,
    geometric_jump,
)
from dragoman.search.class_kernels import OFF
from dragoman.search.coverage_kernels import covered_words
from dragoman.search.lm_cache_kernels import expected
from dragoman.search.options_kernels import NOWHERE, STRANGE, SURCHARGE

NONE = -1

# Places in Workspace.sizes
STATES, ARCS, CUBES, ITEMS = 0, 1, 2, 3
FINAL = 4  # the state of whole translations
SPARE = 5  # the first of the cubes that have been worked off, linked like a queue, or NONE
PLACES = 6

STATE = np.dtype(
    [
        ("mask", np.int64),  # bit k: source word gap + k is covered
        ("lm_state", np.int64),  # state of the language model
        ("class_state", np.int64),  # state of the model of word classes, or OFF
        ("score", np.float64),  # of the best way here
        ("total", np.float64),  # score plus estimate of the rest
        ("gap", np.int32),  # first uncovered source word
        ("last", np.int32),  # one past the last source word of the last phrase
        ("kin", np.int32),  # option that stands for the last one towards the reordering model, or NONE
        ("length", np.int32),  # target words, or NONE where no feature asks
        ("place", np.int32),  # where it has come to in the other engine's translation, or NONE
        ("best", np.int32),  # the best arc into it
    ],
    align=True,
)
ARC = np.dtype(
    [
        ("origin", np.int32),  # state before
        ("target", np.int32),  # state after
        ("option", np.int32),  # or NONE for the arcs into FINAL
        ("gain", np.float64),  # what the step adds to the score
        ("language", np.float64),  # what the language model says of the step
        ("classes", np.float64),  # and that of word classes
    ],
    align=True,
)
CUBE = np.dtype(
    [
        ("mask", np.int64),  # coverage that it leads to
        ("gap", np.int32),
        ("begin", np.int32),  # its states are grouped[begin:end]
        ("end", np.int32),
        ("first", np.int32),  # its options first … last − 1
        ("last", np.int32),
        ("after", np.int32),  # the next cube of its queue, or NONE
        ("rest", np.float64),  # estimate of what will be uncovered then
        ("move", np.float64),  # what the jump to its span adds to the score
    ],
    align=True,
)
ITEM = np.dtype(
    [
        ("gain", np.float64),
        ("language", np.float64),
        ("classes", np.float64),
        ("lm_state", np.int64),
        ("class_state", np.int64),
        ("place", np.int32),
        ("cube", np.int32),  # the cell of a cube that was worked out
        ("row", np.int32),
        ("column", np.int32),
    ],
    align=True,
)


class SearchLimits(NamedTuple):
    """What a search may spend and what it has to observe: all int64, float64 or bool scalars."""

    pops: int  # of the heap, for each stack
    stack: int  # states kept in each stack
    threshold: float  # a state this much below the best of its stack is dropped
    distortion: int  # source words that may be jumped over, negative for any number
    delta: float  # of the geometric models
    reordering: bool  # whether states remember their last phrase, for the lexicalised reordering model
    length: bool  # whether states remember their number of target words, for the source-length model
    lm_state: int  # state of the language model before the first word
    class_state: int  # and of the model of word classes, or OFF
    ends: bool  # whether the sentence ends here, or another piece of it follows
    prefix: int  # target words that are given
    exact: bool  # whether nothing may follow these


class Workspace(NamedTuple):
    """Room for one search; `sizes` says how much of it is filled."""

    sizes: np.ndarray  # [PLACES] int64
    states: np.ndarray  # [·] STATE
    arcs: np.ndarray  # [·] ARC
    slots: np.ndarray  # [2^k] int32, hash table of the states of one stack, state + 1
    kept: np.ndarray  # [·] int64, states of one stack in order
    grouped: np.ndarray  # [·] int64, kept states in the order of their groups
    cubes: np.ndarray  # [·] CUBE
    queue: np.ndarray  # [stacks] int64, first cube of each stack, or NONE
    items: np.ndarray  # [·] ITEM
    heap: np.ndarray  # [·] int64, items
    ranks: np.ndarray  # [·] float64, the score of each, with an estimate of the rest


@lean
def orientation(start, end, previous_start, previous_end):
    """How a phrase lies to the phrase before it."""
    if start == previous_end:
        return MONOTONE
    return SWAP if end == previous_start else DISCONTINUOUS


@lean
def turn_to(rows, state, option):
    """How an option lies to the last phrase of a state; at the start, monotone if it is the first."""
    if state.kin == NONE:
        return MONOTONE if option.start == state.last else DISCONTINUOUS
    return orientation(option.start, option.end, rows[state.kin].start, state.last)


@lean
def move_gain(weights, delta, last, start):
    """What the jump from the end of one phrase to the start of another adds to the score."""
    jump = start - last
    return weights[DISTORTION] * geometric_jump(delta, jump + 1) - weights[LINEAR_DISTORTION] * abs(jump)


@lean
def turn_gain(options, weights, state, n):
    """What the orientation of option n after the last phrase of a state adds to the score."""
    option = options.row[n]
    if option.start == option.end:
        return 0.0
    turn = turn_to(options.row, state, option)
    gain = weights[PREVIOUS + turn] * options.orientations[n, 0, turn]
    if state.kin != NONE:
        gain += weights[NEXT + turn] * options.orientations[state.kin, 1, turn]
    return gain


@lean
def turn_at_end(J, state):
    """How the end of the sentence lies to the last phrase of a state."""
    return MONOTONE if state.last == J else DISCONTINUOUS


@lean
def final_gain(options, weights, J, state, language, classes, lengths, answer):
    """What the end of the sentence adds; source words that an exact translation leaves over are paid for."""
    gain = (
        weights[LANGUAGE] * language
        + weights[CLASS_LANGUAGE] * classes
        + SURCHARGE * STRANGE * (J - covered_words(state))
    )
    if answer.words.size > 0:
        gain -= weights[UPSTREAM_LEFT] * skipped(answer, state, answer.words.size)
        gain -= weights[UPSTREAM_BREAKS] * (not continues(answer, state, answer.words.size))
    if state.kin != NONE:
        turn = turn_at_end(J, state)
        gain += weights[NEXT + turn] * options.orientations[state.kin, 1, turn]
    if state.length != NONE:
        gain += weights[SOURCE_LENGTH] * length_score(lengths, J, state.length)
    return gain


@lean
def end_language(settings, state, lm, answer):
    """What the language model says of the end of the sentence; nothing if it goes on in another piece."""
    if not settings.ends:
        return 0.0
    value = advance(lm, state.lm_state, END)[0]
    return value if state.place == NONE else expected(value, answer.share, state.place == answer.words.size)


@lean
def end_classes(settings, state, classes):
    """The same of the model of word classes."""
    if not settings.ends or state.class_state == OFF:
        return 0.0
    return advance(classes.lm, state.class_state, END)[0]


@lean
def continues(answer, state, place):
    """Whether a place in the other engine's translation comes next, but for words that stand for no source word."""
    return place != NOWHERE and 0 <= state.place <= place <= answer.aligned[state.place]


@lean
def skipped(answer, state, place):
    """How many of the other engine's words are left out on the way to a place that comes next."""
    return place - state.place if continues(answer, state, place) else 0


@lean
def slot_of(gap, mask, last, lm_state, class_state, kin, length, place, slots):
    """First slot for a state with these properties."""
    h = np.uint64(gap * 31 + last) * np.uint64(0x9E3779B97F4A7C15)
    h ^= np.uint64(mask) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(29))) + np.uint64(lm_state) * np.uint64(0xC4CEB9FE1A85EC53)
    h ^= np.uint64(kin + 2) * np.uint64(0xD6E8FEB86659FD93) + np.uint64(length + 2) * np.uint64(0xA0761D6478BD642F)
    h = (h ^ np.uint64(place + 2)) * np.uint64(0xE7037ED1A0B428DB)
    h ^= (np.uint64(class_state + 1) ^ (h >> np.uint64(31))) * np.uint64(0x8EBC6AF09C88C6E3)
    return np.int64((h ^ (h >> np.uint64(32))) & np.uint64(slots.size - 1))


@lean
def enter(work, arc, gap, mask, last, lm_state, class_state, kin, length, place, rest):
    """Lead an arc into the equal state of this stack if there is one, otherwise into a new state."""
    slots = work.slots
    at = slot_of(gap, mask, last, lm_state, class_state, kin, length, place, slots)
    while slots[at] != 0:
        state = work.states[slots[at] - 1]
        if (
            state.lm_state == lm_state
            and state.class_state == class_state
            and state.mask == mask
            and state.gap == gap
            and state.last == last
            and state.kin == kin
            and state.length == length
            and state.place == place
        ):
            break
        at = (at + 1) & (slots.size - 1)
    if slots[at] == 0:
        work.sizes[STATES] += 1
        slots[at] = work.sizes[STATES]
        state = work.states[slots[at] - 1]
        state.gap, state.mask, state.last, state.lm_state = gap, mask, last, lm_state
        state.class_state, state.kin, state.length, state.place, state.best = class_state, kin, length, place, NONE
    lead(work, arc, np.int64(slots[at]) - 1)
    state = work.states[slots[at] - 1]
    state.total = state.score + rest


@lean
def lead(work, n, target):
    """Let arc n lead into a state; among equally good ways into it, the one from the earliest state is the best."""
    arc, state = work.arcs[n], work.states[target]
    arc.target = target
    score = work.states[arc.origin].score + arc.gain
    if (
        state.best == NONE
        or score > state.score
        or (score == state.score and arc.origin < work.arcs[state.best].origin)
    ):
        state.score, state.best = score, n


@lean
def new_arc(work, origin, option, gain, language, classes):
    """Add an arc that does not lead anywhere yet; returns its number."""
    n = work.sizes[ARCS]
    work.sizes[ARCS] += 1
    arc = work.arcs[n]
    arc.origin, arc.option, arc.gain, arc.language, arc.classes = origin, option, gain, language, classes
    return n


@lean
def fill_end_features(options, J, state, lengths, answer, features):
    """Write what the end of a sentence has of features, but for the language model, into `features` [FEATURES]."""
    features[:] = 0.0
    if answer.words.size > 0:
        features[UPSTREAM_LEFT] = -skipped(answer, state, answer.words.size)
        features[UPSTREAM_BREAKS] = -np.float64(not continues(answer, state, answer.words.size))
    if state.length != NONE:
        features[SOURCE_LENGTH] = length_score(lengths, J, state.length)
    if state.kin != NONE:
        turn = turn_at_end(J, state)
        features[NEXT + turn] = options.orientations[state.kin, 1, turn]


@lean
def fill_step_features(options, delta, state, n, answer, features):
    """Write what a step with option n has of features, but for the language model, into `features` [FEATURES]."""
    option = options.row[n]
    for r in range(FEATURES):
        features[r] = options.features[n, r]
    if option.start == option.end:
        return
    if answer.words.size > 0:
        if continues(answer, state, option.place):
            features[UPSTREAM_LEFT] -= skipped(answer, state, option.place)
            return
        features[UPSTREAM_BREAKS] = -1.0
    jump = np.int64(option.start) - state.last
    features[LINEAR_DISTORTION] = -abs(jump)
    features[DISTORTION] = geometric_jump(delta, jump + 1)
    turn = turn_to(options.row, state, option)
    features[PREVIOUS + turn] = options.orientations[n, 0, turn]
    if state.kin != NONE:
        features[NEXT + turn] = options.orientations[state.kin, 1, turn]


@lean
def fill_arc_features(work, options, J, delta, chosen, lengths, answer, features):
    """Write the features of each of the chosen arcs [n] into `features` [n, FEATURES]."""
    for n in range(chosen.size):
        arc = work.arcs[chosen[n]]
        state = work.states[arc.origin]
        if arc.option == NONE:
            fill_end_features(options, J, state, lengths, answer, features[n])
        else:
            fill_step_features(options, delta, state, arc.option, answer, features[n])
        features[n, LANGUAGE] += arc.language
        features[n, CLASS_LANGUAGE] += arc.classes


@lean
def fill_surcharges(work, options, J, chosen, counts):
    """How often the SURCHARGE is in the score of each of the chosen arcs [n], into `counts` [n]."""
    for n in range(chosen.size):
        arc = work.arcs[chosen[n]]
        if arc.option == NONE:
            counts[n] = STRANGE * (J - covered_words(work.states[arc.origin]))
        else:
            counts[n] = options.row[arc.option].surcharges
