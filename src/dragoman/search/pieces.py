"""Sentences too long to be searched as a whole: they are cut at punctuation and searched piece by piece.

Each piece starts in the state in which the best translation of the piece before it left the language model. Otherwise
it is searched like a sentence: words do not move from one piece to another, and features are summed over the pieces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from dragoman.cancellation import checkpoint
from dragoman.models import language_kernels
from dragoman.models.loglinear import CLASS_LANGUAGE
from dragoman.models.modelset import ModelSet
from dragoman.records import Term
from dragoman.search import class_kernels, lm_cache_kernels
from dragoman.search.class_kernels import OFF
from dragoman.search.hypotheses import Hypothesis, NBest
from dragoman.search.options import LanguageStates, class_arrays, known_of_words
from dragoman.search.sentence_search import Search, SentenceSearch
from dragoman.search.upstream_options import UpstreamWords
from dragoman.search.wordgraph import WordGraph

if TYPE_CHECKING:
    from dragoman.search.decoder import Decoder

MAX_UNCUT_WORDS = 150  # of a sentence that is searched as a whole
MAX_PIECE_WORDS = 100
MAX_ARCS = 150_000  # kept of all pieces together: about 30 MB, and 30 more for their word graph

ENDS = frozenset(".!?;:…。！？；：")


def cut(words: Sequence[str], most: int = MAX_PIECE_WORDS) -> list[tuple[int, int]]:
    """Pieces of at most so many words, as (first word, one past the last).

    A piece ends with a sentence if possible, or else after other punctuation.

    >>> cut("one . two , three four five".split(), 4)
    [(0, 2), (2, 4), (4, 7)]
    >>> cut("one two three four five".split(), 4)
    [(0, 4), (4, 5)]
    """
    pieces, begin = [], 0
    while len(words) - begin > most:
        size = max(range(1, most + 1), key=lambda n: (_closes(words[begin + n - 1]) if 3 * n > most else 0, n))
        pieces.append((begin, begin + size))
        begin += size
    return [*pieces, (begin, len(words))]


def _closes(word: str) -> int:
    """How good a place to cut there is after a word: 2 at the end of a sentence, 1 after other punctuation, else 0."""
    if word in ENDS:
        return 2
    return 1 if all(unicodedata.category(character).startswith("P") for character in word) else 0


def search_pieces(
    decoder: Decoder,
    source: tuple[str, ...],
    placeable: Sequence[bool] | None,
    terms: Sequence[Term] = (),
    upstream: UpstreamWords | None = None,
) -> LongSearch:
    """Search a long sentence piece by piece; a term that does not lie within one piece is left out."""
    pieces = Pieces(source, placeable, terms, upstream)
    while not pieces.found:
        pieces.search_next(decoder)
    return pieces.found


class Pieces:
    """The search of a long sentence, a piece at a time. Between two pieces, the models may learn."""

    def __init__(
        self,
        source: tuple[str, ...],
        placeable: Sequence[bool] | None,
        terms: Sequence[Term] = (),
        upstream: UpstreamWords | None = None,
    ) -> None:
        """Cut the sentence; a term that does not lie within one piece is left out.

        Another engine's answer is used if it was cut too (`UpstreamWords.parts`).
        """
        self._source, self._placeable = source, placeable
        self._upstream = upstream if upstream and upstream.parts else None
        self._remaining = self._cut()[::-1]
        self._terms = sorted(terms, key=lambda term: term.start, reverse=True)
        self._searched: list[SentenceSearch] = []
        self._most = MAX_ARCS // len(source)  # arcs kept for each word
        self.found: LongSearch | None = None  # as soon as all pieces have been searched

    def search_next(self, decoder: Decoder, *, changed: bool = False) -> None:
        """Search the next piece; `changed` tells whether the models have changed since the one before it."""
        checkpoint()
        begin, end, answer = self._remaining.pop()
        marks = None if self._placeable is None else self._placeable[begin:end]
        options = decoder.options(self._source[begin:end], marks, self._terms_in(begin, end), answer)
        history = self._history_of_changed(decoder) if changed else self._history
        piece = decoder.search_among(options, history=history, ends=not self._remaining)
        if self._most < decoder.beam.pops:
            piece.thin(self._most * (end - begin))
        self._searched.append(piece)
        if not self._remaining:
            self.found = LongSearch(self._source, decoder.models, tuple(self._searched), self._upstream)

    def _cut(self) -> list[tuple[int, int, UpstreamWords | None]]:
        """First word and one past the last of each piece, and another engine's answer for it."""
        if self._upstream is None:
            return [(begin, end, None) for begin, end in cut(self._source)]
        return [(begin, end, self._upstream.part(*place)) for begin, end, *place in self._upstream.parts]

    def _terms_in(self, begin: int, end: int) -> list[Term]:
        inside = []
        while self._terms and self._terms[-1].start < end:
            term = self._terms.pop()
            if begin <= term.start and term.end <= end:
                inside.append(term._replace(start=term.start - begin, end=term.end - begin))
        return inside

    @property
    def _history(self) -> LanguageStates | None:
        """States of the language models after the best translation so far."""
        return self._searched[-1].history if self._searched else None

    def _history_of_changed(self, decoder: Decoder) -> LanguageStates | None:
        """The same, if the numbers of states may have changed."""
        models = decoder.models
        last = [word for piece in self._searched[-2:] for word in piece.best.words][-models.language.order :]
        if not last:
            return None
        ids, empty = models.target.ids(last), int(language_kernels.EMPTY_HISTORY)
        known = known_of_words(models.language)
        classes, start = class_arrays(models, known.view.share, used=CLASS_LANGUAGE in decoder.weights)
        language = int(lm_cache_kernels.say(known.memo, known.view, empty, ids, 0, ids.size)[1])
        before = OFF if start == OFF else empty
        return LanguageStates(language, int(class_kernels.say_classes(classes, before, ids, 0, ids.size)[1]))


class LongSearch(Search):
    """What was found for a long sentence: the searches of its pieces, put together."""

    def __init__(
        self,
        source: tuple[str, ...],
        models: ModelSet,
        pieces: tuple[SentenceSearch, ...],
        upstream: UpstreamWords | None = None,
    ) -> None:
        self.source, self.models, self._pieces, self.upstream = source, models, pieces, upstream

    @property
    def pieces(self) -> tuple[SentenceSearch, ...]:
        """The searches of the pieces, in order."""
        return self._pieces

    @cached_property
    def best(self) -> Hypothesis:
        """The best translations of the pieces, one after another."""
        found = [piece.best for piece in self._pieces]
        offsets = accumulate((len(piece.source) for piece in self._pieces), initial=0)
        places = [part[2] for part in self.upstream.parts] if self.upstream else [0] * len(found)
        steps = [
            step.moved(offset, place)
            for hypothesis, offset, place in zip(found, offsets, places, strict=False)
            for step in hypothesis.steps
        ]
        features = {name: sum(each.features[name] for each in found) for name in found[0].features}
        return Hypothesis.made_of(tuple(steps), sum(each.score for each in found), features, 0)

    def thin(self, most: int) -> None:
        """Keep only about so many arcs, each piece in proportion to its length."""
        for piece in self._pieces:
            piece.thin(most * len(piece.source) // len(self.source))

    def graph(self) -> WordGraph:
        """The word graphs of the pieces, one after another."""
        return WordGraph.joined(piece.graph() for piece in self._pieces)

    @cached_property
    def _graph(self) -> WordGraph:
        return self.graph()

    def nbest(self, n: int, *, distinct: bool = False) -> NBest:
        """The n best combinations of translations of the pieces."""
        return self._graph.nbest(n, distinct=distinct)
