"""Word classes, slowly: n-grams of classes counted from the text, and the likelihood that exchange raises."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from dragoman.models.classes import ClassModel
from dragoman.models.language import LanguageModel
from dragoman.models.modelset import ModelSet

Words = Sequence[str]


def counted(models: ModelSet, classes: ClassModel, sentences: Sequence[Words]) -> LanguageModel:
    """A language model that learned the classes of these sentences, one after another."""
    model = LanguageModel(models.language.order, smoothing=models.language.smoothing)
    for words in sentences:
        model.add_ids(classes.ids(models.target.ids(words)))
    return model


def likelihood(bigrams: Mapping[tuple[str, str], int], of: Mapping[str, int]) -> float:
    """Σ c log p of each word given the class of its neighbour, to both sides, for words that have a class."""
    total = 0.0
    for side in (0, 1):
        pairs: Counter[tuple[int, str]] = Counter()
        classes: Counter[int] = Counter()
        for bigram, count in bigrams.items():
            if bigram[side] in of:
                pairs[of[bigram[side]], bigram[1 - side]] += count
        for (known, _), count in pairs.items():
            classes[known] += count
        total += sum(count * math.log(count) for count in pairs.values())
    both = Counter[int]()
    for side in (0, 1):
        for bigram, count in bigrams.items():
            if bigram[side] in of:
                both[of[bigram[side]]] += count
    return total - sum(count * math.log(count) for count in both.values())


def bigrams_of(language: LanguageModel) -> dict[tuple[str, str], int]:
    """The bigrams of a language model with their counts as Kneser-Ney has them."""
    found = {gram: row[0] for gram, row in language.counts().items() if len(gram) == 2}
    return {(one, other): count for (one, other), count in found.items() if count}


def names(language: LanguageModel, of: np.ndarray) -> dict[str, int]:
    """The class of each word that has one, by name."""
    words = np.arange(4, of.size)
    return dict(zip(language.vocabulary.words(words), of[words].tolist(), strict=True))
