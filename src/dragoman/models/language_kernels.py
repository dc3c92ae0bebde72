"""Interpolated Kneser-Ney counts as compiled functions: what is kept, and how it is read ([O] Eq. 7).

With one discount, D_k is subtracted from every count ([O]). With three, the modified form of Chen and Goodman (1999),
D_k1 is subtracted from counts of one, D_k2 from counts of two and D_k3 from larger ones. That needs more counts: how
many words after a history have been counted once and twice (`FEW`), and how many n-grams three and four times.

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
integer.
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

# Places in Statistics.few_scalars
ONCE = 0  # N1(•): as a history, the empty one
TWICE = 1  # N2(•)
FEW_TALLIES = 2  # from here on c_{1,3}, c_{1,4}, c_{2,3}, c_{2,4} …

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


FEW = np.dtype([("once", np.int32), ("twice", np.int32)])  # as a history u: N1(u •) and N2(u •)
OWN_GRAM = np.dtype([("count", np.int32), ("total", np.int32), ("types", np.int32)])
SUM = -1.0  # in place of a share: nothing is interpolated


class Statistics(NamedTuple):
    """The columns of one model, or of one layer as differences to its base."""

    grams: np.ndarray  # [inner] GRAM, of each n-gram of order 1 … n−1
    longest: np.ndarray  # [outer] int32, c_T of each n-gram of order n
    scalars: np.ndarray  # [5 + 2n] int64
    few: np.ndarray  # [inner] FEW; of length 0 with one discount
    few_scalars: np.ndarray  # [2 + 2n] int64; of length 0 with one discount


class Own(NamedTuple):
    """What a layer has counted, as if there were no base; without room where there is none.

    Keys are those of the joint paths: whatever is counted here is counted in the sum, so these paths are there.
    """

    entries: Index  # n-grams of any order
    grams: np.ndarray  # [capacity] OWN_GRAM
    scalars: np.ndarray  # [5 + 2n] int64
    few: np.ndarray  # [capacity] FEW; of length 0 with one discount
    few_scalars: np.ndarray  # [2 + 2n] int64; of length 0 with one discount


class LanguageArrays(NamedTuple):
    """All that kernels read and write of a language model."""

    inner: Layered  # paths of n-grams of order 1 … n−1, `<s>` alone among them
    outer: Layered  # (joint id in `inner`, word) of those of order n
    base: Statistics
    layer: Statistics
    discounts: np.ndarray  # [3, 3, n + 1] float64, of the sum, of the base alone, of the layer alone: D_k1, D_k2, D_k3
    own: Own
    share: float  # of the layer, or SUM


@lean
def plain(index):
    """An index known not to be negative, for which Numba need not make sure that it does not count from the end."""
    return np.uint64(index)


@lean
def order_of(lm):
    """The highest order, n."""
    return lm.discounts.shape[2] - 1


@lean
def is_modified(lm):
    """Whether there are three discounts."""
    return lm.layer.few_scalars.size > 0


@lean
def update_discounts(lm):
    """Compute all discounts anew from the tallies."""
    base, layer, own = lm.base, lm.layer, lm.own
    write_discounts(base.scalars, base.few_scalars, layer.scalars, layer.few_scalars, lm.discounts[0])
    write_discounts(base.scalars, base.few_scalars, layer.scalars[:0], layer.few_scalars[:0], lm.discounts[1])
    write_discounts(own.scalars, own.few_scalars, layer.scalars[:0], layer.few_scalars[:0], lm.discounts[2])


@lean
def write_discounts(scalars, few, more_scalars, more_few, discounts):
    """Compute discounts [3, n + 1] from tallies, or from the sum of two."""
    discounts[:, 0] = 0.0
    for k in range(1, discounts.shape[1]):
        place = TALLIES + 2 * (k - 1)
        once, twice = summed(scalars, more_scalars, place), summed(scalars, more_scalars, place + 1)
        if few.size > 0:
            place = FEW_TALLIES + 2 * (k - 1)
            three, four = summed(few, more_few, place), summed(few, more_few, place + 1)
            three_discounts(once, twice, three, four, discounts[:, k])
        else:
            discounts[:, k] = discount(once, twice)


@lean
def summed(one, other, place):
    """The sum of two arrays at a place; the second may be empty."""
    return one[place] + other[place] if other.size > 0 else one[place]


@lean
def discount(once, twice):
    """D_k, given how many n-grams of order k have been seen once and twice."""
    return once / (once + 2.0 * twice) if once > 0 and twice > 0 else FIRST_DISCOUNT


@lean
def three_discounts(once, twice, three, four, discounts):
    """Write D_k1, D_k2 and D_k3 [3], given how many n-grams of order k have been seen once … four times.

    D_j = j − (j + 1) · D · c_{j+1} / c_j, where D is the one discount (Chen and Goodman 1999, Eq. 17); then D_1 = D. D
    also stands where c_j or c_{j+1} is 0, or where the formula gives nothing positive.
    """
    one = discount(once, twice)
    discounts[0] = one
    two = 2.0 - 3.0 * one * three / twice if twice > 0 and three > 0 else one
    more = 3.0 - 4.0 * one * four / three if three > 0 and four > 0 else one
    discounts[1] = two if two > 0.0 else one
    discounts[2] = more if more > 0.0 else one


@lean
def held_back(discounts, k, count):
    """The discount of a count of order k, from `discounts` [3, n + 1]."""
    return discounts[min(count, 3) - 1, k]


@lean
def left_over(discounts, k, types, once, twice):
    """Σ_w of what is held back from the counts of the words after a history; k is the order of the n-grams."""
    return discounts[0, k] * once + discounts[1, k] * twice + discounts[2, k] * (types - once - twice)


@lean
def history(lm, node, length):
    """For the history u with this joint id: Σ_w c_X(u w), what is held back of it, and u without its first word."""
    discounts, order, once, twice = lm.discounts[0], length + 1, np.int64(0), np.int64(0)
    if node == ABSENT:
        base, layer = lm.base.scalars, lm.layer.scalars
        if is_modified(lm):
            once = lm.base.few_scalars[ONCE] + lm.layer.few_scalars[ONCE]
            twice = lm.base.few_scalars[TWICE] + lm.layer.few_scalars[TWICE]
        left = left_over(discounts, order, base[TYPES] + layer[TYPES], once, twice)
        return base[TOTAL] + layer[TOTAL], left, np.int64(ABSENT)
    below = lm.inner.base.state[HIGH]
    in_base = node if node < below else np.int64(ABSENT)
    in_layer = node - below if node >= below else find(lm.inner.layer, lm.inner.base.keys[plain(node)])
    _, total, types = read_gram(lm, in_base, in_layer)
    left = read_left_over(lm, in_base, in_layer, order, types)
    suffix = lm.base.grams[plain(node)].suffix if node < below else lm.layer.grams[plain(in_layer)].suffix
    return total, left, np.int64(suffix)


@lean
def read_left_over(lm, in_base, in_layer, order, types):
    """What is held back of the counts after an inner n-gram, by its ids; N1+(u •) is known."""
    once, twice = np.int64(0), np.int64(0)
    if is_modified(lm):
        if in_base != ABSENT:
            few = lm.base.few[plain(in_base)]
            once, twice = once + few.once, twice + few.twice
        if in_layer != ABSENT:
            few = lm.layer.few[plain(in_layer)]
            once, twice = once + few.once, twice + few.twice
    return left_over(lm.discounts[0], order, types, once, twice)


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
        total, kept, suffix = history(lm, node, length)
        count, joint, continued = look_up(lm, node, length, word)
        if continued > 0 and reached == EMPTY_HISTORY:
            reached = state_of(joint, length + 1)
        probability, left = interpolated(probability, left, count, total, kept, lm.discounts[0], length + 1)
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
    base, base_left, layer, layer_left = 0.0, 1.0, 0.0, 1.0  # probabilities, and what is left to shorter histories
    reached = np.int64(EMPTY_HISTORY)
    while True:
        if reached == EMPTY_HISTORY:
            _, joint, continued = look_up(lm, node, length, word)
            reached = state_of(joint, length + 1) if continued > 0 else reached
        base, base_left = add_base(lm, node, length, word, base, base_left)
        layer, layer_left = add_layer(lm, node, length, word, layer, layer_left)
        if length == 0:
            break
        node = shorter(lm, node)
        length -= 1
    uniform = 1.0 / (lm.base.scalars[WORDS] + lm.layer.scalars[WORDS] + 2)
    base += base_left * uniform
    share = share_in_use(lm)
    return math.log(share * (layer + layer_left * uniform) + (1.0 - share) * base), reached


@lean
def share_in_use(lm):
    """The share of the layer: all if the base has seen nothing, none if the layer has not."""
    if lm.own.scalars[TOTAL] == 0:
        return 0.0
    return lm.share if lm.base.scalars[TOTAL] > 0 else 1.0


@lean
def interpolated(probability, left, count, total, kept, discounts, k):
    """One step of [O] Eq. 7: the probability with what this history adds, and what it leaves to shorter ones.

    `kept` is what is held back of the counts of order k after the history.
    """
    if total <= 0:
        return probability, left
    share = left / total
    if count > 0:
        probability += share * (count - held_back(discounts, k, count))
    return probability, share * kept


@lean
def add_base(lm, node, length, word, probability, left):
    """`interpolated` with what the base alone has counted."""
    if node >= lm.inner.base.state[HIGH]:
        return probability, left
    total, types, once, twice = lm.base.scalars[TOTAL], lm.base.scalars[TYPES], np.int64(0), np.int64(0)
    if node != ABSENT:
        total, types = np.int64(lm.base.grams[plain(node)].total), np.int64(lm.base.grams[plain(node)].types)
    if is_modified(lm) and node == ABSENT:
        once, twice = lm.base.few_scalars[ONCE], lm.base.few_scalars[TWICE]
    elif is_modified(lm):
        once, twice = np.int64(lm.base.few[plain(node)].once), np.int64(lm.base.few[plain(node)].twice)
    count, key = np.int64(0), path_key(node, word)
    if length + 1 == order_of(lm):
        at = find(lm.outer.base, key)
        count += lm.base.longest[plain(at)] if at != ABSENT else 0
    else:
        at = find(lm.inner.base, key)
        count += lm.base.grams[plain(at)].count if at != ABSENT else 0
    kept = left_over(lm.discounts[1], length + 1, types, once, twice)
    return interpolated(probability, left, count, total, kept, lm.discounts[1], length + 1)


@lean
def add_layer(lm, node, length, word, probability, left):
    """`interpolated` with what the layer alone has counted."""
    own = lm.own
    total, types, once, twice = own.scalars[TOTAL], own.scalars[TYPES], np.int64(0), np.int64(0)
    if is_modified(lm):
        once, twice = own.few_scalars[ONCE], own.few_scalars[TWICE]
    if node != ABSENT:
        at = find(own.entries, key_of(lm.inner, node))
        if at == ABSENT:
            return probability, left
        total, types = np.int64(own.grams[plain(at)].total), np.int64(own.grams[plain(at)].types)
        if is_modified(lm):
            once, twice = np.int64(own.few[plain(at)].once), np.int64(own.few[plain(at)].twice)
    at = find(own.entries, path_key(node, word))
    count = np.int64(own.grams[plain(at)].count) if at != ABSENT else np.int64(0)
    kept = left_over(lm.discounts[2], length + 1, types, once, twice)
    return interpolated(probability, left, count, total, kept, lm.discounts[2], length + 1)
