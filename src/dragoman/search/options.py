"""The phrase options of one sentence, ready to be searched: what could be said for each span, scored and sorted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.models import alignment_kernels
from dragoman.models.loglinear_kernels import FEATURES
from dragoman.models.modelset import ModelSet
from dragoman.models.phrases import new_options
from dragoman.search import options_kernels as kernels
from dragoman.search.options_kernels import WINDOW, SpanOptions

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Estimates:
    """Numbers that the phrase features depend on besides the counts; tuned on a development set."""

    beta: float = 0.9  # share of relative frequencies in p(f̃|ẽ), the rest is the HMM's ([O] Eq. 8)
    delta: float = 0.3  # of the geometric length and distortion models ([O] §3.4)


def find_options(
    models: ModelSet,
    source: Ids,
    copies: Ids,
    fixed: NDArray[np.bool_],
    weights: NDArray[np.float64],
    limit: int,
    estimates: Estimates,
) -> SpanOptions:
    """All options of a sentence [J] of word ids, best first within each span.

    `copies` [J] are the target ids of the source words written unchanged, `fixed` [J] tells which must be.
    """
    longest = models.phrases.longest
    phrases = models.phrases.view
    found = kernels.collect(phrases, source, copies, fixed, longest, limit, new_options(longest, limit))
    first, start, end, path, begin, stop, words, counts, turns = found
    n = start.size
    options = SpanOptions(
        first=first,
        start=start,
        end=end,
        path=path,
        begin=begin,
        stop=stop,
        words=words,
        counts=counts,
        orientations=np.empty(turns.shape),
        factor=np.ones(n),
        features=np.empty((n, FEATURES)),
        score=np.empty(n),
        estimate=np.empty(n),
        kin=np.empty(n, np.int64),
    )
    kernels.fill_orientations(turns, phrases.orientations + phrases.base_orientations, options.orientations)
    _fill(models, source, options, estimates)
    kernels.score_options(options, weights, models.language.view())
    return _sorted(options)


def _fill(models: ModelSet, source: Ids, options: SpanOptions, estimates: Estimates) -> None:
    """The features that need no context."""
    different, places = np.unique(options.words, return_inverse=True)
    inverse, direct = models.inverse.view(), models.direct.view()
    size = models.phrases.longest + 1
    jumps = np.empty((2, size, size, size))
    alignment_kernels.fill_jumps(inverse, jumps[0])
    alignment_kernels.fill_jumps(direct, jumps[1])
    known = np.full((source.size, different.size + 1), -1.0), np.full((source.size + 1, different.size), -1.0)
    scratch = np.empty((size, size)), np.empty((2, size))
    numbers = estimates.beta, estimates.delta
    kernels.fill_features(options, places, source, inverse, direct, known, jumps, *numbers, *scratch)


def _sorted(options: SpanOptions) -> SpanOptions:
    order = kernels.order_options(options.first, options.estimate)
    moved = {
        name: getattr(options, name)[order] for name in SpanOptions._fields if name not in ("first", "words", "kin")
    }
    options = options._replace(**moved)
    kernels.fill_kin(options.first, options.orientations, options.kin)
    return options


def future(options: SpanOptions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What uncovered words will add at best: [J, WINDOW + 1] by start and length, [J + 1] from a word to the end."""
    J = options.first.shape[0]
    inside, after = np.empty((J, WINDOW + 1)), np.empty(J + 1)
    kernels.fill_future(options.first, options.estimate, inside, after)
    return inside, after
