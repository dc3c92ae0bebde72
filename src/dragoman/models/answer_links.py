"""Which words of another engine's translation stand for which words of the source, and what follows from that.

The project's own alignment models decide, helped by spelling: numbers, names and cognates look alike. Links are always
made from Viterbi alignments: where little was learned, posteriors leave most words without a link, but each word of the
engine needs its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from dragoman.models import alignment_kernels, extraction_kernels, symmetry_kernels
from dragoman.models.modelset import ModelSet
from dragoman.models.symmetry import HEURISTIC, KINDS

LIKE = 60.0  # percent of common characters, below which spelling says nothing about two words
NEVER = 1e-30  # p(f|e) of words that are known not to stand for each other
COGNATE = 0.5  # p(f|e) of two words that are spelled alike, at least

Ids = NDArray[np.int64]
Block = tuple[int, int, int, int]  # first source word, one past the last; first word of m, one past the last


@lru_cache(maxsize=64)  # a correction needs what the translation before it has needed
def alike(source: tuple[str, ...], target: tuple[str, ...]) -> NDArray[np.float64]:
    """[J, I] a probability that two words stand for each other by the look of them; must not be changed."""
    ratio = process.cdist(
        [w.lower() for w in source], [w.lower() for w in target], scorer=fuzz.ratio, score_cutoff=LIKE
    )
    likeness = ratio.astype(np.float64) / 100
    sizes = [np.array([len(word) for word in words]) for words in (source, target)]
    different = np.not_equal.outer(np.array(source, object), np.array(target, object)).astype(np.bool_)
    likeness[(np.minimum.outer(*sizes) < 4) & different] = 0.0
    return np.asarray(COGNATE * likeness**4, np.float64)


def link(
    models: ModelSet, source: Ids, target: Ids, least: NDArray[np.float64], settled: Sequence[Block] = ()
) -> NDArray[np.bool_]:
    """[J, I] links of a sentence pair, from alignments of both directions with p(f|e) of at least `least`.

    They always come from the best alignments: every word of the engine's translation should be tied to what it stands
    for, and the weights over another engine were chosen with such links. Blocks that are `settled`, such as terms that
    both languages have, stand for each other and for nothing else.
    """
    inverse = alignment_kernels.lattice(models.inverse.view, source, target)
    direct = alignment_kernels.lattice(models.direct.view, target, source)
    for (emission, _), likely in ((inverse, least), (direct, least.T)):
        np.maximum(emission[:, 1:], likely, out=emission[:, 1:])
    allowed, certain = _settled(least.shape, settled)
    for (emission, _), may, must in ((inverse, allowed, certain), (direct, allowed.T, certain.T)):
        emission[:, 1:][~may] = NEVER
        emission[:, 1:][must] = 1.0
    matrix: NDArray[np.bool_] = symmetry_kernels.link_lattices(inverse, direct, KINDS[HEURISTIC])
    return matrix & allowed | certain


def _settled(shape: tuple[int, ...], blocks: Sequence[Block]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """[J, I] where links may be, and where they must be."""
    allowed, certain = np.ones(shape, np.bool_), np.zeros(shape, np.bool_)
    for s, e, a, b in blocks:
        allowed[s:e] = allowed[:, a:b] = False
        certain[s:e, a:b] = True
    return allowed | certain, certain


def phrase_pairs(linked: NDArray[np.bool_], longest: int) -> list[Block]:
    """The phrase pairs that the links allow."""
    links = np.argwhere(linked).astype(np.int32)
    found, n = extraction_kernels.extract(links, *linked.shape, longest, np.empty((64, 6), np.int32), 0)
    return [(s, e, a, b) for s, e, a, b in found[:n, :4].tolist()]


def blocks(linked: NDArray[np.bool_]) -> list[Block]:
    """The smallest monotone blocks that no link leaves; unlinked words go with those before them.

    >>> blocks(np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]], bool))
    [(0, 1, 0, 1), (1, 3, 1, 3)]
    """
    J, I = linked.shape
    last = np.where(linked.any(axis=1), I - np.argmax(linked[:, ::-1], axis=1), 0)
    first = np.where(linked.any(axis=1), np.argmax(linked, axis=1), I)
    reach, ahead = np.maximum.accumulate(last), np.minimum.accumulate(first[::-1])[::-1]
    found, start, begin = [], 0, 0
    for j in range(1, J):
        end = int(ahead[j])
        if reach[j - 1] <= end < I and reach[j - 1] > begin and last[j] > 0:
            found.append((start, j, begin, end))
            start, begin = j, end
    return [*found, (start, J, begin, I)]
