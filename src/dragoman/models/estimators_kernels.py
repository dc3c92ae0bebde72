"""Training on a corpus as compiled functions: E-steps on dense arrays, without a look-up in any table.

Words are numbered densely for the corpus at hand, the null word as target word 0. Each word pair that occurs together
in some sentence pair has a number, those of one target word in a row: counts and probabilities are plain arrays.
Steps of use:

1. `number_pairs` numbers the word pairs of the corpus, once.
2. `fill_cells` looks up the pair of every cell (target position, source position) of a chunk of sentences.
3. `ibm1_step` or `hmm_step` adds the expected counts of a chunk; sums are integers, so chunks may come in any order.
   `online_step` does the same with the counts as they are after each sentence, so its chunks come in order.
4. `estimate_lexicon` and `estimate_jumps` turn counts into the probabilities of the next epoch.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel
from dragoman.models.alignment_kernels import JUMP_UNIFORM, LEXICAL_UNIFORM, assumed, quantised, smoothed
from dragoman.models.lattice_kernels import P0, posteriors


class CorpusArrays(NamedTuple):
    """Sentence pairs one after another, words numbered densely."""

    source: np.ndarray  # [source tokens] int32, words from 0
    source_ends: np.ndarray  # [pairs + 1] int64, where each sentence ends; the first is 0
    target: np.ndarray  # [target tokens] int32, words from 1; 0 is the null word
    target_ends: np.ndarray  # [pairs + 1] int64


class Pairs(NamedTuple):
    """The word pairs of a corpus: numbers rows[e]…rows[e + 1] − 1 are those of target word e."""

    rows: np.ndarray  # [target words + 2] int64; row 0 (null) holds every source word, in order
    sources: np.ndarray  # [pairs] int32, the source word of each


@kernel
def sort_tokens(corpus, first, last, words):
    """(begin [words + 1], order): target tokens of sentences first…last − 1 by word, each as its sentence and place."""
    start, end = corpus.target_ends[first], corpus.target_ends[last]
    begin = np.zeros(words + 1, np.int64)
    for at in range(start, end):
        begin[corpus.target[at] + 1] += 1
    for word in range(words):
        begin[word + 1] += begin[word]
    order = np.empty((end - start, 2), np.int32)
    fill = begin.copy()
    for s in range(first, last):
        for at in range(corpus.target_ends[s], corpus.target_ends[s + 1]):
            word = corpus.target[at]
            order[fill[word], 0] = s
            order[fill[word], 1] = at - corpus.target_ends[s]
            fill[word] += 1
    return begin, order


@kernel
def number_pairs(corpus, words, source_words):
    """(rows, sources) of `Pairs`, for so many target words (the null word is one) and source words."""
    begin, order = sort_tokens(corpus, 0, corpus.target_ends.size - 1, words)
    rows = np.zeros(words + 1, np.int64)
    sources = np.empty(0, np.int32)
    for listing in (False, True):  # first count, then list
        seen = np.zeros(source_words, np.int32)
        n = source_words
        rows[1] = n
        for word in range(1, words):
            for k in range(begin[word], begin[word + 1]):
                s = order[k, 0]
                for at in range(corpus.source_ends[s], corpus.source_ends[s + 1]):
                    f = corpus.source[at]
                    if seen[f] != word:
                        seen[f] = word
                        if listing:
                            sources[n] = f
                        n += 1
            rows[word + 1] = n
        if not listing:
            sources = np.empty(n, np.int32)
            sources[:source_words] = np.arange(source_words)
    return rows, sources


@kernel
def fill_cells(corpus, pairs, first, last, cells):
    """Pair numbers of sentences first…last − 1, one sentence after another, each [I, J] (null is left out)."""
    words = pairs.rows.size - 1
    begin, order = sort_tokens(corpus, first, last, words)
    offset = np.zeros(last - first + 1, np.int64)
    for s in range(first, last):
        J = corpus.source_ends[s + 1] - corpus.source_ends[s]
        offset[s - first + 1] = offset[s - first] + J * (corpus.target_ends[s + 1] - corpus.target_ends[s])
    number = np.empty(pairs.rows[1], np.int32)  # [source words] of the pair with the target word at hand
    for word in range(1, words):
        if begin[word] == begin[word + 1]:
            continue
        for k in range(pairs.rows[word], pairs.rows[word + 1]):
            number[pairs.sources[k]] = k
        for k in range(begin[word], begin[word + 1]):
            s = order[k, 0]
            start, J = corpus.source_ends[s], corpus.source_ends[s + 1] - corpus.source_ends[s]
            at = offset[s - first] + J * order[k, 1]
            for j in range(J):
                cells[at + j] = number[corpus.source[start + j]]


@kernel
def ibm1_step(corpus, cells, first, last, lexicon, counts):
    """E-step of IBM-1 for sentences first…last − 1: adds to `counts` [pairs], returns the log-likelihood."""
    log_likelihood = 0.0
    at = 0
    for s in range(first, last):
        f = corpus.source[corpus.source_ends[s] : corpus.source_ends[s + 1]]
        J, I = f.size, corpus.target_ends[s + 1] - corpus.target_ends[s]
        table = cells[at : at + I * J].reshape((I, J))
        at += I * J
        weight = np.empty((I + 1, J))
        whole = np.zeros(J)
        for i in range(I):
            for j in range(J):
                weight[i, j] = (1.0 - P0) / I * lexicon[table[i, j]]
                whole[j] += weight[i, j]
        for j in range(J):
            weight[I, j] = P0 * lexicon[f[j]]
            whole[j] += weight[I, j]
            log_likelihood += math.log(whole[j])
            whole[j] = 1.0 / whole[j]
            counts[f[j]] += quantised(weight[I, j] * whole[j])
        for i in range(I):
            for j in range(J):
                counts[table[i, j]] += quantised(weight[i, j] * whole[j])
    return log_likelihood


@kernel
def collect(gamma, expected, f, table, link_counts, jump_counts):
    """Add a sentence's posteriors to the counts of word pairs and to its block of jumps, quantised once."""
    I, J = table.shape
    for j in range(J):
        link_counts[f[j]] += quantised(gamma[j, 0])
    for i in range(I):
        for j in range(J):
            amount = quantised(gamma[j, i + 1])
            if amount > 0:
                link_counts[table[i, j]] += amount
    for previous in range(I + 1):
        for i in range(1, I + 1):
            jump_counts[previous, i] += quantised(expected[previous, i])


@kernel
def hmm_step(corpus, cells, first, last, lexicon, jumps, blocks, link_counts, jump_counts):
    """E-step of the HMM for sentences first…last − 1: adds to both counts, returns the log-likelihood.

    `jumps` and `jump_counts` hold a block [I + 1, I + 1] for each length I of a target sentence, from blocks[I] on.
    """
    log_likelihood = 0.0
    at = 0
    for s in range(first, last):
        f = corpus.source[corpus.source_ends[s] : corpus.source_ends[s + 1]]
        J, I = f.size, corpus.target_ends[s + 1] - corpus.target_ends[s]
        table = cells[at : at + I * J].reshape((I, J))
        at += I * J
        emission = np.empty((J, I + 1))
        for j in range(J):
            emission[j, 0] = lexicon[f[j]]
        for i in range(I):
            for j in range(J):
                emission[j, i + 1] = lexicon[table[i, j]]
        gamma, expected, log_probability = posteriors(emission, block(jumps, blocks, I))
        collect(gamma, expected, f, table, link_counts, block(jump_counts, blocks, I))
        log_likelihood += log_probability
    return log_likelihood


@kernel
def online_step(corpus, cells, first, last, blocks, nearness, occurred, totals, link_counts, jump_counts):
    """The online rule for sentences first…last − 1: the expected counts of each are added before the next is looked at.

    occurred [source words] bool: which words have been seen; totals [target words]: c(e). Returns the log-likelihood,
    each sentence's under the model that it met. Counts are those that `AlignmentModel.add` would make, bit for bit.
    """
    log_likelihood = 0.0
    at = 0
    size = occurred.sum()
    for s in range(first, last):
        f = corpus.source[corpus.source_ends[s] : corpus.source_ends[s + 1]]
        e = corpus.target[corpus.target_ends[s] : corpus.target_ends[s + 1]]
        J, I = f.size, e.size
        table = cells[at : at + I * J].reshape((I, J))
        at += I * J
        emission = np.empty((J, I + 1))
        for i in range(I + 1):
            factor, floor = smoothed(totals[e[i - 1] if i else 0], max(size, 1), LEXICAL_UNIFORM)
            for j in range(J):
                emission[j, i] = factor * link_counts[table[i - 1, j] if i else f[j]] + floor
        transition = np.empty((I + 1, I + 1))
        counts = block(jump_counts, blocks, I)
        estimate_block(counts, JUMP_UNIFORM, nearness, transition)
        gamma, expected, log_probability = posteriors(emission, transition)
        collect(gamma, expected, f, table, link_counts, counts)
        for i in range(I + 1):
            for j in range(J):
                totals[e[i - 1] if i else 0] += quantised(gamma[j, i])
        for j in range(J):
            size += not occurred[f[j]]
            occurred[f[j]] = True
        log_likelihood += log_probability
    return log_likelihood


@kernel
def block(flat, blocks, I):
    """[I + 1, I + 1] what belongs to target sentences of I words."""
    n = I + 1
    return flat[blocks[I] : blocks[I] + n * n].reshape((n, n))


@kernel
def estimate_lexicon(pairs, counts, share, lexicon):
    """Write p(f|e), smoothed with this share of the uniform distribution, into `lexicon` [pairs]."""
    for word in range(pairs.rows.size - 1):
        row = slice(pairs.rows[word], pairs.rows[word + 1])
        factor, floor = smoothed(counts[row].sum(), pairs.rows[1], share)
        for k in range(row.start, row.stop):
            lexicon[k] = factor * counts[k] + floor


@kernel
def estimate_block(counts, share, nearness, transition):
    """Write (1 − p0) · p(i|i′, I) into `transition` [I + 1, I + 1], smoothed with this share of 1 / I.

    Where nothing was counted, it is what is `assumed`.
    """
    n = counts.shape[0]
    for previous in range(n):
        factor, floor = smoothed(counts[previous].sum(), n - 1, share)
        transition[previous, 0] = 0.0
        for i in range(1, n):
            seen = factor * counts[previous, i] + floor
            p = seen if factor > 0.0 else assumed(i, previous, n - 1, share, nearness)
            transition[previous, i] = (1.0 - P0) * p


@kernel
def estimate_jumps(blocks, counts, share, nearness, jumps):
    """`estimate_block` for all lengths that occur."""
    for I in range(blocks.size):
        if blocks[I] >= 0:
            estimate_block(block(counts, blocks, I), share, nearness, block(jumps, blocks, I))
