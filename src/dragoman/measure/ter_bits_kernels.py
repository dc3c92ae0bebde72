"""Translation edit rate where a row of edit distances is one machine word.

The search for moves is greedy and full of limits, each of which shows in the result. They are those of sacrebleu, which
follows Tercom:

1. Align hypothesis and reference by edit distance, within a band around the diagonal.
2. Try each block of words that also occurs in the reference, is misplaced, and whose place there is wrong too: move it
   behind each of the words that this place, and the word before it, are aligned with.
3. Carry out the move that lowers the edit distance most, and start again; stop when none does, or when too many have
   been tried.

Neighbours in the table of edit distances differ by at most one. So a row is the distance at its first column and two
sets of bits: the columns where it is one more than at the column before (`up`), and where it is one less (`down`). The
places of a word in the reference are a set of bits too, and take a row to the next in a dozen instructions, without
a loop over columns (Myers 1999, Hyyrö 2003). What makes trying moves fast:

- A move leaves the rows before it as they are. When a row after it is as it was, so are all that follow.
- Moves do not change which words there are. So the distance cannot fall below that of the best order (`floor`); nor,
  where no path needs to leave the band, by more than twice the words that change places.

The band of row i is low[i] ≤ j < high[i], and its bits begin with column low[i] + 1. Beyond the band they go up: that
makes no path through it shorter, if words do not match there. Where the first column of the band moves on, the one
before it is taken to be one more than in the row above, which makes no path shorter either.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean

BEAM = 25  # reference words on each side of the diagonal
MAX_BLOCK = 10  # words that are moved together
MAX_DISTANCE = 50  # words that a block is moved over
MAX_CANDIDATES = 1000  # moves tried in a sentence

MAX_REFERENCE_WORDS = 4096  # the sets of places grow with the square
MAX_RATIO = 2 * BEAM  # reference words per hypothesis word: beyond it the band is wider than a machine word
# A path with d edits through n by m words is never further than (d + |m - n|) / 2 from the diagonals of its ends; the
# band reaches BEAM - 1 words beyond them, one less where the diagonal was rounded down.
ROOM = 2 * (BEAM - 2)  # d + |m - n|

ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Reference(NamedTuple):
    """The m words of a reference, each called by the place where it stands first."""

    words: np.ndarray  # [m]
    following: np.ndarray  # [m] the next place of the same word, m if there is none
    often: np.ndarray  # [m + 1] how often the word is there that stands first at a place; 0 for the word m, not there
    places: (
        np.ndarray
    )  # [m + 1, m // 64 + 2] uint64, where it is, bit by bit; nothing if m is above MAX_REFERENCE_WORDS


class Grid(NamedTuple):
    """Edit distances between n words of a hypothesis and m words of a reference, in arrays that may be longer."""

    shape: np.ndarray  # [2] n and m that the bands are for
    words: np.ndarray  # [n] the hypothesis, as words of the reference
    low: np.ndarray  # [n + 1] first column of each row's band
    high: np.ndarray  # [n + 1] one past the last
    base: np.ndarray  # [n + 1] the column before the first bit while a row is computed
    near: np.ndarray  # [n + 1] uint64, the bits of `base` that can be reached from the row above
    inside: np.ndarray  # [n + 1] uint64, the bits of `low` that are in the band
    first: np.ndarray  # [n + 1] distance at column low
    up: np.ndarray  # [n + 1] uint64, where the next distance is one more
    down: np.ndarray  # [n + 1] uint64, where it is one less
    same: np.ndarray  # [n + 1] uint64, from `base`: as the column before in the row above
    more: np.ndarray  # [n + 1] uint64, from `base`: one more than the row above
    aligned: np.ndarray  # [m + 1] hypothesis words that the best path has used up after so many of the reference
    wrong: np.ndarray  # [n + 1] words from here to the next that the best path does not match, that one included
    missed: np.ndarray  # [m + 1] likewise


@kernel
def new_grid(n, m):
    """Room for sentences of so many words."""
    N = np.zeros((6, n + 1), np.int64)
    M = np.zeros((2, m + 1), np.int64)
    B = np.zeros((6, n + 1), np.uint64)
    shape = np.zeros(2, np.int64)
    rows = B[2], B[3], B[4], B[5]
    return Grid(shape, N[0], N[1], N[2], N[3], B[0], B[1], N[4], *rows, M[0], N[5], M[1])


@lean
def edits(grid, hypothesis, reference):
    """Edits, moves included; -1 if the reference is too long for these kernels."""
    n, m = hypothesis.size, reference.words.size
    if n == 0 or m == 0:
        return max(n, m)
    if m > MAX_REFERENCE_WORDS or m > MAX_RATIO * n:
        return -1
    if grid.shape[0] != n or grid.shape[1] != m:
        fill_bands(grid, n, m)
    for i in range(n):
        grid.words[i] = hypothesis[i]
    floor = max(n, m) - in_common(grid, hypothesis, reference)
    distance = fill_rows(grid, n, m, reference.places, 0)
    moves = tried = 0
    while distance > floor:
        align(grid, n, m, reference.words)
        gain, start, length, by, tried = best_move(grid, n, reference, distance, floor, tried)
        if gain == 0:
            break
        move(grid.words, start, length, by)
        distance = fill_rows(grid, n, m, reference.places, start + min(0, by))
        moves += 1
    return moves + distance


@lean
def fill_bands(grid, n, m):
    """The bands: they follow the diagonal of a rectangle of n by m words."""
    ratio = m / n
    for i in range(1, n + 1):
        diagonal = math.floor(i * ratio)
        grid.low[i] = max(0, diagonal - BEAM)
        grid.high[i] = min(m + 1, diagonal + BEAM)
    grid.low[0] = max(0, grid.low[1] - 1)
    grid.high[0] = grid.high[1]
    grid.first[0], grid.up[0], grid.down[0] = grid.low[0], ALL, np.uint64(0)
    for i in range(1, n + 1):
        grid.base[i] = max(grid.low[i - 1], grid.low[i] - 1)
        grid.near[i] = lowest(grid.high[i - 1] - grid.base[i])
        grid.inside[i] = lowest(grid.high[i] - grid.low[i] - 1)
    grid.shape[0], grid.shape[1] = n, m


@lean
def lowest(count):
    """So many bits, from 0 to 64."""
    return (ONE << np.uint64(count)) - ONE if count < 64 else ALL


@lean
def in_common(grid, hypothesis, reference):
    """How many words can be matched if order does not matter."""
    left = grid.missed  # free until the first alignment
    for word in range(reference.often.size):
        left[word] = reference.often[word]
    common = 0
    for word in hypothesis:
        if left[word] > 0:
            left[word] -= 1
            common += 1
    return common


@lean
def fill_rows(grid, n, m, places, begin):
    """Distances from the start, from row `begin` on; returns that of the whole."""
    first, up, down = grid.first[begin], grid.up[begin], grid.down[begin]
    for i in range(begin, n):
        first, up, down, same, more = next_row(grid, i + 1, first, up, down, places[grid.words[i]])
        grid.first[i + 1], grid.up[i + 1], grid.down[i + 1] = first, up, down
        grid.same[i + 1], grid.more[i + 1] = same, more
    return last_distance(grid, n, m, first, up, down)


@lean
def next_row(grid, i, first, up, down, places):
    """Row i, from the one above and the places of the i-th word: distance at `low`, up, down, same, more."""
    base = grid.base[i]
    skipped = base - grid.low[i - 1]
    if skipped:
        passed = lowest(skipped)
        first += ones(up & passed) - ones(down & passed)
        up = (up >> np.uint64(skipped)) | ~(ALL >> np.uint64(skipped))
        down >>= np.uint64(skipped)
    word, bit = base >> 6, np.uint64(base & 63)
    match = (places[word] >> bit) | (places[word + 1] << ONE << (np.uint64(63) - bit))
    match &= grid.near[i]
    same = (((match & up) + up) ^ up) | match | down
    more = down | ~(same | up)
    risen = (more << ONE) | ONE
    down = risen & same
    up = ((up & same) << ONE) | ~(same | risen)
    step = np.uint64(grid.low[i] - base)
    first += 1 + np.int64(up & step) - np.int64(down & step)
    up, down = (up >> step) | ~grid.inside[i], (down >> step) & grid.inside[i]
    return first, up, down, same, more


@lean
def last_distance(grid, n, m, first, up, down):
    """The distance at column m of the last row."""
    columns = lowest(m - grid.low[n])
    return first + ones(up & columns) - ones(down & columns)


@lean
def ones(bits):
    """How many bits are set."""
    bits = bits - ((bits >> ONE) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean
def align(grid, n, m, reference):
    """Follow the best path back: which words it leaves unmatched, and where it passes each word of the reference.

    Of equally good steps a match or replacement comes first, then deleting a word of the hypothesis.
    """
    i, j = n, m
    grid.wrong[:n] = 0
    grid.missed[:m] = 0
    while i > 0 and j > 0:
        grid.aligned[j] = i
        place = j - 1 - grid.base[i]  # among the bits of the row; -1 in a column that has no other neighbour than above
        bit, above = np.uint64(max(place, 0)), grid.high[i - 1] - j  # columns of the row above that are left from here
        matches = grid.words[i - 1] == reference[j - 1]
        if place >= 0 and above >= 0 and (matches or (grid.same[i] >> bit) & ONE == 0):
            i -= 1
            j -= 1
            grid.wrong[i] = grid.missed[j] = 0 if matches else 1
        elif place < 0 or (above > 0 and (grid.more[i] >> bit) & ONE != 0):
            i -= 1
            grid.wrong[i] = 1
        else:
            j -= 1
            grid.missed[j] = 1
    grid.wrong[:i] = 1
    grid.missed[:j] = 1
    grid.aligned[: j + 1] = 0
    count_to_next(grid.wrong, n)
    count_to_next(grid.missed, m)


@lean
def count_to_next(marks, count):
    """Turn marks, 1 or 0, into how many words it is from each to the next 1, that one included."""
    behind = MAX_BLOCK
    for k in range(count - 1, -1, -1):
        behind = 1 if marks[k] else behind + 1
        marks[k] = behind


@lean
def best_move(grid, n, reference, distance, floor, tried):
    """The move of a block that gains most: gain, first word, length, words it moves over, moves tried so far.

    Of equally good ones the longest, then the one from furthest left, then the one to furthest left. The gain is 0 if
    no move lowers the distance, or if too many have been tried: then even the best of them is not carried out.
    """
    m = reference.words.size
    best_gain, best_start, best_length, best_target = 0, 0, MAX_BLOCK + 1, 0
    within = 2 if distance + abs(m - n) <= ROOM else distance  # what a word that changes places can gain
    for start in range(n):
        place = grid.words[start] if grid.wrong[start] <= MAX_BLOCK else m
        while place < m:
            here, place = place, reference.following[place]
            shortest, longest = max(grid.wrong[start], grid.missed[here]), min(MAX_BLOCK, n - start, m - here)
            if abs(here - start) > MAX_DISTANCE or shortest > longest:
                continue
            if grid.words[start + shortest - 1] != reference.words[here + shortest - 1]:
                continue
            for length in range(shortest, 1 + in_a_row(grid, reference, start, here, longest)):
                if start < grid.aligned[here + 1] <= start + length:
                    continue
                previous = -1
                for j in range(here, here + length + 1):
                    target = grid.aligned[j]
                    if target == previous:
                        continue
                    previous = target
                    tried += 1
                    preferred = (length, -start, -target) > (best_length, -best_start, -best_target)
                    needed = best_gain + (0 if preferred else 1)
                    by = words_over(n, start, length, target)
                    if by == 0 or needed > min(distance - floor, within * min(length, abs(by))):
                        continue
                    gain = distance - distance_after(grid, n, reference, start, length, by, distance)
                    if gain >= needed:
                        best_gain, best_start, best_length, best_target = gain, start, length, target
                if tried >= MAX_CANDIDATES:
                    return 0, 0, 0, 0, tried
    return best_gain, best_start, best_length, words_over(n, best_start, best_length, best_target), tried


@lean
def words_over(n, start, length, target):
    """By how many words a block moves, negative to the left, when it goes before the word at `target`.

    A target inside the block means so many words to the right.
    """
    if target < start:
        return target - start
    if target > start + length:
        return target - start - length
    return min(target - start, n - start - length)


@lean
def in_a_row(grid, reference, start, place, longest):
    """How many words from `start` on are those from `place` on in the reference."""
    length = 1
    while length < longest and grid.words[start + length] == reference.words[place + length]:
        length += 1
    return length


@lean
def distance_after(grid, n, reference, start, length, by, distance):
    """The edit distance after a move, given what it is before."""
    i = start + min(0, by)
    end = start + length + max(0, by)
    first, up, down = grid.first[i], grid.up[i], grid.down[i]
    source = start if by < 0 else start + length
    while i < n:
        if i >= end and up == grid.up[i] and down == grid.down[i] and first == grid.first[i]:
            return distance
        first, up, down, _, _ = next_row(grid, i + 1, first, up, down, reference.places[grid.words[source]])
        i += 1
        source += 1
        if i == end:
            source = end
        elif by < 0 and source == start + length:
            source = start + by
        elif by > 0 and source == end:
            source = start
    return last_distance(grid, n, reference.words.size, first, up, down)


@lean
def move(words, start, length, by):
    """Carry out a move, one word at a time."""
    for _ in range(abs(by)):
        if by < 0:
            for i in range(start, start + length):
                words[i - 1], words[i] = words[i], words[i - 1]
            start -= 1
        else:
            for i in range(start + length, start, -1):
                words[i - 1], words[i] = words[i], words[i - 1]
            start += 1
