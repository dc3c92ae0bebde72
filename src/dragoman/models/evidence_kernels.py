"""Which pieces of another engine's translation a correction kept or replaced, as keys of a table of counts.

Keys under which it is counted what became of each piece of another engine's answer, alone and in its context.

The words of an answer are ids with START before the first and END after the last. A *context* of the piece
words[begin:stop] is a stretch around it; the piece with the source words that it is linked to is one, too.
"""

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


START, END = -1, -2  # before the first word of an answer, and after the last
LONGEST = 6  # words of a context that are counted
LINKED = 2  # words of a piece that is counted with its source words
PIECE, SOURCE, LEFT, RIGHT, BOTH, WIDE = range(6)  # contexts
CONTEXTS = 6
NOTHING = np.uint64(0x2545F4914F6CDD1D)  # in place of the hash of source words, for a stretch of the answer alone


@lean
def source_hash(source, linked, begin, stop):
    """A hash of the source words linked to words[begin:stop], in their order; 0 if there are none."""
    h = np.uint64(0)
    for j in range(linked.shape[0]):
        for i in range(begin, stop):
            if linked[j, i - 1]:
                h = (h ^ np.uint64(source[j] + 1)) * np.uint64(0x9E3779B97F4A7C15)
                h ^= h >> np.uint64(29)
                break
    return h


@kernel
def seen_keys(words, source, linked, touched, broken, keys, kept):
    """Fill in the keys [n] of all stretches of an answer, and which of them [n] a correction has kept; returns n.

    A word is `touched` [words] if it was replaced, a gap `broken` [words + 1] if something was put in before that word.
    """
    n = 0
    size = words.size
    for begin in range(size):
        good = True
        for stop in range(begin + 1, min(size, begin + LONGEST) + 1):
            good = good and not touched[stop - 1] and not (stop - 1 > begin and broken[stop - 1])
            if stop - begin > 1 or 0 < begin < size - 1:
                keys[n] = key_of(NOTHING, phrase_hash(words, begin, stop), np.uint64(0))
                kept[n] = good
                n += 1
            if begin > 0 and stop < size and stop - begin <= LINKED:
                h = source_hash(source, linked, begin, stop)
                if h != 0:
                    keys[n] = key_of(h, phrase_hash(words, begin, stop), np.uint64(0))
                    kept[n] = good
                    n += 1
    return n


@kernel
def change_keys(words, source, linked, begins, stops, instead, firsts, lasts, keys):
    """Fill in the keys [changes, CONTEXTS, 2] of each context, and of its change; -1 for a context it does not have.

    Change c puts instead[firsts[c]:lasts[c]] in the place of words[begins[c]:stops[c]].
    """
    size = words.size
    for c in range(begins.size):
        begin, stop = begins[c], stops[c]
        e = phrase_hash(instead, firsts[c], lasts[c])
        for context in range(CONTEXTS):
            keys[c, context] = -1
            before = after = 0
            if context in (LEFT, BOTH):
                before = 1
            if context in (RIGHT, BOTH):
                after = 1
            if context == WIDE:
                before = after = 2
            if stop == begin and context < BOTH:
                continue
            f = NOTHING
            if context == SOURCE:
                if stop - begin > LINKED:
                    continue
                f = source_hash(source, linked, begin, stop)
                if f == 0:
                    continue
            first, last = max(0, begin - before), min(size, stop + after)
            if last - first > LONGEST:
                continue
            h = phrase_hash(words, first, last)
            keys[c, context, 0] = key_of(f, h, np.uint64(0))
            place = np.uint64(1 + context * 8 + (begin - first))
            keys[c, context, 1] = key_of(f, h, (e ^ (place << np.uint64(40))) | np.uint64(1))
