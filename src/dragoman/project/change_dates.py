"""When corrections last made a change of another engine's answer, for people who want to see what speaks for it.

1. `find_dates` lists the changes whose date is wanted, and the corrections in force. It needs the engine's lock.
2. `UndatedChanges.trace` reads from the journal those corrections that may have made them. It needs no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import islice

from dragoman.concurrency import checkpoint
from dragoman.models.evidence import find_changes
from dragoman.project.correction_record import CorrectionRecord, records_of
from dragoman.project.memory import fold
from dragoman.project.state import State
from dragoman.records import ProposedChange, Translation
from dragoman.store import Row
from dragoman.text.vocabulary import Vocabulary
from dragoman.upstream.changes import Words, folded

MAX_DATED = 20  # changes of a translation
MAX_READ = 200  # corrections read from the journal for each of them

Found = dict[tuple[Words, Words], datetime]  # what was said, and what stands instead


@dataclass(frozen=True)
class UndatedChanges:
    """Changes of another engine's answer, and the corrections that may have made them."""

    translation: Translation
    pieces: dict[ProposedChange, tuple[Words, Words]]  # that were made before: what was said, and what stands instead
    texts: list[tuple[int, str]]  # id and target of the corrections in force, newest first
    vocabulary: Vocabulary  # of the target language

    def trace(self, find: Callable[[int], Row]) -> Translation:
        """The translation with the dates of its changes; `find` reads a row of the journal."""
        read = cache(lambda number: self._changes_in(find(number)))
        known = {each: self._last(*words, read) for each, words in self.pieces.items()}
        dated = (each._replace(last=known.get(each)) for each in self.translation.changes)
        return replace(self.translation, changes=tuple(dated))

    def _last(self, theirs: Words, instead: Words, read: Callable[[int], Found]) -> datetime | None:
        checkpoint()
        candidates = islice(self._with(instead), MAX_READ)
        return next((when for number in candidates if (when := read(number).get((theirs, instead)))), None)

    def _with(self, words: Words) -> Iterator[int]:
        """Ids of the corrections that have all these words."""
        return (number for number, text in self.texts if all(fold(word) in text for word in words))

    def _changes_in(self, row: Row) -> Found:
        return {
            change: when for record in records_of(row) for change, when in self._changes_of(record, row.time).items()
        }

    def _changes_of(self, record: CorrectionRecord, when: datetime) -> Found:
        if record.answer is None:
            return {}
        both = record.answer.contribution, record.contribution
        answer, target = (self.vocabulary.words(each.target.tolist()) for each in both)
        made = find_changes(answer, target)
        return {(folded(answer[each.begin : each.stop]), folded(each.words)): when for each in made}


def find_dates(translation: Translation, state: State) -> UndatedChanges:
    """List the changes of a translation that corrections have made before, those in use first."""
    target = state.knowledge.target
    made = sorted((each for each in translation.changes if each.times), key=lambda each: not each.used)[:MAX_DATED]
    pieces = {each: (folded(target.read(each.said).words), folded(each.words)) for each in made}
    texts = [(number, fold(text)) for number, _, text in state.memory.texts()] if pieces else []
    return UndatedChanges(translation, pieces, texts, state.knowledge.models.target)
