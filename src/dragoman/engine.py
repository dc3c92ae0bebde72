"""The loop: translate, a person corrects, learn. Everything else is in the rooms that this file calls.

    text ─ source side ─ words ─ decoder (models, weights) ─ words ─ target side ─ text     (translate: changes nothing)
    correction ─ guard ─ models, both sides ─ journal on disk ─ acknowledged                 (learn)

>>> import tempfile
>>> directory = tempfile.TemporaryDirectory()
>>> engine = Engine.create(f"{directory.name}/manual", source="en", target="es")
>>> number = engine.learn("Press the green button.", "Pulse el botón verde.")
>>> engine.translate("Press the green button.").text
'Pulse el botón verde.'
>>> engine.forget(number)
>>> engine.close(); directory.cleanup()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Self, get_args

from dragoman.adapt.adaptation import beside
from dragoman.adapt.protocol import Adapter
from dragoman.errors import BadInputError
from dragoman.fetching import fetch
from dragoman.guard import FlaggedError, Guard
from dragoman.interactive import session
from dragoman.interactive.work import Work
from dragoman.languages import same_language
from dragoman.models.knowledge import Knowledge
from dragoman.models.language import Share
from dragoman.models.loglinear import DEFAULT, Weights
from dragoman.models.modelset import checked_language_share, checked_share
from dragoman.opened import OpenProject
from dragoman.progress import Progress, bars
from dragoman.provenance import Origin, trace
from dragoman.search.decoder import Estimates
from dragoman.search.explain import Explanation
from dragoman.state import State, settings_of
from dragoman.store import Project, Row
from dragoman.text.tokens import Mode
from dragoman.translating import adapt, explanation, recall, search, search_behind
from dragoman.types import Sentence, Translation

SNAPSHOT_EVERY = 500  # rows of the journal
ORDER = 5  # of the language model, unless a base has another
LONGEST = 20_000  # words of a text that can be translated: for these the search takes about a gigabyte


class Engine(OpenProject):
    """An open project that translates and learns; `OpenProject` has its state, and tells who may read and change it.

    `memory` says whether `translate` looks among the corrections first; off, translations are the models' own.
    """

    def __init__(self, project: Project, *, write: bool, memory: bool = True) -> None:
        super().__init__(project, write=write, snapshot_every=SNAPSHOT_EVERY)
        self.memory = memory

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        source: str,
        target: str,
        preset: str = DEFAULT,
        tokens: Mode = "text",
        order: int | None = None,
        base: str | Path | None = None,
        journal: str | None = None,
        memory: bool = True,
    ) -> Self:
        """Make a new project in a directory and open it.

        `base` is the directory of a trained base, or of a project that was trained, to stand on, or a URL of a base
        (s3://…, gs://…), which is fetched; `journal` is a URL of PostgreSQL, if the journal is to be kept there.
        `order` is that of the language model: by default that of the base, and 5 without one.
        """
        if tokens not in get_args(Mode):
            raise BadInputError(f"there are no tokens of the kind {tokens!r}", remedy="choose text or words")
        directory = None if base is None else _find_base(fetch(base), source, target)
        Weights(preset)  # refuses an unknown one before anything is made, and so do the next lines
        below = Knowledge.open_base(directory) if directory else None
        own = Knowledge(below, tokens=tokens, order=ORDER if order is None else order).models.language.order
        if order not in (own, None):
            raise BadInputError(f"the base was trained with order={own}", remedy=f"create the project with order={own}")
        settings = {"preset": preset, "tokens": tokens, "order": own}
        project = Project.create(path, settings, source=source, target=target, journal=journal, base=directory)
        return cls(project, write=True, memory=memory)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        write: bool = True,
        memory: bool = True,
        replica: bool = False,
        standby: bool = False,
    ) -> Self:
        """Open a project; only one process at a time may have it open for writing, any number for reading.

        A replica only reads and follows the journal: what the writer learns, it knows a moment later. A standby is a
        replica that becomes the writer as soon as there is none.
        """
        write = write and not (replica or standby)
        engine = cls(Project.open(path, write=write), write=write, memory=memory)
        if replica or standby:
            engine._follow(standby=standby)
        return engine

    # ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────

    def translate(self, text: str, *, n: int = 1, memory: bool | None = None) -> Translation:
        """Translate a text; with n > 1 the n best translations, all different, are in `.nbest`. Changes nothing.

        With memory, the newest correction of the same text comes first, and corrections of similar texts are in
        `.matches`.
        """
        if n < 1:
            raise BadInputError(f"at least 1 translation must be asked for, not {n}")
        with self.reading() as state:
            source = state.knowledge.source.read(text)
            if not len(source):
                return Translation(text, 0.0, dict.fromkeys(state.weights, 0.0), [], source, source)
            self._check_length(source)
            use_memory = self.memory if memory is None else memory
            matches = state.memory.similar(text) if use_memory else []
            ranked = [recall(state, source, matches[0])] if matches and matches[0].similarity == 100 else []
            if len(ranked) < n:
                ranked += search(state, source, n)
        different: dict[str, Translation] = {}
        for each in ranked:
            different.setdefault(each.text, each)
        nbest = list(different.values())[:n] if n > 1 else []
        return replace(ranked[0], nbest=nbest, matches=matches)

    def _check_length(self, source: Sentence) -> None:
        if len(source) > LONGEST:
            remedy = f"translate at most {LONGEST:,} words at once"
            raise BadInputError(f"the text has {len(source):,} words", remedy=remedy)

    def interact(
        self,
        text: str,
        *,
        mode: session.Mode = "auto",
        threshold: float = 0.0,
        memory: bool | None = None,
        guess: bool = True,
        user: str | None = None,
    ) -> session.Session:
        """A session in which a person types the translation of a text and the engine completes it.

        `mode`, `threshold` and `guess` are as in `Session`; `user` is who accepts, as in `learn`.
        """
        with self.reading() as state:
            source = state.knowledge.source.read(text)
            self._check_length(source)
            known = state.memory.exact(text) if (self.memory if memory is None else memory) else None
        work = Work(source, self.reading, search_behind, partial(self.learn, text, user=user))
        target = known.target if known else None
        return session.Session(source, work, mode=mode, threshold=threshold, memory=target, guess=guess)

    def explain(self, text: str) -> Explanation:
        """Why a text is translated the way it is: what was on offer, what was chosen, and what came next."""
        with self.reading() as state:
            source = state.knowledge.source.read(text)
            if not len(source):
                raise BadInputError("there are no words to translate")
            return replace(explanation(state, source), memory=state.memory.exact(text) if self.memory else None)

    def provenance(self, translation: Translation) -> list[Origin]:
        """Where each phrase of a translation comes from: the ids of corrections, or the base."""
        with self.reading() as state:
            return trace(translation, state, self.project.journal)

    # ── Learning ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def learn(
        self,
        source: str,
        target: str,
        *,
        user: str | None = None,
        force: bool = False,
        once: bool = False,
        time: datetime | None = None,
    ) -> int:
        """Learn a correction; when this returns its id, it is safe on disk and in the models.

        One that looks like a mistake is kept in the journal and refused (`FlaggedError`), unless `force` insists.
        `once`: if the newest correction of this source has this very target, its id is returned and nothing is learned.
        `time` is when it was made, if not now.
        """
        with self._writing() as state:
            known = state.memory.exact(source) if once else None
            if known and known.target == target:
                return known.id
            reason = self._examine(state, source, target, user=user, force=force)
            with self._undoing():
                contribution = self._learn(state, source, target)
                number = self.project.journal.append_learn(
                    source, target, contribution=contribution, user=user, reason=reason, time=time
                )
                state.memory.add(number, source, target)
                state.revision = number
        self._save_now_and_then()
        return number

    def forget(self, number: int, *, user: str | None = None) -> None:
        """Take back what a correction has contributed, exactly; the journal keeps both."""
        with self._writing() as state:
            row = self._in_force(number)
            with self._undoing():
                state.revision = self.project.journal.append_forget(number, user=user)
                state.take_back(row)
        self._save_now_and_then()

    def revise(self, number: int, target: str, *, user: str | None = None, force: bool = False) -> int:
        """Replace the target of a correction: `forget` and `learn` as one; returns the new id."""
        with self._writing() as state:
            row = self._in_force(number)
            source = str(row.source)
            reason = self._examine(state, source, target, user=user, force=force, refers_to=number)
            with self._undoing():
                state.take_back(row)
                contribution = self._learn(state, source, target)
                new = self.project.journal.append_revise(
                    number, target, contribution=contribution, user=user, reason=reason
                )
                state.memory.add(new, source, target)
                state.revision = new
        self._save_now_and_then()
        return new

    def _learn(self, state: State, source: str, target: str) -> bytes:
        """Adapt weights by what would have been translated, then let the models learn; what the journal has of both."""
        adapted = adapt(state, source, target)
        contribution = state.knowledge.learn(source, target).to_bytes()
        state.after_learning()
        return beside(contribution, adapted)

    def _examine(
        self,
        state: State,
        source: str,
        target: str,
        *,
        user: str | None,
        force: bool,
        refers_to: int | None = None,
    ) -> str | None:
        """Refuse what cannot be learned, flag what looks wrong; what was insisted upon goes on with the reason."""
        pair = state.knowledge.read_pair(source, target)
        reason = state.guard.check(*pair, self.project.target)
        if reason and not force:
            with self._undoing():
                number = self.project.journal.append_flagged(
                    source, target, reason=reason, refers_to=refers_to, user=user
                )
                state.revision = number
            raise FlaggedError(reason, number)
        return reason

    def _in_force(self, number: int) -> Row:
        row = self.project.journal.get(number)
        if row.source is None or row.forgotten:
            raise BadInputError(f"{number} is not a correction in force", remedy="see the ids in the history")
        return row

    def train(self, pairs: Iterable[tuple[str, str]], *, progress: bool | Progress | None = None) -> int:
        """Train a base from pairs of texts; only before the first correction. Returns how many pairs it has learned.

        With progress = True bars are shown on standard error; a function is told what is being done, how much, of how
        much.
        """
        self.check_writable()
        self._check_untaught()
        settings = self.project.settings
        base = Knowledge(tokens=settings["tokens"], order=settings["order"])
        with bars() if progress is True else nullcontext(progress or None) as report:
            learned = base.train(pairs, progress=report)
        with self._writing():
            self._check_untaught()
            base.save(self.project.own_base)
            with self._undoing():
                self.project.set_base(self.project.own_base)
                self._restore()
        return learned

    def _check_untaught(self) -> None:
        if self.project.find_base() or self.project.journal.history(limit=1):
            remedy = "create a new project and train it first"
            raise BadInputError("this project has learned already", where=self.project.path, remedy=remedy)

    # ── Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def weights(self) -> dict[str, float]:
        """The weights of the log-linear model by name; assign to set them, all or some."""
        with self.reading() as state:
            return dict(state.weights_in_use)

    @weights.setter
    def weights(self, values: Mapping[str, float]) -> None:
        with self._writing() as state:
            self._change(state, settings_of(Weights(state.weights.preset, {**state.weights_in_use, **values})))

    @property
    def adapter(self) -> Adapter | None:
        """How weights are adapted to corrections (`dragoman.adapt`); assign to begin anew, None to stop.

        Without one the weights are again those that were set.
        """
        with self.reading() as state:
            return state.adaptation.adapter if state.adaptation else None

    @adapter.setter
    def adapter(self, adapter: Adapter | None) -> None:
        if not isinstance(adapter, Adapter | None):
            raise BadInputError(f"{adapter!r} is no adapter", remedy="take one of dragoman.adapt, or None")
        with self._writing() as state:
            self._change(state, {"adapter": adapter.settings() if adapter else None})

    @property
    def share(self) -> float | None:
        """The weight of what this project has learned against its base in the translation models ([O] §5).

        None for the sum of all counts.
        """
        with self.reading() as state:
            return state.knowledge.models.share

    @share.setter
    def share(self, share: float | None) -> None:
        with self._writing() as state:
            self._change(state, {"share": checked_share(share)})

    @property
    def language_share(self) -> Share:
        """The same for the language model; "auto", the default: summed unless the base is of another domain."""
        with self.reading() as state:
            return state.knowledge.models.language_share

    @language_share.setter
    def language_share(self, share: Share) -> None:
        with self._writing() as state:
            self._change(state, {"language_share": checked_language_share(share)})

    @property
    def estimates(self) -> Estimates:
        """β and δ, which features of phrase pairs depend on besides the counts; assign to change them."""
        with self.reading() as state:
            return state.estimates

    @estimates.setter
    def estimates(self, estimates: Estimates) -> None:
        with self._writing() as state:
            self._change(state, {"estimates": asdict(estimates)})

    @property
    def glossary(self) -> dict[str, str]:
        """Terms and their translations, which the search has to use; assign to set them."""
        with self.reading() as state:
            return dict(state.glossary.terms)

    @glossary.setter
    def glossary(self, terms: Mapping[str, str]) -> None:
        self._change_glossary(lambda known: {**dict.fromkeys(known), **terms})

    def set_term(self, source: str, target: str) -> None:
        """Settle the translation of a term."""
        self._change_glossary(lambda _: {source: target})

    def remove_term(self, source: str) -> None:
        """Take a term out of the glossary."""
        if source not in self.glossary:
            raise BadInputError(f"{source!r} is not in the glossary", remedy="see what is in engine.glossary")
        self._change_glossary(lambda _: {source: None})

    def _change_glossary(self, changes: Callable[[Mapping[str, str]], dict[str, str | None]]) -> None:
        """Put changes in force that depend on the terms so far: translations, or None to take a term out."""
        with self._writing() as state:
            wanted = changes(state.glossary.terms)
            state.glossary.changed(wanted)  # refuses what is no term, before anything is written down
            self._change(state, {"glossary": wanted})

    @property
    def guard(self) -> Guard:
        """What makes a correction suspicious; assign to set it."""
        with self.reading() as state:
            return state.guard

    @guard.setter
    def guard(self, guard: Guard) -> None:
        with self._writing() as state:
            self._change(state, settings_of(guard))

    def _change(self, state: State, settings: dict[str, Any]) -> None:
        with self._undoing():
            state.revision = self.project.journal.append_settings(settings)
            state.change_settings(settings)

    # ── Looking ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def history(self, limit: int = 50, *, search: str | None = None) -> list[Row]:
        """The newest corrections, learned, flagged or forgotten; those with a text in source or target."""
        self._check_open()
        return self.project.journal.history(limit, search=search)

    def statistics(self) -> dict[str, int]:
        """Sizes of what this project has learned itself, its base not counted."""
        with self.reading() as state:
            return {"corrections": len(state.memory)} | state.knowledge.models.statistics()


def _find_base(path: Path, source: str, target: str) -> Path:
    """The directory of a base, or that of the base of a project of the same languages."""
    if not (path / "project.json").exists():
        return path
    with Project.open(path) as project:
        found, own = project.find_base(), (project.source, project.target)
    if not all(map(same_language, own, (source, target))):
        what = f"translates from {own[0]} to {own[1]}, not from {source} to {target}"
        raise BadInputError(what, where=path, remedy="name a base of these languages")
    if found is None:
        raise BadInputError("this project has no base", where=path, remedy="train it first")
    return found
