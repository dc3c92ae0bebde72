"""What is known of the language models from one search to the next: neighbouring searches ask much the same.

Each thread has tables of its own, one for words and one for word classes, since searches run at the same time. A table
is emptied when it is asked for another model, or for one that has changed.

>>> model = LanguageModel(order=2)
>>> known = known_of_words(model)
>>> known.answers["word"][0] = 5
>>> bool(known_of_words(model).answers["word"].any())
True
>>> model.add(["a", "b"])
>>> bool(known_of_words(model).answers["word"].any())
False
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.models import language_kernels
from dragoman.models.language import LanguageModel
from dragoman.models.language_kernels import LanguageArrays
from dragoman.search.lm_cache_kernels import ANSWER

REMEMBERED = 1 << 14  # answers of a model, half a megabyte


class Known(NamedTuple):
    """A language model as it is now, and what it was asked before; not to be kept beyond a search."""

    view: LanguageArrays  # valid until the model changes
    answers: NDArray[np.void]  # [2^k] ANSWER
    start: int  # state at the beginning of a sentence


class AnswerTable:
    """What is known of one language model at a time."""

    def __init__(self) -> None:
        self._answers = np.zeros(REMEMBERED, ANSWER)
        self._of: tuple[object, ...] = ()
        self._start = 0

    def of(self, model: LanguageModel, share: float | None = None) -> Known:
        """What is known of a model as it is now, with its own share or another one."""
        view = model.view if share is None else model.view._replace(share=share)
        of = view.share, *model.version
        if of != self._of:
            self._answers["word"] = 0  # the mark of an entry that says nothing
            self._of, self._start = of, int(language_kernels.start(view))
        return Known(view, self._answers, self._start)


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
