"""What a session begins with: the translation of the text that everybody else gets, and the request of its searches.

A text of several lines is translated line by line, wherever it is translated; so another engine is asked for its lines,
and what it says for all of them is its answer for the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.project.multiline import joined
from dragoman.project.open_project import OpenProject
from dragoman.project.request import Request
from dragoman.project.translator import Translator, find_first
from dragoman.types import Match, Translation
from dragoman.upstream.contract import Answer

MAX_SESSION_WORDS = 5_000  # limit of a text whose translation is completed: each key takes milliseconds


class SessionStart(NamedTuple):
    """A request, and what is known of its translation before anything is typed."""

    request: Request
    upstream: str | None  # another engine's answer for the whole text
    known: Match | None = None  # a correction that is its translation
    best: Translation | None = None  # else the translation that everybody gets


class SessionStarts:
    """Makes the start of a session for a text."""

    def __init__(self, opened: OpenProject, translator: Translator, *, recalls: bool, seconds: float | None) -> None:
        self._opened, self._translator = opened, translator
        self._recalls, self._seconds = recalls, seconds

    def make(self, text: str, lines: Sequence[str], answer: str | Answer | None, *, is_plain: bool) -> SessionStart:
        """The start of a session for a text that is translated in these lines, maybe with the answer that it was given.

        Only a `plain` session begins with the best translation.
        """
        return self._whole(text, answer, is_plain=is_plain) if len(lines) == 1 else self._of_lines(text, lines)

    def _whole(self, text: str, answer: str | Answer | None, *, is_plain: bool) -> SessionStart:
        request = _checked(self._translator.request(text, answer, seconds=self._seconds))
        with self._opened.reading() as state:
            request = request.at(state)
            known = find_first(request) if self._recalls else None
        best = self._translator.translated(request) if is_plain and not known and len(request.source) else None
        return SessionStart(request, request.answer.text if request.answer else None, known, best)

    def _of_lines(self, text: str, lines: Sequence[str]) -> SessionStart:
        with self._opened.reading() as state:
            request = _checked(self._translator.read(state, text))
        self._translator.ask_ahead(lines, recalls=self._recalls, seconds=self._seconds)
        asked = [self._translator.request(line, recalls=self._recalls, seconds=self._seconds) for line in lines]
        made = [self._translator.translated(each, recalls=self._recalls) for each in asked]
        best, both = joined(made), list(zip(asked, made, strict=True))
        silence = next((each.silence for each in asked if each.silence), None)
        is_answered = any(each.answer for each in asked) and all(
            each.answer or line.memory is not None or not len(line.source) for each, line in both
        )
        # A search takes the correction of a line for its answer; what is shown is only what was answered.
        whole = "".join(each.answer.text if each.answer else line.text for each, line in both)
        return SessionStart(request.answered(Answer(whole) if is_answered else None, silence), best.upstream, best=best)


def _checked(request: Request) -> Request:
    """The request; refused if its text is too long for a session."""
    if (words := len(request.source)) > MAX_SESSION_WORDS:
        what = f"the text has {words:,} words, too many to complete its translation"
        raise BadInputError(what, remedy=f"open sessions for texts of at most {MAX_SESSION_WORDS:,} words")
    return request
