"""The engine: translate, let a person correct, learn. The details are in the packages that this module calls.

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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from html import escape
from itertools import islice
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from dragoman.concurrency import bound, checkpoint
from dragoman.errors import BadInputError
from dragoman.interactive import session
from dragoman.interactive.session_search import Graphs, SessionStarts, carry_over
from dragoman.interactive.translation_graph import USUAL_ARCS, TranslationGraph, find_graph
from dragoman.models.loglinear import DEFAULT
from dragoman.parallel import map_in_order
from dragoman.progress import Progress
from dragoman.project import corrector, project_base, project_copy, settings, translation
from dragoman.project.consultant import Asked, Consultant
from dragoman.project.corrector import NewCorrection
from dragoman.project.glossary import TermRule
from dragoman.project.memory import SAME
from dragoman.project.open_project import OpenProject
from dragoman.project.provenance import changes_of
from dragoman.project.queries import Queries
from dragoman.project.request import Request
from dragoman.project.translator import Translator
from dragoman.records import Translation
from dragoman.remote_base import fetch
from dragoman.search.explain import Explanation, explain
from dragoman.store import Delivery, Project
from dragoman.store.rows import write_time
from dragoman.text.tokens import Mode, check_one_text, checked_texts
from dragoman.upstream.calls import Trial
from dragoman.upstream.contract import Answer, EngineProgress

if TYPE_CHECKING:
    from dragoman.interactive.simulation import Simulation
    from dragoman.tune import TuningReport, Validation
    from dragoman.tune.engine_tuning import SearchOptions

SNAPSHOT_EVERY = 500  # rows of the journal
UPSTREAM_SECONDS = 5.0  # that a translation waits for another engine
LEARNING_SECONDS = 60.0  # that a command waits for an engine that learns
AHEAD = 64  # texts that another engine is asked for at once


class Engine(Queries):
    """Translates and learns in a project; `opened` holds the project's state and controls access to it.

    `memory` says whether `translate` uses earlier corrections of the same text; if not, it uses the models only.
    """

    snapshot_every: ClassVar[int | None] = None  # rows of the journal, if not SNAPSHOT_EVERY

    # Settings of the project, defined in project/settings.py: read the current value, or assign to change it.
    weights = settings.WEIGHTS
    adapter = settings.ADAPTER
    estimates = settings.ESTIMATES
    share = settings.SHARE
    language_share = settings.LANGUAGE_SHARE
    limit = settings.LIMIT
    glossary = settings.GLOSSARY
    term_rules = settings.TERM_RULES
    guard = settings.GUARD
    memory_threshold = settings.MEMORY_THRESHOLD
    guess_unknown = settings.GUESS_UNKNOWN
    weigh_changes = settings.WEIGH_CHANGES
    refused_changes = settings.REFUSED_CHANGES
    newest_first = settings.NEWEST_FIRST
    least_confidence = settings.LEAST_CONFIDENCE
    upstream = settings.UPSTREAM
    trust = settings.TRUST

    def __init__(self, project: Project, *, write: bool, memory: bool = True) -> None:
        super().__init__(OpenProject(project, write=write, snapshot_every=self.snapshot_every or SNAPSHOT_EVERY))
        self.memory = memory
        self._consultant = Consultant(self.opened, UPSTREAM_SECONDS)
        self._translator = Translator(self.opened, self._consultant)

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
        upstream: str | None = None,
        unfinished: bool = False,
    ) -> Self:
        """Create a project in a directory and open it.

        `base` is the directory of a trained base or of a trained project, or the URL of a base (s3://…, gs://…), which
        is downloaded. `journal` is the URL of a PostgreSQL database, to keep the journal there. `order` is the order of
        the language model; the default is that of the base, or 5. An `unfinished` project cannot be opened again before
        it is published (`dragoman.store.unfinished`).
        """
        directory = (
            None if base is None else project_base.find_base(fetch(base, languages=(source, target)), source, target)
        )
        settings = project_base.first_settings(directory, preset, tokens, order)
        languages = {"source": source, "target": target}
        project = Project.create(path, settings, **languages, journal=journal, base=directory, unfinished=unfinished)
        engine = cls(project, write=True, memory=memory)
        if upstream is not None:
            engine.upstream = upstream
        return engine

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

        A replica only reads, and follows the journal: it knows what the writer has learned a moment later. A standby
        is a replica that becomes the writer as soon as there is none.
        """
        write = write and not (replica or standby)
        engine = cls(Project.open(path, write=write), write=write, memory=memory)
        if replica or standby:
            engine.opened.follow(standby=standby)
        return engine

    @classmethod
    def copy(
        cls,
        old: str | Path,
        new: str | Path,
        *,
        base: str | Path | None = None,
        journal: str | None = None,
        progress: Progress | None = None,
    ) -> project_copy.Copied:
        """Create a project that learns again what is in force in an old one; see `project.project_copy`."""
        return project_copy.copy(cls, old, new, base=base, journal=journal, progress=progress)

    def close(self) -> None:
        """Save a snapshot and let other processes write. Acknowledged corrections are safe even without this."""
        self.opened.close()
        self._consultant.close()

    def __repr__(self) -> str:
        """Where the project is, what it translates, and how it is open."""
        how = "closed" if self.opened.is_closed else "writing" if self.role == "writer" else "reading"
        return f"<Engine {str(self.path)!r}: {self.source} to {self.target}, {how}>"

    def _repr_html_(self) -> str:
        about = f"<code>{escape(repr(self))}</code>"
        if self.opened.is_closed:
            return about
        count = self.correction_count
        return f"{about}<br>{count:,} correction{'' if count == 1 else 's'}"

    # ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────

    def translate(
        self, text: str, *, n: int = 1, memory: bool | None = None, upstream: str | Answer | None = None
    ) -> Translation:
        """Translate a text, sentence by sentence, unless there is a correction of the whole text. Changes nothing.

        With n > 1, `.nbest` has the n best translations, all different; of a text of several sentences, the second best
        combines the second best of each, and so on.
        With memory, the newest correction of the same text comes first, or of a similar one if the project is set to
        that (`memory_threshold`), and `.matches` has corrections of similar texts. `upstream` is what another engine
        says of this text, which the caller has asked: then the translation is made from both, and from that alone, to
        the byte, as long as nothing was learned. An `Answer` may have an n-best list. If it repeats itself, is
        far too short or in another language, `.upstream_flaw` says so; if dragoman's own translation is better by
        evidence (`project/doubtful_answer.py`), that is given, and `.upstream` is None.
        """
        check_one_text(text)
        if not isinstance(n, Integral) or n < 1:
            raise BadInputError(f"n must be a whole number, at least 1, not {n!r}")
        return self._translator.translate(text, n, answer=upstream, recalls=self._uses_memory(memory))

    def ask_ahead(self, texts: Sequence[str], *, seconds: float | None = None, around: str = "") -> Asked:
        """Ask the other engine for many texts at once, in batches, before they are translated one by one.

        `around` is text of the same document, for engines that can use it. Each call may take as long as the engine's
        own `seconds`; all of them together no longer than those given here. Texts that are in the translation memory
        are not sent. What comes back says which have no answer, and why; translating them does not wait for the engine
        again.
        """
        wanted = list(checked_texts(texts))
        return self._translator.ask_ahead(wanted, recalls=self.memory, seconds=seconds, around=around)

    def try_upstream(self, text: str | None = None) -> Trial:
        """Ask the other engine a test question, or this text, at once and whatever it said before."""
        with self.opened.reading() as state:
            name = state.upstream
        upstream = self._consultant.upstream(name)
        if upstream is None:
            raise BadInputError("builds on no engine", where=self.path, remedy="name one: engine.upstream = …")
        return upstream.try_out(text)

    @property
    def upstream_problem(self) -> str | None:
        """What went wrong the last time that the other engine was asked, if something did."""
        return self._consultant.problem

    @property
    def upstream_learning(self) -> EngineProgress | None:
        """How far the other engine has come if it learns itself (`ct2:…#learns=yes`), once it is loaded."""
        return self._consultant.learning

    def wait_for_learning(self, seconds: float = LEARNING_SECONDS) -> EngineProgress | None:
        """Wait until the other engine has learned all corrections, if it learns itself, for at most so long."""
        with self.opened.reading() as state:
            name = state.upstream
        if name is not None:
            self._consultant.catch_up(name, seconds)
        return self.upstream_learning

    def translate_text(self, text: str, *, n: int = 1, memory: bool | None = None) -> Translation:
        """The same as `translate`; the name is that of an earlier version."""
        return self.translate(text, n=n, memory=memory)

    def translate_all(
        self, texts: Iterable[str], *, n: int = 1, memory: bool | None = None, threads: int | None = None
    ) -> Iterator[Translation]:
        """Translate many texts on all cores; yields the translations in order, as `translate` would return them.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     with Engine.create(f"{directory}/manual", source="en", target="es") as engine:
        ...         _ = engine.learn("Close the lid.", "Cierre la tapa.")
        ...         [each.text for each in engine.translate_all(["Close the lid.", "the lid"])]
        ['Cierre la tapa.', 'la tapa']
        """
        wanted = self._asked_ahead(checked_texts(texts))
        return map_in_order(bound(partial(self.translate, n=n, memory=memory)), wanted, threads)

    def _asked_ahead(self, texts: Iterable[str]) -> Iterator[str]:
        """The same texts, the other engine asked for as many at once as it may be."""
        remaining = iter(texts)
        while block := list(islice(remaining, AHEAD)):
            self.ask_ahead(block)
            yield from block

    def _uses_memory(self, memory: bool | None) -> bool:
        return self.memory if memory is None else memory

    def interact(
        self,
        text: str,
        *,
        mode: session.Mode = "auto",
        threshold: float = 0.0,
        memory: bool | None = None,
        guess: bool = True,
        user: str | None = None,
        upstream: str | Answer | None = None,
        seconds: float | None = None,
    ) -> session.Session:
        """A session in which a person types the translation of a text and the engine completes it.

        For `mode`, `threshold` and `guess` see `Session`; `user` is the person who accepts, as in `learn`; `upstream`
        another engine's answer for the text, if the caller has asked it; otherwise the engine that the project is set
        to is asked once, for at most so many `seconds` (5 by default), and again, beside the keys, where the person
        goes another way. `.upstream` of the session is its answer, `.silence` why there is none.
        """
        check_one_text(text)
        recalls = self._uses_memory(memory)
        parts = self._translator.parts(text, recalls=recalls) if mode == "auto" and upstream is None else [text]
        starts = SessionStarts(self.opened, self._translator, recalls=recalls, seconds=seconds)
        start = starts.make(text, parts, upstream, is_plain=mode == "auto")
        known, best = start.known, start.best
        return session.Session(
            Graphs(
                self.opened,
                start.request,
                partial(self._continue, text) if start.request.answer else None,
                start.parts,
            ),
            partial(self.learn, text, user=user, upstream=upstream),
            mode=mode,
            threshold=threshold,
            memory=known.target if known else None,
            certainty=known.similarity / SAME if known else 1.0,
            best=best,
            best_confidences=partial(self.confidences, best) if best and best.lines else None,
            upstream=start.answer,
            guess=guess,
        ).open()

    def word_graph(
        self, text: str, *, arcs: int = USUAL_ARCS, upstream: str | Answer | None = None, seconds: float | None = None
    ) -> TranslationGraph:
        """The translations that a session completes from, as a graph of phrases with about so many `arcs` at most.

        It has what the models and another engine say, as in `interact`; what is in the memory is not looked up.
        """
        check_one_text(text)
        starts = SessionStarts(self.opened, self._translator, recalls=False, seconds=seconds)
        parts = self._translator.parts(text, recalls=False) if upstream is None else [text]
        start = starts.make(text, parts, upstream, is_plain=False)
        return find_graph(self.opened, start.request, arcs, start.parts)

    def _continue(self, text: str, prefix: str) -> Answer | None:
        """Ask the other engine for translations that begin with what was typed; takes as long as it takes."""
        with self.opened.reading() as state:
            name = state.upstream
        return self._consultant.continue_from(name, text, prefix) if name else None

    def confidences(self, translation: Translation) -> list[float]:
        """How confident the models are of each token of a translation, from 0 to 1; corrections are certain.

        Corrections of similar texts are as certain as they are similar.
        A token that the models would not have chosen at this position has confidence 0.
        """
        if translation.lines:
            known = {line.text: line for line in translation.lines}
            by_text = {text: self.confidences(line) for text, line in known.items()}
            return [sure for line in translation.lines for sure in by_text[line.text]]
        checkpoint()
        if translation.memory is not None or not len(translation.source):
            similar = [match for match in translation.matches if match.id == translation.memory]
            return [round(similar[0].similarity / SAME, 3) if similar else 1.0] * len(translation.target)
        with self.opened.reading() as state:
            request = Request(state, translation.source, translation.upstream)
        with session.Session(Graphs(self.opened, request), self.learn) as typing:
            suggestion = typing.suggest()
        words, sures = [word.text for word in suggestion.words], [word.confidence for word in suggestion.words]
        return [round(sure, 3) for sure in carry_over(translation.target.words, words, sures)]

    def explain(self, text: str) -> Explanation:
        """Why a text is translated as it is: the options, the choice, and the runners-up."""
        request = self._translator.request(text)
        if not len(request.source):
            raise BadInputError("no words to translate", remedy="give a text with words")
        if request.is_long:
            raise BadInputError("the text is too long to be explained", remedy="give one sentence")
        with self.opened.reading() as state:
            request = request.at(state)
            found = request.search_once()
            known = state.memory.exact(text) if self.memory else None
            kept = request.answer is not None and request.keeps_answer
            made = translation.decided(request, found, found.best)
        answer = request.answer.text if request.answer else None
        changes = tuple(changes_of(made, self.provenance(made))) if answer is not None else ()
        learning = str(progress) if (progress := self.upstream_learning) else None
        told = replace(explain(found), memory=known, upstream=answer, is_kept=kept, learning=learning)
        return replace(told, changes=changes, evidence=self.date_changes(made).changes)

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
        upstream: str | Answer | None = None,
        upstream_name: str | None = None,
        weigh_upstream: bool = True,
        delivery: Delivery | None = None,
    ) -> int:
        """Learn a correction and return its id; it is then safe on disk and in the models.

        A correction that looks wrong is recorded in the journal but not learned (`FlaggedError`), unless you pass
        `force`. With `once`, if the newest correction of this source already has this target, its id is returned and
        nothing is learned. `time` is when the correction was made; the default is now. `upstream` is what another
        engine had said of the source, `upstream_name` which one: what became of it is learned too. How far to trust
        that engine takes a search, unless the text was just translated; `weigh_upstream=False` leaves it out, which
        helps if you learn very many pairs. `delivery` says how the correction got here; what the same message has
        already brought is not learned again.
        """
        write_time(time)  # refuses an invalid one
        check_one_text(source)
        check_one_text(target)
        self.opened.check_writable()
        if upstream is None:
            answer, name = self._translator.find_answer(source)
        else:
            answer, name = self._translator.usable(source, upstream), upstream_name
        correction = NewCorrection(source, target, answer, name, user, force, time, delivery, weigh_upstream, once)
        number = corrector.learn(self.opened, correction)
        self._consultant.hurry()
        return number

    def forget(self, number: int, *, user: str | None = None) -> None:
        """Subtract exactly what a correction has contributed; the journal keeps both rows."""
        corrector.forget(self.opened, number, user=user)
        self._consultant.hurry()

    def revise(
        self,
        number: int,
        target: str,
        *,
        user: str | None = None,
        force: bool = False,
        delivery: Delivery | None = None,
    ) -> int:
        """Replace the target of a correction: `forget` and `learn` in one step; returns the new id."""
        self.opened.check_writable()
        new = corrector.revise(self.opened, number, target, user=user, force=force, delivery=delivery)
        self._consultant.hurry()
        return new

    def train(self, pairs: Iterable[tuple[str, str]], *, progress: bool | Progress | None = None) -> int:
        """Train a base from pairs of texts, before the first correction. Returns the number of pairs learned.

        progress=True shows progress bars on standard error; a function is called with what is being done, how much is
        done, and the total.
        """
        return project_base.train(self.opened, pairs, progress=progress)

    def tune(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        method: str = "mira",
        measure: str = "bleu",
        folds: int = 2,
        keep: bool = True,
        progress: bool | Progress | None = None,
        **options: Unpack[SearchOptions],
    ) -> TuningReport | Validation:
        """Tune the weights on a development set, and keep them if text that was held out gains.

        `method` is mert, mira, pro, simplex or powell, `measure` bleu, ter or wer; `folds` is the number of parts that
        are held out in turn, 1 holds out nothing. With `keep` false the project keeps its weights. `progress` is as in
        `train`. Other options are `nbest`, the length of the lists, the most `rounds`, `seed` and `threads`.
        """
        from dragoman.tune.engine_tuning import tune_engine

        chosen: dict[str, Any] = {"method": method, "measure": measure, "folds": folds, "keep": keep}
        return tune_engine(self, pairs, progress=progress, **chosen, **options)

    def simulate(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        mode: str = "post-edit",
        learn: bool = True,
        memory: bool = False,
        progress: bool | Progress | None = None,
    ) -> Simulation:
        """Simulate a person who translates the sources and ends with the references, which are learned, or not.

        `mode` is post-edit or interactive; with `memory`, earlier corrections of the same text are used as they are.
        `progress` is as in `train`.
        """
        from dragoman.interactive.simulation import simulate

        return simulate(self, pairs, mode=mode, learn=learn, memory=memory, progress=progress)

    # ── Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def settings(self) -> dict[str, Any]:
        """All current settings by name, as JSON values."""
        with self.opened.reading() as state:
            return state.settings

    def change_settings(self, values: Mapping[str, Any]) -> None:
        """Change several settings at once, all of them or none; values are Python objects or JSON values."""
        if not isinstance(values, Mapping):
            raise BadInputError(f"expected settings by name, not {values!r}", remedy='such as {"share": 0.7}')
        with self.opened.writing() as state:
            checked = {name: settings.check_setting(state, name, value) for name, value in values.items()}
            settings.change(self.opened, state, checked)
        self.opened.save_now_and_then()

    def refuse_change(self, said: str, words: str) -> None:
        """Never again put `words` in the place of what another engine `said`: adds to `refused_changes`."""
        with self.opened.writing() as state:
            checked = settings.check_setting(state, "refused_changes", {"add": [[said, words]]})
            settings.change(self.opened, state, {"refused_changes": checked})
        self.opened.save_now_and_then()

    def set_term(self, source: str, target: str) -> None:
        """Add a term to the glossary, or change its translation; `remove_term` removes one."""
        check_one_text(source)
        check_one_text(target)
        self.change_terms({source: target}, {})

    def remove_term(self, source: str) -> None:
        """Remove a term from the glossary."""
        check_one_text(source)
        with self.opened.reading() as state:
            known = source in state.glossary
        if not known:
            raise BadInputError(f"{source!r} is not in the glossary", remedy="engine.glossary lists its terms")
        self.change_terms({source: None}, {})

    def set_rule(self, source: str, rule: TermRule | None) -> None:
        """Set what holds for a term besides its translation, or remove that."""
        check_one_text(source)
        self.change_terms({}, {source: rule})

    def change_terms(
        self, terms: Mapping[str, str | None], rules: Mapping[str, TermRule | Mapping[str, Any] | None]
    ) -> None:
        """Change the translations of terms, and what else holds for them, all at once; None removes a term or rule."""
        with self.opened.writing() as state:
            state.glossary.check(terms)
            checked = {"glossary": dict(terms), "term_rules": state.term_rules.check(rules)}
            settings.change(self.opened, state, {name: changes for name, changes in checked.items() if changes})
        self.opened.save_now_and_then()
