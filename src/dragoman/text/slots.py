"""Which words of a vocabulary are slots: tags and placeholders. A search never produces one of its own accord.

>>> vocabulary = Vocabulary()
>>> slots = Slots(vocabulary)
>>> _ = vocabulary.ids(["archivo", "{0}", "%", "<b>"], add=True)
>>> vocabulary.words(np.flatnonzero(slots.marks()))
['{0}', '<b>']
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dragoman.text.tokens import is_slot
from dragoman.text.vocabulary import Vocabulary, with_room

SIGNS = b"<{%$[@:#\\\xe2_"  # every slot contains one of them; \xe2 is the first byte of ⟦


class Slots:
    """Marks for words, computed on demand; those of a base are computed once."""

    def __init__(self, vocabulary: Vocabulary, base: Slots | None = None) -> None:
        self._vocabulary, self._base = vocabulary, base
        self._marks: NDArray[np.bool_] | None = None  # [capacity]
        self._known = vocabulary.first  # ids below it have been looked at

    def marks(self) -> NDArray[np.bool_]:
        """[V] whether each word of the vocabulary, as it is now, is a slot."""
        size, marks = len(self._vocabulary), self._marks
        if marks is None:
            marks = np.zeros(size, np.bool_) if self._base is None else with_room(self._base.marks(), size)
        if self._known < size:
            marks = with_room(marks, size)
            new = self._vocabulary.with_any(SIGNS, self._known)
            marks[new] = [is_slot(self._vocabulary.word(int(known))) for known in new]
        self._marks, self._known = marks, size  # if several threads do this at once, they all find the same
        return marks[:size]
