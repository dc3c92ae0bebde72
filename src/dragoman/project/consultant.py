"""The other engine of a project, if one is set: asked without any lock, and never in the way of dragoman's own answer.

1. `ask` gives the engine's answer for a text within the time allowed, or nothing.
2. `ask_ahead` asks for many texts in batches, so that each `ask` afterwards finds its answer, or need not wait again.
3. Inside `collecting`, nobody is asked: a text whose answer is not known yet is noted, and its translation is given up,
   so that all texts of a request can be asked for at once, whatever way they take to their translations.
4. `find_answer` gives the answer to a text from before, without asking: a correction is learned together with it.

Spaces around a text are not sent, and stand around the answer again.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from dragoman.project.correction_feed import CorrectionFeed
from dragoman.project.memory import Memory
from dragoman.project.open_project import OpenProject
from dragoman.project.request import Request
from dragoman.records import Sentence, Term
from dragoman.upstream import Answer, Hints, Silence, TermPlace, Upstream
from dragoman.upstream.contract import EngineProgress
from dragoman.upstream.names import parse
from dragoman.upstream.paragraphs import AnswerOrSilence
from dragoman.upstream.upstream import RECORDED

MOST_RECENT = 2_000  # texts whose answers are kept in memory until they are corrected
LEARNS = "learns=yes"  # in the name of an engine
NEAREST = 3  # corrections that a language model is shown
QUIET = 30.0  # seconds for which a text that had no answer when it was asked for ahead is not asked for again


class Asked(NamedTuple):
    """What came of asking for many texts.

    >>> print(Asked(40, {"Open the file.": "connection refused"}))
    1 of 40 without the engine: connection refused
    >>> Asked(40, {}, {"Open the file.": "rambling"}).doubts
    '1 of 40 answers of the engine look wrong: rambling'
    """

    number: int  # of different texts
    silent: Mapping[str, str]  # those without an answer, and why
    doubtful: Mapping[str, str] = MappingProxyType({})  # those whose answer looks wrong, and how
    wait: float = 0.0  # seconds for which the engine wants to be left alone

    def __str__(self) -> str:
        return f"{len(self.silent):,} of {self.number:,} without the engine{self.reasons}"

    @property
    def reasons(self) -> str:
        """Why, each reason once, the most frequent first; ready to be appended to a sentence."""
        return _reasons(self.silent)

    @property
    def doubts(self) -> str:
        """What to say of answers that look wrong."""
        return f"{len(self.doubtful):,} of {self.number:,} answers of the engine look wrong{_reasons(self.doubtful)}"


def _reasons(texts: Mapping[str, str]) -> str:
    counts = Counter(texts.values())
    return "".join(f"{', ' if n else ': '}{reason}" for n, (reason, _) in enumerate(counts.most_common()))


class _Noted(NamedTuple):
    until: float  # when it is asked for again
    silence: Silence


class UnaskedError(Exception):
    """The engine was not asked for a text yet, and must not be asked now."""


class Wanted(NamedTuple):
    """Texts that an engine is to be asked for."""

    texts: list[str]
    asked: Collection[str]  # those that it was asked for already, maybe in vain


_WANTED: ContextVar[Wanted | None] = ContextVar("texts that an engine is to be asked for", default=None)


@contextmanager
def collecting(asked: Collection[str] = ()) -> Iterator[list[str]]:
    """Collect, inside the block, the texts that the engine would have to be asked for; each is an `UnaskedError`.

    Those that were `asked` for just before are not asked for again.
    """
    wanted = Wanted([], asked)
    token = _WANTED.set(wanted)
    try:
        yield wanted.texts
    finally:
        _WANTED.reset(token)


class RequestOptions(NamedTuple):
    """How whoever asks wants a text translated; engines that cannot do that ignore it."""

    context: str = ""  # text around it
    formality: str = ""  # "more" or "less", as DeepL calls it


NO_OPTIONS = RequestOptions()
_OPTIONS: ContextVar[RequestOptions] = ContextVar("how texts are to be translated", default=NO_OPTIONS)


@contextmanager
def with_options(options: RequestOptions) -> Iterator[None]:
    """Inside the block, the other engine is told how its texts are to be translated."""
    token = _OPTIONS.set(options)
    try:
        yield
    finally:
        _OPTIONS.reset(token)


class Consultant:
    """Asks the engine that a project is set to; made once for an open project, safe to use from threads."""

    def __init__(self, opened: OpenProject, seconds: float) -> None:
        self._project, self._corrections = opened.store, CorrectionFeed(opened)
        self.seconds = seconds  # that whoever translates waits for it
        self._lock = threading.Lock()
        self._upstream: Upstream | None = None
        self._named: str | None = None
        self._recent: OrderedDict[tuple[str, str], Answer] = OrderedDict()  # by engine and text
        self._silent: dict[tuple[str, str], _Noted] = {}  # texts asked for ahead in vain

    def upstream(self, name: str | None) -> Upstream | None:
        """The engine of this name, opened when it is first needed; one of another name is closed."""
        with self._lock:
            if name != self._named:
                old, self._upstream, self._named = self._upstream, None, name
                if old:
                    old.close()
            if name is not None and self._upstream is None:
                languages = {"source": self._project.source, "target": self._project.target}
                self._upstream = Upstream(name, self._project.answers, corrections=self._corrections, **languages)
            return self._upstream

    def ask(self, name: str, text: str, hints: Hints, *, seconds: float | None = None) -> AnswerOrSilence:
        """The engine's answer for a text, or why there is nothing; what looks wrong is `refused`."""
        upstream, (before, core, after) = self.upstream(name), _parts(name, text)
        if upstream is None or not core:
            return AnswerOrSilence(None)
        self._collect(name, upstream, {text: hints})
        if noted := self._noted(name, core):
            outcome = AnswerOrSilence(upstream.find(core, hints), noted.silence)
        else:
            outcome = upstream.outcome(core, hints, seconds=self.seconds if seconds is None else seconds)
        answer = outcome.answer or outcome.refused
        if answer is None:
            return outcome
        self._remember(name, core, answer)
        spaced = replace(answer, text=before + answer.text + after)
        return AnswerOrSilence(spaced) if outcome.answer else AnswerOrSilence(None, outcome.silence, spaced)

    def ask_ahead(
        self,
        name: str,
        texts: Sequence[str],
        hints: Sequence[Hints],
        *,
        seconds: float | None = None,
        around: str = "",
        again: bool = True,
    ) -> Asked:
        """Ask for many texts at once, with the text `around` them; without `again`, not for those just asked in vain.

        Without `seconds`, each call may take as long as the engine's own `seconds`.
        """
        upstream = self.upstream(name)
        cores = {text: _parts(name, text)[1] for text in texts}
        told = [replace(hint, around=around) for hint in hints] if around else hints
        asked = {cores[text]: hint for text, hint in zip(texts, told, strict=True) if cores[text]}
        if not again:
            asked = {core: hint for core, hint in asked.items() if not self._noted(name, core)}
        if upstream is None or not asked:
            return Asked(0, {})
        self._collect(name, upstream, dict(zip(texts, hints, strict=True)))
        found = upstream.outcomes(list(asked), list(asked.values()), seconds=seconds)
        reasons, silent, doubtful = dict[str, str](), dict[str, Silence](), dict[str, str]()
        for core, outcome in zip(asked, found, strict=True):
            if outcome.answer:
                self._remember(name, core, outcome.answer)
            elif not outcome.refused:
                reasons[core], silent[core] = _reason(outcome, upstream), outcome.silence or Silence.FAILED
            else:
                doubtful[core] = str(outcome.silence)
        self._note_silence(name, asked, silent)
        silences, doubts = (
            {text: by[core] for text, core in cores.items() if core in by} for by in (reasons, doubtful)
        )
        return Asked(len(asked), silences, doubts, upstream.rest)

    def _collect(self, name: str, upstream: Upstream, texts: dict[str, Hints]) -> None:
        """Note the texts that are not known yet instead of asking for them, if somebody collects them."""
        if (wanted := _WANTED.get()) is None:
            return
        cores = {text: _parts(name, text)[1] for text in texts if text not in wanted.asked}
        new = [text for text, core in cores.items() if core and not upstream.has_answer(core, texts[text])]
        if new:
            wanted.texts.extend(new)
            raise UnaskedError

    def _noted(self, name: str, core: str) -> _Noted | None:
        """That a text was asked for ahead in vain, if that was a moment ago."""
        noted = self._silent.get((name, core))
        return noted if noted and noted.until > time.monotonic() else None

    def _note_silence(self, name: str, asked: Collection[str], silent: dict[str, Silence]) -> None:
        now = time.monotonic()
        with self._lock:
            old = {key: noted for key, noted in self._silent.items() if noted.until > now and key[1] not in asked}
            self._silent = old | {(name, core): _Noted(now + QUIET, silence) for core, silence in silent.items()}

    def find_answer(self, name: str, text: str, hints: Hints) -> tuple[Answer | None, str | None]:
        """The engine's answer for a text, and its name; nobody is asked but a file of recorded answers."""
        upstream, (before, core, after) = self.upstream(name), _parts(name, text)
        if upstream is None or not core:
            return None, None
        answer = self._recent.get((name, core)) or upstream.find(core, hints, flawed=True)
        if answer is None and name.startswith(RECORDED):
            outcome = upstream.outcome(core, hints, seconds=self.seconds)
            answer = outcome.answer or outcome.refused
        return (replace(answer, text=before + answer.text + after), upstream.name) if answer else (None, None)

    def continue_from(self, name: str, text: str, prefix: str) -> Answer | None:
        """Translations that begin with what was typed, from an engine that can do that; takes its time."""
        upstream, (_, core, after) = self.upstream(name), _parts(name, text)
        answer = upstream.continue_from(core, prefix) if upstream and core else None
        return replace(answer, text=answer.text + after) if answer else None

    def hurry(self) -> None:
        """Tell an engine that learns itself that something was learned or forgotten; returns at once."""
        if learner := self._upstream and self._upstream.learner():
            learner.hurry()

    def catch_up(self, name: str, seconds: float) -> None:
        """Wait until an engine that learns itself has learned all corrections, for at most so long."""
        until = time.monotonic() + seconds
        upstream = self.upstream(name) if LEARNS in name else None
        if learner := upstream and upstream.learner(seconds):
            learner.catch_up(until - time.monotonic())

    @property
    def learning(self) -> EngineProgress | None:
        """How far an engine that learns itself has come, once it is loaded."""
        learner = self._upstream and self._upstream.learner()
        return learner.learning if learner else None

    @property
    def problem(self) -> str | None:
        """What went wrong the last time that the engine was asked."""
        return self._upstream.problem if self._upstream else None

    def close(self) -> None:
        """Give the engine back."""
        self.upstream(None)

    def _remember(self, name: str, text: str, answer: Answer) -> None:
        with self._lock:
            self._recent[name, text] = answer
            self._recent.move_to_end((name, text))
            while len(self._recent) > MOST_RECENT:
                self._recent.popitem(last=False)


def _reason(outcome: AnswerOrSilence, upstream: Upstream) -> str:
    """Why there is no answer, in words."""
    if outcome.silence in (Silence.FAILED, Silence.RESTING) and upstream.problem:
        return upstream.problem.removeprefix(f"{upstream.name}: ")
    return str(outcome.silence)


def hints_for(request: Request) -> Hints:
    """The terms of the glossary in a text, and the corrections most like it; positions are those of `_parts`."""
    state, source = request.state, request.source
    recorded = (state.upstream or "").startswith(RECORDED)
    offset, spans = 0 if recorded else len(source.gaps[0]), source.spans
    terms = tuple(
        TermPlace(spans[term.start][0] - offset, spans[term.end - 1][1] - offset, _written(source, term))
        for term in request.terms
    )
    shown, options = corrections_shown(state.upstream or ""), _OPTIONS.get()
    nearest = _nearest(state.memory, source.text, shown) if shown else ()
    return Hints(terms, nearest, context=options.context, formality=options.formality)


def _written(source: Sentence, term: Term) -> str:
    """The translation of a term as text; one that stays as it is is written as in the source."""
    is_kept = tuple(term.words) == source.words[term.start : term.end]
    return source.cut(term.start, term.end) if is_kept else " ".join(term.words)


def corrections_shown(name: str) -> int:
    """How many corrections an engine is shown with each text.

    >>> corrections_shown("openai:http://127.0.0.1:8000/v1#model&corrections=6"), corrections_shown("deepl:")
    (6, 0)
    """
    place = parse(name) if name.startswith(("openai:", "deepl:")) else None
    if place is None or (place.kind == "deepl" and place.options.get("examples") != "yes"):
        return 0
    return int(place.options.get("corrections", NEAREST))


def _nearest(memory: Memory, text: str, limit: int) -> tuple[tuple[str, str], ...]:
    return tuple((match.source, match.target) for match in memory.similar(text, limit=limit, codes=False))


def _parts(name: str, text: str) -> tuple[str, str, str]:
    """The spaces before a text, the text, and the spaces after it; recorded answers are those of the text as it is."""
    core = text if name.startswith(RECORDED) else text.strip()
    start = text.index(core) if core else 0
    return text[:start], core, text[start + len(core) :]
