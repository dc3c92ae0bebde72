"""Words and ids of one search: those of the target vocabulary, and beyond them words that only this sentence knows.

A source word that is copied, or a word of a given prefix, need not be in the vocabulary. It gets an id above all
others, so that it comes out as it is written and is told apart from other unknown words; to the models it is unknown.

>>> vocabulary = Vocabulary()
>>> _ = vocabulary.add("verde")
>>> spelling = Spelling(vocabulary)
>>> spelling.ids(["verde", "<b>", "</b>", "<b>"]).tolist()
[4, 5, 6, 5]
>>> spelling.words([5, 4, 6])
['<b>', 'verde', '</b>']
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dragoman.text.vocabulary import UNKNOWN, Vocabulary


class Spelling:
    """A vocabulary as it is now, with room for the words of one sentence; the vocabulary itself is not changed."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.first = len(vocabulary)  # ids from here on are the sentence's own
        self._ids: dict[str, int] = {}
        self._words: list[str] = []

    def copy(self) -> Spelling:
        """The same words and ids; what either learns from now on, the other does not."""
        copied = Spelling(self.vocabulary)
        copied.first, copied._ids, copied._words = self.first, self._ids.copy(), self._words.copy()
        return copied

    def id(self, word: str) -> int:
        """Id of a word, one of the sentence's own if it is unknown."""
        known = self.vocabulary.id(word)
        if UNKNOWN < known < self.first:  # what was learned since has ids that are taken here
            return known
        if word not in self._ids:
            self._ids[word] = self.first + len(self._words)
            self._words.append(word)
        return self._ids[word]

    def ids(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Ids of a sequence of words."""
        return np.fromiter((self.id(word) for word in words), np.int64)

    def word(self, known: int) -> str:
        """The word of an id."""
        return self._words[known - self.first] if known >= self.first else self.vocabulary.word(known)

    def listed(self, ids: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """(the different words of these ids, in the order of their spelling; the place of each id [n] among them)."""
        different, places = np.unique(ids, return_inverse=True)
        spelled = self.words(different)
        order = sorted(range(len(spelled)), key=spelled.__getitem__)
        rank = np.empty(len(spelled), np.int64)
        rank[order] = np.arange(len(spelled))
        return tuple(spelled[n] for n in order), rank[places]

    def words(self, ids: Iterable[int]) -> list[str]:
        """The words of a sequence of ids."""
        return [self.word(int(known)) for known in ids]
