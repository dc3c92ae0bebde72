"""Calls of an engine for a batch of texts: cut into lines, masked, counted against the limits of the day, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dragoman.circuit import Circuit
from dragoman.upstream.attempts import attempt
from dragoman.upstream.checks import refuse
from dragoman.upstream.contract import NO_HINTS, Answer, Hints, MeteredEngine, Silence, UnansweredError, UpstreamEngine
from dragoman.upstream.paragraphs import Paragraph, cut
from dragoman.upstream.span_answers import SpanAnswers
from dragoman.upstream.trial import question_for

if TYPE_CHECKING:
    from dragoman.store.answers import Answers
    from dragoman.store.project_answers import ProjectAnswers

Outcome = Answer | Silence


class Caller:
    """Asks an engine for whole texts."""

    def __init__(
        self,
        engine: UpstreamEngine,
        answers: Answers | ProjectAnswers | None,
        languages: tuple[str, str],
        note: Callable[[Exception], None],
    ) -> None:
        self._engine, self._answers, self._languages, self._note = engine, answers, languages, note
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
            return [_checked(text, each, self._languages[1]) for text, each in zip(texts, found, strict=True)]
        paragraphs = [cut(text) for text in texts]
        lines: dict[tuple[str, Hints], int] = {}  # each line once, and its place among all
        places = [
            [lines.setdefault(line, len(lines)) for line in _lines(paragraph, each)]
            for paragraph, each in zip(paragraphs, hints, strict=True)
        ]
        markings = self._engine.traits.markings
        asked = [text for text, _ in lines], [each for _, each in lines]
        outcomes = attempt(self._call, markings, *asked, self._languages[1], self._spans) if lines else []
        return [
            _joined(paragraph, [outcomes[place] for place in each])
            for paragraph, each in zip(paragraphs, places, strict=True)
        ]

    def _recorded(self, texts: Sequence[str]) -> list[Outcome]:
        """What is recorded for texts as they are, else for their lines without the spaces and line ends around them."""
        outcomes = self._call(texts, [NO_HINTS] * len(texts), False)
        cuts = {n: cut(texts[n]) for n, each in enumerate(outcomes) if isinstance(each, Silence)}
        lines = list(dict.fromkeys(line for paragraph in cuts.values() for line in paragraph.lines))
        known = dict(zip(lines, self._call(lines, [NO_HINTS] * len(lines), False), strict=True))
        for n, paragraph in cuts.items():
            if paragraph.spans:
                outcomes[n] = _joined(paragraph, [known[line] for line in paragraph.lines])
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
        question = question_for(self._languages[0])
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


def _lines(paragraph: Paragraph, hints: Hints) -> list[tuple[str, Hints]]:
    terms = paragraph.terms(hints.terms)
    return [(line, replace(hints, terms=each)) for line, each in zip(paragraph.lines, terms, strict=True)]


def _joined(paragraph: Paragraph, outcomes: Sequence[Outcome]) -> Outcome:
    """The answers for the lines as one for the text; a text of one line keeps its n-best list."""
    silence = next((each for each in outcomes if isinstance(each, Silence)), None)
    if silence:
        return silence
    answers = [each for each in outcomes if isinstance(each, Answer)]
    text = paragraph.join([answer.text for answer in answers])
    nbest = answers[0].nbest if len(answers) == 1 else ()
    flaw = next((answer.flaw for answer in answers if answer.flaw), None)
    return Answer(text, tuple(each._replace(text=paragraph.join([each.text])) for each in nbest), flaw=flaw)


def _checked(text: str, outcome: Outcome, language: str) -> Outcome:
    if isinstance(outcome, Silence):
        return outcome
    return replace(outcome, flaw=refuse(text, outcome.text, language))
