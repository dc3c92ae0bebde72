"""A back-off model from an ARPA file, as compiled functions: the same reading interface as `language_kernels`.

A state is the id of the longest n-gram at the end of the history, below the highest order, + 1; 0 is the empty history.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import FLOOR, MISSING, START, UNKNOWN
from dragoman.tables.table_kernels import ABSENT, Index, find, insert, parent_of, path_key, word_of


class ArpaArrays(NamedTuple):
    """The n-grams of all orders as paths, oldest word first."""

    entries: Index
    scores: np.ndarray  # [entries] float32, natural log of p(last word | those before it)
    backoffs: np.ndarray  # [entries] float32, natural log of the weight of shorter histories
    suffixes: np.ndarray  # [entries] int32, id of the longest n-gram at its end, itself not counted
    lengths: np.ndarray  # [entries] uint8
    order: int


@lean
def enter(arpa, grams, scores, backoffs):
    """Enter n-grams of one length [m, k]; returns the first whose history is not there, ABSENT if all are."""
    k = grams.shape[1]
    for i in range(grams.shape[0]):
        node = np.int64(ABSENT)
        for word in grams[i, : k - 1]:
            node = find(arpa.entries, path_key(node, word))
            if node == ABSENT:
                return np.int64(i)
        word = grams[i, k - 1]
        at = insert(arpa.entries, path_key(node, word))
        arpa.scores[at], arpa.backoffs[at], arpa.lengths[at] = scores[i], backoffs[i], k
        suffix = np.int64(ABSENT)
        while node != ABSENT and suffix == ABSENT:
            node = np.int64(arpa.suffixes[node])
            suffix = find(arpa.entries, path_key(node, word))
        arpa.suffixes[at] = suffix
    return np.int64(ABSENT)


@lean
def start(arpa):
    """The state at the beginning of a sentence."""
    return find(arpa.entries, path_key(ABSENT, START)) + 1


@lean
def advance(arpa, state, word):
    """Natural log of p(word | state) and the state after the word; one that the file does not have is `<unk>`."""
    if find(arpa.entries, path_key(ABSENT, word)) == ABSENT:
        word = np.int64(UNKNOWN)
    node = np.int64(state) - 1
    score = 0.0
    found = find(arpa.entries, path_key(node, word))
    while found == ABSENT and node != ABSENT:
        score += arpa.backoffs[node]
        node = np.int64(arpa.suffixes[node])
        found = find(arpa.entries, path_key(node, word))
    if found == ABSENT:
        return score + FLOOR, np.int64(0)
    score += arpa.scores[found]
    return score, 1 + (np.int64(arpa.suffixes[found]) if arpa.lengths[found] == arpa.order else found)


@lean
def read_text(arpa, words, probabilities, _):
    """Probability of each word [m] of sentences between `<s>` and `</s>`, into `probabilities` [m]; 1 for `<s>`."""
    state = np.int64(0)
    for i in range(words.size):
        if words[i] == START:
            probabilities[i], state = 1.0, start(arpa)
        else:
            score, state = advance(arpa, state, words[i])
            probabilities[i] = math.exp(score)


class StoredBase(NamedTuple):
    """A language model that is being filled with probabilities. Valid until a table grows."""

    inner: Index
    grams: np.ndarray  # [capacity] GRAM, of which only `suffix` and, to tell that it goes on, `total` are used
    probabilities: np.ndarray  # [capacity] STORED
    outer: Index
    longest: np.ndarray  # [capacity] float32


@lean
def store(arpa, first, last, renamed, base, here):
    """Enter the n-grams first…last − 1 into a base; those before them are there, at the places `here` [entries].

    `renamed` [words of the file] are the ids of the words there. Room for `order` times as many paths is reserved.
    """
    for entry in range(first, last):
        key = arpa.entries.keys[entry]
        parent, word = parent_of(key), renamed[word_of(key)]
        node = here[parent] if parent != ABSENT else np.int64(ABSENT)
        if node != ABSENT:
            base.grams[node].total = 1
        if arpa.lengths[entry] == arpa.order:
            base.longest[insert(base.outer, path_key(node, word))] = arpa.scores[entry]
            here[entry] = ABSENT
            suffix_path(base, np.int64(base.grams[node].suffix), word)
        else:
            at = suffix_path(base, node, word)
            base.probabilities[at].score, base.probabilities[at].backoff = arpa.scores[entry], arpa.backoffs[entry]
            base.grams[at].total = arpa.backoffs[entry] != 0.0
            here[entry] = at


@lean
def suffix_path(base, node, word):
    """The path that goes on from a node with a word, entered with all paths at its end if it is not there."""
    longer = np.int64(ABSENT)
    answer = np.int64(ABSENT)
    while True:
        key = path_key(node, word)
        at = find(base.inner, key)
        is_new = at == ABSENT
        if is_new:
            at = insert(base.inner, key)
            base.probabilities[at].score = MISSING
            base.grams[at].suffix = ABSENT
        if longer != ABSENT:
            base.grams[longer].suffix = at
        answer = at if answer == ABSENT else answer
        if not is_new or node == ABSENT:
            return answer
        longer = at
        node = np.int64(base.grams[node].suffix)
