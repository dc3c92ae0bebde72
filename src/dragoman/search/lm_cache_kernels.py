"""What the language model was asked in one search, so that nothing is looked up twice: most questions come again."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import advance

# A question to the language model and its answer; in a table [2^k] a newer one takes the place of an older one. The
# word is kept with 1 added, so that a table of zeros knows nothing.
ANSWER = np.dtype(
    [
        ("state", np.int64),
        ("word", np.int64),
        ("after", np.int64),  # state after the word
        ("value", np.float64),  # log p(word | state)
    ]
)


@lean
def remembered(cache, lm, state, word):
    """`advance` of the language model: (log p(word | state), state after it)."""
    h = (np.uint64(state) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(word) * np.uint64(0xC4CEB9FE1A85EC53))
    known = cache[np.int64((h ^ (h >> np.uint64(29))) & np.uint64(cache.size - 1))]
    if known.state != state or known.word != word + 1:
        known.value, known.after = advance(lm, state, word)
        known.state, known.word = state, word + 1
    return known.value, known.after


@lean
def say_after(cache, lm, state, words, begin, end, heard, place, continues):
    """`say` where another engine's translation is at hand: (log probability, state after, place after or −1).

    Its next word is expected with the share `heard.share`, besides what the language model expects. `place` is where
    the words stand in it, if they do; unless the phrase `continues` there, it does not predict the first of them.
    """
    total = 0.0
    known = heard.words.size
    for i in range(begin, end):
        value, state = remembered(cache, lm, state, words[i])
        if place >= 0:
            same = place < known and heard.words[place] == words[i]
            if continues:
                value = expected(value, heard.share, same)
            place = place + 1 if same else np.int64(-1)
        continues = True
        total += value
    return total, state, place


@lean
def expected(value, share, same):
    """Log of a probability, given as log, of which another model that is sure of one word has a share."""
    return math.log((1.0 - share) * math.exp(value) + (share if same else 0.0))


@lean
def say(cache, lm, state, words, begin, end):
    """(log probability of words[begin:end] after a state, state after them)."""
    total = 0.0
    for i in range(begin, end):
        value, state = remembered(cache, lm, state, words[i])
        total += value
    return total, state
