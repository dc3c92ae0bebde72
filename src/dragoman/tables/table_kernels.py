"""The hash table itself, as compiled functions over flat arrays.

An index maps integer keys (0 ≤ key < 2⁶³) to dense ids, 0, 1, 2 …; whatever is counted stands in columns beside it, at
the place of the id. Steps of use:

1. `reserve` (in table.py) makes room for as many new keys as a kernel may insert: kernels cannot grow an array.
2. `insert(index, key)` finds the id of a key or gives it one, whose columns are all zero; `find` only looks.
3. `erase(index, id)` takes out an entry whose columns have all fallen to zero; its id goes to the next new key.

Open addressing with linear probing. A slot holds id + 1 in its low bits and, in the bits left over, a piece of the
key's hash, so that nearly every probe of a wrong entry is told without touching its key. Erasing shifts the entries
behind it back, so there are no tombstones and a table that shrinks is as fast as one that never grew.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean

# Places in Index.state
HIGH = 0  # ids ever given out: entries are found below it
LIVE = 1  # entries
FREE = 2  # id + 1 of the entry erased last, the first to be given out again; 0 when there is none
BITS = 3  # low bits of a slot that hold id + 1

ABSENT = -1
WORD_BITS = 31


class Index(NamedTuple):
    """Keys of one table and the slots that find them. Valid until the table grows: never kept between calls."""

    keys: np.ndarray  # [capacity] int64, key of each id; of an erased id, -1 - (id + 1 of the one erased before it)
    slots: np.ndarray  # [slots] uint32, 0 = empty
    state: np.ndarray  # [4] int64: HIGH, LIVE, FREE, BITS


class Layered(NamedTuple):
    """A table of differences over an immutable one: the same keys, and what is read is the sum of both.

    An entry has one id wherever it stands: that of the base if it is there, otherwise the base's HIGH + its layer id.
    """

    base: Index
    layer: Index


@lean
def hash_of(key):
    """Mix a key into 64 bits (the finaliser of MurmurHash3, by Appleby)."""
    h = np.uint64(key)
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@lean
def home(h, slots):
    """The first slot to look at: the hash's upper half scaled to the number of slots (any number, not only 2ᵏ)."""
    return np.int64(((h >> np.uint64(32)) * np.uint64(slots)) >> np.uint64(32))


@lean
def tag(h, bits):
    """The hash's lower bits, above the `bits` that hold the id."""
    return np.int64((h << np.uint64(bits)) & np.uint64(0xFFFFFFFF))


@lean
def find(index, key):
    """Id of a key, or ABSENT."""
    # All unsigned: for an index that may be negative Numba would look whether it counts from the end.
    h = hash_of(key)
    bits = np.uint64(index.state[BITS])
    mask = (np.uint64(1) << bits) - np.uint64(1)
    mark = (h << bits) & np.uint64(0xFFFFFFFF)
    n = np.uint64(index.slots.size)
    at = ((h >> np.uint64(32)) * n) >> np.uint64(32)
    while True:
        slot = np.uint64(index.slots[at])
        if slot == np.uint64(0):
            return np.int64(ABSENT)
        if slot & ~mask == mark:
            found = (slot & mask) - np.uint64(1)
            if index.keys[found] == key:
                return np.int64(found)
        at += np.uint64(1)
        if at == n:
            at = np.uint64(0)


@lean
def place(index, h, entry):
    """Put an id into the first empty slot at or after its home."""
    n = index.slots.size
    at = home(h, n)
    while index.slots[at] != 0:
        at += 1
        if at == n:
            at = 0
    index.slots[at] = np.uint32((entry + 1) | tag(h, index.state[BITS]))


@lean
def insert(index, key):
    """Id of a key, a new one if it had none. Room for it must have been reserved."""
    entry = find(index, key)
    if entry != ABSENT:
        return entry
    state = index.state
    if state[FREE] != 0:
        entry = state[FREE] - 1
        state[FREE] = -1 - index.keys[entry]
    else:
        entry = state[HIGH]
        state[HIGH] += 1
    index.keys[entry] = key
    state[LIVE] += 1
    place(index, hash_of(key), entry)
    return entry


@lean
def erase(index, entry):
    """Take out an entry. Its columns must be zero already: they serve the next key that gets this id."""
    state = index.state
    mask = (np.int64(1) << state[BITS]) - 1
    n = index.slots.size
    hole = home(hash_of(index.keys[entry]), n)
    while (np.int64(index.slots[hole]) & mask) - 1 != entry:
        hole += 1
        if hole == n:
            hole = 0
    at = hole
    while True:
        at += 1
        if at == n:
            at = 0
        slot = np.int64(index.slots[at])
        if slot == 0:
            break
        start = home(hash_of(index.keys[(slot & mask) - 1]), n)
        # It may move back into the hole unless its home lies cyclically behind the hole.
        if (at - start) % n >= (at - hole) % n:
            index.slots[hole] = index.slots[at]
            hole = at
    index.slots[hole] = 0
    state[LIVE] -= 1
    if state[LIVE] == 0:  # as if it had never been used: ids start from 0 again
        index.keys[: state[HIGH]] = 0
        state[HIGH] = 0
        state[FREE] = 0
    elif entry == state[HIGH] - 1:  # taking back the newest entries in reverse leaves no trace
        index.keys[entry] = 0
        state[HIGH] -= 1
    else:
        index.keys[entry] = -1 - state[FREE]
        state[FREE] = entry + 1


@lean
def refill(index):
    """Fill empty slots from the keys, after the slots have been replaced."""
    for entry in range(index.state[HIGH]):
        key = index.keys[entry]
        if key >= 0:
            place(index, hash_of(key), entry)


@lean
def path_key(parent, word):
    """Key of the path that goes on from `parent` (ABSENT: from the root) with a word."""
    return ((np.int64(parent) + 1) << WORD_BITS) | np.int64(word)


@lean
def parent_of(key):
    """The path without its last word; ABSENT at the root."""
    return (key >> WORD_BITS) - 1


@lean
def word_of(key):
    """The last word of a path."""
    return key & ((np.int64(1) << WORD_BITS) - 1)


@lean
def joint_id(layered, in_base, in_layer):
    """The one id of an entry found at these places (ABSENT where it is not)."""
    if in_base != ABSENT:
        return in_base
    if in_layer != ABSENT:
        return layered.base.state[HIGH] + in_layer
    return np.int64(ABSENT)


@lean
def locate(layered, key):
    """Where a key stands: (id in the base, id in the layer), each ABSENT if it is not there."""
    in_base = np.int64(ABSENT)
    if layered.base.state[LIVE] > 0:
        in_base = find(layered.base, key)
    return in_base, find(layered.layer, key)


@lean
def key_of(layered, joint):
    """Key of an entry by its joint id."""
    below = layered.base.state[HIGH]
    return layered.base.keys[joint] if joint < below else layered.layer.keys[joint - below]


@lean
def follow(layered, words):
    """Joint id of the path along the words, ABSENT if there is none."""
    node = np.int64(ABSENT)
    for word in words:
        in_base, in_layer = locate(layered, path_key(node, word))
        node = joint_id(layered, in_base, in_layer)
        if node == ABSENT:
            break
    return node


@lean
def extend(layered, uses, parent, word):
    """Joint id of the path that goes on from `parent` with a word, entered into the layer if it is nowhere.

    `uses` [layer capacity] counts what keeps a path of the layer alive: longer paths, and holders elsewhere (`hold`).
    """
    key = path_key(parent, word)
    in_base, in_layer = locate(layered, key)
    if in_base == ABSENT and in_layer == ABSENT:
        in_layer = insert(layered.layer, key)
        hold(layered, uses, parent)
    return joint_id(layered, in_base, in_layer)


@lean
def hold(layered, uses, joint):
    """Keep a path alive; those of the base always are."""
    below = layered.base.state[HIGH]
    if joint >= below:
        uses[joint - below] += 1


@lean
def release(layered, uses, joint):
    """Undo one `hold`; a path that nothing keeps alive any more is erased, and then perhaps the one it went on from."""
    below = layered.base.state[HIGH]
    while joint >= below:
        entry = joint - below
        uses[entry] -= 1
        if uses[entry] > 0:
            break
        joint = parent_of(layered.layer.keys[entry])
        erase(layered.layer, entry)


@lean
def insert_path(layered, uses, words):
    """Joint id of the path along the words, held once more; whatever part of it was missing is entered."""
    node = np.int64(ABSENT)
    for word in words:
        node = extend(layered, uses, node, word)
    hold(layered, uses, node)
    return node


@lean
def insert_many(index, keys, ids):
    """Give every key an id; the ids go into `ids` [n]."""
    for i in range(keys.size):
        ids[i] = insert(index, keys[i])


@lean
def find_many(index, keys, ids):
    """Look up every key; the ids, or ABSENT, go into `ids` [n]."""
    for i in range(keys.size):
        ids[i] = find(index, keys[i])


@lean
def erase_many(index, ids):
    """Take out the entries of these ids, the last first; an id may stand there twice."""
    for i in range(ids.size - 1, -1, -1):
        if ids[i] < index.state[HIGH] and index.keys[ids[i]] >= 0:
            erase(index, ids[i])


@lean
def add_at(column, ids, amounts):
    """Add an amount to the column at each id; an id may stand there twice."""
    for i in range(ids.size):
        column[ids[i]] += amounts[i]


@lean
def extend_many(layered, uses, parents, words, ids, places):
    """`extend` for each parent [n] and word [n]; the joint ids go to these places of `ids`."""
    for i in range(words.size):
        ids[places[i]] = extend(layered, uses, parents[i], words[i])


@lean
def hold_many(layered, uses, paths, times):
    """`hold` each of the paths [n] so many times [n]."""
    below = layered.base.state[HIGH]
    for i in range(paths.size):
        if paths[i] >= below:
            uses[paths[i] - below] += times[i]
