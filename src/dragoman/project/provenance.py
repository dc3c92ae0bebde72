"""Where the phrases of a translation come from: which corrections contain them, and how often the base does.

1. `find_origins` counts each phrase in the models and lists the corrections that may contain it. It needs the engine's
   lock, for milliseconds.
2. `Suspects.trace` reads those corrections from the journal and keeps the ones that really do. It needs no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, product

import numpy as np

from dragoman.concurrency import checkpoint
from dragoman.models.modelset import Contribution
from dragoman.project.correction_record import records_of
from dragoman.project.memory import fold
from dragoman.project.state import State
from dragoman.records import Change, Phrase, Translation
from dragoman.store import Row
from dragoman.tables import Ids

MAX_NAMED = 10  # corrections named for each phrase
MAX_READ = 200  # corrections read from the journal for each phrase
MAX_READ_IN_ALL = 5_000  # and for all phrases of a translation

Text = tuple[int, str, str]  # id, source and target of a correction


@dataclass(frozen=True)
class Origin:
    """Where a phrase of a translation comes from."""

    phrase: Phrase
    learned: int = 0  # how often the corrections in force contain it
    base: int = 0  # how often the base contains it
    corrections: tuple[int, ...] = ()  # ids of the newest corrections that contain it, newest first


@dataclass(frozen=True)
class Suspects:
    """The phrases of a translation with their counts, and the corrections they may come from."""

    found: list[tuple[Origin, tuple[Ids, Ids]]]  # with the word ids of both sides of the phrase
    texts: list[Text]  # corrections in force, newest first

    def trace(self, find: Callable[[int], Row], limit: int = MAX_NAMED) -> list[Origin]:
        """The origin of each phrase, with the corrections that contain it; `find` reads a row of the journal."""
        if not any(origin.learned and not origin.corrections for origin, _ in self.found):
            return [origin for origin, _ in self.found]
        folded = [(number, fold(source), fold(target)) for number, source, target in self.texts]
        read = cache(lambda number: [record.contribution for record in records_of(find(number))])
        reads = iter(range(MAX_READ_IN_ALL))
        found: dict[Phrase, tuple[int, ...]] = {}  # the same phrases come again and again in a long text
        for origin, ids in self.found:
            checkpoint()
            if origin.corrections:  # the memory's own are known
                continue
            same = replace(origin.phrase, source=(0, 0), target=(0, 0))
            if same not in found:
                found[same] = _traced(origin, ids, folded, read, reads, limit)
        return [_named(origin, found) for origin, _ in self.found]


def find_origins(translation: Translation, state: State) -> Suspects:
    """Count the phrases of a translation in the current models."""
    if translation.lines:
        parts = [find_origins(line, state) for line in translation.lines]
        return Suspects([each for part in parts for each in part.found], max((part.texts for part in parts), key=len))
    none = np.zeros(0, np.int64)
    if translation.memory is not None:
        known = (translation.memory,)
        return Suspects([(Origin(each, 1, corrections=known), (none, none)) for each in translation.phrases], [])
    return Suspects([_counted(phrase, state) for phrase in translation.phrases], state.memory.texts())


def changes_of(translation: Translation, origins: Iterable[Origin]) -> Iterator[Change]:
    """Where a translation has other words than another engine's, and the corrections that they come from."""
    for origin in origins:
        phrase = origin.phrase
        if phrase.replaces:
            words = translation.target.cut(*phrase.target)
            yield Change(phrase.replaces, words, origin.corrections, phrase.kind)


def _counted(phrase: Phrase, state: State) -> tuple[Origin, tuple[Ids, Ids]]:
    models, beneath = state.knowledge.models, state.knowledge.base
    ids = models.source.ids(phrase.source_words), models.target.ids(phrase.target_words)
    if phrase.kind != "phrase":
        return Origin(phrase), ids
    base = beneath.models.phrases.count(*ids) if beneath else 0
    return Origin(phrase, max(models.phrases.count(*ids) - base, 0), base), ids


def _named(origin: Origin, found: Mapping[Phrase, tuple[int, ...]]) -> Origin:
    if origin.corrections or not origin.learned:
        return origin
    return replace(origin, corrections=found[replace(origin.phrase, source=(0, 0), target=(0, 0))])


def _traced(
    origin: Origin,
    ids: tuple[Ids, Ids],
    texts: list[Text],
    read: Callable[[int], list[Contribution]],
    reads: Iterator[int],
    limit: int,
) -> tuple[int, ...]:
    """The corrections that contain a phrase, as long as any of the `reads` is left."""
    if not origin.learned:
        return ()
    candidates = islice(_containing(texts, origin.phrase), MAX_READ)
    some = (number for number, _ in zip(candidates, reads, strict=False))
    found = (number for number in some if any(has_pair(each, *ids) for each in read(number)))
    return tuple(islice(found, min(limit, origin.learned)))


def _containing(texts: Iterable[Text], phrase: Phrase) -> Iterator[int]:
    """Ids of the corrections that contain all words of a phrase."""
    source, target = [fold(word) for word in phrase.source_words], [fold(word) for word in phrase.target_words]
    for number, one, other in texts:
        if all(word in one for word in source) and all(word in other for word in target):
            yield number


def has_pair(sample: Contribution, source: Ids, target: Ids) -> bool:
    """Whether a phrase pair was extracted from a sample: its words occur, aligned to each other and to no others.

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
