"""Which pieces of another engine's translation a correction kept or replaced, as keys of a table of counts."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.models.extraction_kernels import SOURCE_END, SOURCE_START, TARGET_END, TARGET_START

ANYTHING = np.uint64(0x5851F42D4C957F2D)  # in place of the hash of what a piece was replaced by
LENGTHS = 8  # keys below 2 · LENGTHS count pieces by their number of source words: all of them, then those kept


@lean
def phrase_hash(words, begin, end):
    """A hash of words[begin:end]."""
    h = np.uint64(end - begin)
    for i in range(begin, end):
        h = (h ^ np.uint64(words[i] + 1)) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    return h


@lean
def key_of(f, m, e):
    """Key of a source phrase, the other engine's words for it, and those instead, given by their hashes."""
    h = (f * np.uint64(0xC4CEB9FE1A85EC53)) ^ m
    h = ((h ^ (h >> np.uint64(31))) * np.uint64(0xFF51AFD7ED558CCD)) ^ e
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xE7037ED1A0B428DB)
    return np.int64((h ^ (h >> np.uint64(32))) >> np.uint64(2)) + 2 * LENGTHS


@lean
def same_words(one, a, b, other, c, d):
    """Whether one[a:b] and other[c:d] are the same words."""
    i = 0
    while i < b - a and i < d - c and one[a + i] == other[c + i]:
        i += 1
    return i == b - a == d - c


@kernel
def outcomes(source, answer, pieces, target, spans):
    """Keys [n] of what became of each piece of the other engine's translation, two or more for a piece.

    `pieces` and `spans` [·, 6] are the phrase pairs of the source with the answer and with the correction.
    """
    keys = np.empty(4 * pieces.shape[0], np.int64)
    n = 0
    for p in range(pieces.shape[0]):
        s0, s1, a, b = pieces[p, SOURCE_START], pieces[p, SOURCE_END], pieces[p, TARGET_START], pieces[p, TARGET_END]
        best = -1  # the shortest translation in the correction, unless one says the same
        kept = False
        for q in range(spans.shape[0]):
            if spans[q, SOURCE_START] != s0 or spans[q, SOURCE_END] != s1:
                continue
            c, d = spans[q, TARGET_START], spans[q, TARGET_END]
            if same_words(answer, a, b, target, c, d):
                best, kept = q, True
                break
            if best < 0 or d - c < spans[best, TARGET_END] - spans[best, TARGET_START]:
                best = q
        if best < 0:
            continue
        f, m = phrase_hash(source, s0, s1), phrase_hash(answer, a, b)
        e = phrase_hash(target, spans[best, TARGET_START], spans[best, TARGET_END])
        keys[n], keys[n + 1] = key_of(f, m, ANYTHING), key_of(f, m, e)
        length = min(s1 - s0, LENGTHS - 1)
        keys[n + 2] = length
        n += 3
        if kept:
            keys[n] = LENGTHS + length
            n += 1
    return keys[:n]


@lean
def fill_keys(source, answer, words, row, keys):
    """Keys of each option [n]: the answer's words at its place, replaced by anything, and by its words."""
    for n in range(row.size):
        option = row[n]
        if option.place < 0:
            keys[n] = 0
            continue
        f = phrase_hash(source, option.start, option.end)
        m = phrase_hash(answer, option.place, option.reach)
        keys[n, 0] = key_of(f, m, ANYTHING)
        keys[n, 1] = key_of(f, m, phrase_hash(words, option.begin, option.stop))
