"""Translating many sentences on several threads: results come in order, and do not depend on the number of threads.

>>> from dragoman.models.loglinear import Weights
>>> from dragoman.models.modelset import ModelSet
>>> decoder = Decoder(ModelSet(), Weights("thot"))
>>> [" ".join(best.words) for best in translate_all(decoder, [["all"], ["the", "same"]], threads=2)]
['all', 'the same']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TypeVar

from dragoman.errors import BadInputError
from dragoman.parallel import map_in_order
from dragoman.search.decoder import Decoder
from dragoman.search.hypotheses import Hypothesis
from dragoman.search.sentence_search import SearchResult

T = TypeVar("T")
Words = Sequence[str]
Marks = Sequence[bool]
Progress = Callable[[int], None]  # told how many sentences are done


def translate_all(
    decoder: Decoder,
    sentences: Iterable[Words],
    placeable: Iterable[Marks | None] | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Hypothesis]:
    """The best translation of each sentence; `placeable` marks the words of each that are copied."""
    return search_all(decoder, sentences, placeable, wanted=_best, threads=threads, progress=progress)


def _best(search: SearchResult) -> Hypothesis:
    return search.best


def search_all(
    decoder: Decoder,
    sentences: Iterable[Words],
    placeable: Iterable[Marks | None] | None = None,
    *,
    wanted: Callable[[SearchResult], T],
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[T]:
    """What `wanted` takes from the search of each sentence: an n-best list, a word graph, or anything else."""
    numbered = enumerate(zip(sentences, placeable or repeat(None), strict=placeable is not None), start=1)

    def found(given: tuple[int, tuple[Words, Marks | None]]) -> T:
        number, (words, marks) = given
        try:
            return wanted(decoder.search(words, marks))
        except BadInputError as error:
            raise BadInputError(error.what, where=f"sentence {number}", remedy=error.remedy) from None

    for done, result in enumerate(map_in_order(found, numbered, threads), start=1):
        if progress is not None:
            progress(done)
        yield result
