"""Word graphs as compiled functions: which arcs are on a way, best scores, and sums over all ways.

States are numbered so that every arc leads from a lower to a higher number; state 0 is the first, the last one the end.
Arcs stand in an order in which those into a state come before those out of it.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import kernel, lean

IMPOSSIBLE = -np.inf


@kernel
def on_a_way(origin, target, wanted, states, final):
    """[arcs] which of the wanted [arcs] arcs are on a way from state 0 to `final`."""
    forward, backward = np.zeros(states, np.bool_), np.zeros(states, np.bool_)
    forward[0], backward[final] = True, True
    for arc in range(origin.size):
        if wanted[arc] and forward[origin[arc]]:
            forward[target[arc]] = True
    kept = np.zeros(origin.size, np.bool_)
    for arc in range(origin.size - 1, -1, -1):
        if wanted[arc] and forward[origin[arc]] and backward[target[arc]]:
            backward[origin[arc]] = True
            kept[arc] = True
    return kept


@kernel
def gather(begin, stop, words):
    """(ends [n + 1], text): the phrases words[begin[k]:stop[k]] one after another, k from 0 to n − 1."""
    ends = np.zeros(begin.size + 1, np.int64)
    for n in range(begin.size):
        ends[n + 1] = ends[n] + stop[n] - begin[n]
    text = np.empty(ends[-1], np.int64)
    at = 0
    for n in range(begin.size):  # word by word: a slice of two words costs more than the words
        for place in range(begin[n], stop[n]):
            text[at] = words[place]
            at += 1
    return ends, text


@lean
def fill_from_start(origin, target, score, best):
    """Score of the best way from the first state to each, into `best` [states]."""
    best[:] = IMPOSSIBLE
    best[0] = 0.0
    for arc in range(origin.size):
        best[target[arc]] = max(best[target[arc]], best[origin[arc]] + score[arc])


@lean
def fill_to_end(origin, target, score, best):
    """Score of the best way from each state to the end, into `best` [states]."""
    best[:] = IMPOSSIBLE
    best[-1] = 0.0
    for arc in range(origin.size - 1, -1, -1):
        best[origin[arc]] = max(best[origin[arc]], best[target[arc]] + score[arc])


@kernel
def best_way(origin, target, score, best):
    """The arcs of the best way, given `best` [states] from the first state; among equals, the earliest arcs."""
    into = np.full(best.size, -1, np.int64)
    for arc in range(origin.size - 1, -1, -1):
        if best[origin[arc]] + score[arc] == best[target[arc]]:
            into[target[arc]] = arc
    way = np.empty(best.size, np.int64)
    n, state = 0, best.size - 1
    while state != 0:
        way[n] = into[state]
        state = origin[into[state]]
        n += 1
    return way[:n][::-1].copy()


@lean
def log_add(a, b):
    """Log(exp a + exp b)."""
    if a < b:
        a, b = b, a
    return a if b == IMPOSSIBLE else a + math.log1p(math.exp(b - a))


@kernel
def posteriors(origin, target, score, states, scale):
    """[arcs] how probable it is that a way takes each arc, ways being as probable as exp(scale · score) says."""
    ahead, behind = np.full(states, IMPOSSIBLE), np.full(states, IMPOSSIBLE)
    ahead[0], behind[-1] = 0.0, 0.0
    for arc in range(origin.size):
        ahead[target[arc]] = log_add(ahead[target[arc]], ahead[origin[arc]] + scale * score[arc])
    for arc in range(origin.size - 1, -1, -1):
        behind[origin[arc]] = log_add(behind[origin[arc]], behind[target[arc]] + scale * score[arc])
    answer = np.empty(origin.size)
    for arc in range(origin.size):
        total = ahead[origin[arc]] + scale * score[arc] + behind[target[arc]]
        answer[arc] = min(math.exp(total - behind[0]), 1.0)
    return answer


@kernel
def most_probable(origin, probability, most):
    """[arcs] true for the `most` most probable arcs out of each state, the earlier first; arcs in order of origin."""
    kept = np.zeros(origin.size, np.bool_)
    begin = 0
    while begin < origin.size:
        end = begin + 1
        while end < origin.size and origin[end] == origin[begin]:
            end += 1
        ranked = begin + np.argsort(-probability[begin:end], kind="mergesort")
        kept[ranked[:most]] = True
        begin = end
    return kept


@lean
def fill_shares(begin, words, span, probability, wanted, first, last, shares):
    """For each source word first … last − 1, the probability that what covers it says the wanted word.

    Every way covers each source word once, so these are probabilities; `shares` [last - first].
    """
    shares[:] = 0.0
    for arc in range(span.shape[0]):
        low, high = max(span[arc, 0], first), min(span[arc, 1], last)
        if low < high:
            for i in range(begin[arc], begin[arc + 1]):
                if words[i] == wanted:
                    for j in range(low, high):
                        shares[j - first] += probability[arc]
                    break
