"""Which phrase options can be said at which place of a given beginning, as compiled functions."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.search.lm_cache_kernels import remembered
from dragoman.search.options_kernels import GIVEN, same_next

NONE = -1


@lean
def agrees(words, begin, end, prefix, at, unfinished, starts):
    """Whether words[begin:end] can stand at place `at` of the prefix; what goes beyond its end is free."""
    last = prefix.size - 1
    for i in range(min(end - begin, prefix.size - at)):
        if unfinished and at + i == last:
            if not starts[begin + i]:
                return False
        elif words[begin + i] != prefix[at + i]:
            return False
    return True


@kernel
def agreeing(options, prefix, unfinished, starts, exact, near):
    """[rows, 3] place in the prefix, option, and words of the prefix then reached, for all options that agree.

    `starts` [target words of all options]: true for those that begin with the last, unfinished word of the prefix.
    With `exact` an option may not go beyond the end of the prefix. Only options that begin at the source words
    near[at, 0] … near[at, 1] - 1 are tried.
    """
    P = prefix.size
    rows = np.empty((64, 3), np.int64)
    n = 0
    for at in range(P):
        for number in range(options.row.size):
            option = options.row[number]
            reached = at + option.stop - option.begin
            if exact and reached > P:
                continue
            if option.start < option.end and not near[at, 0] <= option.start < near[at, 1]:
                continue
            if agrees(options.words, option.begin, option.stop, prefix, at, unfinished, starts):
                if n == rows.shape[0]:
                    larger = np.empty((2 * n, 3), np.int64)
                    larger[:n] = rows
                    rows = larger
                rows[n, 0], rows[n, 1], rows[n, 2] = at, number, min(reached, P)
                n += 1
    return rows[:n]


@lean
def fill_answers(memo, lm, state, words, answers):
    """Log probability of each of the words [n] after a state, into `answers` [n]."""
    for i in range(words.size):
        answers[i] = remembered(memo, lm, state, words[i])[0]


@lean
def fill_kin_of_given(options, free, found):
    """`fill_kin` for given words in place of a source word, from option `free` on; `found` [J] is scratch.

    Nothing was counted of them, so they all have the same scores towards the next phrase.
    """
    found[:] = NONE
    for n in range(free, options.row.size):
        option = options.row[n]
        if option.path == GIVEN:
            s = option.start
            if found[s] == NONE:
                found[s] = n
                for other in range(options.first[s, 0], options.first[s, -1]):
                    if same_next(options.orientations, n, other):
                        found[s] = options.row[other].kin
                        break
            option.kin = found[s]
