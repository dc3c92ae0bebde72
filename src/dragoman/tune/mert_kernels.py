"""Exact line search: the upper envelope of the lines of each sentence, and all corners of it in order.

A hypothesis scores height + x · slope at the place x of the line. From the far left on, the preferred hypothesis of a
sentence is the line with the least slope, until a steeper one cuts it first, and so on. There are few corners however
many lines there are, so each is looked for among all lines instead of sorting them.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel, lean


@kernel
def envelope(heights, slopes):
    """(lines [n + 1], corners [n]) that are highest somewhere, from left to right, and where one follows the other."""
    lines, corners = np.empty(heights.size, np.int64), np.empty(heights.size)
    line = leftmost(heights, slopes, 0, heights.size)
    x = -np.inf
    n = 0
    while line >= 0:
        lines[n] = line
        line, x = next_line(heights, slopes, 0, heights.size, line, x)
        corners[n] = x
        n += 1
    return lines[:n].copy(), corners[: n - 1].copy()


@lean
def leftmost(heights, slopes, begin, end):
    """The line that is highest at the far left: the least slope, of these the highest, of these the first."""
    best = begin
    for row in range(begin + 1, end):
        if slopes[row] < slopes[best] or (slopes[row] == slopes[best] and heights[row] > heights[best]):
            best = row
    return np.int64(best)


@lean
def next_line(heights, slopes, begin, end, line, x):
    """The line that cuts the one given first, and where; −1 if none does. Of those that cut it there, the steepest.

    No corner lies left of x, the one before it: rounding might put it there.
    """
    best = np.int64(-1)
    height, slope = heights[line], slopes[line]
    first = np.inf
    for row in range(begin, end):
        if slopes[row] > slope:
            at = (height - heights[row]) / (slopes[row] - slope)
            if at < first or (at == first and steeper(heights, slopes, row, best)):
                best = np.int64(row)
                first = at
    return best, max(first, x)


@lean
def steeper(heights, slopes, row, best):
    """Whether a line that cuts at the same place as the best so far, or nowhere like it, is to be preferred to it."""
    if best < 0 or slopes[row] != slopes[best]:
        return best < 0 or slopes[row] > slopes[best]
    return heights[row] > heights[best]


@kernel
def corners(heights, slopes, starts, statistics, total):
    """(places [n], from [n], to [n]) of the corners of all sentences: where a row is followed by which.

    Adds to `total` [k] the statistics of the rows preferred at the far left.
    """
    where = np.empty(4 * starts.size)
    rows = np.empty((4 * starts.size, 2), np.int64)
    n = 0
    for s in range(starts.size - 1):
        begin, end = starts[s], starts[s + 1]
        line = leftmost(heights, slopes, begin, end)
        for k in range(total.size):
            total[k] += statistics[line, k]
        x = -np.inf
        while True:
            after, x = next_line(heights, slopes, begin, end, line, x)
            if after < 0:
                break
            if n == where.size:
                where, rows = twice(where), twice(rows)
            where[n], rows[n, 0], rows[n, 1] = x, line, after
            n += 1
            line = after
    return where[:n].copy(), rows[:n].copy()


@kernel
def twice(array):
    """A copy with twice the room."""
    larger = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@kernel
def sweep(order, rows, statistics, total):
    """Statistics [n + 1, k] summed over all sentences in each interval between corners, in the order given [n]."""
    sums = np.empty((order.size + 1, total.size))
    sums[0] = total
    for n in range(order.size):
        before, after = rows[order[n], 0], rows[order[n], 1]
        for k in range(total.size):
            sums[n + 1, k] = sums[n, k] + statistics[after, k] - statistics[before, k]
    return sums
