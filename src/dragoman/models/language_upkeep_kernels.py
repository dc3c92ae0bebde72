"""What is done to a whole language model at once, as compiled functions: merging, dropping n-grams, listing them."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.models.language_counts_kernels import add_longest, change, change_own, count_own
from dragoman.models.language_kernels import (
    DROPPED,
    START,
    advance,
    look_up,
    order_of,
    shorter,
    state_of,
    update_discounts,
)
from dragoman.tables.table_kernels import (
    ABSENT,
    HIGH,
    erase,
    find,
    insert,
    joint_id,
    key_of,
    locate,
    parent_of,
    path_key,
    word_of,
)


@lean
def length_of(layered, node):
    """Number of words of a path."""
    length = 0
    while node != ABSENT:
        node = parent_of(key_of(layered, node))
        length += 1
    return length


@kernel
def enter_paths(lm, other, renamed, here):
    """Enter every inner path of a model without a base; `here` [HIGH there], ABSENT before, gets their joint ids.

    `renamed` [words there] tells the word ids of this model.
    """
    index = other.inner.layer
    below = lm.inner.base.state[HIGH]
    waiting = np.empty(order_of(other), np.int64)  # a path and the beginnings it needs
    for entry in range(index.state[HIGH]):
        n = 0
        node = np.int64(entry if index.keys[entry] >= 0 else ABSENT)
        while node != ABSENT and here[node] == ABSENT:
            waiting[n] = node
            n += 1
            node = parent_of(index.keys[node])
        while n > 0:
            n -= 1
            key = index.keys[waiting[n]]
            parent = parent_of(key)
            key = path_key(np.int64(ABSENT) if parent == ABSENT else here[parent], renamed[word_of(key)])
            in_base, in_layer = locate(lm.inner, key)
            if in_base == ABSENT and in_layer == ABSENT:
                in_layer = insert(lm.inner.layer, key)
            here[waiting[n]] = joint_id(lm.inner, in_base, in_layer)
    for entry in range(index.state[HIGH]):
        if here[entry] >= below:
            suffix = np.int64(other.layer.grams[entry].suffix)
            lm.layer.grams[here[entry] - below].suffix = ABSENT if suffix == ABSENT else here[suffix]


@lean
def merge(lm, other, renamed, here):
    """Count all that a model without a base has counted; its paths have been entered (`enter_paths`)."""
    order = order_of(lm)
    inner, outer = other.inner.layer, other.outer.layer
    for entry in range(inner.state[HIGH]):
        if inner.keys[entry] < 0 or other.layer.grams[entry].count == 0:
            continue
        first = np.int64(entry)
        length = 0
        while parent_of(inner.keys[first]) != ABSENT:
            first = parent_of(inner.keys[first])
            length += 1
        if word_of(inner.keys[first]) == START:  # it keeps true counts
            parent, word = parent_of(inner.keys[entry]), word_of(inner.keys[entry])
            count_own(lm, here[parent], length, renamed[word], np.int64(other.layer.grams[entry].count))
            add_longest(lm, here[parent], length, renamed[word], np.int64(other.layer.grams[entry].count))
    for entry in range(outer.state[HIGH]):
        if outer.keys[entry] >= 0:
            parent, word = parent_of(outer.keys[entry]), word_of(outer.keys[entry])
            node = np.int64(ABSENT) if parent == ABSENT else here[parent]
            count_own(lm, node, order - 1, renamed[word], np.int64(other.layer.longest[entry]))
            add_longest(lm, node, order - 1, renamed[word], np.int64(other.layer.longest[entry]))
    lm.layer.scalars[DROPPED] += other.layer.scalars[DROPPED]
    update_discounts(lm)


@lean
def survey(lm, orders, needed):
    """Order of each inner entry of the layer [HIGH], 0 where there is none, and how many entries lead through it."""
    below = lm.inner.base.state[HIGH]
    inner, outer = lm.inner.layer, lm.outer.layer
    for entry in range(inner.state[HIGH]):
        key = inner.keys[entry]
        if key < 0:
            continue
        in_base = find(lm.inner.base, key)
        joint = joint_id(lm.inner, in_base, np.int64(entry))
        orders[entry] = length_of(lm.inner, joint)
        need(lm, needed, shorter(lm, joint))
        if parent_of(key) >= below:
            needed[parent_of(key) - below] += 1
    for entry in range(outer.state[HIGH]):
        key = outer.keys[entry]
        if key >= 0 and parent_of(key) != ABSENT:
            if parent_of(key) >= below:
                needed[parent_of(key) - below] += 1
            _, suffix, _ = look_up(lm, shorter(lm, parent_of(key)), order_of(lm) - 2, word_of(key))
            need(lm, needed, suffix)


@lean
def need(lm, needed, joint):
    """Note that an n-gram leads to the one with this joint id, which may have an entry in the layer."""
    below = lm.inner.base.state[HIGH]
    if joint >= below:
        needed[joint - below] += 1
    elif joint != ABSENT:
        at = find(lm.inner.layer, lm.inner.base.keys[joint])
        if at != ABSENT:
            needed[at] += 1


@lean
def drop(lm, entries, orders):
    """Take entries [n] of these orders [n], through which nothing leads, out of the layer.

    What is counted in shorter n-grams stays. Entries in which nothing is counted were left over by removals.
    """
    layer = lm.layer
    for i in range(entries.size):
        at = entries[i]
        longest = orders[i] == order_of(lm)
        key = lm.outer.layer.keys[at] if longest else lm.inner.layer.keys[at]
        amount = np.int64(layer.longest[at] if longest else layer.grams[at].count)
        only_here = not longest and find(lm.inner.base, key) == ABSENT
        if amount > 0:
            layer.scalars[DROPPED] += 1  # first, so that `change` leaves erasing an entry of our own to us
            alone = find(lm.own.entries, key)
            if alone != ABSENT:
                change_own(lm, parent_of(key), orders[i] - 1, word_of(key), -np.int64(lm.own.grams[alone].count))
            change(lm, parent_of(key), orders[i] - 1, word_of(key), -amount)
        if only_here:
            layer.grams[at].suffix = 0
            erase(lm.inner.layer, at)
    update_discounts(lm)


@lean
def log_probabilities(lm, histories, length, words, scores):
    """Natural log of p(word | history) for histories [m] of one length, by joint id, and words [m]."""
    for i in range(words.size):
        scores[i] = advance(lm, state_of(histories[i], length), words[i])[0]
