"""What a language model was asked before, so that nothing is looked up twice: most questions come again.

An answer is kept, and of each state what does not depend on the word that is asked for: the histories it stands for,
and the weight of each. So a new word after a known state needs half the work.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import inlined, lean
from dragoman.models.language_kernels import (
    EMPTY_HISTORY,
    LENGTH_BITS,
    SUM,
    WORDS,
    advance,
    held_back,
    history,
    order_of,
    plain,
    read_gram,
    read_longest,
    state_of,
)
from dragoman.tables.table_kernels import ABSENT, LIVE, find, joint_id, path_key

WORD_BITS = 32  # of a question; above them the age
STATE_BITS = 42  # of a state; above them the age
AGES = 1 << 20

# A question to the language model and its answer; in a table [2^k] a newer one takes the place of an older one
ANSWER = np.dtype(
    [
        ("state", np.int64),
        ("word", np.int64),  # with the age of the memo
        ("after", np.int64),  # state after the word
        ("value", np.float64),  # log p(word | state)
    ]
)


class Memo(NamedTuple):
    """Answers of one language model, and its states, in tables of 2^k places.

    Whatever is of another age counts as empty, so nothing has to be cleared when the model changes.
    """

    age: int  # from 1 on

    answers: np.ndarray  # [answers] ANSWER
    known: np.ndarray  # [states] int64, the state, with the age of the memo
    nodes: np.ndarray  # [states, n] int64, joint ids of its histories, by length
    shares: np.ndarray  # [states, n] float64, the weight of what each has counted, for a count of 1
    left: np.ndarray  # [states] float64, what all of them leave to words never counted


@inlined
def remembered(memo, lm, state, word):
    """`advance` of the language model: (log p(word | state), state after it)."""
    h = (np.uint64(state) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(word) * np.uint64(0xC4CEB9FE1A85EC53))
    known = memo.answers[(h ^ (h >> np.uint64(29))) & np.uint64(memo.answers.size - 1)]
    question = (memo.age << WORD_BITS) | word
    if known.state != state or known.word != question:
        if lm.share == SUM:
            known.value, known.after = advance_from(memo, lm, state, word)
        else:
            known.value, known.after = advance(lm, state, word)
        known.state, known.word = state, question
    return known.value, known.after


@lean
def advance_from(memo, lm, state, word):
    """`advance` where base and layer are summed, with what is known of the state: the same sums in the same order."""
    h = np.uint64(state) * np.uint64(0x9E3779B97F4A7C15)
    at = (h >> np.uint64(40)) & np.uint64(memo.known.size - 1)
    if memo.known[at] != (memo.age << STATE_BITS) | state:
        learn_state(memo, lm, at, state)
    nodes, shares = memo.nodes[at], memo.shares[at]
    probability, reached = 0.0, np.int64(EMPTY_HISTORY)
    for length in range(state & ((1 << LENGTH_BITS) - 1), -1, -1):
        count, joint, continued = counted(lm, nodes[plain(length)], length, word)
        if continued > 0 and reached == EMPTY_HISTORY:
            reached = state_of(joint, length + 1)
        if count > 0:
            probability += shares[plain(length)] * (count - held_back(lm.discounts[0], length + 1, count))
    words = lm.base.scalars[WORDS] + lm.layer.scalars[WORDS]
    return math.log(probability + memo.left[at] / (words + 2)), reached


@lean
def learn_state(memo, lm, at, state):
    """Enter a state: its histories, from the longest to the empty one, and the weight of each ([O] Eq. 7)."""
    node, length = (state >> LENGTH_BITS) - 1, state & ((1 << LENGTH_BITS) - 1)
    left = 1.0
    while True:
        total, kept, suffix = history(lm, node, length)
        share = left / total if total > 0 else 0.0
        memo.nodes[at, length], memo.shares[at, length] = node, share
        if total > 0:
            left = share * kept
        if length == 0:
            break
        node = suffix
        length -= 1
    memo.known[at], memo.left[at] = (memo.age << STATE_BITS) | state, left


@inlined
def counted(lm, node, length, word):
    """`look_up` of the language model, which does not look into an empty layer."""
    key = path_key(node, word)
    if length + 1 == order_of(lm):
        in_base, in_layer = seek(lm.outer, key)
        return read_longest(lm, in_base, in_layer), np.int64(ABSENT), np.int64(0)
    in_base, in_layer = seek(lm.inner, key)
    count, total, _ = read_gram(lm, in_base, in_layer)
    return count, joint_id(lm.inner, in_base, in_layer), total


@inlined
def seek(layered, key):
    """Where a key stands: (id in the base, id in the layer), each ABSENT if it is not there."""
    in_base = find(layered.base, key) if layered.base.state[LIVE] > 0 else np.int64(ABSENT)
    in_layer = find(layered.layer, key) if layered.layer.state[LIVE] > 0 else np.int64(ABSENT)
    return in_base, in_layer


@inlined
def say_after(memo, lm, state, words, begin, end, answer, place, continues):
    """`say` where another engine's translation is at hand: (log probability, state after, place after or −1).

    Its next word is expected with the share `answer.share`, besides what the language model expects. `place` is where
    the words stand in it, if they do; unless the phrase `continues` there, it does not predict the first of them.
    """
    total = 0.0
    known = answer.words.size
    for i in range(begin, end):
        value, state = remembered(memo, lm, state, words[i])
        if place >= 0:
            same = place < known and answer.words[place] == words[i]
            if continues:
                value = expected(value, answer.share, same)
            place = place + 1 if same else np.int64(-1)
        continues = True
        total += value
    return total, state, place


@lean
def expected(value, share, same):
    """Log of a probability, given as log, of which another model that is sure of one word has a share."""
    return math.log((1.0 - share) * math.exp(value) + (share if same else 0.0))


@inlined
def say(memo, lm, state, words, begin, end):
    """(log probability of words[begin:end] after a state, state after them)."""
    total = 0.0
    for i in range(begin, end):
        value, state = remembered(memo, lm, state, words[i])
        total += value
    return total, state
