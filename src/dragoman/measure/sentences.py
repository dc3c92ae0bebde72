"""Sentences as kernels take them: all words in one array of ids, and where each sentence starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError

Text = str | NDArray[np.int64]  # a sentence as it is written, or the ids of its words


class Sentences(NamedTuple):
    """Sentence n is ids[starts[n] : starts[n + 1]]."""

    ids: NDArray[np.int64]  # [words of all sentences]
    starts: NDArray[np.int64]  # [sentences + 1]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Words of each sentence."""
        return np.diff(self.starts)


def pack(sentences: Sequence[NDArray[Any]]) -> Sentences:
    """Arrays of ids, one per sentence, concatenated.

    >>> pack([np.array([5, 7]), np.array([7])])
    Sentences(ids=array([5, 7, 7]), starts=array([0, 2, 3]))
    """
    starts = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum([len(sentence) for sentence in sentences], out=starts[1:])
    return Sentences(np.concatenate([np.zeros(0, np.int64), *sentences]).astype(np.int64, copy=False), starts)


def number(sentences: Iterable[Sequence[str]], ids: dict[str, int], *, add: bool = True) -> Sentences:
    """Words numbered by `ids`; a missing word is entered if `add`, otherwise it is -1.

    >>> ids: dict[str, int] = {}
    >>> number([["a", "b"], ["b"]], ids)
    Sentences(ids=array([0, 1, 1]), starts=array([0, 2, 3]))
    >>> number([["b", "c"]], ids, add=False).ids
    array([ 1, -1])
    """
    sentences = list(sentences)
    words = list(chain.from_iterable(sentences))
    if add:
        for word in dict.fromkeys(words):
            ids.setdefault(word, len(ids))
        numbers = list(map(ids.__getitem__, words))
    else:
        numbers = [ids.get(word, -1) for word in words]
    return Sentences(np.array(numbers, np.int64), np.cumsum([0, *map(len, sentences)], dtype=np.int64))


def check(hypotheses: Sequence[Text], references: Sequence[Text]) -> bool:
    """Refuse anything but two lists of sentences of one kind; true if they are strings, false if ids."""
    kinds = set()
    for name, sentences in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(sentences, str):
            raise BadInputError(f"the {name} are one string", remedy="pass a list of sentences")
        if not hasattr(sentences, "__len__"):
            kind = type(sentences).__name__
            raise BadInputError(f"the {name} are of type {kind}", remedy="pass a list of sentences")
        if len(sentences) == 0:
            raise BadInputError(f"there are no {name}", remedy="pass at least one sentence")
        for n, sentence in enumerate(sentences):
            if not isinstance(sentence, str | np.ndarray):
                raise BadInputError(
                    f"number {n} of the {name} is of type {type(sentence).__name__}",
                    remedy="a sentence is a string, or an array with the ids of its words",
                )
            kinds.add(isinstance(sentence, str))
    if len(kinds) > 1:
        raise BadInputError("some sentences are strings and some are arrays of ids", remedy="use one kind for all")
    return kinds.pop()
