"""An n-gram model of word classes: it knows which kinds of words follow each other, whatever the words are.

The classes are found when a base is trained, by exchange (Martin, Liermann and Ney 1998) on the bigrams of its
language model, and never change; words that the base does not know form one more class. So a sentence adds its class
n-grams as it adds its n-grams, and they can be subtracted again. Without a base there are no classes, and nothing is
counted.

>>> language = LanguageModel(order=3)
>>> for noun in ("botón", "tornillo", "cable", "panel", "motor", "sensor"):
...     for adjective in ("rojo", "verde", "viejo", "nuevo", "largo", "corto"):
...         language.add(["el", noun, adjective])
>>> found = find_classes(language, 3)
>>> screw, cable, red = found[language.vocabulary.ids(["tornillo", "cable", "rojo"])].tolist()
>>> screw == cable, cable == red
(True, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import numpy as np

from dragoman.arrays import ArrayTree, Restorable
from dragoman.kernels import exercise
from dragoman.models import classes_kernels as kernels
from dragoman.models.language import LanguageModel
from dragoman.models.language_upkeep import list_grams, merge_renamed
from dragoman.tables import Ids
from dragoman.text.vocabulary import END, SPECIAL, START, Vocabulary

CLASSES = 200
WORDS_PER_CLASS = 10  # at least; a small vocabulary has fewer classes
MOST_WORDS = 30_000  # the most frequent are put into classes, the others together into one
MOST_GRAMS = 200_000_000  # of a language model; a larger base is trained without classes, to bound the memory
ROUNDS = 8
SETTLED = 0.005  # of the words moved in a round
OTHER = len(SPECIAL)  # the class of words that are in no other
FIRST = OTHER + 1  # the others have ids from here on
NOTHING = np.zeros(0, np.int64)


class ClassModel(Restorable):
    """Classes of target words, and counts of their n-grams; over a base, whose classes it has, the differences."""

    language: LanguageModel
    of: Ids  # [words] the class of each, as an id of `language`; empty if there are none

    def __init__(self, order: int, base: ClassModel | None = None, *, smoothing: str) -> None:
        self.base, self._made_with = base, (order, smoothing)
        self._clear()

    def _clear(self) -> None:
        order, smoothing = self._made_with
        below = self.base.language if self.base else None
        self.language = LanguageModel(order, Vocabulary(), below, smoothing=smoothing)
        self.of = self.base.of if self.base else NOTHING

    def __bool__(self) -> bool:
        """Whether there are classes."""
        return bool(self.of.size)

    def ids(self, words: Ids) -> Ids:
        """The classes of words, given by id."""
        known = words < self.of.size
        return np.where(known, self.of[np.where(known, words, 0)], OTHER)

    def add_ids(self, words: Ids) -> None:
        """Count the class n-grams of a sentence, if there are classes."""
        if self:
            self.language.add_ids(self.ids(words))

    def remove_ids(self, words: Ids) -> None:
        """Undo `add_ids`."""
        if self:
            self.language.remove_ids(self.ids(words))

    def prune(self, limit: int) -> None:
        """Drop the least useful n-grams if there are more than `limit`."""
        self.language.prune(limit)

    def score(self, words: Ids) -> float:
        """Natural log of the probability of the classes of a sentence, its end included; 0 if there are none."""
        return self.language.score_ids(self.ids(words)) if self else 0.0

    def train(self, language: LanguageModel, classes: int | None = None) -> None:
        """Find classes for the words of a compacted language model and count their n-grams: all that it has counted.

        What this model held before is replaced.
        """
        self._clear()
        words = len(language.vocabulary) - len(SPECIAL)
        classes = min(CLASSES, words // WORDS_PER_CLASS) if classes is None else classes
        if classes < 2 or language.order < 2 or len(language) > MOST_GRAMS:
            return
        self.of = find_classes(language, classes)
        merge_renamed(self.language, language, self.of)
        self.language.compact()

    def arrays(self) -> ArrayTree:
        """Everything needed to restore this model, except its base; nothing if there are no classes."""
        tree = ArrayTree()
        if self:
            tree.put("language", self.language.arrays())
            if self.base is None:
                tree["of"] = self.of
        return tree

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Return to the state with these `arrays()`."""
        self._clear()
        tree = ArrayTree(arrays)
        if tree:
            self.of = tree.get("of", self.of)
            self.language.restore(tree.under("language"))


def find_classes(language: LanguageModel, classes: int) -> Ids:
    """[words] the class of each word of a language model without a base, as an id from OTHER on.

    Its neighbours decide: each word moves to where the text is likeliest (`classes_kernels.exchange`), frequent words
    first. What counts is how many different words are seen before a bigram, as in Kneser-Ney.
    """
    singles, pairs = islice(list_grams(language), 2)
    of = np.full(len(language.vocabulary), OTHER)
    of[[START, END]] = START, END
    ranked = singles.words[np.lexsort((singles.words, -singles.counts))]
    ranked = ranked[ranked >= len(SPECIAL)][:MOST_WORDS]
    places = np.full(of.size, ranked.size + len(SPECIAL))  # among contexts; rare words share the last
    places[: len(SPECIAL)] = ranked.size + np.arange(len(SPECIAL))
    places[ranked] = np.arange(ranked.size)
    word_of = np.zeros(int(singles.ids.max()) + 1, np.int64)
    word_of[singles.ids] = singles.words
    before, after = places[word_of[pairs.histories]], places[pairs.words]
    found = np.arange(ranked.size) % classes
    _exchange(before, after, pairs.counts, found, classes)
    of[ranked] = FIRST + found
    return of


def _exchange(before: Ids, after: Ids, counts: Ids, found: Ids, classes: int) -> None:
    """Improve classes [words], given bigrams; words and contexts are places, those of words come first."""
    contexts = int(max(before.max(), after.max())) + 1
    word, context = np.concatenate([before, after]), np.concatenate([after, before + contexts])
    times = np.concatenate([counts, counts])
    order = np.flatnonzero((word < found.size) & (times > 0))
    order = order[np.lexsort((context[order], word[order]))]
    word, context, times = word[order], context[order], times[order]
    begin = np.searchsorted(word, np.arange(found.size + 1))
    table, total = np.zeros((2 * contexts, classes), np.int32), np.zeros(classes, np.int64)
    np.add.at(table, (context, found[word]), times.astype(np.int32))
    np.add.at(total, found[word], times)
    small = np.arange(1 << 14)
    logarithms, gains = small * np.log(np.maximum(small, 1)), np.empty(classes)
    for _ in range(ROUNDS):
        moved = kernels.exchange(begin, context, times, found, table, total, logarithms, gains)
        if moved < SETTLED * found.size:
            break


@exercise
def _exercise() -> None:
    language = LanguageModel(2, smoothing="modified")
    language.add(["a", "b"])
    find_classes(language, 2)
