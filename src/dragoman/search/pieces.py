"""Sentences that are too long to be searched as one: cut at punctuation, and searched piece by piece.

Each piece goes on from where the best translation of the piece before it has brought the language model. Otherwise it
is a sentence of its own: words are not moved from piece to piece, and features are summed over the pieces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from dragoman.search.constrained import Prefix
from dragoman.search.hypotheses import Hypothesis, NBest
from dragoman.search.plan import Plan
from dragoman.search.searching import Search, SentenceSearch
from dragoman.search.wordgraph import WordGraph
from dragoman.types import Term

LONGEST = 150  # words of a sentence that is searched as one
PIECE = 100  # words of a piece at most

ENDS = frozenset(".!?;:…。！？；：")


def cut(words: Sequence[str], most: int = PIECE) -> list[tuple[int, int]]:
    """Pieces of at most so many words (first, one past the last): the end of a sentence, or else any punctuation, last.

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
    """How well a sentence can be cut after a word: best after the end of a sentence, better after punctuation."""
    if word in ENDS:
        return 2
    return 1 if all(unicodedata.category(character).startswith("P") for character in word) else 0


class LongSearch(Search):
    """The searches of the pieces of a long sentence, as one."""

    def __init__(
        self, plan: Plan, source: tuple[str, ...], placeable: Sequence[bool] | None, terms: Sequence[Term] = ()
    ) -> None:
        self.source, self.models = source, plan.models
        self._pieces: list[SentenceSearch] = []
        bounds = cut(source)
        for begin, end in bounds:
            marks = None if placeable is None else placeable[begin:end]
            memory = self._pieces[-1].memory_after if self._pieces else None
            inside = [Term(t.start - begin, t.end - begin, t.words) for t in terms if begin <= t.start and t.end <= end]
            given = source[begin:end], marks, Prefix(()), inside, memory
            self._pieces.append(SentenceSearch(plan, *given, ends=end == len(source)))

    @property
    def pieces(self) -> tuple[SentenceSearch, ...]:
        """The searches of the pieces, in order."""
        return tuple(self._pieces)

    @cached_property
    def best(self) -> Hypothesis:
        """The best translations of the pieces, one after another."""
        found = [piece.best for piece in self._pieces]
        offsets = accumulate((len(piece.source) for piece in self._pieces), initial=0)
        steps = [
            replace(step, source=(step.source[0] + offset, step.source[1] + offset))
            for hypothesis, offset in zip(found, offsets, strict=False)
            for step in hypothesis.steps
        ]
        features = {name: sum(each.features[name] for each in found) for name in found[0].features}
        return Hypothesis.made_of(tuple(steps), sum(each.score for each in found), features, 0)

    def graph(self) -> WordGraph:
        """The word graphs of the pieces, one after another."""
        return WordGraph.joined(piece.graph() for piece in self._pieces)

    @cached_property
    def _graph(self) -> WordGraph:
        return self.graph()

    def nbest(self, n: int, *, distinct: bool = False) -> NBest:
        """The n best ways to put translations of the pieces together."""
        return self._graph.nbest(n, distinct=distinct)
