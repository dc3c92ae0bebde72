"""Whether the sentences of a text and of its translation belong together one to one: their lengths and words decide.

>>> is_matched(ModelSet(), [("open", "it", "."), ("wait", ".")], [("ábralo", "."), ("espere", ".")])
True
>>> is_matched(ModelSet(), [("open", "it", "."), ("wait", ".")], [("ábralo", "y", "espere", ".")])
False
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dragoman.models import alignment_kernels
from dragoman.models.evidence import alike
from dragoman.models.modelset import ModelSet

Words = tuple[str, ...]
SPREAD = 6.8  # variance of the characters that translate one character (Gale and Church, 1993)
FARTHEST = 4.0  # deviations that a sentence may be longer or shorter than its share of the text
CLEARLY = 0.1  # of its words, by which a sentence must not be more like the neighbour of its own translation
LONGEST = 500  # words of a sentence whose words are looked at


def is_matched(models: ModelSet, sources: Sequence[Words], targets: Sequence[Words]) -> bool:
    """Whether there are as many of both, each about as long as its share, and each most like its own translation."""
    if len(sources) != len(targets) or not all(map(len, [*sources, *targets])):
        return False
    if len(sources) == 1:
        return True
    sizes = [[sum(map(len, words)) for words in side] for side in (sources, targets)]
    ratio = sum(sizes[1]) / sum(sizes[0])
    share = [(ratio * one, other) for one, other in zip(*sizes, strict=True)]
    if any(abs(other - expected) > FARTHEST * math.sqrt(SPREAD * expected) for expected, other in share):
        return False
    if max(map(len, [*sources, *targets])) > LONGEST:
        return False
    own = [_likeness(models, *pair) for pair in zip(sources, targets, strict=True)]
    return not any(
        _likeness(models, sources[n], targets[m]) > own[n] + CLEARLY
        for a, b in pairwise(range(len(sources)))
        for n, m in ((a, b), (b, a))
    )


def _likeness(models: ModelSet, source: Words, target: Words) -> float:
    """The share of the words of a sentence that another has the translation of."""
    ids = models.source.ids(source), models.target.ids(target)
    emission, _ = alignment_kernels.lattice(models.inverse.view, *ids)
    return float(np.maximum(emission[:, 1:], alike(source, target)).max(axis=1).mean())
