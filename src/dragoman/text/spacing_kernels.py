"""Which gap stands between two tokens: the counts that are kept for it, and the choice they lead to.

A gap has a token on its left and one on its right, each known by its class and as itself. What was seen is counted for
both classes, for word and class, and for class and word. A sign is a class of its own: beside one, a gap is counted
for the sign and a class, and for the sign and a word. Two things are added to a sign: its role, that is, whether it
opens or closes if it is one of a pair, like quotation marks; and, on the left, whether it is joined to what is before
it, for the sign in "5 -3" is not the one in "5 - 3".

A key is, from its low bits: the kind of gap (3), the right token (29), the left token (30).
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel
from dragoman.tables.table_kernels import ABSENT, Layered, locate

KINDS = 8  # of gaps; kind 0 is no gap at all
UNDECIDED = -1  # instead of a kind
KEYS = 3  # at most, of a gap
CLASSES = 64
MOST_WORDS = (1 << 27) - CLASSES  # ids from here on do not fit into a key

# The classes that kernels know about; those from FIRST_SIGN on are not ordinary words.
FIRST_SIGN = 8
OPENING_QUOTE = 8
CLOSING_QUOTE = 9
CLOSING = 10
POINT = 11
APOSTROPHE = 1  # the pair of a straight single quotation mark

# Roles of a sign that is one of a pair; any other has the role OPENS.
OPENS = 0
CLOSES = 1
ALONE = 2  # added if its partner is missing: the role is a guess

# What is believed of a distribution before anything was counted in it, as a number of counts.
CLASS_PRIOR = 1.5
WORD_PRIOR = 4.0
DOUBT = 0.02  # share of belief that goes to other gaps than the one given by rule


class SpacingCounts(NamedTuple):
    """How often each key was seen, in the base and in the layer above it."""

    keys: Layered
    base: np.ndarray  # [base capacity] int64
    layer: np.ndarray  # [layer capacity] int64


class Tokens(NamedTuple):
    """A sentence as the kernels see it."""

    words: np.ndarray  # [n] int64, id of each token, 0 if only its class is to be known
    classes: np.ndarray  # [n] int64, OPENING_QUOTE for any quotation mark
    pairs: np.ndarray  # [n] int64, for signs that come in pairs: which one it is, from 1; 0 for all others


class Rules(NamedTuple):
    """What is known before anything was learned."""

    gaps: np.ndarray  # [CLASSES, CLASSES] int64, the kind of gap between left and right
    closes: np.ndarray  # [pairs] int64, as bits, the signs that one closes
    closed_by: np.ndarray  # [pairs] int64, as bits, the signs that close it
    closing: np.ndarray  # [pairs] bool, whether one without a partner closes


@kernel
def assign_roles(tokens, rules, apostrophe):
    """Whether each token [n] opens or closes; `apostrophe` [n] tells which quotation marks may be one."""
    n = tokens.words.size
    to_come = np.zeros(n, np.int64)  # [n] the signs after each token, as bits
    for i in range(n - 2, -1, -1):
        to_come[i] = to_come[i + 1] | np.int64(1) << tokens.pairs[i + 1]
    roles = np.zeros(n, np.int64)
    still_open = np.int64(0)  # as bits
    for i in range(n):
        pair = tokens.pairs[i]
        if pair == 0:
            continue
        if rules.closes[pair] & still_open:
            still_open &= ~rules.closes[pair]
            roles[i] = CLOSES
        elif rules.closed_by[pair] & to_come[i] and not apostrophe[i]:
            still_open |= np.int64(1) << pair
            roles[i] = OPENS
        elif rules.closing[pair] or before_stop(tokens, i) or after_word(tokens, i):
            roles[i] = CLOSES | ALONE
        else:
            roles[i] = OPENS | ALONE
    return roles


@kernel
def before_stop(tokens, i):
    """Whether nothing follows token i but what closes."""
    return i + 1 == tokens.words.size or tokens.classes[i + 1] == CLOSING or tokens.classes[i + 1] == POINT


@kernel
def after_word(tokens, i):
    """Whether token i is a straight single quotation mark after an ordinary word, and so may be an apostrophe."""
    return tokens.pairs[i] == APOSTROPHE and i > 0 and tokens.classes[i - 1] < FIRST_SIGN


@kernel
def observe(tokens, rules, gaps, keys):
    """The keys of each gap [n - 1] of a sentence go into `keys` [n - 1, KEYS], with their kinds."""
    n = tokens.words.size
    apostrophe = np.zeros(n, np.bool_)
    for i in range(1, n):
        apostrophe[i] = after_word(tokens, i) and gaps[i - 1] == 0 and (i + 1 == n or gaps[i] != 0)
    roles = assign_roles(tokens, rules, apostrophe)
    for i in range(n - 1):
        write_keys(tokens, roles, i, i > 0 and gaps[i - 1] == 0, keys[i])
        for k in range(KEYS):
            if keys[i, k] >= 0:
                keys[i, k] |= gaps[i]


@kernel
def predict(counts, tokens, rules, gaps):
    """The kinds of gaps between the tokens go into `gaps` [n - 1] where these are undecided."""
    n = tokens.words.size
    apostrophe = np.zeros(n, np.bool_)
    for i in range(1, n):
        apostrophe[i] = after_word(tokens, i) and seen_as_apostrophe(counts, tokens, i)
    roles = assign_roles(tokens, rules, apostrophe)
    keys = np.empty(KEYS, np.int64)
    p = np.empty((4, KINDS))
    for i in range(n - 1):
        if gaps[i] != UNDECIDED:
            continue
        write_keys(tokens, roles, i, i > 0 and gaps[i - 1] == 0, keys)
        expected = rules.gaps[class_of(tokens, roles, i), class_of(tokens, roles, i + 1)]
        gaps[i] = choose(counts, keys, expected, p)


@kernel
def seen_as_apostrophe(counts, tokens, i):
    """Whether token i was seen as an apostrophe after the word before it, and more often than as a quotation mark."""
    left = left_token(tokens.words[i - 1], OPENS, False)
    as_apostrophe = count(counts, left << 32 | right_token(tokens.words[i], CLOSES | ALONE) << 3)
    as_quote = np.int64(0)
    for kind in range(1, KINDS):
        as_quote += count(counts, left << 32 | right_token(tokens.words[i], OPENS) << 3 | kind)
    return as_apostrophe > as_quote


@kernel
def class_of(tokens, roles, i):
    """The class of token i, given its role."""
    if tokens.classes[i] == OPENING_QUOTE and roles[i] & CLOSES:
        return np.int64(CLOSING_QUOTE)
    return tokens.classes[i]


@kernel
def left_token(word, role, joined):
    """A word or, if it is not known, a class below CLASSES, as the left part of a key."""
    return (np.int64(word) + CLASSES) << 3 | role << 1 | np.int64(joined)


@kernel
def right_token(word, role):
    """A word or, if it is not known, a class below CLASSES, as the right part of a key."""
    return (np.int64(word) + CLASSES) << 2 | role


@kernel
def write_keys(tokens, roles, i, joined, keys):
    """The keys of the gap after token i, without its kind, go into `keys` [KEYS], and -1 where there is none.

    `joined` tells whether there is no gap before token i.
    """
    left_class, right_class = tokens.classes[i], tokens.classes[i + 1]
    left_known, right_known = tokens.words[i] > 0, tokens.words[i + 1] > 0
    joined = joined and left_class >= FIRST_SIGN
    left = left_token(left_class - CLASSES, roles[i], joined)
    right = right_token(right_class - CLASSES, roles[i + 1])
    left_word = left_token(tokens.words[i], roles[i], joined)
    right_word = right_token(tokens.words[i + 1], roles[i + 1])
    if left_known and left_class >= FIRST_SIGN:
        left, left_known = left_word, False
    if right_known and right_class >= FIRST_SIGN:
        right, right_known = right_word, False
    keys[0] = left << 32 | right << 3
    keys[1] = left_word << 32 | right << 3 if left_known else -1
    keys[2] = left << 32 | right_word << 3 if right_known else -1


@kernel
def choose(counts, keys, expected, p):
    """The likeliest kind of gap, given its keys and the kind expected by rule; `p` [4, KINDS] is scratch space."""
    p[0] = DOUBT / KINDS
    p[0, expected] += 1 - DOUBT
    blend(counts, keys[0], p[0], CLASS_PRIOR, p[1])
    blend(counts, keys[1], p[1], WORD_PRIOR, p[2])
    blend(counts, keys[2], p[1], WORD_PRIOR, p[3])
    return np.argmax(p[2] * p[3] / p[1])  # the words are independent evidence, given the classes


@kernel
def blend(counts, key, prior, weight, blended):
    """A distribution [KINDS] of what was seen with a key; the prior one has this weight, that is, of so many counts."""
    total = weight
    for kind in range(KINDS):
        seen = count(counts, key | kind) if key >= 0 else 0
        blended[kind] = seen + weight * prior[kind]
        total += seen
    blended /= total


@kernel
def count(counts, key):
    """How often a key was seen."""
    in_base, in_layer = locate(counts.keys, key)
    seen = np.int64(0)
    if in_base != ABSENT:
        seen += counts.base[in_base]
    if in_layer != ABSENT:
        seen += counts.layer[in_layer]
    return seen
