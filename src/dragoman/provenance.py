"""Where the phrases of a translation come from: which corrections have them, and how often the base has seen them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

import numpy as np

from dragoman.models.modelset import Contribution, Ids
from dragoman.state import State, contribution
from dragoman.store import Journal
from dragoman.types import Phrase, Translation

LIMIT = 10  # corrections named for each phrase
LOOKED_INTO = 200  # corrections read from the journal at most, for each phrase


@dataclass(frozen=True)
class Origin:
    """Who taught a phrase of a translation."""

    phrase: Phrase
    learned: int = 0  # how often the corrections in force have it
    base: int = 0  # how often the base has seen it
    corrections: tuple[int, ...] = ()  # ids of those that have it, the newest first; the newest few if there are many


def trace(translation: Translation, state: State, journal: Journal, limit: int = LIMIT) -> list[Origin]:
    """The origin of each phrase of a translation, among the corrections that are in force now."""
    if translation.memory is not None:
        return [Origin(phrase, learned=1, corrections=(translation.memory,)) for phrase in translation.phrases]
    read = cache(lambda number: contribution(journal.get(number)))
    return [_trace_phrase(phrase, state, read, limit) for phrase in translation.phrases]


def _trace_phrase(phrase: Phrase, state: State, read: Callable[[int], Contribution], limit: int) -> Origin:
    if phrase.kind != "phrase":
        return Origin(phrase)
    models, beneath = state.knowledge.models, state.knowledge.base
    ids = models.source.ids(phrase.source_words), models.target.ids(phrase.target_words)
    base = beneath.models.phrases.count(*ids) if beneath else 0
    learned = models.phrases.count(*ids) - base
    if learned < 1:
        return Origin(phrase, base=base)
    candidates = islice(state.memory.containing(phrase.source_words, phrase.target_words), LOOKED_INTO)
    found = (number for number in candidates if has_pair(read(number), *ids))
    return Origin(phrase, learned, base, tuple(islice(found, min(limit, learned))))


def has_pair(sample: Contribution, source: Ids, target: Ids) -> bool:
    """Whether a phrase pair was extracted from a sample: its words are there, aligned to each other and to no others.

    >>> from dragoman.models.modelset import ModelSet
    >>> models = ModelSet()
    >>> sample = models.add(["a", "b"], ["c", "d"])
    >>> has_pair(sample, models.source.ids(["a", "b"]), models.target.ids(["c", "d"]))
    True
    >>> has_pair(sample, models.source.ids(["b", "a"]), models.target.ids(["c", "d"]))
    False
    """
    j, i = sample.links.T
    for s, t in product(_places(sample.source, source), _places(sample.target, target)):
        in_source, in_target = (j >= s) & (j < s + source.size), (i >= t) & (i < t + target.size)
        if (in_source & in_target).any() and not (in_source ^ in_target).any():
            return True
    return False


def _places(words: Ids, phrase: Ids) -> Iterator[int]:
    """Where a phrase begins in a sequence of words."""
    for start in np.flatnonzero(words[: words.size - phrase.size + 1] == phrase[0]).tolist():
        if np.array_equal(words[start : start + phrase.size], phrase):
            yield start
