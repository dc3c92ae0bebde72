"""The phrase tables as arrays: counting the phrase pairs of a sentence, and taking them back.

Phrases are paths in two path tables, one a language; a pair is an entry of a third table, keyed by its two paths.

1. `add_spans` and `remove_spans` take the phrase pairs that extraction found in one sentence pair. Whatever they change
   is an entry of the layer; a phrase that the base knows keeps its id there, and what the layer adds to its total
   stands in a layer entry with the same key.
2. The layer's pairs of one source phrase form a ring: `head` of the phrase, `after` and `before` of each pair, always
   id + 1 so that 0 is none. Pairs seen more than once stand before those seen once, so that whoever wants the best few
   seldom reads it all. A pair holds its two phrases; a phrase that nothing holds is erased.

What is done to whole models, pruning and merging, stands in phrases_upkeep_kernels.py, what a decoder reads in
phrases_options_kernels.py.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.models.extraction_kernels import (
    DISCONTINUOUS,
    MONOTONE,
    NEXT,
    PREVIOUS,
    SOURCE_END,
    SOURCE_START,
    SWAP,
    TARGET_END,
    TARGET_START,
)
from dragoman.tables.table_kernels import (
    ABSENT,
    HIGH,
    LIVE,
    Layered,
    erase,
    extend,
    insert,
    joint_id,
    locate,
    parent_of,
    path_key,
)

# Places in PhraseArrays.state
LONGEST_PLACE = 0  # of the number of words that a phrase may have on either side
SORTED = 1  # 1 when every list of pairs stands best first
CURSOR = 2  # the pair that the next pruning looks at first
DROPPED = 3  # instances dropped by pruning
SKIPPED = 4  # instances not taken back because they were not there

SUM = -1.0  # in place of a share: base and layer are summed
UNRESOLVED = -2  # a span whose path has not been looked up yet


class PairColumns(NamedTuple):
    """What is counted of each pair, [capacity] int32; discontinuous is what is neither monotone nor swap."""

    counts: np.ndarray  # c(f, e)
    previous_monotone: np.ndarray
    previous_swap: np.ndarray
    next_monotone: np.ndarray
    next_swap: np.ndarray
    after: np.ndarray  # id + 1 of the next pair with the same source phrase; behind the last comes the first
    before: np.ndarray  # id + 1 of the pair before it


class PhraseArrays(NamedTuple):
    """All of a phrase model, layer and base. Valid until a table grows: never kept between calls."""

    sources: Layered
    targets: Layered
    pairs: Layered
    source_uses: np.ndarray  # [capacity] int32: longer phrases and pairs that keep a phrase of the layer alive
    source_total: np.ndarray  # [capacity] int32: Σ_e c(f, e)
    source_head: np.ndarray  # [capacity] int32: id + 1 of the first pair
    target_uses: np.ndarray
    target_total: np.ndarray  # [capacity] int32: Σ_f c(f, e)
    pair: PairColumns
    base_source_total: np.ndarray
    base_source_head: np.ndarray
    base_target_total: np.ndarray
    base_pair: PairColumns
    orientations: np.ndarray  # [2, 3] int64: of all pairs, (previous, next) by (monotone, swap, discontinuous)
    state: np.ndarray  # [5] int64: LONGEST_PLACE, SORTED, CURSOR, DROPPED, SKIPPED
    base_state: np.ndarray
    share: float  # of the layer's relative frequencies where the base has some too, or SUM


@kernel
def add_spans(phrases, source, target, spans):
    """Count the phrase pairs, given as spans [n, 6], of a sentence pair of word ids [J], [I].

    Room for n pairs and for state[LONGEST_PLACE] times J source and I target phrases must have been reserved.
    """
    sources, targets, longest = phrases.sources, phrases.targets, phrases.state[LONGEST_PLACE]
    source_paths = np.full((source.size, longest), UNRESOLVED, np.int64)
    target_paths = np.full((target.size, longest), UNRESOLVED, np.int64)
    for n in range(spans.shape[0]):
        s0, s1, t0, t1 = spans[n, SOURCE_START], spans[n, SOURCE_END], spans[n, TARGET_START], spans[n, TARGET_END]
        if source_paths[s0, s1 - s0 - 1] == UNRESOLVED:
            enter(sources, phrases.source_uses, source, s0, s1, source_paths)
        if target_paths[t0, t1 - t0 - 1] == UNRESOLVED:
            enter(targets, phrases.target_uses, target, t0, t1, target_paths)
        f, e = source_paths[s0, s1 - s0 - 1], target_paths[t0, t1 - t0 - 1]
        add_instance(phrases, f, e, spans[n, PREVIOUS], spans[n, NEXT], 1)


@kernel
def remove_spans(phrases, source, target, spans):
    """Take back what `add_spans` counted, the last first, which leaves no trace if nothing came after it.

    A pair that is not there in that orientation, base and layer together, is skipped, and the skip counted.
    """
    source_paths = np.full((source.size, phrases.state[LONGEST_PLACE]), UNRESOLVED, np.int64)
    target_paths = np.full((target.size, phrases.state[LONGEST_PLACE]), UNRESOLVED, np.int64)
    for n in range(spans.shape[0] - 1, -1, -1):
        span = spans[n]
        f = known(phrases.sources, source, span[SOURCE_START], span[SOURCE_END], source_paths)
        e = known(phrases.targets, target, span[TARGET_START], span[TARGET_END], target_paths)
        if f != ABSENT and e != ABSENT and is_counted(phrases, f, e, span[PREVIOUS], span[NEXT]):
            add_instance(phrases, f, e, span[PREVIOUS], span[NEXT], -1)
        else:
            phrases.state[SKIPPED] += 1


@kernel
def add_many(phrases, source, source_ends, target, target_ends, spans, span_ends):
    """`add_spans` for sentence pairs laid end to end, with the ends [m] of each."""
    s = t = n = np.int64(0)
    for m in range(span_ends.size):
        add_spans(phrases, source[s : source_ends[m]], target[t : target_ends[m]], spans[n : span_ends[m]])
        s, t, n = source_ends[m], target_ends[m], span_ends[m]


@lean
def enter(layered, uses, words, start, end, paths):
    """Path of a span, entered if it is new; paths [words, longest] remembers those of the sentence."""
    n = end - start
    while n > 0 and paths[start, n - 1] == UNRESOLVED:
        n -= 1
    node = paths[start, n - 1] if n > 0 else np.int64(ABSENT)
    while start + n < end:
        node = extend(layered, uses, node, words[start + n])
        paths[start, n] = node
        n += 1
    return node


@lean
def known(layered, words, start, end, paths):
    """Path of a span, ABSENT if there is none; paths [words, longest] remembers those of the sentence."""
    n = end - start
    while n > 0 and paths[start, n - 1] == UNRESOLVED:
        n -= 1
    node = paths[start, n - 1] if n > 0 else np.int64(ABSENT)
    while start + n < end:
        if n == 0 or node != ABSENT:
            in_base, in_layer = locate(layered, path_key(node, words[start + n]))
            node = joint_id(layered, in_base, in_layer)
        paths[start, n] = node
        n += 1
    return node


@lean
def add_instance(phrases, f, e, previous, following, sign):
    """Count one instance of a pair (sign 1), or take it back (-1)."""
    previous_monotone, previous_swap = sign * np.int64(previous == MONOTONE), sign * np.int64(previous == SWAP)
    next_monotone, next_swap = sign * np.int64(following == MONOTONE), sign * np.int64(following == SWAP)
    add_pair(phrases, f, e, sign, previous_monotone, previous_swap, next_monotone, next_swap)


@lean
def add_pair(phrases, f, e, count, previous_monotone, previous_swap, next_monotone, next_swap):
    """Add to all that is counted of the pair of two phrases, given by their paths."""
    sources, targets, index, pair = phrases.sources, phrases.targets, phrases.pairs.layer, phrases.pair
    heads, source_uses, target_uses = phrases.source_head, phrases.source_uses, phrases.target_uses
    live = index.state[LIVE]
    entry = insert(index, path_key(f, e))
    is_new = index.state[LIVE] > live
    source = layer_entry(sources, source_uses, f, is_new)
    target = layer_entry(targets, target_uses, e, is_new)
    often = pair.counts[entry] > 1
    pair.counts[entry] += count
    pair.previous_monotone[entry] += previous_monotone
    pair.previous_swap[entry] += previous_swap
    pair.next_monotone[entry] += next_monotone
    pair.next_swap[entry] += next_swap
    phrases.source_total[source] += count
    phrases.target_total[target] += count
    add_orientation(phrases.orientations[0], count, previous_monotone, previous_swap)
    add_orientation(phrases.orientations[1], count, next_monotone, next_swap)
    phrases.state[SORTED] = 0
    if is_new:
        link(pair, heads, source, entry, pair.counts[entry] > 1)
    elif is_zero(pair, entry):
        unlink(pair, heads, source, entry)
        erase(index, entry)
        release_entry(targets, target_uses, target)
        release_entry(sources, source_uses, source)
    elif often != (pair.counts[entry] > 1):
        unlink(pair, heads, source, entry)
        link(pair, heads, source, entry, not often)


@lean
def add_orientation(totals, count, monotone, swap):
    """Add to the totals [3] of one direction."""
    totals[MONOTONE] += monotone
    totals[SWAP] += swap
    totals[DISCONTINUOUS] += count - monotone - swap


@lean
def is_zero(pair, entry):
    """Whether all that is counted of an entry has come back to zero."""
    monotone = pair.previous_monotone[entry] | pair.next_monotone[entry]
    return (pair.counts[entry] | monotone | pair.previous_swap[entry] | pair.next_swap[entry]) == 0


@lean
def layer_entry(layered, uses, joint, hold):
    """Layer id of a phrase by its joint id, held once more with `hold`; a phrase of the base is entered beside it."""
    below = layered.base.state[HIGH]
    entry = joint - below if joint >= below else insert(layered.layer, layered.base.keys[joint])
    uses[entry] += hold
    return entry


@lean
def release_entry(layered, uses, entry):
    """Undo one hold; a phrase that nothing holds is erased, and then perhaps the one it goes on from."""
    below = layered.base.state[HIGH]
    while True:
        uses[entry] -= 1
        if uses[entry] > 0:
            break
        parent = parent_of(layered.layer.keys[entry])
        erase(layered.layer, entry)
        if parent < below:  # the base's phrases, and the root, are held by nothing
            break
        entry = parent - below


@lean
def link(pair, heads, source, entry, first):
    """Put a pair into the ring of its source phrase, at its beginning or at its end."""
    after, before = pair.after, pair.before
    head = np.int64(heads[source])
    if head == 0:
        head = tail = entry + 1
        heads[source] = head
    else:
        tail = np.int64(before[head - 1])
    after[entry] = head
    before[entry] = tail
    after[tail - 1] = entry + 1
    before[head - 1] = entry + 1
    if first:
        heads[source] = entry + 1


@lean
def unlink(pair, heads, source, entry):
    """Take a pair out of the ring of its source phrase."""
    after, before = pair.after, pair.before
    following, leading = after[entry], before[entry]
    after[leading - 1] = following
    before[following - 1] = leading
    if heads[source] == entry + 1:
        heads[source] = 0 if following == entry + 1 else following
    after[entry] = 0
    before[entry] = 0


@lean
def value(column, entry):
    """What a column holds for an entry, 0 where there is none."""
    return np.int64(column[entry]) if entry != ABSENT else np.int64(0)


@lean
def summed(base, layer, in_base, in_layer):
    """What is counted of a pair, base and layer together: count and monotone, swap of previous, then of next."""
    return (
        value(base.counts, in_base) + value(layer.counts, in_layer),
        value(base.previous_monotone, in_base) + value(layer.previous_monotone, in_layer),
        value(base.previous_swap, in_base) + value(layer.previous_swap, in_layer),
        value(base.next_monotone, in_base) + value(layer.next_monotone, in_layer),
        value(base.next_swap, in_base) + value(layer.next_swap, in_layer),
    )


@lean
def is_counted(phrases, f, e, previous, following):
    """Whether a pair has been seen with these orientations, so that one instance can be taken back."""
    in_base, in_layer = locate(phrases.pairs, path_key(f, e))
    counts = summed(phrases.base_pair, phrases.pair, in_base, in_layer)
    before = of_orientation(previous, counts[0], counts[1], counts[2])
    return before > 0 and of_orientation(following, counts[0], counts[3], counts[4]) > 0


@lean
def of_orientation(which, count, monotone, swap):
    """How many of the instances have this orientation."""
    if which == MONOTONE:
        return monotone
    return swap if which == SWAP else count - monotone - swap
