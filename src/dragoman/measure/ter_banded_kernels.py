"""Translation edit rate: the edits that turn a hypothesis into its reference, where moving a block counts as one.

The search for shifts is greedy and full of limits, and every one of them shows in the result; they are those of
sacrebleu, which follows Tercom:

1. Align hypothesis and reference by edit distance, looking only at a band around the diagonal.
2. Try each block of words that also occurs in the reference, is misplaced, and whose place there is wrong too: move it
   behind each of the words that this place, and the word before it, are aligned with.
3. Carry out the move that lowers the edit distance most, and begin again; stop when none does, or when too many have
   been tried.

What makes this fast: a move leaves the words before and after its window where they are. With the distances from the
start (`forward`) and to the end (`backward`) of the alignment at hand, only the rows of the window are computed anew.

The band of row i is low[i] ≤ j < high[i]. Column j of it is stored at place j - low[i] + 1; what lies outside is FAR.
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

FAR = np.int32(1 << 29)


class Grid(NamedTuple):
    """Edit distances between n words of a hypothesis and m words of a reference."""

    reference: np.ndarray  # [m + 1] the words, from place 1
    low: np.ndarray  # [n + 1] first column of each row's band
    high: np.ndarray  # [n + 1] one past the last
    forward: np.ndarray  # [n + 1, width] distance from the start
    backward: np.ndarray  # [n + 1, width] distance to the end
    rows: np.ndarray  # [2, width] two rows to compute moves in
    aligned: np.ndarray  # [m + 1] hypothesis words that the best path has used up after so many of the reference
    wrong_hypothesis: np.ndarray  # [n + 1] how many of the first words the best path does not match
    wrong_reference: np.ndarray  # [m + 1] likewise


@kernel
def edits(hypothesis, reference):
    """How many words must be inserted, deleted or replaced, and blocks moved."""
    n, m = hypothesis.size, reference.size
    if n == 0 or m == 0:
        return max(n, m)
    grid = new_grid(n, reference)
    words = hypothesis.copy()
    moves = tried = 0
    while True:
        distance = fill_forward(grid, words)
        if distance == 0:
            break
        fill_backward(grid, words)
        align(grid, words)
        gain, start, length, by, tried = best_move(grid, words, distance, tried)
        if gain == 0:
            break
        words = moved(words, start, length, by)
        moves += 1
    return moves + distance


@kernel
def new_grid(n, reference):
    """Room for the distances, and the bands: they follow the diagonal of a rectangle of n by m words."""
    m = reference.size
    ratio = m / n
    beam = BEAM if ratio / 2 <= BEAM else math.ceil(ratio / 2 + BEAM)  # or bands would not touch
    low, high = np.zeros(n + 1, np.int64), np.empty(n + 1, np.int64)
    for i in range(1, n + 1):
        diagonal = math.floor(i * ratio)
        low[i] = max(0, diagonal - beam)
        high[i] = min(m + 1, diagonal + beam)
    low[0] = max(0, low[1] - 1)
    high[0] = high[1]
    width = 2 + (high[1:] - low[:-1]).max()  # a row is read up to the end of the next one's band
    padded = np.empty(m + 1, reference.dtype)
    padded[0] = -1
    padded[1:] = reference
    forward = np.full((n + 1, width), FAR)
    for j in range(low[0], high[0]):
        forward[0, j - low[0] + 1] = j
    backward = np.full((n + 1, width), FAR)
    rows = np.full((2, width), FAR)
    counts = np.zeros(n + 1, np.int64), np.zeros(m + 1, np.int64)
    return Grid(padded, low, high, forward, backward, rows, np.zeros(m + 1, np.int64), counts[0], counts[1])


@lean
def fill_forward(grid, words):
    """Distances from the start, row by row; returns that of the whole."""
    n = words.size
    for i in range(1, n + 1):
        first = grid.low[i]
        above = grid.forward[i - 1][first - grid.low[i - 1] :]
        next_row(above, grid.forward[i], words[i - 1], grid.reference[first:], grid.high[i] - first)
    return grid.forward[n, grid.high[n] - grid.low[n]]


@lean
def next_row(above, row, word, reference, count):
    """A row of `count` columns for one more word of the hypothesis; returns the least distance in it.

    `reference` begins with the word of the row's first column, and `above` one column before that.
    """
    least = left = FAR
    diagonal = above[0]
    for k in range(count):
        over = above[k + 1]
        left = min(diagonal if reference[k] == word else diagonal + 1, min(over, left) + 1)
        row[k + 1] = left
        diagonal = over
        least = min(least, left)
    for k in range(count + 1, row.size):
        row[k] = FAR
    return least


@lean
def fill_backward(grid, words):
    """Distances to the end, from the last row up."""
    n, m = words.size, grid.reference.size - 1
    for j in range(grid.low[n], m + 1):
        grid.backward[n, j - grid.low[n] + 1] = m - j
    for i in range(n - 1, 0, -1):
        word = words[i]
        row, below = grid.backward[i], grid.backward[i + 1]
        step = grid.low[i + 1] - grid.low[i]
        right = FAR
        for k in range(grid.high[i] - grid.low[i], 0, -1):
            best = right + 1
            if k >= step:
                j = grid.low[i] + k - 1
                best = min(best, below[k - step] + 1)
                if j < m:
                    best = min(best, below[k - step + 1] + (0 if grid.reference[j + 1] == word else 1))
            row[k] = right = best


@lean
def align(grid, words):
    """Follow the best path back: which words it leaves unmatched, and where it passes each word of the reference.

    Of equally good steps a match or replacement comes first, then deleting a word of the hypothesis.
    """
    i, j = words.size, grid.reference.size - 1
    grid.wrong_hypothesis[:] = 0
    grid.wrong_reference[:] = 0
    while j > 0 or i > 0:
        grid.aligned[j] = i
        if i == 0:
            grid.wrong_reference[j] = 1
            j -= 1
            continue
        distance = grid.forward[i, j - grid.low[i] + 1]
        k = j - grid.low[i - 1] + 1  # the place of this column in the row above
        cost = 0 if grid.reference[j] == words[i - 1] else 1
        if j > 0 and grid.forward[i - 1, k - 1] + cost == distance:
            grid.wrong_hypothesis[i] = grid.wrong_reference[j] = cost
            i -= 1
            j -= 1
        elif grid.forward[i - 1, k] + 1 == distance:
            grid.wrong_hypothesis[i] = 1
            i -= 1
        else:
            grid.wrong_reference[j] = 1
            j -= 1
    grid.aligned[0] = 0
    for i in range(words.size):
        grid.wrong_hypothesis[i + 1] += grid.wrong_hypothesis[i]
    for j in range(grid.reference.size - 1):
        grid.wrong_reference[j + 1] += grid.wrong_reference[j]


@lean
def best_move(grid, words, distance, tried):
    """The move of a block that gains most: gain, first word, length, words it moves over, moves tried so far.

    Of equally good ones the longest, then the one from furthest left, then the one to furthest left. The gain is 0 if
    no move lowers the distance, or if too many have been tried: then even the best of them is not carried out.
    """
    n, m = words.size, grid.reference.size - 1
    best_gain, best_start, best_length, best_target = 0, 0, MAX_BLOCK + 1, 0
    for start in range(n):
        for place in range(max(1, start + 1 - MAX_DISTANCE), min(m, start + 1 + MAX_DISTANCE) + 1):
            if words[start] != grid.reference[place]:
                continue
            for length in range(1, 1 + min(MAX_BLOCK, n - start, m - place + 1)):
                if words[start + length - 1] != grid.reference[place + length - 1]:
                    break
                if not is_misplaced(grid, start, place, length):
                    continue
                previous = -1
                for j in range(place - 1, place + length):
                    target = grid.aligned[j]
                    if target == previous:
                        continue
                    previous = target
                    tried += 1
                    preferred = (length, -start, -target) > (best_length, -best_start, -best_target)
                    limit = distance - best_gain - (0 if preferred else 1)
                    by = words_over(n, start, length, target)
                    after = distance_after(grid, words, start, length, by, limit)
                    if after <= limit:
                        best_gain, best_start, best_length, best_target = distance - after, start, length, target
                if tried >= MAX_CANDIDATES:
                    return 0, 0, 0, 0, tried
    return best_gain, best_start, best_length, words_over(n, best_start, best_length, best_target), tried


@lean
def is_misplaced(grid, start, place, length):
    """Whether a block has a word that is not matched, its place in the reference too, and is aligned elsewhere."""
    return (
        grid.wrong_hypothesis[start + length] > grid.wrong_hypothesis[start]
        and grid.wrong_reference[place + length - 1] > grid.wrong_reference[place - 1]
        and not start < grid.aligned[place] <= start + length
    )


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
def word_after(words, start, length, by, i):
    """The word at place i, inside the window of a move, when it has been carried out."""
    if 0 <= i - start - by < length:
        return words[i - by]
    return words[i - length] if by < 0 else words[i + length]


@lean
def distance_after(grid, words, start, length, by, limit):
    """The edit distance after a move, or FAR if it is more than `limit`."""
    begin, end = start + min(0, by), start + length + max(0, by)
    row = grid.forward[begin]
    for i in range(begin, end):
        first = grid.low[i + 1]
        above, row = row[first - grid.low[i] :], grid.rows[i % 2]
        word = word_after(words, start, length, by, i)
        if next_row(above, row, word, grid.reference[first:], grid.high[i + 1] - first) > limit:
            return FAR
    distance = FAR
    for k in range(1, grid.high[end] - grid.low[end] + 1):
        distance = min(distance, row[k] + grid.backward[end, k])
    return distance if distance <= limit else FAR


@kernel
def moved(words, start, length, by):
    """The words after a move."""
    result = words.copy()
    for i in range(start + min(0, by), start + length + max(0, by)):
        result[i] = word_after(words, start, length, by, i)
    return result
