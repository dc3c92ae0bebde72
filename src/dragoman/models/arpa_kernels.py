"""A back-off model from an ARPA file, as compiled functions: the same reading interface as `language_kernels`.

A state is the id of the longest n-gram at the end of the history, below the highest order, + 1; 0 is the empty history.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import lean
from dragoman.models.language_kernels import START
from dragoman.tables.kernels import ABSENT, Index, find, insert, path_key

UNKNOWN = 0  # id of <unk> in every vocabulary
FLOOR = -100 * math.log(10)  # log probability of an unknown word where the file has no <unk>, as in KenLM


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
