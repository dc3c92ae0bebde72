"""The phrase options of a sentence: the possible translations of each span, scored and sorted for the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.models import alignment_kernels
from dragoman.models.classes import OTHER
from dragoman.models.loglinear import CLASS_LANGUAGE, Weights
from dragoman.models.loglinear_kernels import FEATURES, WORD_PENALTY
from dragoman.models.modelset import ModelSet
from dragoman.models.phrases import new_options
from dragoman.search import options_kernels as kernels
from dragoman.search.banned import leave_out
from dragoman.search.class_kernels import OFF, ClassArrays
from dragoman.search.guesses import add_guesses, score_guesses
from dragoman.search.lm_cache import known_of_classes, known_of_words
from dragoman.search.options_kernels import LINK, OPTION, WINDOW, SpanOptions
from dragoman.search.spelling import Spelling
from dragoman.search.terms import Found, settle
from dragoman.search.upstream_options import NOTHING_HEARD, Suggestion, align, find_place, offer
from dragoman.tables import Table
from dragoman.types import Term

REMEMBERED = 1 << 12  # answers of the alignment models in one search

Ids = NDArray[np.int64]
Factors = Callable[[Ids], NDArray[np.float64]]  # from the keys of phrase pairs to their factors u


@dataclass(frozen=True)
class Estimates:
    """Parameters of the phrase features; tuned on a development set."""

    beta: float = 0.9  # share of relative frequencies in p(f̃|ẽ), the rest is the HMM's ([O] Eq. 8)
    delta: float = 0.3  # of the geometric length and distortion models ([O] §3.4)

    def __post_init__(self) -> None:
        if not 0.0 <= self.beta <= 1.0:
            raise BadInputError(f"β must be from 0 to 1, not {self.beta}")
        if not 0.0 < self.delta < 1.0:
            raise BadInputError(f"δ must be between 0 and 1, not {self.delta}")


class History(NamedTuple):
    """States of the language models: all that they know of the words before."""

    language: int
    classes: int  # or OFF


class Source:
    """A source sentence as the models see it: word ids, words that must be copied, terms with their translation.

    `slots` marks target words that are only used if the sentence has them; `guess` tells whether unknown words may be
    translated like related words.
    """

    def __init__(
        self,
        models: ModelSet,
        words: tuple[str, ...],
        placeable: Sequence[bool] | None,
        terms: Sequence[Term] = (),
        slots: NDArray[np.bool_] | None = None,
        upstream: Suggestion | None = None,
        banned: Sequence[tuple[str, ...]] = (),
        *,
        guess: bool = False,
    ) -> None:
        self.words = words
        self.ids = models.source.ids(words)  # [J]
        self.spelling = Spelling(models.target)
        self.copies = self.spelling.ids(words)  # [J] the same words as target words
        self.terms = terms
        self.banned = banned
        self.fixed = np.zeros(len(words), np.bool_) if placeable is None else np.array(placeable, np.bool_)  # [J]
        self.slots = np.zeros(0, np.bool_) if slots is None else slots  # [V] or nothing
        self.guess = guess
        self.guesses: dict[tuple[int, tuple[int, ...]], tuple[str, ...]] = {}  # by place and target: what it is from
        self.aligned = None  # what another engine says of it
        if upstream and upstream.words:
            self.aligned = align(models, self.ids, words, self.spelling, upstream)

    def with_own_spelling(self) -> Source:
        """The same sentence for one more search, which may bring words of its own."""
        copied = copy(self)
        copied.spelling = self.spelling.copy()
        return copied


class Scorer:
    """Gives options their features and scores; made for one sentence, with the models as they are."""

    def __init__(self, models: ModelSet, sentence: Source, weights: Weights, estimates: Estimates) -> None:
        self.models, self.sentence, self.estimates = models, sentence, estimates
        self.weights = weights.vector()
        self.language, self.memo, start = known_of_words(models.language)
        self.classes, class_start = class_arrays(models, self.language.share, used=CLASS_LANGUAGE in weights)
        self.start = History(start, class_start)
        self.links = np.zeros((2, REMEMBERED), LINK)  # of the alignment models, inverse and direct
        self.heard = NOTHING_HEARD if sentence.aligned is None else sentence.aligned.heard

    def complete(self, options: SpanOptions, turns: Ids, source: Ids | None = None, *, aligned: bool = True) -> None:
        """Fill in all that follows from the words and the counts, given orientation counts [n, 2, 3].

        `source` are the words that options begin and end at, by default those of the sentence. If not `aligned`, all
        are single words that stand for no source word.
        """
        phrases = self.models.phrases
        totals = phrases.orientations if phrases.base is None else phrases.orientations + phrases.base.orientations
        kernels.fill_orientations(turns, totals, options.orientations)
        if aligned:
            self._fill_features(options, self.sentence.ids if source is None else source)
        else:
            options.features[:] = 0.0
            options.features[:, WORD_PENALTY] = -1.0
        self.score(options)

    def score(self, options: SpanOptions) -> None:
        """Weigh the features that have been filled in."""
        kernels.score_options(options, self.weights, self.memo, self.language, self.classes, self.heard)

    def _fill_features(self, options: SpanOptions, source: Ids) -> None:
        alignment = self.models.inverse.view, self.models.direct.view
        size = self.models.phrases.longest + 1
        jumps = np.empty((2, size, size, size))
        for model, each in zip(alignment, jumps, strict=True):
            alignment_kernels.fill_jumps(model, each)
        numbers = self.estimates.beta, self.estimates.delta
        scratch = np.empty((size, size)), np.empty((2, size))
        kernels.fill_features(options, source, *alignment, self.links, jumps, *numbers, *scratch, self.heard)


def class_arrays(models: ModelSet, share: float, *, used: bool) -> tuple[ClassArrays, int]:
    """What a search asks of the model of word classes, and its state at the beginning of a sentence, OFF if not used.

    The share of its layer is that of the language model. Without classes, nothing is asked.
    """
    view, memo, start = known_of_classes(models.classes.language, share)
    if used and models.classes:
        return ClassArrays(models.classes.of, OTHER, view, memo), start
    return ClassArrays(np.zeros(0, np.int64), OTHER, view, memo), OFF


def find_options(scorer: Scorer, limit: int, factors: Factors | None, *, lenient: bool = False) -> SpanOptions:
    """All options of a sentence, up to `limit` for each source phrase, best first within each span.

    If lenient, single words of terms keep their own options (see terms.py).
    """
    sentence, phrases = scorer.sentence, scorer.models.phrases
    most = sentence.ids.size * (phrases.longest * limit + 1)
    row, counts, turns = np.empty(most, OPTION), np.empty((most, 3), np.int64), np.empty((most, 2, 3), np.int64)
    copied = sentence.copies, sentence.fixed, sentence.slots
    given = sentence.ids, *copied, limit, new_options(phrases.longest, limit)
    first, n, words = kernels.collect(phrases.view, *given, row, counts, turns)
    found = Found(first, row[:n], words, counts[:n], turns[:n])
    if sentence.guess and sentence.aligned is None:
        found = add_guesses(found, sentence, scorer.models)
    if sentence.aligned is not None:
        found = offer(found, sentence.aligned, scorer.models, sentence.ids, (sentence.copies, sentence.fixed))
    if sentence.terms:
        locate = partial(find_place, sentence.aligned) if sentence.aligned else None
        found = settle(found, sentence.terms, sentence.spelling, lenient=lenient, locate=locate)
    if sentence.banned:
        found = leave_out(found, sentence.banned, sentence.spelling)
    options = new_span_options(*found[:-1])
    if factors is not None:
        learned = options.row["pair"] >= 0
        options.row["factor"][learned] = factors(options.row["pair"][learned])
    scorer.complete(options, found.turns)
    score_guesses(scorer, options, found.turns)
    options = selected(options, kernels.order_options(options.first, options.row))
    kernels.fill_kin(options.first, options.orientations, options.row)
    return options


class Offers(NamedTuple):
    """What a search starts with, whatever the prefix; valid as long as the models do not change."""

    sentence: Source
    options: SpanOptions
    inside: NDArray[np.float64]  # [J, WINDOW + 1] see `future`
    after: NDArray[np.float64]  # [J + 1]


def find_offers(scorer: Scorer, limit: int, factors: Factors | None, *, lenient: bool = False) -> Offers:
    """The options of a sentence, and what uncovered words can add; arguments as for `find_options`."""
    options = find_options(scorer, limit, factors, lenient=lenient)
    return Offers(scorer.sentence, options, *future(options))


def new_span_options(first: Ids, row: NDArray[np.void], words: Ids, counts: Ids) -> SpanOptions:
    """Options of which only spans, words and counts are known so far."""
    return SpanOptions(first, row, words, counts, np.empty((row.size, 2, 3)), np.empty((row.size, FEATURES)))


def selected(options: SpanOptions, chosen: Ids) -> SpanOptions:
    """These of the options, in this order; `first` stays as it is."""
    first, row, words, counts, orientations, features = options
    return SpanOptions(first, row[chosen], words, counts[chosen], orientations[chosen], features[chosen])


def as_factors(factors: Factors | Table | None) -> Factors | None:
    """A function from keys to factors; a table holds u − 1 in its only column, so that a pair not in it has u = 1."""
    if not isinstance(factors, Table):
        return factors
    table, (column,) = factors, factors.columns
    return lambda keys: 1.0 + table.get(keys, column)


def future(options: SpanOptions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The most that uncovered words can add: [J, WINDOW + 1] by start and length, [J + 1] from a word to the end."""
    J = options.first.shape[0]
    inside, after = np.empty((J, WINDOW + 1)), np.empty(J + 1)
    kernels.fill_future(options.first, options.row, inside, after)
    return inside, after
