"""What a session asks of an open project for its source: how it begins, word graphs, guesses, how words are written.

It begins with the translation of the text that everybody else gets.

A text is translated sentence by sentence, wherever it is translated; so another engine is asked for its sentences, and
what it says for all of them is its answer for the text.

Each question takes the project's lock for as long as it needs the models, and gives back what stays valid without it.

How sure the words of a translation are, by what a word graph thinks of the same words.

The two may differ in a word or in spaces; what stands in the same order in both is the same word.

>>> carry_over(["Pulse", "la", "tecla", "verde"], ["Pulse", "el", "botón", "verde"], [0.9, 0.8, 0.7, 0.6])
[0.9, 0.0, 0.0, 0.6]
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.interactive.word_completion import WordCompletion, guess
from dragoman.project.multiline import joined
from dragoman.project.open_project import OpenProject
from dragoman.project.request import Request
from dragoman.project.state import State
from dragoman.project.translator import Translator, find_first
from dragoman.records import Match, Sentence, Translation
from dragoman.search.constrained import NO_PREFIX, Prefix
from dragoman.search.decoder import Beam
from dragoman.search.wordgraph import WordGraph
from dragoman.text.casing import in_capitals
from dragoman.text.language_side import take_gaps
from dragoman.text.tokens import split
from dragoman.upstream.contract import Answer

MAX_SESSION_WORDS = 5_000  # limit of a text whose translation is completed: each key takes milliseconds


class SessionStart(NamedTuple):
    """A request, and what is known of its translation before anything is typed."""

    request: Request
    answer: str | None  # of another engine, for the whole text
    known: Match | None = None  # a correction that is its translation
    best: Translation | None = None  # else the translation that everybody gets
    parts: tuple[Request, ...] = ()  # of a text of several sentences


class SessionStarts:
    """Makes the start of a session for a text."""

    def __init__(self, opened: OpenProject, translator: Translator, *, recalls: bool, seconds: float | None) -> None:
        self._opened, self._translator = opened, translator
        self._recalls, self._seconds = recalls, seconds

    def make(self, text: str, parts: Sequence[str], answer: str | Answer | None, *, is_plain: bool) -> SessionStart:
        """The start of a session for a text that is translated in these parts, maybe with the answer that it was given.

        Only a `plain` session begins with the best translation.
        """
        if len(parts) > 1:
            self._translator.ask_parts(parts, recalls=self._recalls, seconds=self._seconds, again=False)
            made = (self._translator.request(each, recalls=self._recalls, seconds=self._seconds) for each in parts)
            asked = [_without_copy(each) for each in made]
            both = [self._translator.divided(request, recalls=False) for request in asked]
            return self._of_parts(text, [each for some in both for each in some])
        request = _without_copy(_checked(self._translator.request(text, answer, seconds=self._seconds)))
        divided = self._translator.divided(request, recalls=self._recalls)
        return self._whole(request, is_plain=is_plain) if len(divided) == 1 else self._of_parts(text, divided)

    def _whole(self, request: Request, *, is_plain: bool) -> SessionStart:
        with self._opened.reading() as state:
            request = request.at(state)
            known = find_first(request) if self._recalls else None
        best = self._translator.translated(request) if is_plain and not known and len(request.source) else None
        return SessionStart(request, request.answer.text if request.answer else None, known, best)

    def _of_parts(self, text: str, asked: Sequence[Request]) -> SessionStart:
        with self._opened.reading() as state:
            request = _checked(self._translator.read(state, text))
        made = [self._translator.translated(each, recalls=self._recalls) for each in asked]
        best, both = joined(made), list(zip(asked, made, strict=True))
        silence = next((each.silence for each in asked if each.silence), None)
        is_answered = any(each.answer for each in asked) and all(
            each.answer or part.memory is not None or not len(part.source) for each, part in both
        )
        # A search takes the correction of a part for its answer; what is shown is only what was answered.
        whole = "".join(each.answer.text if each.answer else part.text for each, part in both)
        request = request.answered(Answer(whole) if is_answered else None, silence)
        return SessionStart(request, best.upstream, best=best, parts=tuple(asked))


def _checked(request: Request) -> Request:
    """The request; refused if its text is too long for a session."""
    if (words := len(request.source)) > MAX_SESSION_WORDS:
        what = f"the text has {words:,} words, too many to complete its translation"
        raise BadInputError(what, remedy=f"open sessions for texts of at most {MAX_SESSION_WORDS:,} words")
    return request


def _without_copy(request: Request) -> Request:
    """The request without an answer that is its source, because the engine cannot do it: nobody types that."""
    answer = request.answer
    is_copy = answer is not None and answer.flaw is not None and answer.text == request.source.text
    return request.answered(None, request.silence) if is_copy else request


OPENING = Beam(pops=1000, stack=250)  # wide: what is not in the graph cannot be suggested at once
MAX_POPS, MIN_POPS = 150_000, 100  # of the opening: for all words together, but at least so many for each
MAX_ARCS = 60_000  # of a graph that is kept: about 15 MB with all that the error model makes of it
THOROUGH = Beam(pops=500, stack=150)
QUICK = Beam(pops=60, stack=30)  # narrow: it is done between two keys


def opening_beam(words: int) -> Beam:
    """The beam for opening a source of so many words: narrower if it is long."""
    pops = max(MIN_POPS, min(OPENING.pops, MAX_POPS // max(words, 1)))
    return replace(OPENING, pops=pops, stack=max(MIN_POPS // 2, OPENING.stack * pops // OPENING.pops))


class FoundGraph(NamedTuple):
    """A word graph, and what belongs to it."""

    graph: WordGraph
    welcome: NDArray[np.bool_]  # [vocabulary] which words a gap may precede
    revision: int  # of the models it was made with


class Graphs:
    """Word graphs of one source, from the models as they are when asked."""

    def __init__(
        self,
        project: OpenProject,
        request: Request,
        continue_from: Callable[[str], Answer | None] | None = None,
        parts: Sequence[Request] = (),
    ) -> None:
        self.source, self.silence = request.source, request.silence
        self.version = 0  # how often another engine has given a new answer
        self._project, self._request = project, request
        self._parts = tuple(parts) if request.is_long else ()  # searched one by one
        self._parts = tuple(parts) if request.is_long else ()  # searched one by one
        self._answer, self._continue_from = request.answer, continue_from
        self._continuing, self._token_version = threading.Lock(), request.state.knowledge.target.version
        self._fixed = {word for word, fixed in zip(self.source.words, self.source.placeable, strict=True) if fixed}

    @property
    def nbytes(self) -> int:
        """Memory that is kept for further searches, in bytes."""
        return self._request.nbytes

    def read(self, text: str) -> Sentence:
        """The tokens of a text in the target language."""
        return split(text, self._project.tokens, version=self._token_version)

    def open(self) -> FoundGraph:
        """Search translations."""
        return self._find((), opening_beam(len(self.source)))

    def behind(self, words: tuple[str, ...], *, quick: bool) -> FoundGraph:
        """Search translations that begin with some words."""
        return self._find(words, QUICK if quick else THOROUGH)

    def ask_for_continuation(self, prefix: str) -> None:
        """Ask the other engine how it would go on from a prefix, beside the keys; the next search may use it."""
        if self._continue_from and prefix.strip() and self._continuing.acquire(blocking=False):
            threading.Thread(target=self._take_continuation, args=(prefix,), daemon=True).start()

    def _take_continuation(self, prefix: str) -> None:
        try:
            answer = self._continue_from(prefix) if self._continue_from else None
            if answer is not None and answer != self._answer:
                self._answer, self.version = answer, self.version + 1
        finally:
            self._continuing.release()

    def _find(self, words: tuple[str, ...], beam: Beam) -> FoundGraph:
        request, answer = self._request, self._answer
        if request.answer != answer:
            request = request.answered(answer)
        if self._parts and not words:
            most = MAX_ARCS // len(self._parts)
            found = [self._search(each, (), beam, most) for each in self._parts if len(each.source)]
            graph, revision = WordGraph.joined(graph for graph, _ in found), found[-1][1]
        else:
            graph, revision = self._search(request, words, beam)
        with self._project.reading() as state:
            return FoundGraph(graph, take_gaps(state.knowledge.target, graph.vocabulary), revision)

    def _search(
        self, request: Request, words: tuple[str, ...], beam: Beam, most: int = MAX_ARCS
    ) -> tuple[WordGraph, int]:
        """The word graph of a request, and the revision of the models that it was made with."""
        with self._project.reading() as state:
            prefix = Prefix(self._model_words(state, words)) if words else NO_PREFIX
            revision = state.revision
            request = request.at(state)
            if request.source is self.source:
                self._request = request
            found = request.search(prefix, beam)
        if found.work.arcs.size > most:
            found.thin(most)
        return found.graph().without_features(), revision

    def guess(self, words: tuple[str, ...], unfinished: str) -> WordCompletion | None:
        """The likeliest word of the language that begins with these characters, after these words."""
        with self._project.reading() as state:
            source = self._request.at(state).words
            return guess(state.knowledge.models, source, self._model_words(state, words), unfinished)

    def _model_words(self, state: State, words: tuple[str, ...]) -> tuple[str, ...]:
        """Typed words as the models see them."""
        marks = tuple(word in self._fixed for word in words)
        return state.knowledge.target.model_words(Sentence(words, ("", *(" " for _ in words)), marks))

    def write(self, words: Sequence[str], typed: Sentence) -> Sentence:
        """Words as text, cased like the source; or in capitals, if what was typed is."""
        like = typed if in_capitals(typed) else self.source
        with self._project.reading() as state:
            return state.knowledge.target.write(words, like, [word in self._fixed for word in words])


def carry_over(words: Sequence[str], known: Sequence[str], confidences: Sequence[float]) -> list[float]:
    """The confidence of each word: that of the same word among those known, or 0 where those have another."""
    found = [0.0] * len(words)
    for begin, other, size in SequenceMatcher(None, words, known, autojunk=False).get_matching_blocks():
        found[begin : begin + size] = confidences[other : other + size]
    return found
