"""What a decoder reads of the phrase tables: the translations of the source phrases that begin at a word, best first.

One walk along the source words finds every phrase that begins there. Base and layer are listed together, a pair that
stands in both as one with its counts summed. The lists of a compacted base stand best first already, so only as much of
them is read as is wanted.

Where the layer has a share, relative frequencies of base and layer are interpolated instead, and what stands in place
of the counts are numbers with the same quotients: so whoever divides them needs to know nothing of it.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.models.extraction_kernels import DISCONTINUOUS, MONOTONE, SWAP
from dragoman.models.phrases_kernels import SORTED, SUM, summed, value
from dragoman.tables.table_kernels import (
    ABSENT,
    HIGH,
    find,
    follow,
    joint_id,
    key_of,
    locate,
    parent_of,
    path_key,
    word_of,
)

SHARED = 1 << 40  # in place of c(f, e) where the layer has a share, and as much as its rank at p(e|f) = 1
LEAST = 2.0**-20  # of an interpolated frequency


class Options(NamedTuple):
    """Room for the translations of the source phrases that begin at one word.

    Those of the phrase of n words stand from place ends[n - 1] to before ends[n].
    """

    ends: np.ndarray  # [longest + 1] int64
    target: np.ndarray  # [capacity] int64, joint id of the target phrase
    counts: np.ndarray  # [capacity] int64, c(f, e), or SHARED
    source_total: np.ndarray  # [capacity] int64, Σ_e c(f, e), or SHARED / p(e|f)
    target_total: np.ndarray  # [capacity] int64, Σ_f c(f, e), or SHARED / p(f|e)
    orientations: np.ndarray  # [capacity, 2, 3] int64, (previous, next) by (monotone, swap, discontinuous)
    rank: np.ndarray  # [capacity] int64, `rank` of the target phrase
    in_base: np.ndarray  # [capacity] int64, id of the pair in the base, or ABSENT
    in_layer: np.ndarray  # [capacity] int64, and in the layer


@lean
def target_totals(phrases, target):
    """Σ_f c(f, e) in the base and in the layer, of a target phrase by its joint id."""
    below = phrases.targets.base.state[HIGH]
    if target >= below:
        return np.int64(0), np.int64(phrases.target_total[target - below])
    in_layer = find(phrases.targets.layer, phrases.targets.base.keys[target])
    return np.int64(phrases.base_target_total[target]), value(phrases.target_total, in_layer)


@lean
def source_totals(phrases, in_base, in_layer):
    """Σ_e c(f, e) in the base and in the layer, of a source phrase found at these places."""
    return value(phrases.base_source_total, in_base), value(phrases.source_total, in_layer)


@lean
def frequency(share, below, base_total, above, layer_total):
    """Relative frequency of what was seen `below` and `above` times in base and layer: interpolated, if both know."""
    if base_total <= 0 or layer_total <= 0:
        return (below + above) / (base_total + layer_total)
    return share * above / layer_total + (1.0 - share) * below / base_total


@lean
def quotients(phrases, below, above, of_source, of_target):
    """c(f, e), Σ_e c(f, e) and Σ_f c(f, e), or what stands for them; given those of (base, layer), as all others."""
    if phrases.share == SUM:
        return below + above, of_source[0] + of_source[1], of_target[0] + of_target[1]
    direct = frequency(phrases.share, below, of_source[0], above, of_source[1])
    inverse = frequency(phrases.share, below, of_target[0], above, of_target[1])
    return np.int64(SHARED), np.int64(SHARED / max(direct, LEAST)), np.int64(SHARED / max(inverse, LEAST))


@lean
def merit(share, below, above, of_source):
    """By what the translations of one source phrase are ranked: how often they were seen, or p(e|f) with a share."""
    if share == SUM:
        return below + above
    return np.int64(SHARED * frequency(share, below, of_source[0], above, of_source[1]))


@lean
def pair_totals(phrases, source, target):
    """c(f, e), Σ_e c(f, e) and Σ_f c(f, e) of two phrases given as word ids; all 0 if they are not seen together."""
    f, e = follow(phrases.sources, source), follow(phrases.targets, target)
    if f == ABSENT or e == ABSENT:
        return np.int64(0), np.int64(0), np.int64(0)
    in_base, in_layer = locate(phrases.pairs, path_key(f, e))
    below, above = value(phrases.base_pair.counts, in_base), value(phrases.pair.counts, in_layer)
    source_base, source_layer = locate(phrases.sources, key_of(phrases.sources, f))
    if below + above <= 0:
        return np.int64(0), np.int64(0), np.int64(0)
    of_source = source_totals(phrases, source_base, source_layer)
    return quotients(phrases, below, above, of_source, target_totals(phrases, e))


@lean
def fill_target_counts(phrases, words, begin, stop, counts):
    """How often each target phrase words[begin[n]:stop[n]] was seen at all, Σ_f c(f, e), into `counts` [n]."""
    for n in range(begin.size):
        e = follow(phrases.targets, words[begin[n] : stop[n]])
        counts[n] = 0
        if e != ABSENT:
            below, above = target_totals(phrases, e)
            counts[n] = below + above


@lean
def target_words(phrases, target, words):
    """Write the words of a target phrase, given its joint id, into words; returns how many."""
    n = 0
    while target != ABSENT:
        key = key_of(phrases.targets, target)
        words[n] = word_of(key)
        target = parent_of(key)
        n += 1
    for i in range(n // 2):
        words[i], words[n - 1 - i] = words[n - 1 - i], words[i]
    return n


@lean
def options(phrases, words, start, limit, found):
    """The translations of all source phrases that begin at words[start], up to `limit` ≥ 1 of each; returns how many.

    Best first by c(f, e) / Σ_e c(f, e), ties broken by shorter and then smaller word ids, so that the order does not
    depend on the order of learning. Spans are tried up to the length that found.ends has room for.
    """
    found.ends[0] = 0
    node = np.int64(ABSENT)
    longest = found.ends.size - 1
    n = 0
    while n < longest and start + n < words.size:
        in_base, in_layer = locate(phrases.sources, path_key(node, words[start + n]))
        node = joint_id(phrases.sources, in_base, in_layer)
        if node == ABSENT:
            break
        totals = source_totals(phrases, in_base, in_layer)
        end = list_pairs(phrases, in_base, in_layer, totals, limit, found, found.ends[n])
        describe(phrases, totals, found, found.ends[n], end)
        n += 1
        found.ends[n] = end
    found.ends[n + 1 :] = found.ends[n]
    return found.ends[n]


@lean
def list_pairs(phrases, in_base, in_layer, totals, limit, found, start):
    """Write the best pairs of one source phrase from place `start` on; returns the place behind the last.

    What `found.counts` holds is their merit, until they are described.
    """
    head, base_head = value(phrases.source_head, in_layer), value(phrases.base_source_head, in_base)
    end = start
    if head != 0:
        end = list_layer(phrases, head, base_head == 0, totals, limit, found, start)
    if base_head != 0:
        end = list_base(phrases, base_head, head != 0, totals, limit, found, start, end)
    return end


@lean
def list_layer(phrases, head, alone, totals, limit, found, start):
    """Offer the layer's pairs of a source phrase, with what the base knows of them unless they are `alone`."""
    keys, after, counts = phrases.pairs.layer.keys, phrases.pair.after, phrases.pair.counts
    base, base_counts, targets, best = phrases.pairs.base, phrases.base_pair.counts, phrases.targets, found.counts
    once = merit(phrases.share, np.int64(0), np.int64(1), totals)
    end = start
    at = head
    while True:
        entry = at - 1
        least = best[end - 1] if end - start == limit else 1
        if alone and counts[entry] == 1 and least > once:  # those seen once stand last: there are enough without them
            break
        below = np.int64(ABSENT)
        if not alone:
            below = find(base, keys[entry])
        count = merit(phrases.share, value(base_counts, below), np.int64(counts[entry]), totals)
        if count >= least:
            end = offer(targets, count, word_of(keys[entry]), below, entry, limit, found, start, end)
        at = np.int64(after[entry])
        if at == head:
            break
    return end


@lean
def list_base(phrases, head, changed, totals, limit, found, start, end):
    """Offer the base's pairs of a source phrase, but not those that were offered by the layer."""
    keys, after, counts = phrases.pairs.base.keys, phrases.base_pair.after, phrases.base_pair.counts
    layer, targets, best = phrases.pairs.layer, phrases.targets, found.counts
    wanted = limit if phrases.base_state[SORTED] == 1 else keys.size
    at = head
    while wanted > 0:
        entry = at - 1
        if not changed or find(layer, keys[entry]) == ABSENT:
            wanted -= 1
            count, target = merit(phrases.share, np.int64(counts[entry]), np.int64(0), totals), word_of(keys[entry])
            if end - start < limit or count >= best[end - 1]:
                end = offer(targets, count, target, entry, np.int64(ABSENT), limit, found, start, end)
        at = np.int64(after[entry])
        if at == head:
            break
    return end


@lean
def offer(targets, count, target, in_base, in_layer, limit, found, start, end):
    """Put a pair among the best so far, found[start:end], if it belongs there; returns the new end.

    More often seen first, then the shorter target phrase, then by the ids of its words.
    """
    counts, ranks = found.counts, found.rank
    order = rank(targets.base.keys, targets.layer.keys, targets.base.state[HIGH], target)
    at = end
    while at > start:
        above = at - 1
        if counts[above] > count or (counts[above] == count and ranks[above] < order):
            break
        if counts[above] == count and ranks[above] == order and not is_smaller(targets, target, found.target[above]):
            break
        at = above
    if at - start == limit:
        return end
    end = min(end + 1, start + limit)
    for place in range(end - 1, at, -1):
        counts[place] = counts[place - 1]
        ranks[place] = ranks[place - 1]
        found.target[place] = found.target[place - 1]
        found.in_base[place] = found.in_base[place - 1]
        found.in_layer[place] = found.in_layer[place - 1]
    counts[at] = count
    ranks[at] = order
    found.target[at] = target
    found.in_base[at] = in_base
    found.in_layer[at] = in_layer
    return end


@lean
def rank(base_keys, layer_keys, below, path):
    """A number that is smaller for a shorter path, then for smaller first and second words: it settles most ties."""
    length = first = second = np.int64(0)
    while path != ABSENT:
        key = base_keys[path] if path < below else layer_keys[path - below]
        path, first, second = parent_of(key), word_of(key), first
        length += 1
    return min(length, 31) << 58 | (first & 0x1FFFFFFF) << 29 | (second & 0x1FFFFFFF)


@lean
def is_smaller(layered, path, other):
    """Whether of two different paths the first is shorter, or has the smaller id where their words first differ."""
    smaller = False
    while path != other:
        if path == ABSENT or other == ABSENT:
            return path == ABSENT
        key, other_key = key_of(layered, path), key_of(layered, other)
        if word_of(key) != word_of(other_key):
            smaller = word_of(key) < word_of(other_key)
        path, other = parent_of(key), parent_of(other_key)
    return smaller


@lean
def describe(phrases, totals, found, start, end):
    """Fill in all that is counted of the pairs found[start:end], which have one source phrase."""
    for n in range(start, end):
        counts = summed(phrases.base_pair, phrases.pair, found.in_base[n], found.in_layer[n])
        above = value(phrases.pair.counts, found.in_layer[n])
        of_target = target_totals(phrases, found.target[n])
        given = quotients(phrases, counts[0] - above, above, totals, of_target)
        found.counts[n], found.source_total[n], found.target_total[n] = given
        for side in range(2):
            monotone, swap = counts[1 + 2 * side], counts[2 + 2 * side]
            found.orientations[n, side, MONOTONE] = monotone
            found.orientations[n, side, SWAP] = swap
            found.orientations[n, side, DISCONTINUOUS] = counts[0] - monotone - swap
