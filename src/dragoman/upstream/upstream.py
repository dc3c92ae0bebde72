"""A project's way to another engine: what was kept is found again, what was not is asked for, and nothing ever fails.

`ask` waits no longer than it is allowed to, and gives None where there is no answer; `outcome` says why. An answer that
comes too late is kept all the same, for the next time. Every process asks, whether or not it may write the journal.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

from dragoman.errors import DragomanError
from dragoman.progress import Progress
from dragoman.upstream.attempts import continue_masked
from dragoman.upstream.calls import Caller, Trial, question_for
from dragoman.upstream.checks import is_text
from dragoman.upstream.contract import (
    NO_HINTS,
    PASSING,
    Answer,
    ContinuingEngine,
    CorrectionsInForce,
    Hints,
    LearningEngine,
    PromptedEngine,
    Silence,
    UpstreamEngine,
)
from dragoman.upstream.names import LazyEngine
from dragoman.upstream.paragraphs import (
    AnswerOrSilence,
    AskedText,
    Key,
    Paragraph,
    as_outcome,
    cut,
    key_of,
    outcome_of,
    unusable,
)

if TYPE_CHECKING:
    from dragoman.store.answers import Answers
    from dragoman.store.project_answers import ProjectAnswers

SECONDS = 5.0  # that `ask` waits, unless told otherwise
RECORDED = "recorded:"  # the kind of engine that is a file: it knows whole texts
REMEMBERED = 10_000  # texts that had no usable answer, which are not asked for again
FEW = 4  # texts, for which somebody waits who has asked for no more; they go before longer lists
CLOSING = 2.0  # seconds for calls under way when all is closed


class Upstream:
    """Another engine, asked on behalf of a project; safe to use from threads.

    >>> from dragoman.upstream.recorded import Recorded
    >>> upstream = Upstream(Recorded([("Open the file.", "Abra el archivo.", None)]), source="en", target="es")
    >>> upstream.ask("Open the file.").text, upstream.ask("Close the file.")
    ('Abra el archivo.', None)
    >>> upstream.outcome("Close the file.").silence
    <Silence.EMPTY: 'empty'>
    """

    def __init__(
        self,
        engine: UpstreamEngine | str,
        answers: Answers | ProjectAnswers | None = None,
        *,
        source: str,
        target: str,
        corrections: CorrectionsInForce | None = None,
    ) -> None:
        self.problem: str | None = None  # what went wrong the last time, fit to be shown
        self.counts: Counter[str] = Counter()  # answers that were "kept" or "asked" for, and the reasons for silence
        self._engine = LazyEngine(engine, source, target, self._note, corrections)
        self.name = self._engine.name
        self._languages, self._answers = (source, target), answers
        self._lock = threading.Lock()
        self._caller: Caller | None = None
        self._workers: ThreadPoolExecutor | None = None
        self._under_way: dict[Key, Future[AnswerOrSilence]] = {}
        self._queue: dict[Key, Hints] = {}  # of those under way, what is still to be asked for
        self._refused: dict[Key, AnswerOrSilence] = {}
        self._is_closed = False

    # ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def ask(self, text: str, hints: Hints = NO_HINTS, *, seconds: float | None = SECONDS) -> Answer | None:
        """The engine's answer for a text; None if it says nothing usable within the time allowed."""
        return self.outcome(text, hints, seconds=seconds).answer

    def outcome(self, text: str, hints: Hints = NO_HINTS, *, seconds: float | None = SECONDS) -> AnswerOrSilence:
        """The engine's answer for a text, or why there is nothing."""
        return self.outcomes([text], [hints], seconds=seconds)[0]

    def ask_all(
        self,
        texts: Sequence[str],
        hints: Sequence[Hints] = (),
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> list[Answer | None]:
        """The engine's answer for each text, in batches; without `seconds`, however long that takes."""
        return [outcome.answer for outcome in self.outcomes(texts, hints, seconds=seconds, progress=progress)]

    def outcomes(
        self,
        texts: Sequence[str],
        hints: Sequence[Hints] = (),
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> list[AnswerOrSilence]:
        """For each text an answer, or why there is none."""
        until = None if seconds is None else time.monotonic() + seconds
        known = list(hints) or [NO_HINTS] * len(texts)
        asked = [self._divided(*each) for each in zip(texts, known, strict=True)]
        found: dict[Key, AnswerOrSilence] = {}
        try:
            wanted = {key: hint for each in asked for key, hint in zip(each.keys, each.hints, strict=True)}
            found = self._outcomes(wanted, until, progress) if wanted else {}
        except Exception as error:  # whatever it is, dragoman can translate without the engine
            self._note(error)
        outcomes = [each.joined(found, self.name) for each in asked]
        self._count(outcome.silence.value for outcome in outcomes if outcome.silence)
        return outcomes

    def find(self, text: str, hints: Hints = NO_HINTS, *, flawed: bool = False) -> Answer | None:
        """What was kept for a text, by any version of the engine; nobody is asked. If wanted, even what looks wrong."""
        asked = self._divided(text, hints)
        try:
            found = self._find(list(dict.fromkeys([*asked.keys, key_of(text, hints)])), None)
        except DragomanError as error:
            self._note(error)
            return None
        kept = {key: outcome_of(answer) for key, answer in found.items()}
        outcome = kept.get(key_of(text, hints)) or asked.joined(kept, self.name)  # earlier versions kept whole texts
        return (outcome.answer or (outcome.refused if flawed else None)) if kept else None

    def has_answer(self, text: str, hints: Hints = NO_HINTS) -> bool:
        """Whether an answer that can be used is there already; recorded ones always are, or never will be."""
        engine, keys = self._engine.engine, self._divided(text, hints).keys
        if engine is None or engine.traits.is_recorded:
            return engine is not None
        kept = self._find(keys, engine.version, any_terms=False)
        return all(key in kept and kept[key].flaw in (None, Silence.MARKS_LOST) for key in keys)

    def continue_from(self, text: str, prefix: str, *, n: int = 4) -> Answer | None:
        """Translations that begin with what was typed, if the engine can do that; asked each time, and not kept.

        This takes as long as the engine needs: call it beside the keys, not in front of them.
        """
        try:
            engine = None if self._is_closed else self._engine.load()
            if not isinstance(engine, ContinuingEngine):
                return None
            answer = self._continue_sentence(engine, text, prefix, n)
            return replace(answer, engine=self.name, version=engine.version) if answer else None
        except Exception as error:
            self._note(error)
            return None

    def _continue_sentence(self, engine: ContinuingEngine, text: str, prefix: str, n: int) -> Answer | None:
        """A text is gone on with in the sentence that is being typed, then as was answered before."""
        asked, typed = self._divided(text, NO_HINTS).paragraph, cut(prefix, self._languages[1]).sentences
        if len(asked.spans) < 2:
            return continue_masked(engine, text, prefix, n)
        number, begun = len(typed) - 1, typed[-1] if typed else ""
        if not 0 <= number < len(asked.spans) or not prefix.endswith(begun):
            return None
        answer = continue_masked(engine, asked.sentences[number], begun, n)
        rest = [each.text for sentence in asked.sentences[number + 1 :] if (each := self.find(sentence))]
        is_whole = number + 1 + len(rest) == len(asked.spans)
        return asked.continued(number, prefix.removesuffix(begun), answer, rest) if answer and is_whole else None

    def try_out(self, text: str | None = None, hints: Hints = NO_HINTS) -> Trial:
        """Ask a test question, or this text, whatever was kept or has failed before; takes as long as it takes."""
        began, prompt = time.perf_counter(), None
        self.problem = None
        outcome = AnswerOrSilence(None, Silence.FAILED)
        asked = text or question_for(self._languages[0])
        try:
            engine = self._engine.load(again=True)
            if engine:
                began = time.perf_counter()  # loading it takes time only once
                asked = text or getattr(engine, "question", "") or asked
                prompt = engine.prompt_for([asked], [hints]) if isinstance(engine, PromptedEngine) else None
                divided = self._divided(asked, hints)
                caller = Caller(engine, self._answers, self._languages, self._note)
                found = map(as_outcome, caller.ask(divided.paragraph.sentences, divided.hints))
                outcome = divided.joined(dict(zip(divided.keys, found, strict=True)), self.name)
        except Exception as error:
            self._note(error)
        answer = outcome.answer.text if outcome.answer else None
        took = round(time.perf_counter() - began, 3)
        learner = self.learner()
        told = str(learner.learning) if learner and learner.learning else None
        return Trial(self.name, self.version, asked, answer, outcome.silence, self.problem, took, prompt, told)

    def learner(self, seconds: float = 0.0) -> LearningEngine | None:
        """The engine, if it learns itself and is loaded within this time."""
        engine = self._engine.load(time.monotonic() + seconds) if seconds else self._engine.engine
        return engine if isinstance(engine, LearningEngine) else None

    def _divided(self, text: str, hints: Hints) -> AskedText:
        if self.name.startswith(RECORDED) or not is_text(text):
            return AskedText(Paragraph(text, [(0, len(text))]), [hints])
        return AskedText(paragraph := cut(text, self._languages[0]), paragraph.hints(hints))

    @property
    def version(self) -> str | None:
        """The version of the engine, once it is loaded."""
        return self._engine.engine.version if self._engine.engine else None

    @property
    def rest(self) -> float:
        """Seconds for which the engine is left alone, because it failed or has asked for that."""
        return self._caller.circuit.rest if self._caller else 0.0

    def close(self) -> None:
        """Stop asking; calls under way get a moment to end."""
        with self._lock:
            self._is_closed = True
            workers, pending = self._workers, list(self._under_way.values())
        if workers:
            workers.shutdown(wait=False, cancel_futures=True)
            wait(pending, timeout=CLOSING)
            with self._lock:
                left = list(self._under_way)
            self._finish({key: AnswerOrSilence(None, Silence.OFF) for key in left})
        if self._engine.engine:
            self._engine.engine.close()

    # ── What was kept ────────────────────────────────────────────────────────────────────────────────────────────────

    def _find(self, keys: Sequence[Key], version: str | None, *, any_terms: bool = True) -> dict[Key, Answer]:
        if self._answers is None:
            return {}
        found = self._answers.find(self.name, keys, version, any_terms=any_terms)
        return {
            key: Answer.from_json(kept.answer, self.name, kept.version)
            for key, kept in zip(keys, found, strict=True)
            if kept
        }

    def _keep(self, engine: UpstreamEngine, answers: dict[Key, Answer]) -> None:
        if self._answers and not engine.traits.is_recorded:
            from dragoman.store.answers import AnswerEntry

            for version in {answer.version for answer in answers.values()}:
                mine = ((*key, each.to_json()) for key, each in answers.items() if each.version == version)
                self._answers.keep(self.name, version, [AnswerEntry(*each) for each in mine])

    # ── What was not ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _outcomes(
        self, given: dict[Key, Hints], until: float | None, progress: Progress | None
    ) -> dict[Key, AnswerOrSilence]:
        engine = None if self._is_closed else self._engine.load(until)
        if engine is None:  # offline: any answer that was kept will do
            return self._offline(given, self._absence())
        found = {key: outcome_of(answer) for key, answer in self._kept(engine, list(given)).items()}
        for key in given.keys() - found.keys():
            refused = self._refused.get(key) or unusable(key[0])
            if refused:
                found[key] = refused
        new = {key: each for key, each in given.items() if key not in found}
        if progress:
            progress("asking", len(given) - len(new), len(given))
        found |= self._ask_new(engine, new, until, progress, len(given))
        silent = {key: given[key] for key, outcome in found.items() if outcome.silence in PASSING}
        return found | {key: outcome for key, outcome in self._offline(silent, Silence.OFF).items() if outcome.answer}

    def _absence(self) -> Silence:
        """Why there is no engine."""
        if self._is_closed:
            return Silence.OFF
        return Silence.FAILED if self._engine.has_failed else Silence.SLOW

    def _offline(self, given: dict[Key, Hints], silence: Silence) -> dict[Key, AnswerOrSilence]:
        kept = self._find(list(given), None) if given else {}
        self._count(repeat("kept", len(kept)))
        return {key: outcome_of(kept[key]) if key in kept else AnswerOrSilence(None, silence) for key in given}

    def _kept(self, engine: UpstreamEngine, keys: list[Key]) -> dict[Key, Answer]:
        kept = {} if engine.traits.is_recorded else self._find(keys, engine.version, any_terms=False)
        self._count(repeat("kept", len(kept)))
        return kept

    def _ask_new(
        self,
        engine: UpstreamEngine,
        new: dict[Key, Hints],
        until: float | None,
        progress: Progress | None,
        total: int,
    ) -> dict[Key, AnswerOrSilence]:
        """Ask in batches, together with others who ask for the same; what takes too long goes on without us."""
        futures = self._submit(engine, new)
        found: dict[Key, AnswerOrSilence] = {}
        for key, future in futures.items():
            left = None if until is None else max(until - time.monotonic(), 0.0)
            wait([future], timeout=left)
            found[key] = future.result() if future.done() else AnswerOrSilence(None, Silence.SLOW)
            if progress:
                progress("asking", total - len(new) + len(found), total)
        return found

    def _submit(self, engine: UpstreamEngine, new: dict[Key, Hints]) -> dict[Key, Future[AnswerOrSilence]]:
        with self._lock:
            mine = {key: hints for key, hints in new.items() if key not in self._under_way}
            self._under_way |= {key: Future() for key in mine}
            futures = {key: self._under_way[key] for key in new}
            self._queue = mine | self._queue if len(new) <= FEW else self._queue | mine
            if self._workers is None:
                self._workers = ThreadPoolExecutor(engine.traits.workers, thread_name_prefix="asking upstream")
        try:
            for _ in mine:  # at most so many batches: most of these calls find nothing left
                self._workers.submit(self._run, engine)
        except RuntimeError:  # closed meanwhile
            self._finish({key: AnswerOrSilence(None, Silence.OFF) for key in mine})
        return futures

    def _take(self, engine: UpstreamEngine) -> dict[Key, Hints]:
        """What is asked for next, no more than the engine takes at once; whoever waits for it, it goes together."""
        batch: dict[Key, Hints] = {}
        traits, size = engine.traits, 0
        with self._lock:
            for key, hints in self._queue.items():
                first = next(iter(batch.values()), hints)
                alike = (hints.context, hints.formality, hints.around) == (first.context, first.formality, first.around)
                size += len(key[0])
                if len(batch) >= traits.batch or not alike or (batch and size > traits.characters):
                    break
                batch[key] = hints
            for key in batch:
                del self._queue[key]
        return batch

    def _run(self, engine: UpstreamEngine) -> None:
        """In a worker: ask for a batch, keep its answers, and tell whoever waits."""
        batch = self._take(engine)
        outcomes = {key: AnswerOrSilence(None, Silence.FAILED) for key in batch}
        try:
            kept = self._kept(engine, list(batch))  # meanwhile
            outcomes |= {key: outcome_of(answer) for key, answer in kept.items()}
            new = {key: hints for key, hints in batch.items() if outcomes[key].silence is Silence.FAILED}
            given = self._find_caller(engine).ask([text for text, _ in new], list(new.values())) if new else []
            answers = {}
            for key, each in zip(new, given, strict=True):
                if isinstance(each, Answer):
                    answers[key] = replace(each, engine=self.name, version=each.version or engine.version)
                    outcomes[key] = outcome_of(answers[key])
                else:
                    outcomes[key] = AnswerOrSilence(None, each)
            self._count(repeat("asked", len(answers)))
            if answers:
                self.problem = None
            self._keep(engine, {key: each for key, each in answers.items() if each.flaw is not Silence.UNUSABLE})
        except Exception as error:
            self._note(error)
        finally:
            self._finish(outcomes)

    def _find_caller(self, engine: UpstreamEngine) -> Caller:
        with self._lock:
            if self._caller is None:
                self._caller = Caller(engine, self._answers, self._languages, self._note)
            return self._caller

    def _finish(self, outcomes: dict[Key, AnswerOrSilence]) -> None:
        with self._lock:
            waiting = {key: self._under_way.pop(key) for key in outcomes if key in self._under_way}
            for key, outcome in outcomes.items():
                if outcome.silence and outcome.silence not in PASSING:
                    self._refused[key] = outcome
            for key in list(self._refused)[: max(len(self._refused) - REMEMBERED, 0)]:
                del self._refused[key]
        for key, future in waiting.items():
            future.set_result(outcomes[key])

    def _count(self, what: Iterable[str]) -> None:
        with self._lock:
            self.counts.update(what)

    def _note(self, error: Exception) -> None:
        """Remember what went wrong; errors of ours say it without secrets, of others only the kind is shown."""
        self.problem = str(error) if isinstance(error, DragomanError) else f"unexpected {type(error).__name__}"
