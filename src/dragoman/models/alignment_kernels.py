"""The HMM alignment model as compiled functions: look-ups, and the counts that a sample adds or takes away.

Steps of learning from one sample:

1. `estimate` runs forward–backward with the model as it is and returns the sample's expected counts as integers.
2. The tables reserve room for as many entries (alignment.py), since kernels cannot grow them.
3. `apply` adds these integers, or subtracts them again: exactly the same numbers.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.models.lattice_kernels import P0, best_path, forward, posteriors
from dragoman.tables.table_kernels import ABSENT, WORD_BITS, Layered, erase, insert, locate

NULL = 3  # id of the null word, as in text/vocabulary.py
LEXICAL_UNIFORM = 0.1  # share of the uniform distribution in p(f|e)
JUMP_UNIFORM = 0.3  # and in p(i|i′, I)
UNIT = 2**20  # expected counts are integers in units of 2⁻²⁰
NEGLIGIBLE = 2**10  # a sample's expected counts below this many units are dropped; docs/understand/alignment.md
POSITION_BITS = 10  # of each position in a key, as tables are saved; alignment.py checks that MAX_SENTENCE_WORDS fits
MAX_SENTENCE_WORDS = 500  # either side
# Places in AlignmentArrays.lost
DROPPED = 0  # links of the layer given up to save memory
SKIPPED = 1  # links that were to be taken back but not there any more

SUM = -1.0  # in place of a share: base and layer are summed


class Counts(NamedTuple):
    """One table of counts over its base; what is read is the sum of both."""

    layered: Layered
    below: np.ndarray  # [base entries] int64
    amounts: np.ndarray  # [capacity of the layer] int64


class AlignmentArrays(NamedTuple):
    """All statistics of one alignment model. Valid until a table grows: never kept between calls."""

    links: Counts  # c(e, f) by `link_key`
    targets: Counts  # c(e) = Σ_f c(e, f), by word
    jumps: Counts  # c(I, i′, i) by `jump_key`
    origins: Counts  # c(I, i′) = Σ_i c(I, i′, i), by `origin_key`
    sources: Counts  # occurrences of each source word
    size: np.ndarray  # [1] int64, |V_f|: how many source words occur, base and layer together
    lost: np.ndarray  # [2] int64: DROPPED, SKIPPED
    nearness: float  # see `assumed`
    share: float  # of the layer's relative frequencies where the base has some too, or SUM


@lean
def link_key(e, f):
    """Key of a target word with a source word."""
    return (np.int64(e) << WORD_BITS) | np.int64(f)


@lean
def origin_key(I, previous):
    """Key of a position in a target sentence of I words, 0 before its first word."""
    return (np.int64(I) << POSITION_BITS) | np.int64(previous)


@lean
def jump_key(I, previous, i):
    """Key of a jump between two positions of a target sentence of I words."""
    return (origin_key(I, previous) << POSITION_BITS) | np.int64(i)


@lean
def value(column, entry):
    """What a column holds at an id, nothing at ABSENT."""
    return column[entry] if entry != ABSENT else np.int64(0)


@lean
def add_all(counts, keys, more):
    """Add an amount [n] to each key [n] of the layer; an entry that comes to zero is erased."""
    layer, amounts = counts.layered.layer, counts.amounts
    for n in range(keys.size):
        entry = insert(layer, keys[n])
        amounts[entry] += more[n]
        if amounts[entry] == 0:
            erase(layer, entry)


@lean
def smoothed(total, cases, share):
    """(factor, floor) such that factor · c + floor is the relative frequency c / total, interpolated with 1 / cases."""
    if total <= 0:
        return 0.0, 1.0 / cases
    return (1.0 - share) / total, share / cases


@lean
def assumed(i, previous, I, uniform, nearness):
    """p(i|i′, I) before any jump from i′ was seen in a sentence of I words.

    Each step away from i′ + 1 makes a position `nearness` times as likely, and what would fall beyond the sentence is
    left to all positions. With 1 all are equally likely; then a first long sentence comes from the null word as a
    whole, since p0 > (1 − p0) / I.
    """
    if nearness == 1.0:
        return 1.0 / I
    scale = (1.0 - nearness) / (1.0 + nearness)
    beyond = (nearness ** (I - previous) + nearness ** (previous + 1)) / (1.0 + nearness)
    return (1.0 - uniform) * (scale * nearness ** abs(i - previous - 1) + beyond / I) + uniform / I


@lean
def factors(totals, key, cases, uniform, share):
    """(below, above, floor): what c of the base and c of the layer are multiplied with, and the uniform part.

    Base and layer summed have one factor. With a share, both relative frequencies are interpolated where both have
    seen what `key` stands for; where only one of them has, it speaks alone.
    """
    in_base, in_layer = locate(totals.layered, key)
    below, above = value(totals.below, in_base), value(totals.amounts, in_layer)
    if share == SUM or below <= 0 or above <= 0:
        factor, floor = smoothed(below + above, cases, uniform)
        return factor, factor, floor
    return (1.0 - uniform) * (1.0 - share) / below, (1.0 - uniform) * share / above, uniform / cases


@lean
def probability(counts, key, below, above, floor):
    """A probability from the counts of a key and what `factors` says; one factor is applied to the exact sum."""
    in_base, in_layer = locate(counts.layered, key)
    old, new = value(counts.below, in_base), value(counts.amounts, in_layer)
    return above * (old + new) + floor + (below - above) * old


@lean
def lexical(model, f, e):
    """The smoothed p(f|e) of two word ids."""
    below, above, floor = factors(model.targets, e, max(model.size[0], 1), LEXICAL_UNIFORM, model.share)
    return probability(model.links, link_key(e, f), below, above, floor)


@lean
def jump(model, i, previous, I):
    """The smoothed p(i|i′, I), positions from 1; i′ = 0 is the start."""
    below, above, floor = factors(model.origins, origin_key(I, previous), I, JUMP_UNIFORM, model.share)
    if above == 0.0:
        return assumed(i, previous, I, JUMP_UNIFORM, model.nearness)
    return probability(model.jumps, jump_key(I, previous, i), below, above, floor)


@lean
def word_at(e, i):
    """Target word at a position from 1; 0 is the null word."""
    return np.int64(NULL) if i == 0 else np.int64(e[i - 1])


@lean
def fill_emission(model, f, e, emission):
    """Write p(f_j|e_i) into `emission` [≥ J, ≥ I + 1], the null word in column 0."""
    cases = max(model.size[0], 1)
    for i in range(e.size + 1):
        word = word_at(e, i)
        below, above, floor = factors(model.targets, word, cases, LEXICAL_UNIFORM, model.share)
        for j in range(f.size):
            emission[j, i] = probability(model.links, link_key(word, f[j]), below, above, floor)


@lean
def fill_transition(model, I, transition):
    """Write (1 − p0) · p(i|i′, I) into `transition` [≥ I + 1, ≥ I + 1], row i′, column i; column 0 is zero."""
    for previous in range(I + 1):
        below, above, floor = factors(model.origins, origin_key(I, previous), I, JUMP_UNIFORM, model.share)
        transition[previous, 0] = 0.0
        for i in range(1, I + 1):
            if above > 0.0:
                p = probability(model.jumps, jump_key(I, previous, i), below, above, floor)
            else:
                p = assumed(i, previous, I, JUMP_UNIFORM, model.nearness)
            transition[previous, i] = (1.0 - P0) * p


@kernel
def lattice(model, f, e):
    """(emission [J, I + 1], transition [I + 1, I + 1]) of a sentence pair."""
    emission = np.empty((f.size, e.size + 1))
    transition = np.empty((e.size + 1, e.size + 1))
    fill_emission(model, f, e, emission)
    fill_transition(model, e.size, transition)
    return emission, transition


@lean
def quantised(x):
    """An expected count in units, 0 if it is negligible."""
    amount = np.int64(x * UNIT + 0.5)
    return amount if amount >= NEGLIGIBLE else np.int64(0)


@kernel
def compact(expected, first):
    """[n, 3] int32: row, column and units of each expected count that is not negligible, from column `first` on."""
    n = 0
    for row in range(expected.shape[0]):
        for column in range(first, expected.shape[1]):
            n += quantised(expected[row, column]) > 0
    entries = np.empty((n, 3), np.int32)
    n = 0
    for row in range(expected.shape[0]):
        for column in range(first, expected.shape[1]):
            amount = quantised(expected[row, column])
            if amount > 0:
                entries[n, 0] = row
                entries[n, 1] = column
                entries[n, 2] = amount
                n += 1
    return entries


@kernel
def estimate(model, f, e):
    """(links [n, 3], jumps [m, 3]) int32: what a sample of ids adds — j, i, units and i′, i, units; j from 0."""
    emission, transition = lattice(model, f, e)
    gamma, jumps, _ = posteriors(emission, transition)
    return compact(gamma, 0), compact(jumps, 1)


@kernel
def apply(model, f, e, links, jumps, sign):
    """Add (sign 1) or subtract (sign −1) what `estimate` said of a sample. Room must have been reserved.

    Returns whether it can have been this sample; if not, nothing is changed.
    """
    I = e.size
    if not (within(links, f.size, 0, I + 1) and within(jumps, I + 1, 1, I + 1)):
        return False
    words, mass = np.empty(I + 1, np.int64), np.zeros(I + 1, np.int64)
    for i in range(I + 1):
        words[i] = word_at(e, i)
    keys, amounts = np.empty(links.shape[0], np.int64), sign * links[:, 2].astype(np.int64)
    for n in range(keys.size):
        keys[n] = link_key(words[links[n, 1]], f[links[n, 0]])
    if sign < 0 and model.lost[DROPPED] > 0:
        cut_to_what_is_there(model, keys, amounts)
    for n in range(keys.size):
        mass[links[n, 1]] += amounts[n]
    add_all(model.links, keys, amounts)
    add_all(model.targets, words, mass)

    mass[:] = 0
    keys, amounts = np.empty(jumps.shape[0], np.int64), sign * jumps[:, 2].astype(np.int64)
    for n in range(keys.size):
        keys[n] = jump_key(I, jumps[n, 0], jumps[n, 1])
        mass[jumps[n, 0]] += amounts[n]
    add_all(model.jumps, keys, amounts)
    for previous in range(I + 1):
        words[previous] = origin_key(I, previous)
    add_all(model.origins, words, mass)
    occur(model, f, np.full(f.size, sign, np.int64))
    return True


@lean
def cut_to_what_is_there(model, keys, amounts):
    """Where links were dropped, let no more be taken back (amounts [n] < 0 from keys [n]) than there is; count it."""
    for n in range(keys.size):
        in_base, in_layer = locate(model.links.layered, keys[n])
        there = value(model.links.below, in_base) + value(model.links.amounts, in_layer)
        for earlier in range(n):
            there += amounts[earlier] if keys[earlier] == keys[n] else 0
        if there + amounts[n] < 0:
            amounts[n] = -max(there, 0)
            model.lost[SKIPPED] += 1


@lean
def within(entries, rows, first, columns):
    """Whether rows of all entries are among 0…rows − 1, and columns among first…columns − 1."""
    fits = True
    for n in range(entries.shape[0]):
        fits = fits and 0 <= entries[n, 0] < rows and first <= entries[n, 1] < columns
    return fits


@lean
def occur(model, words, more):
    """Count so many more occurrences [n] of source words [n], and how many words still occur at all."""
    layered, below, amounts = model.sources
    layer = layered.layer
    for n in range(words.size):
        in_base, _ = locate(layered, words[n])
        entry = insert(layer, words[n])
        before = value(below, in_base) + amounts[entry]
        amounts[entry] += more[n]
        model.size[0] += np.int64(before + more[n] > 0) - np.int64(before > 0)
        if amounts[entry] == 0:
            erase(layer, entry)


@kernel
def log_likelihood(model, f, e):
    """Natural logarithm of p(f|e), summed over all alignments."""
    emission, transition = lattice(model, f, e)
    real = np.empty(emission.shape)
    position = np.empty((f.size + 1, e.size + 1))
    return forward(emission, transition, real, position, np.empty(f.size))


@kernel
def expectations(model, f, e):
    """[J, I + 1] posterior of each link, column 0 = null."""
    emission, transition = lattice(model, f, e)
    return posteriors(emission, transition)[0]


@kernel
def viterbi(model, f, e):
    """[J] most probable positions, 0 = null."""
    emission, transition = lattice(model, f, e)
    return best_path(emission, transition)


@lean
def fill_jumps(model, jumps):
    """Write (1 − p0) · p(i|i′, I) into `jumps` [n, n, n], by I < n, i′ and i: all that phrases of n − 1 words need."""
    jumps[0] = 0.0
    for I in range(1, jumps.shape[0]):
        fill_transition(model, I, jumps[I])
