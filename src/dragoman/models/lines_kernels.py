"""Words ↔ ids for whole texts at once, as compiled functions over their UTF-8 bytes."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import END, START
from dragoman.tables.kernels import ABSENT, find, insert

UNKNOWN = 0  # id of <unk> in every vocabulary
OFFSET, PRIME = 14695981039346656037, 1099511628211  # of the FNV-1a hash


@lean
def mixed(h, byte):
    """The hash of a word that is one byte longer (FNV-1a)."""
    return (h ^ np.uint64(byte)) * np.uint64(PRIME)


@lean
def key_of_word(h):
    """Key of a word by its hash: 62 bits, so that two of a million words have the same with probability 10⁻⁷."""
    return np.int64(h >> np.uint64(2))


@lean
def enter_words(index, ids, text, ends, first):
    """Enter words with the ids first, first + 1 …: their bytes one after another, `ends` [n] one past each last."""
    begin = 0
    for i in range(ends.size):
        h = np.uint64(OFFSET)
        for byte in text[begin : ends[i]]:
            h = mixed(h, byte)
        ids[insert(index, key_of_word(h))] = first + i
        begin = ends[i]


@lean
def read_words(index, ids, text, gap, stop, tokens):
    """Ids of the words that bytes `gap` separate, `<s>` … `</s>` around each sentence that a byte `stop` ends.

    They go into `tokens`, which must be long enough; returns how many. No word is empty.
    """
    n = hash_words(text, gap, stop, tokens)
    for i in range(n):  # apart from reading, so that no look-up waits for another
        if tokens[i] < 0:
            tokens[i] = -tokens[i]
        else:
            at = find(index, tokens[i])
            tokens[i] = ids[at] if at != ABSENT else UNKNOWN
    return n


@lean
def hash_words(text, gap, stop, tokens):
    """The keys of the words, −START and −END around each sentence."""
    tokens[0] = -START
    n = 1
    begin = 0
    h = np.uint64(OFFSET)
    for i in range(text.size):
        byte = text[i]
        if byte != gap and byte != stop:
            h = mixed(h, byte)
            continue
        if i > begin:
            tokens[n] = key_of_word(h)
            n += 1
            h = np.uint64(OFFSET)
        if byte == stop:
            tokens[n], tokens[n + 1] = -END, -START
            n += 2
        begin = i + 1
    return n - 1
