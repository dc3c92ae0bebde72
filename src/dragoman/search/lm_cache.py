"""What is known of the language models from one search to the next: neighbouring searches ask much the same.

Each thread has tables of its own, one for words and one for word classes, since searches run at the same time. A table
is emptied, by giving it another age, when it is asked for another model or for one that has changed.

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
from typing import NamedTuple

import numpy as np

from dragoman.models import language_kernels
from dragoman.models.language import LanguageModel
from dragoman.models.language_kernels import LanguageArrays
from dragoman.search.lm_cache_kernels import AGES, ANSWER, Memo

ANSWERS = 1 << 15  # of a model, a megabyte
STATES = 1 << 12


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
