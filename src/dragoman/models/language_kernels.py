"""Interpolated Kneser-Ney counts as compiled functions: learning, forgetting and reading ([O] Eq. 7, Alg. 1–2).

An n-gram is a path of words, the oldest first. Each word of a sentence ends one *longest* n-gram, of order n or going
back to `<s>`, and that one keeps its true count; every shorter n-gram keeps the number of distinct words seen to its
left. So one count c_X stands at each path, and a word is learned from the longest n-gram downwards: only an n-gram
never seen before is a new left context of the one without its first word, and the first one seen before ends the walk.

1. `add` and `remove` change the statistics of one sentence; room must have been reserved before.
2. `start` gives the state at the beginning of a sentence, `advance` the log probability of a word and the state after.
   A state is one integer, valid until the model changes: the longest history that has been seen to go on. Histories of
   equal state give every word the same probability.
3. `read_text` gives the probabilities of a whole text at once.

Everything read is the sum of base and layer, and everything written goes to the layer.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.tables.kernels import (
    ABSENT,
    HIGH,
    LIVE,
    Layered,
    erase,
    find,
    find_many,
    follow,
    insert,
    joint_id,
    locate,
    path_key,
)

START, END = 1, 2  # ids of <s> and </s> in every vocabulary

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


class Statistics(NamedTuple):
    """The columns of one model, or of one layer as differences to its base."""

    grams: np.ndarray  # [inner] GRAM, of each n-gram of order 1 … n−1
    longest: np.ndarray  # [outer] int32, c_T of each n-gram of order n
    scalars: np.ndarray  # [5 + 2n] int64


class LanguageArrays(NamedTuple):
    """All that kernels read and write of a language model."""

    inner: Layered  # paths of n-grams of order 1 … n−1, `<s>` alone among them
    outer: Layered  # (joint id in `inner`, word) of those of order n
    base: Statistics
    layer: Statistics
    discounts: np.ndarray  # [n + 1] float64, D_k at place k


@lean
def plain(index):
    """An index known not to be negative, for which Numba need not make sure that it does not count from the end."""
    return np.uint64(index)


@lean
def order_of(lm):
    """The highest order, n."""
    return lm.discounts.size - 1


@lean
def update_discounts(lm):
    """Compute every D_k anew from the tallies."""
    lm.discounts[0] = 0.0
    for k in range(1, lm.discounts.size):
        place = TALLIES + 2 * (k - 1)
        once = lm.base.scalars[place] + lm.layer.scalars[place]
        twice = lm.base.scalars[place + 1] + lm.layer.scalars[place + 1]
        lm.discounts[k] = once / (once + 2.0 * twice) if once > 0 and twice > 0 else FIRST_DISCOUNT


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
    node, length = (state >> LENGTH_BITS) - 1, state & ((1 << LENGTH_BITS) - 1)
    probability, left = 0.0, 1.0  # `left`: what longer histories leave to shorter ones
    reached = np.int64(EMPTY_HISTORY)
    while True:
        total, types, suffix = history(lm, node)
        count, joint, continued = look_up(lm, node, length, word)
        if continued > 0 and reached == EMPTY_HISTORY:
            reached = state_of(joint, length + 1)
        if total > 0:
            discount = lm.discounts[length + 1]
            share = left / total
            if count > 0:
                probability += share * (count - discount)
            left = share * discount * types
        if length == 0:
            break
        node = suffix
        length -= 1
    words = lm.base.scalars[WORDS] + lm.layer.scalars[WORDS]
    return math.log(probability + left / (words + 2)), reached


@lean
def read_text(lm, words, probabilities, work):
    """Probability of each word [m] of sentences between `<s>` and `</s>`, into `probabilities` [m]; 1 for `<s>`.

    As `advance` would give, but block by block and in each order by order, so that no look-up waits for another. `work`
    is [9, b], with b the length of a block, or of the longest sentence.
    """
    begin = 0
    while begin < words.size:
        end = min(begin + work.shape[1], words.size)
        while end < words.size and words[end] != START:
            end -= 1
        read_block(lm, words[begin:end], probabilities[begin:end], work)
        begin = end


@lean
def read_block(lm, words, probabilities, work):
    """`read_text` for a block of whole sentences.

    In the rows of `work`: the order of the longest n-gram found at each word; of each history seen to go on, the place
    of the word after it, its joint id, Σ_w c_X(u w) and N1+(u •); the rest belongs to `look_up_all`.
    """
    found, places, nodes, totals, types = work[0], work[1], work[2], work[3], work[4]
    found[: words.size] = 0
    probabilities[:] = 1.0 / (lm.base.scalars[WORDS] + lm.layer.scalars[WORDS] + 2)
    total, kinds, _ = history(lm, np.int64(ABSENT))
    n = words.size if total > 0 else 0
    for j in range(n):
        places[j], nodes[j], totals[j], types[j] = j, ABSENT, total, kinds
    for length in range(order_of(lm)):
        n = look_up_all(lm, words, probabilities, work, n, length)
    for i in range(words.size):
        if words[i] == START:
            probabilities[i] = 1.0


@lean
def look_up_all(lm, words, probabilities, work, n, length):
    """Look up the words after n histories of one length; what is found becomes the histories of the next words."""
    found, places, nodes, totals, types = work[0], work[1], work[2], work[3], work[4]
    origins, keys, in_base, in_layer = work[5], work[6], work[7], work[8]  # of each look-up; the first is its history
    is_longest, discount = length + 1 == order_of(lm), lm.discounts[length + 1]
    lookups = 0
    for j in range(n):
        place = plain(places[j])
        probabilities[place] *= discount * types[j] / totals[j]
        origins[plain(lookups)], keys[plain(lookups)] = j, path_key(nodes[j], words[place])
        lookups += found[place] == length  # an n-gram can only be there if the one without its first word is
    locate_all(lm, is_longest, keys[:lookups], in_base[:lookups], in_layer[:lookups])
    n = 0
    for k in range(lookups):
        place, total = places[plain(origins[k])], totals[plain(origins[k])]
        if is_longest:
            count = read_longest(lm, in_base[k], in_layer[k])
        else:
            count, goes_on, kinds = read_gram(lm, in_base[k], in_layer[k])
            nodes[plain(n)] = joint_id(lm.inner, in_base[k], in_layer[k])
            places[plain(n)], totals[plain(n)], types[plain(n)] = place + 1, goes_on, kinds
            n += (goes_on > 0) & (place + 1 < words.size)
        probabilities[plain(place)] += (count - discount) / total if count > 0 else 0.0
        found[plain(place)] += count > 0
    return n


@lean
def locate_all(lm, is_longest, keys, in_base, in_layer):
    """`locate` for keys [n] of one order; the keys are lost."""
    if is_longest:
        find_many(lm.outer.base, keys, in_base)
        find_many(lm.outer.layer, keys, in_layer)
    else:
        find_and_touch(lm.inner.base, lm.base.grams, keys, in_base, in_layer)
        find_and_touch(lm.inner.layer, lm.layer.grams, keys, in_layer, keys)


@lean
def find_and_touch(index, grams, keys, ids, touched):
    """Look up every key; each entry is touched at once, to be on its way into the cache while the next is looked up."""
    if index.state[LIVE] == 0:
        ids[:] = ABSENT
        return
    for i in range(keys.size):
        ids[i] = find(index, keys[i])
        if ids[i] != ABSENT:
            touched[i] = grams[plain(ids[i])].count


@lean
def settle(lm, at, in_base):
    """Erase an inner entry of the layer that has come back to zero, unless a path may still lead through it."""
    gram = lm.layer.grams[at]
    if gram.count != 0 or gram.total != 0 or gram.types != 0:
        return
    # Whatever leads through an n-gram is counted in it, unless n-grams were dropped; then `drop` sweeps up.
    if in_base or lm.base.scalars[DROPPED] + lm.layer.scalars[DROPPED] == 0:
        gram.suffix = 0
        erase(lm.inner.layer, at)


@lean
def change_history(lm, node, amount, types):
    """Add to Σ_w c_X(u w) and N1+(u •) of the history u with this joint id."""
    if node == ABSENT:
        lm.layer.scalars[TOTAL] += amount
        lm.layer.scalars[TYPES] += types
        return
    below = lm.inner.base.state[HIGH]
    at = node - below if node >= below else insert(lm.inner.layer, lm.inner.base.keys[node])
    lm.layer.grams[at].total += amount
    lm.layer.grams[at].types += types
    settle(lm, at, node < below)


@lean
def change_tallies(lm, order, before, after):
    """Move an n-gram of this order between c_{k,1} and c_{k,2} ([O] Alg. 2)."""
    for j in range(1, 3):
        lm.layer.scalars[TALLIES + 2 * (order - 1) + j - 1] += np.int64(after == j) - np.int64(before == j)


@lean
def change(lm, node, length, word, amount):
    """Add to c_X of an n-gram, given as a history and a word; returns what it was before, and its joint id."""
    key = path_key(node, word)
    if length + 1 == order_of(lm):
        in_base = find(lm.outer.base, key)
        at = insert(lm.outer.layer, key)
        joint = joint_id(lm.outer, in_base, at)
        before = np.int64(lm.layer.longest[at])
        if in_base != ABSENT:
            before += lm.base.longest[in_base]
        lm.layer.longest[at] += amount
        if lm.layer.longest[at] == 0:
            erase(lm.outer.layer, at)
    else:
        in_base = find(lm.inner.base, key)
        at = insert(lm.inner.layer, key)
        joint = joint_id(lm.inner, in_base, at)
        before = np.int64(lm.layer.grams[at].count)
        if in_base != ABSENT:
            before += lm.base.grams[in_base].count
        lm.layer.grams[at].count += amount
        settle(lm, at, in_base != ABSENT)
    after = before + amount
    types = np.int64(after > 0) - np.int64(before > 0)
    if length == 0 and word != END:
        lm.layer.scalars[WORDS] += types
    change_history(lm, node, amount, types)
    change_tallies(lm, length + 1, before, after)
    return before, joint


@lean
def add_longest(lm, node, length, word, amount):
    """Count a longest n-gram, given as a history and a word, and whatever that makes new among the shorter ones.

    Returns the joint id of the history it leaves behind: itself or, if it is of order n, what follows its first word.
    """
    below = lm.inner.base.state[HIGH]
    order = order_of(lm)
    left_behind = np.int64(ABSENT)
    longer = np.int64(ABSENT)  # the one counted before, whose suffix is counted next
    while True:
        before, joint = change(lm, node, length, word, amount)
        if longer >= below:
            lm.layer.grams[longer - below].suffix = joint
        longer = joint if length + 1 < order else np.int64(ABSENT)
        if left_behind == ABSENT:
            left_behind = longer
        if before > 0 or length == 0:
            break
        node = shorter(lm, node)
        length -= 1
        amount = 1  # as one more word to the left
    if length == 0 and longer >= below:
        lm.layer.grams[longer - below].suffix = ABSENT
    if left_behind == ABSENT and order > 1:  # seen before and of order n: the shorter one is there
        _, left_behind, _ = look_up(lm, shorter(lm, node), length - 1, word)
    return left_behind


@lean
def remove_longest(lm, node, length, word):
    """Undo `add_longest` for one occurrence."""
    while True:
        suffix = np.int64(ABSENT) if length == 0 else shorter(lm, node)
        before, _ = change(lm, node, length, word, -1)
        if before > 1 or length == 0:
            break
        node = suffix
        length -= 1


@lean
def add(lm, words):
    """Learn a sentence [m], without `<s>` and `</s>`."""
    order = order_of(lm)
    node = np.int64(ABSENT)
    if order > 1:
        _, node, _ = look_up(lm, ABSENT, 0, START)
        if node == ABSENT:
            at = insert(lm.inner.layer, path_key(ABSENT, START))
            lm.layer.grams[at].suffix = ABSENT
            node = lm.inner.base.state[HIGH] + at
    for i in range(words.size + 1):
        word = words[i] if i < words.size else np.int64(END)
        node = add_longest(lm, node, min(i + 1, order - 1), word, 1)
    update_discounts(lm)


@lean
def add_sentences(lm, words, ends):
    """Learn sentences: words one after another, `ends` [s] one past each last."""
    begin = 0
    for end in ends:
        add(lm, words[begin:end])
        begin = end


@lean
def remove(lm, sentence, nodes):
    """Forget a sentence `<s>` … `</s>` [m + 2], `nodes` [m + 1] from `find_histories`; what is not there is skipped."""
    for i in range(nodes.size - 1, -1, -1):  # backwards, so that no path is erased before those that go on from it
        length = min(i + 1, order_of(lm) - 1)
        if occurrences(lm, nodes[i], length, sentence[i + 1])[0] > 0:
            remove_longest(lm, nodes[i], length, sentence[i + 1])
        else:
            lm.layer.scalars[SKIPPED] += 1
    update_discounts(lm)


@lean
def occurrences(lm, node, length, word):
    """c_X and joint id of an n-gram whose history may be unknown (ABSENT though it has words)."""
    if node == ABSENT and length > 0:
        return np.int64(0), np.int64(ABSENT)
    count, joint, _ = look_up(lm, node, length, word)
    return count, joint


@kernel
def find_histories(lm, sentence, nodes):
    """Find the joint id of the history before each word of `<s>` … `</s>`; false if the sentence was never learned.

    That is, if a longest n-gram stands in it more often than it was counted. Where n-grams were dropped, none can tell.
    """
    order = order_of(lm)
    counts, grams = np.empty_like(nodes), np.empty_like(nodes)
    for i in range(nodes.size):
        nodes[i] = follow(lm.inner, sentence[max(0, i + 2 - order) : i + 1])
        counts[i], grams[i] = occurrences(lm, nodes[i], min(i + 1, order - 1), sentence[i + 1])
    if lm.base.scalars[DROPPED] + lm.layer.scalars[DROPPED] > 0:
        return True
    if counts.min() <= 0:
        return False
    first = max(0, min(order - 2, nodes.size))  # those before it go back to <s>, so they stand there once
    ranked = first + np.argsort(grams[first:])
    needed = 0
    for i in range(ranked.size):
        needed = needed + 1 if i > 0 and grams[ranked[i]] == grams[ranked[i - 1]] else 1
        if counts[ranked[i]] < needed:
            return False
    return True
