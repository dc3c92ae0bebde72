"""Keys under which it is counted what became of each piece of another engine's answer, alone and in its context.

The words of an answer are ids with START before the first and END after the last. A *context* of the piece
words[begin:stop] is a stretch around it; the piece with the source words that it is linked to is one, too.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.models.replacements_kernels import key_of, phrase_hash

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
