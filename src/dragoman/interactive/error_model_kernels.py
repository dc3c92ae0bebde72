"""Matching a typed prefix against a word graph, with errors, as compiled functions ([O] §2.3).

The arcs of a word graph, which are phrases, are cut into *edges* of one word each; states and the places inside phrases
are the *nodes*. Edges stand in an order in which those into a node come before those out of it. A *column* holds, for
the first n words of the prefix, the best score of each node: of a way from the first node to it, and of the edits
between the words of that way and those of the prefix. A completion does not begin by passing over words of its way.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean
from dragoman.search.wordgraph_kernels import log_add

NONE = -1
IMPOSSIBLE = -np.inf
MAX_COMPARED_CHARACTERS = 64  # of a word, one by one, with errors


class Edges(NamedTuple):
    """A word graph cut into words; node 0 is the first, `end` the last."""

    tail: np.ndarray  # [E] int64
    head: np.ndarray  # [E] int64
    word: np.ndarray  # [E] int64, place in the vocabulary, NONE for no word
    score: np.ndarray  # [E] float64, that of an arc is on its first edge
    arc: np.ndarray  # [E] int64
    nodes: int
    end: int


class Costs(NamedTuple):
    """Log probabilities of the edits between a prefix and a way, weighted."""

    hit: float
    insertion: float  # a word of the prefix that the way does not have
    deletion: float  # a word of the way that the prefix does not have
    substitution: float


@kernel
def cut(origin, target, score, begin, words, states):
    """The edges of a word graph of so many states, whose arc a says words[begin[a]:begin[a + 1]]."""
    count = 0
    for arc in range(origin.size):
        count += max(1, begin[arc + 1] - begin[arc])
    tail, head, word = np.empty(count, np.int64), np.empty(count, np.int64), np.full(count, NONE, np.int64)
    gain, number = np.zeros(count), np.empty(count, np.int64)
    e, nodes = 0, states
    for arc in range(origin.size):
        node = origin[arc]
        gain[e] = score[arc]
        last = max(begin[arc] + 1, begin[arc + 1]) - 1
        for i in range(begin[arc], last + 1):
            tail[e], number[e] = node, arc
            if i < begin[arc + 1]:
                word[e] = words[i]
            if i == last:
                node = target[arc]
            else:
                node = nodes
                nodes += 1
            head[e] = node
            e += 1
    return Edges(tail, head, word, gain, number, nodes, states - 1)


@lean
def fill_to_end(edges, best, follow):
    """Score of the best way from each node to the end into `best` [nodes], its first edge into `follow` [nodes]."""
    best[:] = IMPOSSIBLE
    best[edges.end] = 0.0
    follow[:] = NONE
    for e in range(edges.tail.size - 1, -1, -1):
        tail, total = edges.tail[e], best[edges.head[e]] + edges.score[e]
        if total >= best[tail]:  # among equals the earliest edge
            best[tail] = total
            follow[tail] = e


class Column(NamedTuple):
    """For the first words of a prefix, scores and numbers of edits by node."""

    settled: np.ndarray  # [nodes] float64, of ways whose last word is not passed over
    settled_edits: np.ndarray  # [nodes] int64
    score: np.ndarray  # [nodes] float64, of any ways
    edits: np.ndarray  # [nodes] int64


@lean
def fill_first(edges, costs, column):
    """The column of an empty prefix."""
    column.settled[:] = IMPOSSIBLE
    column.settled[0] = 0.0
    column.settled_edits[:] = 0
    pass_over(edges, costs, column)


@lean
def fill_next(edges, keys, wanted, costs, before, column):
    """The column after one more finished word than in the column `before`.

    `keys` [vocabulary] tells which words count as equal, `wanted` is the key of the word.
    """
    settled, edits = column.settled, column.settled_edits
    for node in range(settled.size):
        settled[node] = before.score[node] + costs.insertion
        edits[node] = before.edits[node] + 1
    for e in range(edges.tail.size):
        tail, head = edges.tail[e], edges.head[e]
        if edges.word[e] == NONE:
            total, count = settled[tail] + edges.score[e], edits[tail]
        else:
            wrong = keys[edges.word[e]] != wanted
            total = before.score[tail] + edges.score[e] + (costs.substitution if wrong else costs.hit)
            count = before.edits[tail] + wrong
        if total > settled[head]:
            settled[head] = total
            edits[head] = count
    pass_over(edges, costs, column)


@lean
def pass_over(edges, costs, column):
    """Let ways go on over words that are not in the prefix."""
    score, edits = column.score, column.edits
    for node in range(score.size):
        score[node] = column.settled[node]
        edits[node] = column.settled_edits[node]
    for e in range(edges.tail.size):
        tail, head = edges.tail[e], edges.head[e]
        deleted = edges.word[e] != NONE
        total = score[tail] + edges.score[e] + (costs.deletion if deleted else 0.0)
        if total > score[head]:
            score[head] = total
            edits[head] = edits[tail] + deleted


@lean
def fill_starts_inside(edges, column, fits, insertion, over, after):
    """Where a completion may begin, if the last word of the prefix is unfinished.

    Into `over` [edges] the score of taking an edge's word for it, which fits [vocabulary] well or badly; into `after`
    [nodes] that of taking it for a word that the way does not have.
    """
    for e in range(edges.tail.size):
        word = edges.word[e]
        over[e] = IMPOSSIBLE if word == NONE else column.score[edges.tail[e]] + edges.score[e] + fits[word]
    for node in range(after.size):
        after[node] = column.settled[node] + insertion


@lean
def fill_starts_between(edges, column, welcome, unwelcome, over, after):
    """Where a completion may begin, if a gap was typed after the last word of the prefix.

    Into `over` [edges] the score of going on with an edge's word, `unwelcome` added if the word is not `welcome`
    [vocabulary] after a gap; into `after` [nodes] that of ending there, which is not welcome either.
    """
    for e in range(edges.tail.size):
        word = edges.word[e]
        over[e] = IMPOSSIBLE
        if word != NONE:
            over[e] = column.settled[edges.tail[e]] + edges.score[e] + (0.0 if welcome[word] else unwelcome)
    after[:] = IMPOSSIBLE
    after[edges.end] = column.settled[edges.end] + unwelcome


@lean
def best_start(edges, over, after, to_end):
    """The best place to begin: an edge, or −1 − node."""
    best, place = IMPOSSIBLE, -1
    for e in range(over.size):
        total = over[e] + to_end[edges.head[e]]
        if total > best:
            best, place = total, e
    for node in range(after.size):
        total = after[node] + to_end[node]
        if total > best:
            best, place = total, -1 - node
    return place


@lean
def fill_fits(text, ends, typed, costs, fits, stands, row):
    """How well each word fits an unfinished one, into `fits` [vocabulary], and how much of it `stands` already.

    Word n is text[ends[n - 1]:ends[n]], `typed` the unfinished one, both as numbers of characters. A word that begins
    with it is a hit. Any other pays for each typed character that is wrong, by the fewest edits that turn `typed` into
    a beginning of the word, the share of a substitution. `row` [MAX_COMPARED_CHARACTERS + 1] is scratch.
    """
    begin = np.int64(0)
    for n in range(ends.size):
        size = ends[n] - begin
        same = 0
        while same < min(size, typed.size) and text[begin + same] == typed[same]:
            same += 1
        if same == typed.size:
            fits[n], stands[n] = costs.hit, same
        elif typed.size > MAX_COMPARED_CHARACTERS:
            fits[n], stands[n] = costs.substitution, size
        else:
            errors, most = fewest_edits(text, begin, min(size, MAX_COMPARED_CHARACTERS), typed, row)
            fits[n] = costs.hit + errors / typed.size * (costs.substitution - costs.hit)
            stands[n] = most if 2 * errors <= typed.size else size
        begin = ends[n]


@lean
def fewest_edits(text, begin, size, typed, row):
    """(edits, n): the fewest from `typed` to the first n characters of text[begin:begin + size], n the largest such."""
    for k in range(size + 1):
        row[k] = k
    for i in range(typed.size):
        corner, row[0] = row[0], i + 1
        for k in range(1, size + 1):
            wrong = corner + (text[begin + k - 1] != typed[i])
            corner = row[k]
            row[k] = min(wrong, row[k] + 1, row[k - 1] + 1)
    best, most = row[0], np.int64(0)
    for k in range(1, size + 1):
        if row[k] <= best:
            best, most = row[k], np.int64(k)
    return best, most


@lean
def fill_behind(edges, behind):
    """Log sum over all ways from each node to the end, into `behind` [nodes]."""
    behind[:] = IMPOSSIBLE
    behind[edges.end] = 0.0
    for e in range(edges.tail.size - 1, -1, -1):
        tail = edges.tail[e]
        behind[tail] = log_add(behind[tail], behind[edges.head[e]] + edges.score[e])


@kernel
def probabilities(edges, over, after, behind):
    """[E] how probable it is that a completion says the word of each edge, given where it may begin."""
    ahead, total = after.copy(), IMPOSSIBLE
    for node in range(after.size):
        total = log_add(total, after[node] + behind[node])
    for e in range(over.size):
        total = log_add(total, over[e] + behind[edges.head[e]])
    answer = np.empty(over.size)
    for e in range(over.size):
        taken = log_add(over[e], ahead[edges.tail[e]] + edges.score[e])
        ahead[edges.head[e]] = log_add(ahead[edges.head[e]], taken)
        answer[e] = math.exp(taken + behind[edges.head[e]] - total)
    return answer


@lean
def fill_confidences(edges, span, probability, way, confidence):
    """How sure it is that each edge of `way` [n] says its word for its source words, into `confidence` [n].

    That is, of all that is said for a source word of its phrase, the share that is the same word, averaged over these
    source words; `span` [arcs, 2].
    """
    for n in range(way.size):
        first, last = span[edges.arc[way[n]], 0], span[edges.arc[way[n]], 1]
        if first == last:
            confidence[n] = min(1.0, probability[way[n]])
            continue
        total = 0.0
        for e in range(edges.word.size):
            if edges.word[e] == edges.word[way[n]]:
                arc = edges.arc[e]
                common = min(span[arc, 1], last) - max(span[arc, 0], first)
                if common > 0:
                    total += common * probability[e]
        confidence[n] = min(1.0, total / (last - first))
