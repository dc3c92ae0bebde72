"""The development set that weights are tuned on: source words, references, and what a decoder makes of them.

Measures compare hypotheses and references as the models' own words: nothing is written out as text
and tokenised again, so that a 100-best list costs little more than its search.

>>> from dragoman.measure import Wer
>>> from dragoman.models.loglinear import Weights
>>> knowledge = Knowledge()
>>> _ = knowledge.learn(knowledge.read_pair("Press the green button.", "Pulse el botón verde."))
>>> development = Development.read(knowledge, [("Press the green button.", "Pulse el botón rojo."), ("", "?")])
>>> len(development), development.left_out
(1, 1)
>>> decoded = decode(Decoder(knowledge.models, Weights("thot")), development, Wer(), n=2)
>>> decoded.score
20.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.measure import Measure
from dragoman.models.knowledge import Knowledge
from dragoman.search.batch import search_all
from dragoman.search.decoder import Decoder, SearchResult

Words = tuple[str, ...]
Marks = tuple[bool, ...]
Progress = Callable[[int, int], None]  # told how many sentences are done, of how many
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Development:
    """Sentences to translate and their references, as the models see both; `left_out` pairs had an empty side."""

    sources: tuple[Words, ...]
    references: tuple[Words, ...]
    placeable: tuple[Marks | None, ...]
    left_out: int = 0

    def __post_init__(self) -> None:
        if not len(self.sources) == len(self.references) == len(self.placeable):
            raise BadInputError(f"{len(self.sources)} sources, but {len(self.references)} references")
        if not self.sources:
            raise BadInputError("no sentence with words on both sides to tune on", remedy="pass a development set")

    @classmethod
    def of(cls, pairs: Iterable[tuple[Iterable[str], Iterable[str]]]) -> Development:
        """A development set from pairs of words; those with an empty side are left out."""
        rows = []
        for source, reference in pairs:
            if isinstance(source, str) or isinstance(reference, str):
                raise BadInputError("a sentence is a list of words, not one string", remedy="split it first")
            rows.append((tuple(source), tuple(reference), None))
        return cls._of(rows)

    @classmethod
    def read(cls, knowledge: Knowledge, pairs: Iterable[tuple[str, str]]) -> Development:
        """A development set from pairs of texts, read as for translating; those with an empty side are left out."""
        one, other = knowledge.source, knowledge.target
        read = [(one.read(source), other.read(target)) for source, target in pairs]
        return cls._of([(one.model_words(f), other.model_words(e), f.placeable) for f, e in read])

    @classmethod
    def _of(cls, rows: Sequence[tuple[Words, Words, Marks | None]]) -> Development:
        kept = [row for row in rows if row[0] and row[1]]
        sources, references, placeable = zip(*kept, strict=True) if kept else ((), (), ())
        return cls(sources, references, placeable, len(rows) - len(kept))

    def __len__(self) -> int:
        return len(self.sources)

    def chosen(self, places: Sequence[int]) -> Development:
        """Some of the sentences, in this order."""
        rows = list(zip(self.sources, self.references, self.placeable, strict=True))
        return self._of([rows[place] for place in places])

    def __add__(self, other: Development) -> Development:
        """Both sets, one after the other."""
        return Development(
            self.sources + other.sources,
            self.references + other.references,
            self.placeable + other.placeable,
            self.left_out + other.left_out,
        )


@dataclass(frozen=True)
class Decoded:
    """The n-best lists of a development set: features [N, M] and statistics [N, k] of each sentence, the best first."""

    measure: Measure
    features: list[Floats]
    statistics: list[Counts]

    @property
    def best(self) -> Counts:
        """[sentences, k] the statistics of the best translations."""
        return np.array([counts[0] for counts in self.statistics])

    @property
    def score(self) -> float:
        """The measure of the best translations, in percent."""
        return self.measure.score(self.best.sum(0))


def decode(
    decoder: Decoder,
    development: Development,
    measure: Measure,
    n: int = 1,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Decoded:
    """Translate the development set on all cores; up to n different translations of each sentence."""
    report = None if progress is None else lambda done: progress(done, len(development))
    lists = search_all(
        decoder,
        development.sources,
        development.placeable,
        wanted=partial(_listed, n=n),
        threads=threads,
        progress=report,
    )
    ids: dict[str, int] = {}
    features, hypotheses, sizes = [], [], []
    for matrix, words in lists:
        features.append(matrix)
        hypotheses += [_numbered(each, ids) for each in words]
        sizes.append(len(words))
    references = [_numbered(words, ids) for words in development.references]
    counts = measure.statistics(hypotheses, references, np.repeat(np.arange(len(sizes)), sizes))
    return Decoded(measure, features, np.split(counts, np.cumsum(sizes)[:-1]))


def _listed(search: SearchResult, n: int) -> tuple[Floats, list[Words]]:
    found = search.nbest(n, distinct=True)
    return found.features, found.words


def _numbered(words: Words, ids: dict[str, int]) -> Counts:
    return np.array([ids.setdefault(word, len(ids)) for word in words], np.int64)
