"""Two word alignments, one from each direction, made into one set of links.

An alignment names one word of the other side for each word, so neither of the two can say that a word corresponds to
several. The links that both have (the intersection) are precise, those that any has (the union) complete; the kinds
between start from the first and grow towards the second.

Or links are made from posteriors, without choosing one alignment of each direction: two words are linked where the
product of both posteriors of their link is above a threshold. A word may get several links or none, and a link on which
both directions nearly agree is not lost because each has a slightly better one. Models that have seen little spread
their posteriors over many links, so that few are above any threshold; so words that are left without a link on either
side are then linked as the best alignments say.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel
from dragoman.models.lattice_kernels import backward, best_path, forward

INTERSECTION, UNION, GROW_DIAG, GROW_DIAG_FINAL, GROW_DIAG_FINAL_AND, POSTERIOR = range(6)
UNIT = 2**20  # posteriors are compared in units of 2⁻²⁰, as expected counts are stored
THRESHOLD = 0.1  # of the product of both posteriors; chosen on development sets

# (target, source) steps to the eight neighbours, in the order in which Moses tries them
NEIGHBOURS = np.array([[-1, 0], [0, -1], [1, 0], [0, 1], [-1, -1], [-1, 1], [1, -1], [1, 1]])


@kernel
def link_lattices(inverse, direct, kind):
    """Links [J, I] (bool) of a sentence pair, from its lattices (emission, transition) in both directions.

    `inverse` says how the source comes from the target, `direct` the reverse.
    """
    a, b = best_path(inverse[0], inverse[1]), best_path(direct[0], direct[1])
    if kind != POSTERIOR:
        return symmetrise(a, b, kind)
    one, other = link_posteriors(inverse[0], inverse[1]), link_posteriors(direct[0], direct[1])
    links = agree(one, other, THRESHOLD)
    complete(a, b, links)
    return links


@kernel
def complete(a, b, links):
    """Add links of either alignment, a [J] or b [I], between words that both have none yet."""
    source_linked, target_linked = np.zeros(a.size, np.bool_), np.zeros(b.size, np.bool_)
    mark_linked(links, source_linked, target_linked)
    finish(a, b, True, links, source_linked, target_linked)


@kernel
def link_posteriors(emission, transition):
    """[J, I + 1] posterior of each link of a lattice, column 0 = null."""
    J, n = emission.shape
    gamma, position, scale = np.empty((J, n)), np.empty((J + 1, n)), np.empty(J)
    forward(emission, transition, gamma, position, scale)
    backward(emission, transition, gamma, position, scale, np.empty((J, n)))
    return gamma


@kernel
def agree(inverse, direct, threshold):
    """Links [J, I] (bool) where the product of the posteriors [J, I + 1] and [I, J + 1] is above a threshold."""
    J, I = inverse.shape[0], direct.shape[0]
    least = threshold * UNIT * UNIT
    links = np.zeros((J, I), np.bool_)
    for j in range(J):
        for i in range(I):
            one, other = np.int64(inverse[j, i + 1] * UNIT + 0.5), np.int64(direct[i, j + 1] * UNIT + 0.5)
            links[j, i] = one * other > least
    return links


@kernel
def symmetrise(a, b, kind):
    """Links [J, I] (bool) of alignments a [J] (a target position 1…I for each source word) and b [I] (the reverse).

    0 is the null word. What is looked at first matters where links compete: as in Moses, links are visited by target
    position, then source position.
    """
    links = np.zeros((a.size, b.size), np.bool_)
    for j in range(a.size):
        if a[j] > 0 and (kind == UNION or b[a[j] - 1] == j + 1):
            links[j, a[j] - 1] = True
    if kind == UNION:
        for i in range(b.size):
            if b[i] > 0:
                links[b[i] - 1, i] = True
    if kind >= GROW_DIAG:
        source_linked = np.zeros(a.size, np.bool_)
        target_linked = np.zeros(b.size, np.bool_)
        mark_linked(links, source_linked, target_linked)
        while grow(a, b, links, source_linked, target_linked):
            pass
        if kind >= GROW_DIAG_FINAL:
            finish(a, b, kind == GROW_DIAG_FINAL_AND, links, source_linked, target_linked)
    return links


@kernel
def mark_linked(links, source_linked, target_linked):
    """Note which words [J], [I] have a link."""
    for j in range(links.shape[0]):
        for i in range(links.shape[1]):
            if links[j, i]:
                source_linked[j] = True
                target_linked[i] = True


@kernel
def grow(a, b, links, source_linked, target_linked):
    """One pass over the links: those of either alignment that touch one, and link a word that had none, are added.

    A link added ahead of the pass is still visited by it. Returns whether any was added.
    """
    J, I = links.shape
    added = False
    for i in range(I):
        for j in range(J):
            if not links[j, i]:
                continue
            for n in range(NEIGHBOURS.shape[0]):
                t = i + NEIGHBOURS[n, 0]
                s = j + NEIGHBOURS[n, 1]
                if t < 0 or t >= I or s < 0 or s >= J or (source_linked[s] and target_linked[t]):
                    continue
                if a[s] == t + 1 or b[t] == s + 1:
                    links[s, t] = source_linked[s] = target_linked[t] = added = True
    return added


@kernel
def finish(a, b, both, links, source_linked, target_linked):
    """Add links of words left without, those of b first: where either word has none, or only where `both` have none."""
    for t in range(b.size):
        s = b[t] - 1
        if s >= 0 and is_free(source_linked[s], target_linked[t], both):
            links[s, t] = source_linked[s] = target_linked[t] = True
    for t in range(b.size):
        for s in range(a.size):
            if a[s] == t + 1 and is_free(source_linked[s], target_linked[t], both):
                links[s, t] = source_linked[s] = target_linked[t] = True


@kernel
def is_free(source_linked, target_linked, both):
    """Whether one of two words, or both of them, have no link yet."""
    if both:
        return not (source_linked or target_linked)
    return not (source_linked and target_linked)


@kernel
def positions(links):
    """The links [J, I] as a list [n, 2] of (source, target) positions from 0, in that order."""
    found = np.empty((links.sum(), 2), np.int32)
    n = 0
    for j in range(links.shape[0]):
        for i in range(links.shape[1]):
            if links[j, i]:
                found[n, 0] = j
                found[n, 1] = i
                n += 1
    return found
