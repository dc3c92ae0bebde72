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
from contextlib import nullcontext
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self, get_args

from dragoman.adapt.adaptation import Adaptation
from dragoman.cancelling import bound, checkpoint
from dragoman.errors import BadInputError
from dragoman.fetching import fetch
from dragoman.interactive import session
from dragoman.interactive.graphs import Graphs
from dragoman.languages import same_language
from dragoman.models.defaults import CURRENT, defaults_of
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import DEFAULT, Weights
from dragoman.parallel import map_in_order
from dragoman.progress import Progress, bars
from dragoman.project import copying, settings, translating
from dragoman.project.consulting import Consultant, hints_for
from dragoman.project.guard import FlaggedError
from dragoman.project.learning import Comparison, Lesson, compare, learn, prepare
from dragoman.project.looking import Looking
from dragoman.project.memory import SAME
from dragoman.project.multiline import joined, split_lines
from dragoman.project.provenance import Origin, changes_of, find_origins
from dragoman.project.state import State, said_in
from dragoman.project.term_rules import TermRule
from dragoman.search.decoder import Hypothesis, Search
from dragoman.search.explain import Explanation, explain
from dragoman.search.pieces import MAX_UNCUT_WORDS
from dragoman.search.searching import Links
from dragoman.store import Delivery, Project, Row
from dragoman.store.rows import write_time
from dragoman.text.tokens import Mode
from dragoman.types import Sentence, Translation
from dragoman.upstream.checks import refuse
from dragoman.upstream.contract import Answer, as_answer

SNAPSHOT_EVERY = 500  # rows of the journal
ORDER = 5  # of the language model, unless a base has another
UPSTREAM_SECONDS = 5.0  # that a translation waits for another engine
AHEAD = 64  # texts that another engine is asked for at once
MAX_TEXT_WORDS = 20_000  # limit of a text to translate
MAX_SESSION_WORDS = 5_000  # limit of a text whose translation is completed: each key takes milliseconds


class Engine(Looking):
    """An open project that translates and learns; `OpenProject` holds its state and controls access to it.

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
    upstream = settings.UPSTREAM
    trust = settings.TRUST

    def __init__(self, project: Project, *, write: bool, memory: bool = True) -> None:
        super().__init__(project, write=write, snapshot_every=self.snapshot_every or SNAPSHOT_EVERY)
        self.memory = memory
        self._consultant = Consultant(project, UPSTREAM_SECONDS)

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
        if tokens not in get_args(Mode):
            raise BadInputError(f"unknown kind of tokens {tokens!r}", remedy="choose text or words")
        directory = None if base is None else _find_base(fetch(base), source, target)
        Weights(preset)  # refuses an unknown one before anything is created, and so do the next lines
        below = Knowledge.open_base(directory) if directory else None
        own = Knowledge(below, tokens=tokens, order=ORDER if order is None else order).models.language.order
        if order not in (own, None):
            raise BadInputError(f"the base was trained with order={own}", remedy=f"create the project with order={own}")
        settings = {"preset": preset, "tokens": tokens, "order": own, "defaults": CURRENT}
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
            engine._follow(standby=standby)
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
    ) -> copying.Copied:
        """Create a project that learns again what is in force in an old one; see `project.copying`."""
        return copying.copy(cls, old, new, base=base, journal=journal, progress=progress)

    def close(self) -> None:
        """Save a snapshot and let other processes write. Acknowledged corrections are safe even without this."""
        super().close()
        self._consultant.close()

    def __repr__(self) -> str:
        """Where the project is, what it translates, and how it is open."""
        how = "closed" if self._closed else "writing" if self._write else "reading"
        return f"<Engine {str(self.path)!r}: {self.source} to {self.target}, {how}>"

    # ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────

    def translate(
        self, text: str, *, n: int = 1, memory: bool | None = None, upstream: str | Answer | None = None
    ) -> Translation:
        """Translate a segment; with n > 1, `.nbest` has the n best translations, all different. Changes nothing.

        With memory, the newest correction of the same text comes first, or of a similar one if the project is set to
        that (`memory_threshold`), and `.matches` has corrections of similar texts. `upstream` is what another engine
        says of this text, which the caller has asked: then the translation is made from both, and from that alone, to
        the byte, as long as nothing was learned. An `Answer` may have an n-best list. If it is empty, repeats itself or
        is in another language, dragoman's own translation is given, provided that it knows most of the words; then
        `.upstream` is None.
        """
        _check_text(text)
        if n < 1:
            raise BadInputError(f"n must be at least 1, not {n}")
        checkpoint()
        said = self._usable(text, as_answer(upstream))
        if upstream is None:
            said = self._ask(text, needed=n > 1 or not (self._uses_memory(memory) and self.exact_match(text)))
        ahead = self._search_ahead(text, n, memory, said) if len(text) > MAX_UNCUT_WORDS else None
        with self._reading() as state:
            source = self._read(state, text)
            check_list(n, len(source))
            if not len(source):
                return Translation(text, 0.0, dict.fromkeys(state.weights, 0.0), [], source, source)
            matches = state.memory.similar(text) if self._uses_memory(memory) else []
            known = translating.first_match(state, source, matches)
            ranked = [translating.recall(state, source, known)] if known else []
            found = None
            if not ahead and said and translating.is_final(state, source, said):
                ranked.append(translating.repeated(state, source, said.text))
            elif len(ranked) < n:
                found = ahead or translating.search(state, source, said)
            revision, adaptation = state.revision, state.adaptation_of(found is not None and found.upstream is not None)
            if found and translating.is_quick(adaptation, n):
                ranked, found = translating.best(state, source, found, n), None
        if found:
            ranked += self._list(source, found, n, revision, adaptation, said)
        different: dict[str, Translation] = {}
        for each in ranked:
            different.setdefault(each.text, each)
        nbest = list(different.values())[:n] if n > 1 else []
        return replace(ranked[0], nbest=nbest, matches=matches, upstream=said.text if said else None)

    def _search_ahead(self, text: str, n: int, memory: bool | None, said: Answer | None = None) -> Search | None:
        """Search a long text with the lock released now and then, so that others need not wait; otherwise None."""
        with self._reading() as state:
            source = self._read(state, text)
            check_list(n, len(source))
            known = n == 1 and self._uses_memory(memory) and state.memory.exact(text)
            if known or (said and len(source) and translating.is_final(state, source, said)):
                return None
        return translating.search_in_pieces(self._reading, source, upstream=said)

    def _list(
        self,
        source: Sentence,
        found: Search,
        n: int,
        revision: int,
        adaptation: Adaptation | None,
        said: Answer | None,
    ) -> list[Translation]:
        """The n best translations of a search, with the lock released in between so that others need not wait.

        If something is learned meanwhile, the list is made again at once: it always belongs to one revision.
        """
        lists, hypotheses = translating.listed(found, adaptation, n), list[Hypothesis]()
        written, known = list[Translation](), Links()
        while not written or len(written) < len(hypotheses):
            checkpoint()
            with self._reading() as state:
                if state.revision != revision:
                    return translating.best(state, source, translating.search(state, source, said), n)
                if not hypotheses:
                    listed = translating.ranked(adaptation, lists, n)
                    hypotheses = translating.avoiding(state, source, found, listed)
                written.append(translating.written(state, source, found, hypotheses[len(written)], known))
        return written

    def _ask(self, text: str, *, needed: bool = True) -> Answer | None:
        """What the other engine that the project is set to says for a text; nothing if it is silent or too slow."""
        with self._reading() as state:
            name = state.upstream if needed else None
            if name is None:
                return None
            source = self._read(state, text)
            hints, known = hints_for(state, source), translating.knows(state, source)
        return self._consultant.ask(name, text, hints, anything=not known)

    def _usable(self, text: str, said: Answer | None) -> Answer | None:
        """What a caller has heard from another engine, unless it looks wrong and dragoman itself can do better."""
        if said is None or refuse(text, said.text, self.target) is None:
            return said
        with self._reading() as state:
            return None if translating.knows(state, self._read(state, text)) else said

    def ask_ahead(self, texts: Sequence[str]) -> None:
        """Ask the other engine for many texts at once, in batches, before they are translated one by one.

        Texts that are in the translation memory are not sent.
        """
        with self._reading() as state:
            name = state.upstream
            if name is None:
                return
            new = [text for text in dict.fromkeys(texts) if not (self.memory and state.memory.exact(text))]
            hints = [hints_for(state, state.knowledge.source.read(text)) for text in new]
        self._consultant.ask_ahead(name, new, hints)

    @property
    def upstream_problem(self) -> str | None:
        """What went wrong the last time that the other engine was asked, if something did."""
        return self._consultant.problem

    def translate_text(self, text: str, *, n: int = 1, memory: bool | None = None) -> Translation:
        """Translate a text of several lines, line by line, unless there is a correction of the whole text.

        `.nbest` has whole texts: the second best combines the second best of each line, and so on.
        """
        _check_text(text)
        lines = split_lines(text)
        if len(lines) == 1 or (self._uses_memory(memory) and self.exact_match(text)):
            return self.translate(text, n=n, memory=memory)
        if n > 1:
            with self._reading() as state:
                check_list(n, len(self._read(state, text)))
        self.ask_ahead(lines)
        found = joined([self.translate(line, n=n, memory=memory) for line in lines])
        return replace(found, matches=self.matches(text) if self._uses_memory(memory) else [])

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
        if isinstance(texts, str):
            raise BadInputError("translate_all takes many texts, not one", remedy="call translate(text) for one")
        return map_in_order(bound(partial(self.translate, n=n, memory=memory)), self._asked_ahead(texts), threads)

    def _asked_ahead(self, texts: Iterable[str]) -> Iterator[str]:
        """The same texts, the other engine asked for as many at once as it may be."""
        remaining = iter(texts)
        while block := list(islice(remaining, AHEAD)):
            self.ask_ahead(block)
            yield from block

    def _read(self, state: State, text: str) -> Sentence:
        """The tokens of a text to translate; refused if there are too many."""
        source = state.knowledge.source.read(text)
        if len(source) > MAX_TEXT_WORDS:
            remedy = f"translate at most {MAX_TEXT_WORDS:,} words at once"
            raise BadInputError(f"the text has {len(source):,} words", remedy=remedy)
        return source

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
    ) -> session.Session:
        """A session in which a person types the translation of a text and the engine completes it.

        For `mode`, `threshold` and `guess` see `Session`; `user` is the person who accepts, as in `learn`; `upstream`
        what another engine says for the text, if the caller has asked it; otherwise the engine that the project is set
        to is asked once, and again, beside the keys, where the person goes another way.
        """
        _check_text(text)
        said = self._ask(text) if upstream is None else as_answer(upstream)
        with self._reading() as state:
            source = self._read(state, text)
            known = translating.find_first(state, source) if self._uses_memory(memory) else None
        if len(source) > MAX_SESSION_WORDS:
            remedy = f"open sessions for texts of at most {MAX_SESSION_WORDS:,} words"
            raise BadInputError(
                f"the text has {len(source):,} words, too many to complete its translation", remedy=remedy
            )
        typing = session.Session(
            Graphs(self, source, said, partial(self._continue, text) if said else None),
            partial(self.learn, text, user=user, upstream=upstream),
            mode=mode,
            threshold=threshold,
            memory=known.target if known else None,
            certainty=known.similarity / SAME if known else 1.0,
            guess=guess,
        )
        return typing.open()

    def _continue(self, text: str, prefix: str) -> Answer | None:
        """Ask the other engine for translations that begin with what was typed; takes as long as it takes."""
        with self._reading() as state:
            name = state.upstream
        return self._consultant.continue_from(name, text, prefix) if name else None

    def confidences(self, translation: Translation) -> list[float]:
        """How confident the models are of each token of a translation, from 0 to 1; corrections are certain.

        Corrections of similar texts are as certain as they are similar.
        A token that the models would not have chosen at this position has confidence 0.
        """
        if translation.lines:
            return [sure for line in translation.lines for sure in self.confidences(line)]
        checkpoint()
        if translation.memory is not None or not len(translation.source):
            similar = [match for match in translation.matches if match.id == translation.memory]
            return [round(similar[0].similarity / SAME, 3) if similar else 1.0] * len(translation.target)
        with session.Session(Graphs(self, translation.source, as_answer(translation.upstream)), self.learn) as typing:
            suggestion = typing.suggest()
        sure = {(word.begin, word.text): word.confidence for word in suggestion.words}
        places = zip(translation.target.spans, translation.target.words, strict=True)
        return [round(sure.get((begin, word), 0.0), 3) for (begin, _), word in places]

    def explain(self, text: str) -> Explanation:
        """Why a text is translated as it is: the options, the choice, and the runners-up."""
        said = self._ask(text)
        ahead = self._search_ahead(text, 1, memory=False) if said is None else None
        with self._reading() as state:
            source = self._read(state, text)
            if not len(source):
                raise BadInputError("no words to translate", remedy="give a text with words")
            found = ahead or translating.search(state, source, said)
            known = state.memory.exact(text) if self.memory else None
            kept = said is not None and translating.is_final(state, source, said)
            made = translating.written(state, source, found, found.best)
        changes = tuple(changes_of(made, self.provenance(made))) if said is not None else ()
        heard = said.text if said else None
        return replace(explain(found), memory=known, upstream=heard, is_kept=kept, changes=changes)

    def provenance(self, translation: Translation) -> list[Origin]:
        """Where each phrase of a translation comes from: the ids of corrections, or the base."""
        if translation.lines:
            return [origin for line in translation.lines for origin in self.provenance(line)]
        with self._reading() as state:
            found = find_origins(translation, state)
        return found.trace(self._project.reader.get)  # reads from the disk

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
        self.check_writable()
        heard = None if upstream is None else self._usable(source, as_answer(upstream))
        said = (heard, upstream_name) if upstream is not None else self._find_said(source)
        lesson, comparison = self._prepare(source, target, *said, weigh=weigh_upstream)
        with self._writing() as state:
            known = state.memory.exact(source) if once else None
            if known and known.target == target:
                return known.id
            if delivery and (done := self.delivered(delivery.id)) is not None:
                return done
            if lesson.revision != state.revision:  # another thread has learned something meanwhile
                lesson = prepare(state, source, target, *said, weigh=weigh_upstream)
                comparison = compare(state, lesson)
            reason = self._examine(state, lesson, user=user, force=force, delivery=delivery)
            with self._undoing() as undo:
                contribution = self._learn(state, lesson, comparison)
                undo.learned(lesson.pair, contribution)
                with undo.appending():
                    number = self._project.journal.append_learn(
                        source,
                        target,
                        contribution=contribution,
                        user=user,
                        reason=reason,
                        time=time,
                        delivery=delivery,
                    )
                state.memory.add(number, source, target)
                state.revision = number
        self._save_now_and_then()
        return number

    def _find_said(self, source: str) -> tuple[Answer | None, str | None]:
        """What the other engine has said for a source that is corrected, and the engine's name."""
        with self._reading() as state:
            name = state.upstream
            if name is None:
                return None, None
            hints = hints_for(state, state.knowledge.source.read(source))
        return self._consultant.find_said(name, source, hints)

    def forget(self, number: int, *, user: str | None = None) -> None:
        """Subtract exactly what a correction has contributed; the journal keeps both rows."""
        with self._writing() as state:
            row = self._in_force(number)
            with self._undoing() as undo:
                with undo.appending():
                    state.revision = self._project.journal.append_forget(number, user=user)
                state.take_back(row)
        self._save_now_and_then()

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
        self.check_writable()
        row = self._in_force(number)
        source, said = str(row.source), said_in(row)
        heard = (Answer(said.text), said.engine) if said else (None, None)
        lesson, comparison = self._prepare(source, target, *heard)
        with self._writing() as state:
            row = self._in_force(number)
            if lesson.revision != state.revision:
                lesson = prepare(state, source, target, *heard)
                comparison = compare(state, lesson)
            if delivery and (done := self.delivered(delivery.id)) is not None:
                return done
            reason = self._examine(state, lesson, user=user, force=force, refers_to=number, delivery=delivery)
            with self._undoing() as undo:
                state.take_back(row)
                undo.forgot(row)
                again = lesson.said and state.knowledge.read_again(lesson.said)
                lesson = replace(lesson, pair=state.knowledge.read_again(lesson.pair), said=again)
                contribution = self._learn(state, lesson, comparison)
                undo.learned(lesson.pair, contribution)
                with undo.appending():
                    new = self._project.journal.append_revise(
                        number, target, contribution=contribution, user=user, reason=reason, delivery=delivery
                    )
                state.memory.add(new, source, target)
                state.revision = new
        self._save_now_and_then()
        return new

    def _prepare(
        self,
        source: str,
        target: str,
        upstream: Answer | None = None,
        engine: str | None = None,
        *,
        weigh: bool = True,
    ) -> tuple[Lesson, Comparison | None]:
        """Read a correction and compare it with the system's translations, before the write lock is taken."""
        self.check_writable()
        with self._reading() as state:
            lesson = prepare(state, source, target, upstream, engine, weigh=weigh)
        return lesson, compare(state, lesson)

    def _learn(self, state: State, lesson: Lesson, comparison: Comparison | None) -> bytes:
        return learn(state, lesson, comparison)

    def _examine(
        self,
        state: State,
        lesson: Lesson,
        *,
        user: str | None,
        force: bool,
        refers_to: int | None = None,
        delivery: Delivery | None = None,
    ) -> str | None:
        """Flag a correction that looks wrong, or return the reason if it is to be learned anyway."""
        source, target = lesson.pair.source, lesson.pair.target
        reason = state.guard.check(source, target, self.target)
        if reason and not force:
            with self._undoing() as undo:
                with undo.appending():
                    number = self._project.journal.append_flagged(
                        source.text, target.text, reason=reason, refers_to=refers_to, user=user, delivery=delivery
                    )
                state.revision = number
            raise FlaggedError(reason, number)
        return reason

    def _in_force(self, number: int) -> Row:
        row = self._project.reader.get(number)
        if row.source is None or row.forgotten:
            raise BadInputError(f"{number} is not a correction in force", remedy="see the ids in the history")
        return row

    def train(self, pairs: Iterable[tuple[str, str]], *, progress: bool | Progress | None = None) -> int:
        """Train a base from pairs of texts, before the first correction. Returns the number of pairs learned.

        progress=True shows progress bars on standard error; a function is called with what is being done, how much is
        done, and the total.
        """
        self.check_writable()
        self._check_untaught()
        settings = self._project.settings
        choices = {"tokens": settings["tokens"], "order": settings["order"], **asdict(defaults_of(settings))}
        base = Knowledge(**choices)
        with bars() if progress is True else nullcontext(progress or None) as report:
            learned = base.train(pairs, progress=report)
        with self._writing():
            self._check_untaught()
            base.save(self._project.own_base)
            with self._undoing():
                self._project.set_base(self._project.own_base)
                self._restore()
        return learned

    def _check_untaught(self) -> None:
        if self._project.find_base() or self._project.journal.history(limit=1):
            remedy = "create a new project and train it first"
            raise BadInputError("this project has already learned something", where=self._project.path, remedy=remedy)

    # ── Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def settings(self) -> dict[str, Any]:
        """All current settings by name, as JSON values."""
        with self._reading() as state:
            return state.settings

    def change_settings(self, values: dict[str, Any]) -> None:
        """Change several settings at once, all of them or none; values are Python objects or JSON values."""
        with self._writing() as state:
            checked = {name: settings.check_setting(state, name, value) for name, value in values.items()}
            self._change(state, checked)
        self._save_now_and_then()

    def _set(self, name: str, value: Any) -> None:
        self.change_settings({name: value})

    def set_term(self, source: str, target: str) -> None:
        """Add a term to the glossary, or change its translation."""
        self.change_terms({source: target}, {})

    def remove_term(self, source: str) -> None:
        """Remove a term from the glossary."""
        with self._reading() as state:
            known = source in state.glossary
        if not known:
            raise BadInputError(f"{source!r} is not in the glossary", remedy="engine.glossary lists its terms")
        self.change_terms({source: None}, {})

    def set_rule(self, source: str, rule: TermRule | None) -> None:
        """Set what holds for a term besides its translation, or remove that."""
        self.change_terms({}, {source: rule})

    def change_terms(
        self, terms: Mapping[str, str | None], rules: Mapping[str, TermRule | Mapping[str, Any] | None]
    ) -> None:
        """Change the translations of terms, and what else holds for them, all at once; None removes a term or rule."""
        with self._writing() as state:
            state.glossary.check(terms)
            checked = {"glossary": dict(terms), "term_rules": state.term_rules.check(rules)}
            self._change(state, {name: changes for name, changes in checked.items() if changes})
        self._save_now_and_then()

    def _change(self, state: State, changes: dict[str, Any]) -> None:
        """Apply settings that have been checked, in the form used in the journal."""
        with self._undoing() as undo:
            with undo.appending():
                state.revision = self._project.journal.append_settings(changes)
            settings.apply_settings(state, changes)


def check_list(n: int, words: int) -> None:
    """Refuse an n-best list of a text with so many words if it would be too large."""
    most = max(1, translating.MAX_LIST_WORDS // max(words, 1))
    if n > most:
        what = f"{n:,} translations of a text of {words:,} words are too many"
        raise BadInputError(what, remedy=f"ask for at most {most:,}, or for those of a shorter text")


def _check_text(text: object) -> None:
    """Refuse anything but a string, and say what to call instead."""
    if not isinstance(text, str):
        remedy = "call translate_all(texts) for many" if isinstance(text, Iterable) else "give a string"
        raise BadInputError(f"expected one text, not a {type(text).__name__}", remedy=remedy)


def _find_base(path: Path, source: str, target: str) -> Path:
    """The directory of a base, or of the base of a project with the same languages."""
    if not (path / "project.json").exists():
        return path
    with Project.open(path) as project:
        found, own = project.find_base(), (project.source, project.target)
    if not all(map(same_language, own, (source, target))):
        what = f"this base translates from {own[0]} to {own[1]}, not from {source} to {target}"
        raise BadInputError(what, where=path, remedy="choose a base for these languages")
    if found is None:
        raise BadInputError("this project has no base", where=path, remedy="train it first")
    return found
