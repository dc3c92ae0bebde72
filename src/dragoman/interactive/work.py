"""What a session asks of an engine, under the engine's lock: to read, to search behind a prefix, to write, to learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Generic, Protocol, TypeVar

from dragoman.interactive.guess import Guess, guess
from dragoman.interactive.session import Found
from dragoman.models.knowledge import Knowledge
from dragoman.search.constrained import Prefix
from dragoman.search.plan import Beam
from dragoman.search.searching import Search
from dragoman.text.casing import in_capitals
from dragoman.text.continuing import take_gaps
from dragoman.text.tokens import Mode, split
from dragoman.types import Sentence

OPENING = Beam(pops=1000, stack=250)  # wide: what is not in the graph cannot be suggested at once
THOROUGH = Beam(pops=500, stack=150)
QUICK = Beam(pops=60, stack=30)  # narrow: it is done between two keys


class Knowing(Protocol):
    """Models at some revision."""

    knowledge: Knowledge
    revision: int


S = TypeVar("S", bound=Knowing)


class Work(Generic[S]):
    """The work on one source: `reading` gives the state of the engine, `search` searches with it."""

    def __init__(
        self,
        source: Sentence,
        reading: Callable[[], AbstractContextManager[S]],
        search: Callable[[S, Sentence, Prefix, Beam], Search],
        learn: Callable[..., int],
    ) -> None:
        self._source, self._reading, self._search, self._learn = source, reading, search, learn
        with reading() as state:
            self._tokens: Mode = state.knowledge.target.mode  # which never changes
        self._fixed = {word for word, fixed in zip(source.words, source.placeable, strict=True) if fixed}

    def read(self, text: str) -> Sentence:
        """The tokens of a text in the target language."""
        return split(text, self._tokens)

    def open(self) -> Found:
        """Search translations."""
        return self._find((), OPENING)

    def behind(self, words: tuple[str, ...], *, quick: bool) -> Found:
        """Search translations that begin with some words."""
        return self._find(words, QUICK if quick else THOROUGH)

    def _find(self, words: tuple[str, ...], beam: Beam) -> Found:
        with self._reading() as state:
            prefix = Prefix(self._model_words(state, words))
            graph = self._search(state, self._source, prefix, beam).graph()
            return Found(graph, take_gaps(state.knowledge.target, graph.vocabulary), state.revision)

    def guess(self, words: tuple[str, ...], unfinished: str) -> Guess | None:
        """The likeliest word of the language that begins with these characters, after these words."""
        with self._reading() as state:
            source = state.knowledge.source.model_words(self._source)
            return guess(state.knowledge.models, source, self._model_words(state, words), unfinished)

    def _model_words(self, state: S, words: tuple[str, ...]) -> tuple[str, ...]:
        """Typed words as the models see them."""
        marks = tuple(word in self._fixed for word in words)
        return state.knowledge.target.model_words(Sentence(words, ("", *(" " for _ in words)), marks))

    def write(self, words: Sequence[str], typed: Sentence) -> Sentence:
        """Words as text, cased like the source; or in capitals, if what was typed is."""
        like = typed if in_capitals(typed) else self._source
        with self._reading() as state:
            return state.knowledge.target.write(words, like, [word in self._fixed for word in words])

    def learn(self, target: str, *, force: bool) -> int:
        """Learn the translation; its id."""
        return self._learn(target, force=force)
