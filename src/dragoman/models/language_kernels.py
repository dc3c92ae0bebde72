"""Interpolated Kneser-Ney counts as compiled functions: what is kept, and how it is read ([O] Eq. 7).

An n-gram is a path of words, the oldest first. Each word of a sentence ends one *longest* n-gram, of order n or going
back to `<s>`, and that one keeps its true count; every shorter n-gram keeps the number of distinct words seen to its
left. So one count c_X stands at each path, and a word is learned from the longest n-gram downwards: only an n-gram
never seen before is a new left context of the one without its first word, and the first one seen before ends the walk.

1. `start` gives the state at the beginning of a sentence, `advance` the log probability of a word and the state after.
   A state is one integer, valid until the model changes: the longest history that has been seen to go on. Histories of
   equal state give every word the same probability.
2. `read_text` (language_text_kernels.py) gives the probabilities of a whole text at once.

What is read is the sum of base and layer. Or the two are interpolated, p = share · p_layer + (1 − share) · p_base. From
differences to a base one cannot tell what the layer would have counted by itself, so that is counted once more (`Own`),
along the same paths. Whatever either of the two knows is known to the sum: one walk reads both, and a state stays one
integer. A base may also have no counts but probabilities, from an ARPA file (`Stored`); it can only be interpolated.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.tables.table_kernels import (
    ABSENT,
    HIGH,
    Index,
    Layered,
    find,
    joint_id,
    key_of,
    locate,
    path_key,
)

UNKNOWN, START, END = 0, 1, 2  # ids of <unk>, <s> and </s> in every vocabulary

# Places in Statistics.scalars
TOTAL = 0  # Σ_w c_X(w): as a history, the empty one
TYPES = 1  # N1+(•)
WORDS = 2  # the same without </s>
DROPPED = 3  # n-grams given up to save memory
SKIPPED = 4  # longest n-grams that were to be forgotten but not there any more
TALLIES = 5  # from here on c_{1,1}, c_{1,2}, c_{2,1}, c_{2,2} …

LENGTH_BITS = 8  # of a state: the length of its history; above them its joint id + 1
EMPTY_HISTORY = 0
FIRST_DISCOUNT = 0.75  # D_k while c_{k,1} or c_{k,2} is 0

GRAM = np.dtype(
    [
        ("count", np.int32),  # c_X
        ("total", np.int32),  # as a history u: Σ_w c_X(u w)
        ("types", np.int32),  # and N1+(u •)
        ("suffix", np.int32),  # joint id of the n-gram without its first word; in a layer, 0 if the base has it
    ]
)


OWN_GRAM = np.dtype([("count", np.int32), ("total", np.int32), ("types", np.int32)])
STORED = np.dtype([("score", np.float32), ("backoff", np.float32)])  # natural logs, of p and of the back-off weight
MISSING = 1.0  # in place of a log probability: a path that is there only because others lead through it
FLOOR = -100 * math.log(10)  # log probability of an unknown word where an ARPA file has no <unk>, as in KenLM
SUM = -1.0  # in place of a share: nothing is interpolated


class Statistics(NamedTuple):
    """The columns of one model, or of one layer as differences to its base."""

    grams: np.ndarray  # [inner] GRAM, of each n-gram of order 1 … n−1
    longest: np.ndarray  # [outer] int32, c_T of each n-gram of order n
    scalars: np.ndarray  # [5 + 2n] int64


class Own(NamedTuple):
    """What a layer has counted, as if there were no base; without room where there is none.

    Keys are those of the joint paths: whatever is counted here is counted in the sum, so these paths are there.
    """

    entries: Index  # n-grams of any order
    grams: np.ndarray  # [capacity] OWN_GRAM
    scalars: np.ndarray  # [5 + 2n] int64


class Stored(NamedTuple):
    """Probabilities of a base that has no counts; of length 0 where it has."""

    inner: np.ndarray  # [inner] STORED
    outer: np.ndarray  # [outer] float32, log p of the n-grams of order n


class LanguageArrays(NamedTuple):
    """All that kernels read and write of a language model."""

    inner: Layered  # paths of n-grams of order 1 … n−1, `<s>` alone among them
    outer: Layered  # (joint id in `inner`, word) of those of order n
    base: Statistics
    layer: Statistics
    discounts: np.ndarray  # [3, n + 1] float64, D_k at place k: of the sum, of the base alone, of the layer alone
    own: Own
    stored: Stored
    share: float  # of the layer, or SUM


@lean
def plain(index):
    """An index known not to be negative, for which Numba need not make sure that it does not count from the end."""
    return np.uint64(index)


@lean
def order_of(lm):
    """The highest order, n."""
    return lm.discounts.shape[1] - 1


@lean
def update_discounts(lm):
    """Compute every D_k anew from the tallies."""
    lm.discounts[:, 0] = 0.0
    base, layer, own = lm.base.scalars, lm.layer.scalars, lm.own.scalars
    for k in range(1, order_of(lm) + 1):
        place = TALLIES + 2 * (k - 1)
        lm.discounts[0, k] = discount(base[place] + layer[place], base[place + 1] + layer[place + 1])
        lm.discounts[1, k] = discount(base[place], base[place + 1])
        lm.discounts[2, k] = discount(own[place], own[place + 1])


@lean
def discount(once, twice):
    """D_k, given how many n-grams of order k have been seen once and twice."""
    return once / (once + 2.0 * twice) if once > 0 and twice > 0 else FIRST_DISCOUNT


@lean
def history(lm, node):
    """Σ_w c_X(u w), N1+(u •) and the history without its first word, for the history u with this joint id."""
    if node == ABSENT:
        base, layer = lm.base.scalars, lm.layer.scalars
        return base[TOTAL] + layer[TOTAL], base[TYPES] + layer[TYPES], np.int64(ABSENT)
    below = lm.inner.base.state[HIGH]
    gram = lm.layer.grams[plain(node - below)] if node >= below else lm.base.grams[plain(node)]
    total, types = np.int64(gram.total), np.int64(gram.types)
    if node < below:
        at = find(lm.inner.layer, lm.inner.base.keys[plain(node)])
        if at != ABSENT:
            total += lm.layer.grams[plain(at)].total
            types += lm.layer.grams[plain(at)].types
    return total, types, np.int64(gram.suffix)


@lean
def shorter(lm, node):
    """Joint id of an n-gram without its first word; ABSENT for one word."""
    below = lm.inner.base.state[HIGH]
    return np.int64(lm.base.grams[node].suffix if node < below else lm.layer.grams[node - below].suffix)


@lean
def read_gram(lm, in_base, in_layer):
    """c_X of an inner n-gram and, as a history u, Σ_w c_X(u w) and N1+(u •), by its ids (ABSENT where it is not)."""
    count, total, types = np.int64(0), np.int64(0), np.int64(0)
    if in_base != ABSENT:
        gram = lm.base.grams[plain(in_base)]
        count, total, types = count + gram.count, total + gram.total, types + gram.types
    if in_layer != ABSENT:
        gram = lm.layer.grams[plain(in_layer)]
        count, total, types = count + gram.count, total + gram.total, types + gram.types
    return count, total, types


@lean
def read_longest(lm, in_base, in_layer):
    """c_T of an n-gram of order n by its ids."""
    count = np.int64(0)
    if in_base != ABSENT:
        count += lm.base.longest[plain(in_base)]
    if in_layer != ABSENT:
        count += lm.layer.longest[plain(in_layer)]
    return count


@lean
def look_up(lm, node, length, word):
    """An n-gram, given as a history and a word: c_X, joint id, and Σ_w c_X(u w) as a history u (0 if of order n)."""
    key = path_key(node, word)
    if length + 1 == order_of(lm):
        in_base, in_layer = locate(lm.outer, key)
        return read_longest(lm, in_base, in_layer), joint_id(lm.outer, in_base, in_layer), np.int64(0)
    in_base, in_layer = locate(lm.inner, key)
    count, total, _ = read_gram(lm, in_base, in_layer)
    return count, joint_id(lm.inner, in_base, in_layer), total


@lean
def state_of(node, length):
    """The state of a history by its joint id and its number of words."""
    return ((node + 1) << LENGTH_BITS) | length


@lean
def start(lm):
    """The state at the beginning of a sentence."""
    if order_of(lm) == 1:
        return np.int64(EMPTY_HISTORY)
    _, node, total = look_up(lm, ABSENT, 0, START)
    return state_of(node, 1) if total > 0 else np.int64(EMPTY_HISTORY)


@lean
def advance(lm, state, word):
    """Natural log of p(word | state) ([O] Eq. 7) and the state after the word; a word never counted is `<unk>`."""
    if lm.share != SUM:
        return advance_shared(lm, state, word)
    node, length = (state >> LENGTH_BITS) - 1, state & ((1 << LENGTH_BITS) - 1)
    probability, left = 0.0, 1.0  # `left`: what longer histories leave to shorter ones
    reached = np.int64(EMPTY_HISTORY)
    while True:
        total, types, suffix = history(lm, node)
        count, joint, continued = look_up(lm, node, length, word)
        if continued > 0 and reached == EMPTY_HISTORY:
            reached = state_of(joint, length + 1)
        probability, left = interpolated(probability, left, count, total, types, lm.discounts[0, length + 1])
        if length == 0:
            break
        node = suffix
        length -= 1
    words = lm.base.scalars[WORDS] + lm.layer.scalars[WORDS]
    return math.log(probability + left / (words + 2)), reached


@lean
def advance_shared(lm, state, word):
    """`advance` where layer and base are interpolated."""
    node, length = (state >> LENGTH_BITS) - 1, state & ((1 << LENGTH_BITS) - 1)
    is_stored = lm.stored.inner.size > 0
    said = spelled(lm, word) if is_stored else word
    base, base_left, layer, layer_left = 0.0, 1.0, 0.0, 1.0  # probabilities, and what is left to shorter histories
    reached = np.int64(EMPTY_HISTORY)
    while True:
        if reached == EMPTY_HISTORY:
            _, joint, continued = look_up(lm, node, length, word)
            reached = state_of(joint, length + 1) if continued > 0 else reached
        if is_stored:
            base, base_left = add_stored(lm, node, length, said, base, base_left)
        else:
            base, base_left = add_base(lm, node, length, word, base, base_left)
        layer, layer_left = add_layer(lm, node, length, word, layer, layer_left)
        if length == 0:
            break
        node = shorter(lm, node)
        length -= 1
    added = lm.layer.scalars[WORDS]
    uniform = 1.0 / (lm.base.scalars[WORDS] + added + 2)
    if is_stored:
        base += base_left * math.exp(FLOOR)
        base = base / (added + 1) if said == UNKNOWN else base  # all words that the file does not know share <unk>
    else:
        base += base_left * uniform
    share = share_in_use(lm, is_stored)
    return math.log(share * (layer + layer_left * uniform) + (1.0 - share) * base), reached


@lean
def share_in_use(lm, is_stored):
    """The share of the layer: all if the base has seen nothing, none if the layer has not."""
    if lm.own.scalars[TOTAL] == 0:
        return 0.0
    return lm.share if is_stored or lm.base.scalars[TOTAL] > 0 else 1.0


@lean
def spelled(lm, word):
    """The word, or `<unk>` if the base's file does not have it."""
    at = find(lm.inner.base, path_key(ABSENT, word))
    return word if at != ABSENT and lm.stored.inner[plain(at)].score != MISSING else np.int64(UNKNOWN)


@lean
def interpolated(probability, left, count, total, types, held_back):
    """One step of [O] Eq. 7: the probability with what this history adds, and what it leaves to shorter ones."""
    if total <= 0:
        return probability, left
    share = left / total
    if count > 0:
        probability += share * (count - held_back)
    return probability, share * held_back * types


@lean
def add_base(lm, node, length, word, probability, left):
    """`interpolated` with what the base alone has counted."""
    if node >= lm.inner.base.state[HIGH]:
        return probability, left
    total, types = lm.base.scalars[TOTAL], lm.base.scalars[TYPES]
    if node != ABSENT:
        total, types = np.int64(lm.base.grams[plain(node)].total), np.int64(lm.base.grams[plain(node)].types)
    count, key = np.int64(0), path_key(node, word)
    if length + 1 == order_of(lm):
        at = find(lm.outer.base, key)
        count += lm.base.longest[plain(at)] if at != ABSENT else 0
    else:
        at = find(lm.inner.base, key)
        count += lm.base.grams[plain(at)].count if at != ABSENT else 0
    return interpolated(probability, left, count, total, types, lm.discounts[1, length + 1])


@lean
def add_layer(lm, node, length, word, probability, left):
    """`interpolated` with what the layer alone has counted."""
    own = lm.own
    total, types = own.scalars[TOTAL], own.scalars[TYPES]
    if node != ABSENT:
        at = find(own.entries, key_of(lm.inner, node))
        if at == ABSENT:
            return probability, left
        total, types = np.int64(own.grams[plain(at)].total), np.int64(own.grams[plain(at)].types)
    at = find(own.entries, path_key(node, word))
    count = np.int64(own.grams[plain(at)].count) if at != ABSENT else np.int64(0)
    return interpolated(probability, left, count, total, types, lm.discounts[2, length + 1])


@lean
def add_stored(lm, node, length, word, probability, left):
    """The same for a base of probabilities: that of the longest n-gram listed, weighed by histories that lack it."""
    if left == 0.0 or node >= lm.inner.base.state[HIGH]:
        return probability, left
    key, score = path_key(node, word), np.float32(MISSING)
    if length + 1 == order_of(lm):
        at = find(lm.outer.base, key)
        score = lm.stored.outer[plain(at)] if at != ABSENT else score
    else:
        at = find(lm.inner.base, key)
        score = lm.stored.inner[plain(at)].score if at != ABSENT else score
    if score != np.float32(MISSING):
        return left * math.exp(score), 0.0
    return probability, left * math.exp(lm.stored.inner[plain(node)].backoff) if node != ABSENT else left
