"""Translation edit rate of lists: every hypothesis once, and short ones in machine words.

Hypotheses that are compared with the same reference one after another, as the entries of an n-best list are, share what
can be shared:

1. Words become places in the reference, all words that it does not have the same one: nothing else matters for edits.
2. Of hypotheses that are equal then only the first is counted. In n-best lists most are, since entries often differ in
   words that are all wrong.
3. Where a row of edit distances fits into one machine word, it is computed as one (`ter_bits_kernels`). What does not,
   and what might leave the band around the diagonal, is left to `ter_banded_kernels`.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.measure import ter_banded_kernels as banded
from dragoman.measure import ter_bits_kernels as bits

MIX = np.uint64(0x9E3779B97F4A7C15)


class Index(NamedTuple):
    """Where the words of a reference stand in it."""

    slots: np.ndarray  # [2^k] first place of a word, by its hash; -1 for none
    reference: np.ndarray  # [m] the words
    places: np.ndarray  # [m] the first place of each
    masks: np.ndarray  # [m + 1] uint64, all places of the word that first stands at a place, bit by bit; none at the end


@kernel
def statistics(hypotheses, references, which):
    """Edits and reference words [N, 2] of hypotheses, each compared with the reference `which` [N] names."""
    result = np.empty((which.size, 2), np.int64)
    places = np.empty_like(hypotheses.ids)
    grid = bits.new_grid()
    begin = 0
    while begin < which.size:
        end = begin + 1
        while end < which.size and which[end] == which[begin]:
            end += 1
        r = which[begin]
        index = new_index(references.ids[references.starts[r] : references.starts[r + 1]])
        fill_places(index, hypotheses.ids, places, hypotheses.starts[begin], hypotheses.starts[end])
        count_list(index, places, hypotheses.starts, begin, end, grid, result)
        begin = end
    return result


@kernel
def new_index(reference):
    """The words of a reference, to be looked up."""
    m = reference.size
    slots = np.full(table_size(m), np.int64(-1))
    places, masks = np.empty(m, np.int64), np.zeros(m + 1, np.uint64)
    index = Index(slots, reference, places, masks)
    for j in range(m):
        at = slot_of(index, reference[j])
        if slots[at] < 0:
            slots[at] = j
        places[j] = slots[at]
        if j < bits.LONGEST:
            masks[places[j]] |= np.uint64(1) << np.uint64(j)
    return index


@lean
def table_size(n):
    """A power of two, so large that n entries leave three of four slots empty."""
    size = 4
    while size < 4 * n:
        size *= 2
    return size


@lean
def slot_of(index, word):
    """Where a word of the reference is entered, or would be."""
    last = index.slots.size - 1
    at = mixed(np.uint64(0), word) & last
    while index.slots[at] >= 0 and index.reference[index.slots[at]] != word:
        at = (at + 1) & last
    return at


@lean
def mixed(h, number):
    """A hash of what was in h before and one more number; both 63 bits."""
    h = (np.uint64(h) ^ np.uint64(number)) * MIX
    return np.int64((h ^ (h >> np.uint64(32))) >> np.uint64(1))


@lean
def fill_places(index, words, places, begin, end):
    """For words[begin:end] their first place in the reference, one past its last if they have none."""
    m = index.reference.size
    for k in range(begin, end):
        place = index.slots[slot_of(index, words[k])]
        places[k] = m if place < 0 else place


@kernel
def count_list(index, places, starts, begin, end, grid, result):
    """Fill result[begin:end] for hypotheses that all have the same reference."""
    slots = np.full(table_size(end - begin), np.int64(-1))
    for n in range(begin, end):
        at = earlier(slots, places, starts, n)
        result[n, 1] = index.places.size
        if slots[at] >= 0:
            result[n, 0] = result[slots[at], 0]
            continue
        slots[at] = n
        hypothesis = places[starts[n] : starts[n + 1]]
        edits = bits.edits(grid, hypothesis, index.masks)
        result[n, 0] = edits if edits >= 0 else banded.edits(hypothesis, index.places)


@lean
def earlier(slots, places, starts, n):
    """The slot of a hypothesis that is equal to this one, or of this one if it is the first."""
    size, last = starts[n + 1] - starts[n], slots.size - 1
    h = np.int64(size)
    for k in range(starts[n], starts[n + 1]):
        h = mixed(h, places[k])
    at = h & last
    while slots[at] >= 0:
        other = starts[slots[at]]
        if starts[slots[at] + 1] - other == size:
            k = 0
            while k < size and places[other + k] == places[starts[n] + k]:
                k += 1
            if k == size:
                break
        at = (at + 1) & last
    return at
