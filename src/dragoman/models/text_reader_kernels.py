"""Words ↔ ids for whole texts at once, as compiled functions over their UTF-8 bytes."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import END, START, UNKNOWN
from dragoman.tables.table_kernels import ABSENT, find, insert

SMALL = 1e-200  # products are kept above it
OFFSET, PRIME = 14695981039346656037, 1099511628211  # of the FNV-1a hash


@lean
def mixed(h, byte):
    """The hash of a word that is one byte longer (FNV-1a)."""
    return (h ^ np.uint64(byte)) * np.uint64(PRIME)


@lean
def key_of_word(h):
    """Key of a word by its hash: 62 bits, so that two of a million words share one with probability 10⁻⁷."""
    return np.int64(h >> np.uint64(2))


@lean
def enter_words(index, text, ends):
    """Enter words: their bytes one after another, `ends` [n] one past each last. They are numbered as they come."""
    begin = 0
    for end in ends:
        h = np.uint64(OFFSET)
        for byte in text[begin:end]:
            h = mixed(h, byte)
        key = key_of_word(h)
        while find(index, key) != ABSENT:  # two words with one key: the later one will be taken for the earlier
            key += 1
        insert(index, key)
        begin = end


@lean
def read_words(index, first, text, gap, stop, tokens):
    """Ids of the words that bytes `gap` separate, `<s>` … `</s>` around each sentence that a byte `stop` ends.

    The ids of the words in the index begin with `first`. They go into `tokens`, which must be long enough; returns how
    many there are. No word is empty.
    """
    n = hash_words(text, gap, stop, tokens)
    for i in range(n):  # apart from reading, so that no look-up waits for another
        if tokens[i] < 0:
            tokens[i] = -tokens[i]
        else:
            at = find(index, tokens[i])
            tokens[i] = first + at if at != ABSENT else UNKNOWN
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


@lean
def sentence_scores(tokens, probabilities, scores):
    """Natural log of the product of the probabilities in each sentence `<s>` … `</s>`, into `scores` [sentences]."""
    s = -1
    product = 1.0
    for i in range(tokens.size):
        if tokens[i] == START:
            s += 1
            scores[s] = 0.0
        product *= probabilities[i]
        if tokens[i] == END or product < SMALL:
            scores[s] += math.log(product)
            product = 1.0
