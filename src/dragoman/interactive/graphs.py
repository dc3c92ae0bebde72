"""What a session asks of an open project for its source: word graphs, guesses, and how words are written.

Each question takes the project's lock for as long as it needs the models, and gives back what stays valid without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.interactive.word_completion import WordCompletion, guess
from dragoman.project.open_project import OpenProject
from dragoman.project.request import Request
from dragoman.project.state import State
from dragoman.project.translator import search_in_pieces
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Beam
from dragoman.search.wordgraph import WordGraph
from dragoman.text.casing import in_capitals
from dragoman.text.completion import take_gaps
from dragoman.text.tokens import split
from dragoman.types import Sentence
from dragoman.upstream.contract import Answer

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
    ) -> None:
        self.source, self.silence = request.source, request.silence
        self.version = 0  # how often another engine has given a new answer
        self._project, self._request = project, request
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
        found = None if words else search_in_pieces(self._project.reading, request, beam)
        with self._project.reading() as state:
            prefix, revision = Prefix(self._model_words(state, words)), state.revision
            self._request = request.at(state)
            found = found or self._request.search(prefix, beam)
        if sum(piece.work.arcs.size for piece in found.pieces) > MAX_ARCS:
            found.thin(MAX_ARCS)
        graph = found.graph().without_features()
        with self._project.reading() as state:
            return FoundGraph(graph, take_gaps(state.knowledge.target, graph.vocabulary), revision)

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
