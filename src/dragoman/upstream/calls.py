"""Calls of an engine for a batch of sentences: masked, counted against the limits of the day, checked.

A test question is asked at once, whatever was kept before, and told in one sentence:

>>> from dragoman.upstream.recorded import Recorded
>>> from dragoman.upstream.upstream import Upstream
>>> upstream = Upstream(Recorded([("Close the lid.", "Cierre la tapa.", None)]), source="en", target="es")
>>> upstream.try_out().answer
'Cierre la tapa.'
>>> print(upstream.try_out("Open the file."))
recorded: gives no answer to “Open the file.”: empty
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dragoman.circuit import Circuit
from dragoman.upstream.attempts import SpanAnswers, attempt
from dragoman.upstream.checks import refuse
from dragoman.upstream.contract import NO_HINTS, Answer, Hints, MeteredEngine, Silence, UnansweredError, UpstreamEngine
from dragoman.upstream.paragraphs import cut

if TYPE_CHECKING:
    from dragoman.store.answers import Answers
    from dragoman.store.project_answers import ProjectAnswers
from typing import NamedTuple

from dragoman.languages import same_language

Outcome = Answer | Silence


class Caller:
    """Asks an engine for sentences; a file of recorded answers for whole texts."""

    def __init__(
        self,
        engine: UpstreamEngine,
        answers: Answers | ProjectAnswers | None,
        languages: tuple[str, str],
        note: Callable[[Exception], None],
    ) -> None:
        self._engine, self._answers, self._note = engine, answers, note
        self._source, self._target = languages
        self.circuit = Circuit()
        self._spans = SpanAnswers(self._call, engine.traits.batch)
        self._is_metered = engine.traits.is_metered and answers is not None
        if self._is_metered and isinstance(engine, MeteredEngine):
            engine.set_meter(self._spend)
            self._is_metered = False  # by us

    def ask(self, texts: Sequence[str], hints: Sequence[Hints]) -> list[Outcome]:
        """For each text its answer, or why there is none."""
        if self._engine.traits.is_recorded:
            found = self._recorded(texts)
            return [_checked(text, each, self._target) for text, each in zip(texts, found, strict=True)]
        return attempt(self._call, self._engine.traits.markings, texts, hints, self._target, self._spans)

    def _recorded(self, texts: Sequence[str]) -> list[Outcome]:
        """What is recorded for texts as they are, else for their sentences without the spaces around them."""
        outcomes = self._call(texts, [NO_HINTS] * len(texts), False)
        cuts = {n: cut(texts[n], self._source) for n, each in enumerate(outcomes) if isinstance(each, Silence)}
        asked = list(dict.fromkeys(each for paragraph in cuts.values() for each in paragraph.sentences))
        known = dict(zip(asked, self._call(asked, [NO_HINTS] * len(asked), False), strict=True))
        for n, paragraph in cuts.items():
            answers = [each for sentence in paragraph.sentences if isinstance(each := known[sentence], Answer)]
            if paragraph.spans and len(answers) == len(paragraph.spans):
                outcomes[n] = paragraph.join_answers(answers)
        return outcomes

    def _call(self, texts: Sequence[str], hints: Sequence[Hints], marked: bool) -> list[Outcome]:
        """One call within the limits; texts that the engine may not be able to do are tried in halves."""
        if not self.circuit.allows():
            return [Silence.RESTING] * len(texts)
        try:
            if self._is_metered:
                self._spend(1, sum(map(len, texts)))
            outcomes = self._engine.translate(texts, seconds=self._engine.traits.seconds, hints=hints, marked=marked)
            if len(outcomes) != len(texts):
                raise self._error(f"gave {len(outcomes)} answers for {len(texts)} texts")
        except UnansweredError as error:
            return self._unanswered(error, texts, hints, marked)
        except Exception as error:  # of others: only the kind is shown
            return self._unanswered(self._error(f"unexpected {type(error).__name__}"), texts, hints, marked)
        self.circuit.succeeded()
        return [Silence.EMPTY if answer is None else answer for answer in outcomes]

    def _error(self, what: str) -> UnansweredError:
        return UnansweredError(what, where=self._engine.name, blames_texts=True)

    def _unanswered(
        self, error: UnansweredError, texts: Sequence[str], hints: Sequence[Hints], marked: bool
    ) -> list[Outcome]:
        self._note(error)
        if error.blames_texts and len(texts) > 1:
            half = len(texts) // 2
            parts = (slice(0, half), slice(half, None))
            return [each for part in parts for each in self._call(texts[part], hints[part], marked)]
        if error.blames_texts and self._works():
            self.circuit.succeeded()
            return [Silence.UNUSABLE]
        if not isinstance(error, OverLimitError):  # our own limit says nothing about the engine
            self.circuit.failed(error.wait)
        return [error.silence] * len(texts)

    def _works(self) -> bool:
        """Whether the engine, which has just failed, does another text."""
        question = question_for(self._source)
        try:
            if self._is_metered:
                self._spend(1, len(question))
            self._engine.translate([question], seconds=self._engine.traits.seconds)
        except Exception:
            return False
        return True

    def _spend(self, requests: int, characters: int) -> None:
        traits, name = self._engine.traits, self._engine.name
        limits = {"most_requests": traits.requests_per_day, "most_characters": traits.characters_per_day}
        if self._answers and not self._answers.spend(name, requests, characters, **limits):
            raise OverLimitError("today's limit is reached", where=name, silence=Silence.SPENT)


class OverLimitError(UnansweredError):
    """What the user allows to be spent in a day is spent."""


def _checked(text: str, outcome: Outcome, language: str) -> Outcome:
    if isinstance(outcome, Silence):
        return outcome
    return replace(outcome, flaw=refuse(text, outcome.text, language))


SLOW = 5.0  # seconds, after which a translation does not wait any longer for an answer
QUESTIONS = {
    "en": "Open the file.",
    "ca": "Obriu el fitxer.",
    "de": "Öffnen Sie die Datei.",
    "es": "Abra el archivo.",
    "et": "Avage fail.",
    "fr": "Ouvrez le fichier.",
    "it": "Apra il file.",
    "ja": "ファイルを開いてください。",
    "nl": "Open het bestand.",
    "pl": "Otwórz plik.",
    "pt": "Abra o arquivo.",
    "ro": "Deschideți fișierul.",
    "ru": "Откройте файл.",
    "zh": "请打开文件。",
}


def question_for(language: str) -> str:
    """A short text in a language, or in English if we have none."""
    return next((text for code, text in QUESTIONS.items() if same_language(code, language)), QUESTIONS["en"])


class Trial(NamedTuple):
    """What an engine made of a test question."""

    engine: str
    version: str | None
    text: str  # the question
    answer: str | None
    silence: Silence | None
    problem: str | None
    seconds: float
    prompt: list[dict[str, str]] | None = None  # what a language model was told, with the role of each message
    learning: str | None = None  # what an engine that learns itself has done

    def __str__(self) -> str:
        learning = f"; it has {self.learning}" if self.learning else ""
        if self.answer is None:
            why = (self.problem or str(self.silence)).removeprefix(f"{self.engine}: ")
            return f"{self.engine} gives no answer to “{self.text}”: {why}{learning}"
        slow = f"; translations do not wait longer than {SLOW:.0f} s for an answer" if self.seconds > SLOW else ""
        return f"{self.engine} translates “{self.text}” as “{self.answer}” ({self.seconds:.2f} s{slow}){learning}"
