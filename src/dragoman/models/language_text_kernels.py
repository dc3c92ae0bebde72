"""The probabilities of whole texts under an interpolated Kneser-Ney model, as compiled functions.

Words are looked up block by block and in each order by order, so that no look-up waits for another.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import (
    EMPTY_HISTORY,
    START,
    SUM,
    WORDS,
    advance_shared,
    held_back,
    history,
    order_of,
    plain,
    read_gram,
    read_left_over,
    read_longest,
    start,
)
from dragoman.tables.table_kernels import ABSENT, BITS, LIVE, find, hash_of, home, joint_id, path_key

ELSEWHERE = -2  # not in the first slot to look at


@lean
def read_text(lm, words, probabilities, work):
    """Probability of each word [m] of sentences between `<s>` and `</s>`, into `probabilities` [m]; 1 for `<s>`.

    As `advance` would give, but block by block and in each order by order, so that no look-up waits for another. `work`
    is [9, b], with b the length of a block, or of the longest sentence.
    """
    if lm.share != SUM:
        read_shared(lm, words, probabilities)
        return
    begin = 0
    while begin < words.size:
        end = min(begin + work.shape[1], words.size)
        while end < words.size and words[end] != START:
            end -= 1
        read_block(lm, words[begin:end], probabilities[begin:end], work)
        begin = end


@lean
def read_shared(lm, words, probabilities):
    """`read_text` where layer and base are interpolated."""
    state = np.int64(EMPTY_HISTORY)
    for i in range(words.size):
        if words[i] == START:
            probabilities[i], state = 1.0, start(lm)
        else:
            score, state = advance_shared(lm, state, words[i])
            probabilities[i] = math.exp(score)


@lean
def read_block(lm, words, probabilities, work):
    """`read_text` for a block of whole sentences.

    In the rows of `work`: the order of the longest n-gram found at each word; of each history seen to go on, the place
    of the word after it, its joint id, Σ_w c_X(u w) and, as float64, what is held back of it; the rest belongs to
    `look_up_all`.
    """
    found, places, nodes, totals, kept = work[0], work[1], work[2], work[3], work[4].view(np.float64)
    found[: words.size] = 0
    probabilities[:] = 1.0 / (lm.base.scalars[WORDS] + lm.layer.scalars[WORDS] + 2)
    total, held, _ = history(lm, np.int64(ABSENT), 0)
    n = words.size if total > 0 else 0
    for j in range(n):
        places[j], nodes[j], totals[j], kept[j] = j, ABSENT, total, held
    for length in range(order_of(lm)):
        n = look_up_all(lm, words, probabilities, work, n, length)
    for i in range(words.size):
        if words[i] == START:
            probabilities[i] = 1.0


@lean
def look_up_all(lm, words, probabilities, work, n, length):
    """Look up the words after n histories of one length; what is found becomes the histories of the next words."""
    found, places, nodes, totals, kept = work[0], work[1], work[2], work[3], work[4].view(np.float64)
    origins, keys, in_base, in_layer = work[5], work[6], work[7], work[8]  # of each look-up; the first is its history
    is_longest, discounts = length + 1 == order_of(lm), lm.discounts[0]
    lookups = 0
    for j in range(n):
        place = plain(places[j])
        probabilities[place] *= kept[j] / totals[j]
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
            places[plain(n)], totals[plain(n)] = place + 1, goes_on
            kept[plain(n)] = read_left_over(lm, in_base[k], in_layer[k], length + 2, kinds)
            n += (goes_on > 0) & (place + 1 < words.size)
        probabilities[plain(place)] += (count - held_back(discounts, length + 1, count)) / total if count > 0 else 0.0
        found[plain(place)] += count > 0
    return n


@lean
def locate_all(lm, is_longest, keys, in_base, in_layer):
    """`locate` for keys [n] of one order; the keys are lost."""
    if is_longest:
        find_all(lm.outer.base, keys, in_base)
        find_all(lm.outer.layer, keys, in_layer)
    else:
        find_all(lm.inner.base, keys, in_base)
        touch(lm.base.grams, in_base, in_layer)
        find_all(lm.inner.layer, keys, in_layer)
        touch(lm.layer.grams, in_layer, keys)


@lean
def find_all(index, keys, ids):
    """Look up every key [n]; the ids, or ABSENT, go into `ids`.

    Step by step for all keys, so that what one needs of memory is on its way while others are looked at.
    """
    if index.state[LIVE] == 0:
        ids[:] = ABSENT
        return
    bits = np.uint64(index.state[BITS])
    mask = (np.uint64(1) << bits) - np.uint64(1)
    for i in range(keys.size):
        ids[i] = home(hash_of(keys[i]), index.slots.size)
    for i in range(keys.size):
        ids[i] = index.slots[plain(ids[i])]
    for i in range(keys.size):
        slot = np.uint64(ids[i])
        if slot == np.uint64(0):
            ids[i] = ABSENT
        else:
            mark = (hash_of(keys[i]) << bits) & np.uint64(0xFFFFFFFF)
            ids[i] = np.int64(slot & mask) - 1 if slot & ~mask == mark else np.int64(ELSEWHERE)
    for i in range(keys.size):
        if ids[i] >= 0:
            ids[i] = ids[i] if index.keys[plain(ids[i])] == keys[i] else np.int64(ELSEWHERE)
    for i in range(keys.size):
        if ids[i] == ELSEWHERE:
            ids[i] = find(index, keys[i])


@lean
def touch(grams, ids, touched):
    """Read from every entry, so that all are on their way into the cache before the first is needed."""
    for i in range(ids.size):
        if ids[i] != ABSENT:
            touched[i] = grams[plain(ids[i])].count
