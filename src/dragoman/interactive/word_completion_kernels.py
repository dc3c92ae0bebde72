"""Words of a vocabulary that begin with given characters, and how likely each is to come, as compiled functions."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.models.alignment_kernels import lexical
from dragoman.models.language_kernels import advance


@kernel
def beginning_with(text, ends, wanted, most):
    """Places of the first `most` words that begin with the bytes `wanted`; word n is text[ends[n - 1]:ends[n]]."""
    found = np.empty(most, np.int64)
    count, begin = 0, np.int64(0)
    for n in range(ends.size):
        if count == most:
            break
        if ends[n] - begin > wanted.size:  # a word that is no longer than what stands completes nothing
            same = 0
            while same < wanted.size and text[begin + same] == wanted[same]:
                same += 1
            if same == wanted.size:
                found[count] = n
                count += 1
        begin = ends[n]
    return found[:count]


@lean
def fill_likelihoods(lm, state, direct, source, words, scores):
    """Log p(word | words before) + log p(word | source words), of each of the words [n], into `scores` [n].

    The second is the mean over the source words, as in IBM model 1.
    """
    for n in range(words.size):
        total = 0.0
        for f in source:
            total += lexical(direct, words[n], f)
        scores[n] = advance(lm, state, words[n])[0] + math.log(total / source.size)


@lean
def state_after(lm, state, words):
    """State of the language model after these words."""
    for word in words:
        state = advance(lm, state, word)[1]
    return state
