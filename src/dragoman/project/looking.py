"""What can be looked up in an open project without translating anything: its memory, its journal, its models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from dragoman.errors import BadInputError, UnlearnableError
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.project.memory import LEAST_SIMILARITY, MOST_MATCHES
from dragoman.project.opened import OpenProject
from dragoman.project.state import said_in
from dragoman.project.term_rules import FoundRule
from dragoman.search.decoder import Estimates
from dragoman.store import Delivered, Row
from dragoman.types import Alignment, Check, Match, Term


class Models(NamedTuple):
    """Everything that translations are made with, at a certain revision."""

    knowledge: Knowledge
    weights: Weights
    estimates: Estimates
    revision: int


class Looking(OpenProject):
    """An open project that can be looked into; `Engine` translates and learns with it."""

    def matches(
        self, text: str, *, least: float = LEAST_SIMILARITY, limit: int = MOST_MATCHES, codes: bool = True
    ) -> list[Match]:
        """The newest correction of each source that is at least `least` percent similar to a text, best first.

        Inline codes do not count as differences. Targets have the codes of the text, as far as they belong together;
        with `codes` false, they have their own.
        """
        with self._reading() as state:
            return state.memory.similar(text, least, limit, codes=codes)

    def same_words(self, text: str) -> Match | None:
        """The correction of a text that differs in its codes only; its target has the codes of the text."""
        with self._reading() as state:
            return state.memory.same_words(text)

    def memory_texts(self) -> list[tuple[int, str, str]]:
        """Id, source and target of all corrections in force, newest first."""
        with self._reading() as state:
            return state.memory.texts()

    def exact_match(self, text: str) -> Match | None:
        """The newest correction of exactly this text."""
        with self._reading() as state:
            return state.memory.exact(text)

    def align(self, source: str, target: str) -> Alignment:
        """Which tokens of a text and its translation belong together, as far as the models know."""
        with self._reading() as state:
            knowledge = state.knowledge
            one, other = knowledge.source.read(source), knowledge.target.read(target)
            try:
                pair = knowledge.read_pair(source, target)
            except UnlearnableError:  # no words on one side, or too many to align
                return Alignment(one, other, [])
            models = knowledge.models
            links = models.align(models.source.ids(pair.source_words), models.target.ids(pair.target_words))
        return Alignment(one, other, [(int(j), int(i)) for j, i in links])

    def check(self, source: str, target: str) -> Check:
        """Whether a pair of texts can be learned, and whether the guard would flag it."""
        with self._reading() as state:
            try:
                pair = state.knowledge.read_pair(source, target)
            except UnlearnableError as error:
                return Check(error.what, None)
            return Check(None, state.guard.check(pair.source, pair.target, self.target))

    def is_target_word(self, word: str) -> bool:
        """Whether a word occurs in translations that were learned, or in those of the base."""
        with self._reading() as state:
            return word in state.knowledge.models.target

    def find_terms(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[Term]:
        """The terms of the glossary in a sentence, from left to right, the longest at each position."""
        with self._reading() as state:
            return state.glossary.find(words, placeable)

    def find_rules(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[FoundRule]:
        """The rules for the terms in a sentence."""
        with self._reading() as state:
            return state.term_rules.find(words, placeable)

    def correction(self, number: int) -> Row:
        """The row of a correction, whether learned, flagged or forgotten."""
        self._check_open()
        row = self._project.reader.get(number)
        if row.source is None:
            what = f"row {number} is a {row.kind} row, not a correction"
            raise BadInputError(what, remedy="see the ids in the history")
        return row

    def heard(self, number: int) -> str | None:
        """What another engine had said of the source of a correction, if it was learned together with that."""
        said = said_in(self.correction(number))
        return said.text if said else None

    def corrections(self) -> Iterator[Row]:
        """The corrections in force, oldest first."""
        return (row for row in self.changes() if row.kind == "learn" and not row.forgotten)

    def delivered(self, message: str | None) -> int | None:
        """The id of the correction that a message brought, whether learned or flagged; None if it is not known."""
        if message is None:
            return None
        from dragoman.store.delivery_tables import find_delivery

        with self._project.journal.reading() as connection:
            return find_delivery(connection, message)

    def delivered_from(self, place: str) -> list[Delivered]:
        """The corrections made in a place, such as a string in another program, the oldest first."""
        from dragoman.store.delivery_tables import find_delivered

        with self._project.journal.reading() as connection:
            return find_delivered(connection, place)

    def place_of(self, number: int) -> str | None:
        """The place in which a correction was made, if it was recorded."""
        from dragoman.store.delivery_tables import find_place

        with self._project.journal.reading() as connection:
            return find_place(connection, number)

    def pairs(self) -> list[tuple[int, str, str]]:
        """Id, source and target of the corrections in force, newest first."""
        with self._reading() as state:
            return state.memory.texts()

    @property
    def correction_count(self) -> int:
        """The number of corrections in force, according to the journal."""
        self._check_open()
        return self._project.journal.count

    def changes(self, after: int = 0) -> Iterator[Row]:
        """All rows of the journal after a revision, in order."""
        self._check_open()
        return self._project.reader.rows(after=after)

    def history(self, limit: int = 50, *, search: str | None = None, in_force: bool = False) -> list[Row]:
        """The newest corrections, whether learned, flagged or forgotten.

        `search` keeps those with this text in source or target; `in_force` leaves out flagged and forgotten ones.
        """
        self._check_open()
        return self._project.journal.history(limit, search=search, in_force=in_force)

    def statistics(self) -> dict[str, int]:
        """Sizes of what this project has learned, without its base."""
        with self._reading() as state:
            return {"corrections": len(state.memory)} | state.knowledge.models.statistics()

    @contextmanager
    def models(self) -> Iterator[Models]:
        """The models and weights in use, read-only, for a `with` block during which nothing is learned."""
        with self._reading() as state:
            yield Models(state.knowledge, state.weights_in_use, state.estimates, state.revision)
