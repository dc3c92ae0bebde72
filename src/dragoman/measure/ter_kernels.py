"""Translation edit rate of whole lists of hypotheses.

Hypotheses that are compared with the same reference one after another, as the entries of an n-best list are, share what
can be shared:

1. Words become places in the reference, all words that it does not have the same one: nothing else matters for edits.
2. Of hypotheses that are equal then only the first is counted. In n-best lists most are, since entries often differ in
   words that are all wrong.
3. A row of edit distances is one machine word (`ter_bits_kernels`). References that are too long for that are left to
   the caller.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.measure.ter_bits_kernels import MAX_REFERENCE_WORDS, Reference, edits, new_grid

MIX = np.uint64(0x9E3779B97F4A7C15)


class ReferenceIndex(NamedTuple):
    """The words of a reference, by their hashes."""

    slots: np.ndarray  # [2^k] the place where a word stands first, -1 for none
    words: np.ndarray  # [m] the reference


@kernel
def statistics(hypotheses, references, which):
    """Edits and reference words [N, 2] of hypotheses, each compared with the reference `which` [N] names.

    Edits are -1 where the reference is too long.
    """
    result = np.empty((which.size, 2), np.int64)
    words = np.empty_like(hypotheses.ids)
    grid = new_grid(np.diff(hypotheses.starts).max(), np.diff(references.starts).max())
    begin = 0
    while begin < which.size:
        end = begin + 1
        while end < which.size and which[end] == which[begin]:
            end += 1
        r = which[begin]
        index = new_index(references.ids[references.starts[r] : references.starts[r + 1]])
        for k in range(hypotheses.starts[begin], hypotheses.starts[end]):
            words[k] = first_place(index, hypotheses.ids[k])
        count_list(grid, words, hypotheses.starts, begin, end, as_places(index), result)
        begin = end
    return result


@kernel
def new_index(reference):
    """The words of a reference, to be looked up."""
    index = ReferenceIndex(np.full(table_size(reference.size), np.int64(-1)), reference)
    for j in range(reference.size - 1, -1, -1):
        index.slots[slot_of(index, reference[j])] = j
    return index


@kernel
def as_places(index):
    """A reference whose words are places."""
    m = index.words.size
    words, following, often = np.empty(m, np.int64), np.full(m, m), np.zeros(m + 1, np.int64)
    places = np.zeros((m + 1, m // 64 + 2 if m <= MAX_REFERENCE_WORDS else 0), np.uint64)
    latest = np.full(m, np.int64(-1))
    for j in range(m):
        word = words[j] = first_place(index, index.words[j])
        if latest[word] >= 0:
            following[latest[word]] = j
        latest[word] = j
        often[word] += 1
        if m <= MAX_REFERENCE_WORDS:
            places[word, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    return Reference(words, following, often, places)


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
    at = mixed(0, word) & last
    while index.slots[at] >= 0 and index.words[index.slots[at]] != word:
        at = (at + 1) & last
    return at


@lean
def mixed(h, number):
    """A hash of what was in h before and one more number; both 63 bits."""
    h = (np.uint64(h) ^ np.uint64(number)) * MIX
    return np.int64((h ^ (h >> np.uint64(32))) >> np.uint64(1))


@lean
def first_place(index, word):
    """Where a word stands first in the reference, one past its last if nowhere."""
    place = index.slots[slot_of(index, word)]
    return index.words.size if place < 0 else place


@kernel
def count_list(grid, words, starts, begin, end, reference, result):
    """Fill result[begin:end] for hypotheses that all have the same reference."""
    slots = np.full(table_size(end - begin), np.int64(-1))
    for n in range(begin, end):
        at = slot_of_equal(slots, words, starts, n)
        result[n, 1] = reference.words.size
        if slots[at] >= 0:
            result[n, 0] = result[slots[at], 0]
            continue
        slots[at] = n
        result[n, 0] = edits(grid, words[starts[n] : starts[n + 1]], reference)


@lean
def slot_of_equal(slots, words, starts, n):
    """The slot of an earlier hypothesis that is equal to this one, or an empty one."""
    begin, size, last = starts[n], starts[n + 1] - starts[n], slots.size - 1
    h = size
    for k in range(begin, begin + size):
        h = mixed(h, words[k])
    at = h & last
    while slots[at] >= 0:
        other = starts[slots[at]]
        equal = starts[slots[at] + 1] - other == size
        k = 0
        while equal and k < size:
            equal = words[other + k] == words[begin + k]
            k += 1
        if equal:
            break
        at = (at + 1) & last
    return at
