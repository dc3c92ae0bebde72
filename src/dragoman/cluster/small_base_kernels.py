"""Which phrase pairs can be put together from two others, and the lists of those that are kept, as compiled functions.

A pair f → e can be put together if f = f₁ f₂ and e = e₁ e₂ or e₂ e₁, and both f₁ → e₁ and f₂ → e₂ are in the table. A
phrase's beginnings are its path; its ends are looked up, those of a source phrase once for all its translations.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.tables.table_kernels import ABSENT, Index, find, parent_of, path_key, word_of


class FullPhrases(NamedTuple):
    """The phrase pairs of a full base."""

    sources: Index
    targets: Index
    pairs: Index
    counts: np.ndarray  # [pairs] int32, c(f, e); those of a source phrase are adjacent, best first
    heads: np.ndarray  # [sources] int32, id + 1 of the first pair of each
    source_total: np.ndarray  # [sources] int32, Σ_e c(f, e)
    target_total: np.ndarray  # [targets] int32, Σ_f c(f, e)


class PruningRule(NamedTuple):
    """Which phrase pairs are kept; `small_base` says why."""

    longest: int  # words of a phrase, either side
    options: int  # pairs of one source phrase, at most
    longest_alone: int  # source words of two phrases that were seen once, together
    likely: float  # if what makes such two is at least as likely as this, they are left out


class PhraseParts(NamedTuple):
    """Room for the parts of one phrase, [longest + 1] int64 each."""

    words: np.ndarray
    beginnings: np.ndarray  # [n] path of the first n words
    ends: np.ndarray  # [n] path of all but the first n words, or ABSENT


@lean
def length_of(index, path):
    """Number of words of a path."""
    n = 0
    while path != ABSENT:
        path = parent_of(index.keys[path])
        n += 1
    return n


@lean
def divide(index, path, parts):
    """Find the parts of a phrase; returns its number of words."""
    size = length_of(index, path)
    for n in range(size, 0, -1):
        parts.beginnings[n] = path
        parts.words[n - 1] = word_of(index.keys[path])
        path = parent_of(index.keys[path])
    for n in range(1, size):
        node = np.int64(ABSENT)
        for at in range(n, size):
            node = find(index, path_key(node, parts.words[at]))
            if node == ABSENT:
                break
        parts.ends[n] = node
    return size


@lean
def likelihood(table, f, e):
    """p(e|f) · p(f|e) of two phrases given by their paths; 0 if they are not a pair of the table, or ABSENT."""
    if f == ABSENT or e == ABSENT:
        return 0.0
    pair = find(table.pairs, path_key(f, e))
    if pair == ABSENT:
        return 0.0
    count = np.float64(table.counts[pair])
    return count / table.source_total[f] * (count / table.target_total[e])


@lean
def is_likely(table, f, e, g, d, least):
    """Whether f → e and g → d are pairs of the table whose likelihoods, multiplied, are at least `least`."""
    one = likelihood(table, f, e)
    if one == 0.0 or one < least:  # the other is at most 1
        return False
    other = likelihood(table, g, d)
    return other > 0.0 and one * other >= least


@lean
def is_composed(table, source, J, target, I, least):
    """Whether two likely pairs of the table make this one, side by side or swapped, given the parts of both."""
    for j in range(1, J):
        f, g = source.beginnings[j], source.ends[j]
        for i in range(1, I):
            e, d = target.beginnings[i], target.ends[i]
            if is_likely(table, f, e, g, d, least) or is_likely(table, f, d, g, e, least):
                return True
    return False


@kernel
def mark_kept(table, rule, first, last, kept):
    """Of the pairs first … last − 1, mark in `kept` [pairs] those that the rule keeps."""
    room = rule.longest + 1
    source = PhraseParts(np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int64))
    target = PhraseParts(np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int64))
    J, known, sources, targets, keys = 0, np.int64(ABSENT), table.sources, table.targets, table.pairs.keys
    for n in range(first, last):
        f, e = parent_of(keys[n]), word_of(keys[n])
        before = n + 1 - np.int64(table.heads[f])  # pairs of the same source phrase
        kept[n] = before < rule.options
        if not kept[n] or table.counts[n] > 1:
            continue
        if parent_of(sources.keys[f]) == ABSENT or parent_of(targets.keys[e]) == ABSENT:
            continue
        if f != known:
            J, known = divide(sources, f, source), f
        I = divide(targets, e, target)
        is_alone = table.source_total[f] == 1 and table.target_total[e] == 1
        if is_alone and rule.longest_alone < J:
            kept[n] = False
        else:
            kept[n] = not is_composed(table, source, J, target, I, rule.likely if is_alone else 0.0)


@lean
def link_rings(keys, after, before):
    """Link pairs with the same source phrase, which are adjacent in `keys` [n], into rings; id + 1 as always."""
    begin = 0
    for n in range(1, keys.size + 1):
        if n == keys.size or parent_of(keys[n]) != parent_of(keys[begin]):
            for at in range(begin, n):
                after[at] = at + 2
                before[at] = at
            after[n - 1] = begin + 1
            before[begin] = n
            begin = n
