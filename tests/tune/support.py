"""Random pools and small development sets for the tests of tuning."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from dragoman.measure import Bleu, Measure, Ter, Wer
from dragoman.tune.pool import Pool

MEASURES: dict[str, Measure] = {"bleu": Bleu("none"), "ter": Ter(), "wer": Wer()}
Floats = NDArray[np.float64]


def random_pool(measure: Measure, seed: int, *, sentences: int = 5, nbest: int = 6, features: int = 3) -> Pool:
    """N-best lists of random words, with whole numbers as features."""
    random = np.random.default_rng(seed)
    references = [random.integers(0, 4, random.integers(1, 9)) for _ in range(sentences)]
    rows, counts = [], []
    for reference in references:
        size = int(random.integers(1, nbest + 1))
        hypotheses = [random.integers(0, 4, random.integers(1, 9)) for _ in range(size)]
        rows.append(random.integers(-4, 5, (size, features)).astype(np.float64))
        counts.append(measure.statistics(hypotheses, [reference], np.zeros(size, np.int64)))
    pool = Pool(measure)
    pool.add(rows, counts)
    return pool


def separable_pool(direction: Floats, seed: int = 1, *, sentences: int = 40, nbest: int = 30) -> Pool:
    """N-best lists in which the word errors of a hypothesis fall with its score under the direction."""
    random = np.random.default_rng(seed)
    rows = [random.normal(0, 1, (nbest, direction.size)) for _ in range(sentences)]
    counts = []
    for each in rows:
        ranks = np.argsort(np.argsort(-(each @ direction)))
        counts.append(np.stack([ranks, np.full(nbest, nbest)], axis=1))
    pool = Pool(MEASURES["wer"])
    pool.add(rows, counts)
    return pool


measures = st.sampled_from(sorted(MEASURES))
seeds = st.integers(0, 10_000)
