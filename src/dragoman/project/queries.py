"""What can be looked up in an open project without translating anything: its memory, its journal, its models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, NoReturn, Self

import numpy as np

from dragoman.errors import BadInputError, UnlearnableError
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.project.change_dates import find_dates
from dragoman.project.correction_record import answer_in
from dragoman.project.glossary import FoundRule
from dragoman.project.memory import LEAST_SIMILARITY, MOST_MATCHES
from dragoman.project.open_project import OpenProject, Role
from dragoman.project.places import Places
from dragoman.project.provenance import Origin, find_origins
from dragoman.records import Alignment, Check, Match, Term, Translation
from dragoman.search.decoder import Estimates
from dragoman.store import Delivered, Row
from dragoman.text.tokens import Mode, check_one_text
from dragoman.text.vocabulary import UNKNOWN

LEAST_LINK = 0.05  # probability of a link from which on it is told
SHARPER = 8  # the power that tells the better from the slightly worse, after a few corrections as after many
MOST_LINKS = 1_000  # words of one side times words of the other that are looked at one by one


class Models(NamedTuple):
    """Everything that translations are made with, at a certain revision."""

    knowledge: Knowledge
    weights: Weights
    estimates: Estimates
    revision: int


class Queries:
    """What can be asked of an open project; `Engine` adds translating and learning."""

    def __init__(self, opened: OpenProject) -> None:
        self.opened = opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled, and to be copied: only one may write a project, and models are shared by the disk."""
        remedy = "open the project there: Engine.open(path, write=False)"
        raise BadInputError("an engine cannot be pickled or copied", where=self.path, remedy=remedy)

    def close(self) -> None:
        """Save a snapshot and release the project."""
        self.opened.close()

    # ── The project ──────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def path(self) -> Path:
        """The directory of the project."""
        return self.opened.path

    @property
    def source(self) -> str:
        """The source language code."""
        return self.opened.source

    @property
    def target(self) -> str:
        """The target language code."""
        return self.opened.target

    @property
    def tokens(self) -> Mode:
        """How texts are split: "text" for ordinary text, "words" for tokens separated by spaces."""
        return self.opened.tokens

    @property
    def preset(self) -> str:
        """The name of the feature set that scores translations."""
        return self.opened.preset

    @property
    def warnings(self) -> list[str]:
        """For people: snapshots that could not be used or saved."""
        return self.opened.warnings

    @property
    def revision(self) -> int:
        """The last row of the journal known here; later translations are at least this recent."""
        return self.opened.revision

    @property
    def role(self) -> Role:
        """Whether this process writes the journal, follows it to take over, follows it, or has only read it."""
        return self.opened.role

    @property
    def rows_behind(self) -> int:
        """The number of rows of the journal not known here yet."""
        return self.opened.rows_behind

    @property
    def seconds_behind(self) -> float:
        """How long ago a replica was last known to be up to date; 0 for a writer."""
        return self.opened.seconds_behind

    @property
    def problem(self) -> str | None:
        """Why a replica cannot follow the journal, or a writer cannot write it; None if nothing is wrong."""
        return self.opened.problem

    def wait_for(self, revision: int, timeout: float = 5.0) -> None:
        """Wait until at least this revision is known here; `BehindError` after `timeout` seconds."""
        self.opened.wait_for(revision, timeout)

    def refresh(self) -> None:
        """Fold the rows that another process has appended; replicas do this automatically."""
        self.opened.refresh()

    def promote(self) -> None:
        """Become the writer; refused while there is one. All earlier rows are known when this returns."""
        self.opened.promote()

    def confirm(self) -> None:
        """Check now, rather than at the next correction, whether another process has taken over from this writer."""
        self.opened.confirm()

    def check_writable(self) -> None:
        """Raise an error unless this process is the writer; it names the writer."""
        self.opened.check_writable()

    def save_snapshot(self) -> None:
        """Save the state, so that opening need not replay the corrections so far."""
        self.opened.save_snapshot()

    # ── Memory, glossary, models ─────────────────────────────────────────────────────────────────────────────────────

    def matches(
        self, text: str, *, least: float = LEAST_SIMILARITY, limit: int = MOST_MATCHES, codes: bool = True
    ) -> list[Match]:
        """The newest correction of each source that is at least `least` percent similar to a text, best first.

        Inline codes do not count as differences. Targets have the codes of the text, as far as they belong together;
        with `codes` false, they have their own.
        """
        check_one_text(text)
        with self.opened.reading() as state:
            return state.memory.similar(text, least, limit, codes=codes)

    def same_words(self, text: str) -> Match | None:
        """The correction of a text that differs in its codes only; its target has the codes of the text."""
        check_one_text(text)
        with self.opened.reading() as state:
            return state.memory.same_words(text)

    def memory_texts(self) -> list[tuple[int, str, str]]:
        """Id, source and target of all corrections in force, newest first."""
        with self.opened.reading() as state:
            return state.memory.texts()

    def exact_match(self, text: str) -> Match | None:
        """The newest correction of exactly this text."""
        check_one_text(text)
        with self.opened.reading() as state:
            return state.memory.exact(text)

    def align(self, source: str, target: str) -> Alignment:
        """Which tokens of a text and its translation belong together, as far as the models know."""
        with self.opened.reading() as state:
            knowledge = state.knowledge
            one, other = knowledge.source.read(source), knowledge.target.read(target)
            try:
                pair = knowledge.read_pair(source, target)
            except UnlearnableError:  # no words on one side, or too many to align
                return Alignment(one, other, [])
            models = knowledge.models
            links = models.align(models.source.ids(pair.source_words), models.target.ids(pair.target_words))
        return Alignment(one, other, [(int(j), int(i)) for j, i in links])

    def link_weights(self, source: str, target: str) -> list[tuple[int, int, float]]:
        """How likely tokens of a text and its translation belong together, for words that the models know."""
        with self.opened.reading() as state:
            knowledge = state.knowledge
            try:
                pair = knowledge.read_pair(source, target)
            except UnlearnableError:
                return []
            models, ours, theirs = knowledge.models, pair.source_words, pair.target_words
            known = (models.source.ids(ours) != UNKNOWN)[:, None] & (models.target.ids(theirs) != UNKNOWN)[None, :]
            if known.size <= MOST_LINKS:
                inverse = np.array([[models.inverse.lexical(one, other) for other in theirs] for one in ours])
                direct = np.array([[models.direct.lexical(other, one) for other in theirs] for one in ours])
            else:  # positions count too, but it is quick
                inverse = models.inverse.expectations(ours, theirs)[:, 1:]
                direct = models.direct.expectations(theirs, ours)[:, 1:].T
        both = np.sqrt(inverse * direct) * known
        # What counts is how much better two words go together than each goes with others.
        best = np.sqrt(both.max(axis=0, keepdims=True) * both.max(axis=1, keepdims=True))
        both = np.divide(both, best, out=np.zeros_like(both), where=best > 0) ** SHARPER
        return [(int(s), int(t), float(both[s, t])) for s, t in zip(*np.nonzero(both > LEAST_LINK), strict=True)]

    def check(self, source: str, target: str) -> Check:
        """Whether a pair of texts can be learned, and whether the guard would flag it."""
        with self.opened.reading() as state:
            try:
                pair = state.knowledge.read_pair(source, target)
            except UnlearnableError as error:
                return Check(error.what, None)
            return Check(None, state.guard.check(pair.source, pair.target, self.target, self.tokens))

    def is_target_word(self, word: str) -> bool:
        """Whether a word occurs in translations that were learned, or in those of the base."""
        with self.opened.reading() as state:
            return word in state.knowledge.models.target

    def find_terms(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[Term]:
        """The terms of the glossary in a sentence, from left to right, the longest at each position."""
        with self.opened.reading() as state:
            return state.glossary.find(words, placeable)

    def find_rules(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[FoundRule]:
        """The rules for the terms in a sentence."""
        with self.opened.reading() as state:
            return state.term_rules.find(words, placeable)

    # ── The journal ──────────────────────────────────────────────────────────────────────────────────────────────────

    def correction(self, number: int) -> Row:
        """The row of a correction, whether learned, flagged or forgotten."""
        self.opened.check_open()
        row = self.opened.store.reader.get(number)
        if row.source is None:
            what = f"row {number} is a {row.kind} row, not a correction"
            raise BadInputError(what, remedy="see the ids in the history")
        return row

    def answer_to(self, number: int) -> str | None:
        """What another engine had answered for the source of a correction, if it was learned together with that."""
        answer = answer_in(self.correction(number))
        return answer.text if answer else None

    def corrections(self) -> Iterator[Row]:
        """The corrections in force, oldest first."""
        return (row for row in self.changes() if row.kind == "learn" and not row.forgotten)

    def delivered(self, message: str | None) -> int | None:
        """The id of the correction that a message brought, whether learned or flagged; None if it is not known."""
        return self.opened.delivered(message)

    def delivered_from(self, place: str) -> list[Delivered]:
        """The corrections made in a place, such as a string in another program, the oldest first."""
        from dragoman.store.journal_tables import find_delivered

        with self.opened.store.journal.reading() as connection:
            return find_delivered(connection, place)

    @property
    def places(self) -> Places:
        """The places that have corrections, such as files that are followed."""
        return Places(self.opened)

    def place_of(self, number: int) -> str | None:
        """The place in which a correction was made, if it was recorded."""
        from dragoman.store.journal_tables import find_place

        with self.opened.store.journal.reading() as connection:
            return find_place(connection, number)

    def date_changes(self, translation: Translation) -> Translation:
        """A translation whose changes of another engine's answer tell when a correction last made them."""
        if translation.lines:
            return replace(translation, lines=tuple(map(self.date_changes, translation.lines)))
        with self.opened.reading() as state:
            found = find_dates(translation, state)
        return found.trace(self.opened.store.reader.get)  # reads from the disk

    def provenance(self, translation: Translation) -> list[Origin]:
        """Where each phrase of a translation comes from: the ids of corrections, or the base."""
        with self.opened.reading() as state:
            found = find_origins(translation, state)
        return found.trace(self.opened.store.reader.get)  # reads from the disk

    @property
    def correction_count(self) -> int:
        """The number of corrections in force, according to the journal."""
        self.opened.check_open()
        return self.opened.store.journal.count

    def changes(self, after: int = 0) -> Iterator[Row]:
        """All rows of the journal after a revision, in order."""
        self.opened.check_open()
        return self.opened.store.reader.rows(after=after)

    def history(self, limit: int = 50, *, search: str | None = None, in_force: bool = False) -> list[Row]:
        """The newest corrections, whether learned, flagged or forgotten.

        `search` keeps those with this text in source or target; `in_force` leaves out flagged and forgotten ones.
        """
        self.opened.check_open()
        found = self.opened.store.journal.history(limit, search=search, in_force=in_force)
        return [replace(row, contribution=None) for row in found]

    def statistics(self) -> dict[str, int]:
        """Sizes of what this project has learned, and of its base."""
        with self.opened.reading() as state:
            base = state.knowledge.base
            below = {} if base is None else base.models.statistics()
            sizes = {f"base: {name}": value for name, value in below.items() if not name.startswith("dropped")}
            return {"corrections": len(state.memory)} | state.knowledge.models.statistics() | sizes

    @contextmanager
    def models(self) -> Iterator[Models]:
        """The models and weights in use, read-only, for a `with` block during which nothing is learned.

        Another thread that learns waits until the block ends, so do not wait for one inside of it.
        """
        with self.opened.reading() as state:
            yield Models(state.knowledge, state.weights_in_use, state.estimates, state.revision)
