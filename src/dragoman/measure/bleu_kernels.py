"""N-grams that hypotheses share with their references, and BLEU from such counts.

The n-grams of a reference are put in a tree, once for all hypotheses that follow each other and are compared with it: a
step from a node reads one more word. The steps stand in a small hash table, with node and word beside each other, so
that nothing is ever taken for something else. A hypothesis then costs one look-up for each n-gram that begins like one
of the reference.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import kernel, lean

ROOT = 0


class Tree(NamedTuple):
    """The n-grams of a reference: node 0 is the empty one; every other has a parent and a last word."""

    slots: np.ndarray  # [power of two] node, or 0 if free
    parent: np.ndarray  # [nodes]
    word: np.ndarray  # [nodes]
    allowed: np.ndarray  # [nodes] how often the reference has the n-gram
    used: np.ndarray  # [nodes] how often the hypothesis had it so far
    size: np.ndarray  # [1] nodes in use


@kernel
def matches(hypotheses, references, which, order):
    """How many n-grams [N, order] of each hypothesis its reference has, none more often than it is there.

    `which` [N] names the reference of each hypothesis.
    """
    result = np.zeros((which.size, order), np.int64)
    tree = new_tree(np.diff(references.starts).max(), order)
    planted = -1
    for n in range(which.size):
        r = which[n]
        if r != planted:
            plant(tree, references.ids[references.starts[r] : references.starts[r + 1]], order)
            planted = r
        match(tree, hypotheses.ids[hypotheses.starts[n] : hypotheses.starts[n + 1]], result[n])
    return result


@kernel
def new_tree(length, order):
    """An empty tree with room for a reference of so many words."""
    nodes = 1 + length * order
    slots = 4
    while slots < 2 * nodes:
        slots *= 2
    zeros = np.zeros((3, nodes), np.int64)
    return Tree(
        np.zeros(slots, np.int64), np.zeros(nodes, np.int64), zeros[0], zeros[1], zeros[2], np.ones(1, np.int64)
    )


@lean
def plant(tree, reference, order):
    """Make the tree that of another reference."""
    tree.slots[:] = 0
    tree.size[0] = 1
    for i in range(reference.size):
        node = ROOT
        for j in range(i, min(i + order, reference.size)):
            slot = find(tree, node, reference[j])
            if tree.slots[slot] == 0:
                new = tree.size[0]
                tree.size[0] += 1
                tree.slots[slot] = new
                tree.parent[new] = node
                tree.word[new] = reference[j]
                tree.allowed[new] = 0
            node = tree.slots[slot]
            tree.allowed[node] += 1


@lean
def find(tree, node, word):
    """The slot of the step from a node by a word, or the free slot where it belongs."""
    mask = tree.slots.size - 1
    mixed = np.uint64(word) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(node) * np.uint64(0xC2B2AE3D27D4EB4F)
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) >> np.uint64(3)) & mask
    while True:
        found = tree.slots[slot]
        if found == 0 or (tree.parent[found] == node and tree.word[found] == word):
            return slot
        slot = (slot + 1) & mask


@lean
def match(tree, hypothesis, result):
    """Add to `result` [order] the n-grams of a hypothesis that the tree has, each at most as often as it is there."""
    tree.used[: tree.size[0]] = 0
    for i in range(hypothesis.size):
        node = ROOT
        for n in range(min(result.size, hypothesis.size - i)):
            node = tree.slots[find(tree, node, hypothesis[i + n])]
            if node == ROOT:
                break
            tree.used[node] += 1
            if tree.used[node] <= tree.allowed[node]:
                result[n] += 1


@kernel
def scores(statistics, plus_one, by_sentence):
    """BLEU in percent [n] of counts [n, 10]: words, reference words, matches of 1…4 words, n-grams of 1…4 words.

    Smoothed as Chen and Cherry (2014) describe: method 2 if `plus_one`, else method 3, which only touches orders
    without a match. A single sentence may be too short for some orders; with `by_sentence` these are left out.
    """
    result = np.zeros(statistics.shape[0])
    for s in range(statistics.shape[0]):
        words, reference_words = statistics[s, 0], statistics[s, 1]
        matched, total = statistics[s, 2:6], statistics[s, 6:10]
        if matched.sum() > 0:
            brevity_penalty = math.exp(1 - reference_words / words) if words < reference_words else 1.0
            result[s] = brevity_penalty * mean_precision(matched, total, plus_one, by_sentence)
    return result


@kernel
def mean_precision(matched, total, plus_one, by_sentence):
    """Geometric mean of the smoothed n-gram precisions, in percent; 0 if the highest orders have no n-grams."""
    logs = 0.0
    orders = halvings = 0
    for n in range(4):
        added = 1 if plus_one and n > 0 else 0
        if total[n] + added == 0:
            break
        orders += 1
        if matched[n] + added == 0:
            halvings += 1
            logs += math.log(100.0 / (2.0**halvings * total[n]))
        else:
            logs += math.log(100.0 * (matched[n] + added) / (total[n] + added))
    if orders < 4 and not by_sentence:
        return 0.0
    return math.exp(logs / orders)
