"""The phrase options of a sentence: the possible translations of each span, scored and sorted for the search.

What the language models answer is remembered from one search to the next, since neighbouring searches ask much the
same. Each thread has tables of its own, one for words and one for word classes, since searches run at the same time. A
table is emptied, by giving it another age, when it is asked for another model or for one that has changed.

>>> model = LanguageModel(order=2)
>>> before = known_of_words(model).memo
>>> known_of_words(model).memo.age == before.age
True
>>> model.add(["a", "b"])
>>> known_of_words(model).memo.age == before.age
False
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.models import alignment_kernels, language_kernels
from dragoman.models.classes import OTHER
from dragoman.models.language import LanguageModel
from dragoman.models.language_kernels import LanguageArrays
from dragoman.models.loglinear import CLASS_LANGUAGE
from dragoman.models.loglinear_kernels import FEATURES, WORD_PENALTY
from dragoman.models.modelset import ModelSet
from dragoman.models.phrases import new_options
from dragoman.records import Term
from dragoman.search import options_kernels as kernels
from dragoman.search.bans import leave_out
from dragoman.search.class_kernels import OFF, ClassArrays
from dragoman.search.guesses import add_guesses, score_guesses
from dragoman.search.lm_cache_kernels import AGES, ANSWER, Memo
from dragoman.search.options_kernels import LINK, OPTION, WINDOW, SpanOptions
from dragoman.search.terms import OptionTable, settle
from dragoman.search.upstream_options import NO_ANSWER, UpstreamWords, align, find_place, offer
from dragoman.tables import Ids, Table
from dragoman.text.vocabulary import Spelling

if TYPE_CHECKING:
    from dragoman.search.decoder import Decoder

REMEMBERED = 1 << 12  # answers of the alignment models in one search
ANSWERS = 1 << 15  # of a language model, a megabyte
STATES = 1 << 12  # of a language model

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


class LanguageStates(NamedTuple):
    """States of the language models: all that they know of the words before."""

    language: int
    classes: int  # or OFF


class SentenceOptions:
    """The options of one sentence, or of a piece of one, with the models as they are.

    1. Made of the words: their ids, those that must be copied, and another engine's answer for them.
    2. `collect` finds all options and scores them. That takes as long as a search.
    3. Each search takes a copy (`for_search`), which may get words and options of its own.
    """

    def __init__(
        self,
        decoder: Decoder,
        words: tuple[str, ...],
        placeable: Sequence[bool] | None = None,
        terms: Sequence[Term] = (),
        upstream: UpstreamWords | None = None,
    ) -> None:
        models = decoder.models
        self.decoder, self.models, self.words, self.terms, self.upstream = decoder, models, words, terms, upstream
        self.ids = models.source.ids(words)  # [J]
        self.spelling = Spelling(models.target)
        self.copies = self.spelling.ids(words)  # [J] the same words as target words
        self.fixed = np.zeros(len(words), np.bool_) if placeable is None else np.array(placeable, np.bool_)  # [J]
        self.slots = np.zeros(0, np.bool_) if decoder.slots is None else decoder.slots  # [V] or nothing
        self.guesses: dict[tuple[int, tuple[int, ...]], tuple[str, ...]] = {}  # by place and target: what it is from
        self.aligned = None
        if upstream and upstream.words:
            self.aligned = align(models, self.ids, words, self.spelling, upstream, terms)
        self.answer = NO_ANSWER if self.aligned is None else self.aligned.answer
        self._take_models()

    options: SpanOptions  # from `collect` on: all, best first within each span
    inside: NDArray[np.float64]  # [J, WINDOW + 1] see `future`
    after: NDArray[np.float64]  # [J + 1]

    def _take_models(self) -> None:
        """What scoring asks again and again, for one thread."""
        self.weights = self.decoder.weights.vector()
        self.language, self.memo, start = known_of_words(self.models.language)
        used = CLASS_LANGUAGE in self.decoder.weights
        self.classes, class_start = class_arrays(self.models, self.language.share, used=used)
        self.start = LanguageStates(start, class_start)
        self.links = np.zeros((2, REMEMBERED), LINK)  # of the alignment models, inverse and direct

    def collect(self, *, lenient: bool = False) -> Self:
        """Find the options, up to `beam.options` for each source phrase, and what uncovered words can add.

        If lenient, single words of terms keep their own options (see terms.py): a prefix may say them otherwise.
        """
        found = self._find(lenient=lenient)
        options = new_span_options(*found[:-1])
        if self.decoder.factors is not None:
            learned = options.row["pair"] >= 0
            options.row["factor"][learned] = self.decoder.factors(options.row["pair"][learned])
        self.complete(options, found.turns)
        if self.guesses:
            score_guesses(self, options, found.turns)
        options = selected(options, kernels.order_options(options.first, options.row))
        kernels.fill_kin(options.first, options.orientations, options.row)
        self.options, (self.inside, self.after) = options, future(options)
        return self

    def _find(self, *, lenient: bool) -> OptionTable:
        """The learned options, and those of guesses, another engine and terms; without banned ones."""
        phrases, limit = self.models.phrases, self.decoder.beam.options
        most = self.ids.size * (phrases.longest * limit + 1)
        row, counts, turns = np.empty(most, OPTION), np.empty((most, 3), np.int64), np.empty((most, 2, 3), np.int64)
        given = self.ids, self.copies, self.fixed, self.slots, limit, new_options(phrases.longest, limit)
        first, n, words = kernels.collect(phrases.view, *given, row, counts, turns)
        found = learned = OptionTable(first, row[:n], words, counts[:n], turns[:n])
        if self.aligned is not None:
            found = offer(found, self.aligned, self.models, self.ids, (self.copies, self.fixed))
        elif self.decoder.guess:
            found = add_guesses(found, self)
        if self.terms:
            locate = partial(find_place, self.aligned) if self.aligned else None
            found = settle(found, self.terms, self.spelling, lenient=lenient, locate=locate)
        if self.decoder.banned:
            found = leave_out(found, self.decoder.banned, self.spelling)
        return found if found.row is learned.row else in_order(found)

    def for_search(self) -> Self:
        """The same for one more search, by whichever thread, which may bring words of its own."""
        copied = copy(self)
        copied.spelling = self.spelling.copy()
        copied._take_models()
        return copied

    def complete(self, options: SpanOptions, turns: Ids, source: Ids | None = None, *, aligned: bool = True) -> None:
        """Fill in all that follows from the words and the counts, given orientation counts [n, 2, 3].

        `source` are the words that options begin and end at, by default those of the sentence. If not `aligned`, all
        are single words that stand for no source word.
        """
        phrases = self.models.phrases
        totals = phrases.orientations if phrases.base is None else phrases.orientations + phrases.base.orientations
        kernels.fill_orientations(turns, totals, options.orientations)
        if aligned:
            self._fill_features(options, self.ids if source is None else source)
        else:
            options.features[:] = 0.0
            options.features[:, WORD_PENALTY] = -1.0
        self.score(options)

    def score(self, options: SpanOptions) -> None:
        """Weigh the features that have been filled in."""
        kernels.score_options(options, self.weights, self.memo, self.language, self.classes, self.answer)

    def _fill_features(self, options: SpanOptions, source: Ids) -> None:
        alignment = self.models.inverse.view, self.models.direct.view
        size = self.models.phrases.longest + 1
        jumps = np.empty((2, size, size, size))
        for model, each in zip(alignment, jumps, strict=True):
            alignment_kernels.fill_jumps(model, each)
        numbers = self.decoder.estimates.beta, self.decoder.estimates.delta
        scratch = np.empty((size, size)), np.empty((2, size))
        kernels.fill_features(options, source, *alignment, self.links, jumps, *numbers, *scratch, self.answer)


def class_arrays(models: ModelSet, share: float, *, used: bool) -> tuple[ClassArrays, int]:
    """What a search asks of the model of word classes, and its state at the beginning of a sentence, OFF if not used.

    The share of its layer is that of the language model. Without classes, nothing is asked.
    """
    view, memo, start = known_of_classes(models.classes.language, share)
    if used and models.classes:
        return ClassArrays(models.classes.of, OTHER, view, memo), start
    return ClassArrays(np.zeros(0, np.int64), OTHER, view, memo), OFF


def in_order(found: OptionTable) -> OptionTable:
    """The same options in order of spans."""
    first, row, words, counts, turns = found
    J, size = first.shape[0], row["end"] - row["start"]
    spans = max(first.shape[1], int(size.max(initial=0)) + 1)
    place = row["start"].astype(np.int64) * (spans - 1) + (size - 1)
    order = np.argsort(place, kind="stable")
    bounds = np.arange(J)[:, np.newaxis] * (spans - 1) + np.arange(spans)
    first = np.searchsorted(place[order], bounds)
    return OptionTable(first, row[order], words, counts[order], turns[order])


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


class Known(NamedTuple):
    """A language model as it is now, and what it was asked before; not to be kept beyond a search."""

    view: LanguageArrays  # valid until the model changes
    memo: Memo
    start: int  # state at the beginning of a sentence


class AnswerTable:
    """What is known of one language model at a time."""

    def __init__(self) -> None:
        self._memo = new_memo(1)
        self._of: tuple[object, ...] = ()
        self._start = 0

    def of(self, model: LanguageModel, share: float | None = None) -> Known:
        """What is known of a model as it is now, with its own share or another one."""
        view = model.view if share is None else model.view._replace(share=share)
        of = view.share, *model.version
        if of != self._of:
            age = self._memo.age + 1
            is_usable = self._memo.nodes.shape[1] == model.order and age < AGES
            self._memo = self._memo._replace(age=age) if is_usable else new_memo(model.order)
            self._of, self._start = of, int(language_kernels.start(view))
        return Known(view, self._memo, self._start)


def new_memo(order: int) -> Memo:
    """A memo that knows nothing of a model of this order."""
    states = np.zeros(STATES, np.int64), np.empty((STATES, order), np.int64), np.empty((STATES, order))
    return Memo(1, np.zeros(ANSWERS, ANSWER), *states, np.empty(STATES))


class _Tables(threading.local):
    """The tables of a thread."""

    def __init__(self) -> None:
        self.words, self.classes = AnswerTable(), AnswerTable()


_tables = _Tables()


def known_of_words(model: LanguageModel) -> Known:
    """What this thread knows of a language model."""
    return _tables.words.of(model)


def known_of_classes(model: LanguageModel, share: float) -> Known:
    """What this thread knows of a model of word classes, with the share of the language model."""
    return _tables.classes.of(model, share)
