"""Interpolated Kneser-Ney counts as compiled functions: learning and forgetting ([O] Alg. 1–2).

`add` and `remove` change the statistics of one sentence; room must have been reserved before. What is written goes to
the layer, as differences to the base, and what the layer has counted alone to `Own`.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.models.language_kernels import (
    DROPPED,
    END,
    FEW_TALLIES,
    ONCE,
    SKIPPED,
    START,
    TALLIES,
    TOTAL,
    TWICE,
    TYPES,
    WORDS,
    is_modified,
    look_up,
    order_of,
    shorter,
    update_discounts,
)
from dragoman.tables.table_kernels import ABSENT, HIGH, erase, find, follow, insert, joint_id, key_of, path_key


@lean
def settle(lm, at, in_base):
    """Erase an inner entry of the layer that has come back to zero, unless a path may still lead through it."""
    gram = lm.layer.grams[at]
    if gram.count != 0 or gram.total != 0 or gram.types != 0:
        return
    if is_modified(lm) and (lm.layer.few[at].once != 0 or lm.layer.few[at].twice != 0):
        return
    # Whatever leads through an n-gram is counted in it, unless n-grams were dropped; then `drop` sweeps up.
    if in_base or lm.base.scalars[DROPPED] + lm.layer.scalars[DROPPED] == 0:
        gram.suffix = 0
        erase(lm.inner.layer, at)


@lean
def moved(before, after, times):
    """What a count that goes from one number to another adds to how many are `times`: 1, 0 or −1."""
    return np.int64(after == times) - np.int64(before == times)


@lean
def change_history(lm, node, before, after):
    """Change Σ_w c_X(u w), N1+(u •), N1(u •) and N2(u •) of the history u with this joint id for one of its counts."""
    types = np.int64(after > 0) - np.int64(before > 0)
    if node == ABSENT:
        lm.layer.scalars[TOTAL] += after - before
        lm.layer.scalars[TYPES] += types
        if is_modified(lm):
            lm.layer.few_scalars[ONCE] += moved(before, after, 1)
            lm.layer.few_scalars[TWICE] += moved(before, after, 2)
        return
    below = lm.inner.base.state[HIGH]
    at = node - below if node >= below else insert(lm.inner.layer, lm.inner.base.keys[node])
    lm.layer.grams[at].total += after - before
    lm.layer.grams[at].types += types
    if is_modified(lm):
        lm.layer.few[at].once += moved(before, after, 1)
        lm.layer.few[at].twice += moved(before, after, 2)
    settle(lm, at, node < below)


@lean
def change_tallies(statistics, order, before, after):
    """Move an n-gram of this order between c_{k,1} and c_{k,2} ([O] Alg. 2), and c_{k,3} and c_{k,4}."""
    scalars, few = statistics.scalars, statistics.few_scalars
    for j in range(2):
        scalars[TALLIES + 2 * (order - 1) + j] += moved(before, after, j + 1)
        if few.size > 0:
            few[FEW_TALLIES + 2 * (order - 1) + j] += moved(before, after, j + 3)


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
    change_history(lm, node, before, after)
    change_tallies(lm.layer, length + 1, before, after)
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
def change_own(lm, node, length, word, amount):
    """Add to c_X of an n-gram as the layer alone counts it, and to its history; returns what it was before."""
    own = lm.own
    at = insert(own.entries, path_key(node, word))
    before = np.int64(own.grams[at].count)
    after = before + amount
    own.grams[at].count += amount
    settle_own(own, at)
    types = np.int64(after > 0) - np.int64(before > 0)
    if node == ABSENT:
        own.scalars[TOTAL] += amount
        own.scalars[TYPES] += types
        if own.few_scalars.size > 0:
            own.few_scalars[ONCE] += moved(before, after, 1)
            own.few_scalars[TWICE] += moved(before, after, 2)
    else:
        at = insert(own.entries, key_of(lm.inner, node))
        own.grams[at].total += amount
        own.grams[at].types += types
        if own.few_scalars.size > 0:
            own.few[at].once += moved(before, after, 1)
            own.few[at].twice += moved(before, after, 2)
        settle_own(own, at)
    change_tallies(own, length + 1, before, after)
    return before


@lean
def settle_own(own, at):
    """Erase an entry that has come back to zero."""
    gram = own.grams[at]
    if gram.count == 0 and gram.total == 0 and gram.types == 0:  # then none of its words is counted once or twice
        erase(own.entries, at)


@lean
def count_own(lm, node, length, word, amount):
    """`add_longest` as the layer alone counts, or with a negative amount the reverse of it."""
    if lm.own.grams.size == 0:
        return
    while True:
        before = change_own(lm, node, length, word, amount)
        if (before > 0 and before + amount > 0) or length == 0:
            break
        node = shorter(lm, node)
        length -= 1
        amount = 1 if amount > 0 else -1


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
        count_own(lm, node, min(i + 1, order - 1), word, 1)
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
            if find(lm.own.entries, path_key(nodes[i], sentence[i + 1])) != ABSENT:  # not if it was the base's
                count_own(lm, nodes[i], length, sentence[i + 1], -1)
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
