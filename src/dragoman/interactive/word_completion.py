"""Completing a word that no phrase offers, from the whole vocabulary.

>>> from dragoman.models.modelset import ModelSet
>>> models = ModelSet()
>>> for source, target in [("the button", "el botón"), ("the bottle", "la botella"), ("the lamp", "la lámpara")] * 2:
...     _ = models.add(source.split(), target.split())
>>> guess(models, ["bottle"], ["la"], "bo").word
'botella'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dragoman.interactive import word_completion_kernels as kernels
from dragoman.kernels import exercise
from dragoman.models import language_kernels
from dragoman.models.modelset import ModelSet
from dragoman.text.tokens import capital
from dragoman.text.vocabulary import Vocabulary

CANDIDATES = 500  # words compared at most; those with the lowest ids were seen first and tend to be most common


class WordCompletion(NamedTuple):
    """A word that may be the one being typed."""

    word: str
    probability: float  # among all words that begin the same way


def guess(models: ModelSet, source: Sequence[str], before: Sequence[str], begun: str) -> WordCompletion | None:
    """The likeliest word that begins with `begun`, whatever its case, after the words `before` in a translation."""
    forms = dict.fromkeys([begun, begun.lower(), capital(begun, False)])
    words = np.concatenate([_beginning_with(models.target, form) for form in forms])[:CANDIDATES]
    if not words.size:
        return None
    language = models.language.view
    start = language_kernels.start(language)
    state = kernels.state_after(language, start, models.target.ids(before))
    scores = np.empty(words.size)
    kernels.fill_likelihoods(language, state, models.direct.view, models.source.ids(source), words, scores)
    best = int(np.argmax(scores))
    return WordCompletion(models.target.word(int(words[best])), float(1 / np.exp(scores - scores[best]).sum()))


def _beginning_with(vocabulary: Vocabulary, begun: str) -> np.ndarray:
    """Ids of the words that begin with these characters."""
    below = np.empty(0, np.int64) if vocabulary.base is None else _beginning_with(vocabulary.base, begun)
    arrays, wanted = vocabulary.arrays(), np.frombuffer(begun.encode(), np.uint8)
    found = kernels.beginning_with(arrays["bytes"], arrays["ends"], wanted, CANDIDATES)
    return np.concatenate([below, vocabulary.first + found])


@exercise
def _exercise() -> None:
    models = ModelSet()
    models.add(["a"], ["cd"])
    guess(models, ["a"], ["cd"], "c")
