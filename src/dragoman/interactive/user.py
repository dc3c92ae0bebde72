"""A simulated user, and how much work is left to them: key strokes and mouse actions, [O] §4.2.

The user knows the reference and reads the suggestion up to the first wrong character. If that is not where they are,
one mouse action brings them there; they type the right character, one key stroke; and the rest is suggested anew. What
runs on past the end of the reference is cut with one mouse action and one key stroke. So they always get there.

>>> import tempfile
>>> from dragoman.engine import Engine
>>> directory = tempfile.TemporaryDirectory()
>>> with Engine.create(f"{directory.name}/p", source="en", target="es") as engine:
...     effort = simulate(engine, [("green button", "botón verde")] * 2)
>>> directory.cleanup()
>>> effort.key_strokes, effort.mouse_actions, effort.word_strokes, effort.characters
(9, 2, 2, 22)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import takewhile
from typing import TYPE_CHECKING

from dragoman.errors import UnlearnableError
from dragoman.interactive.session import Mode, Session

if TYPE_CHECKING:
    from dragoman.engine import Engine


@dataclass(frozen=True)
class Effort:
    """The work of translating some texts with suggestions."""

    key_strokes: int = 0
    mouse_actions: int = 0
    word_strokes: int = 0  # words typed, if the user types whole words
    characters: int = 0  # of the references
    words: int = 0
    segments: int = 0

    def __add__(self, other: Effort) -> Effort:
        return Effort(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def ksmr(self) -> float:
        """Key strokes and mouse actions per character of the references, in percent ([O] §4.2)."""
        return 100 * (self.key_strokes + self.mouse_actions) / max(self.characters, 1)

    @property
    def ksmr_with_acceptance(self) -> float:
        """The same with one more action for each segment: accepting it."""
        return 100 * (self.key_strokes + self.mouse_actions + self.segments) / max(self.characters, 1)

    @property
    def wsr(self) -> float:
        """Word strokes per word of the references, in percent."""
        return 100 * self.word_strokes / max(self.words, 1)


@dataclass(frozen=True)
class SimulatedSegment:
    """What came of one segment."""

    source: str
    reference: str
    translation: str  # that was suggested first
    effort: Effort
    opening: float  # seconds
    keys: tuple[float, ...]  # seconds from each key to its suggestion
    learning: float


def simulate(
    engine: Engine, pairs: Iterable[tuple[str, str]], learn: bool = True, *, mode: Mode = "auto", memory: bool = False
) -> Effort:
    """The effort of translating the sources interactively until the references are reached; learning each, or not.

    Without memory, it is the models alone that suggest, as in the papers.
    """
    return sum((each.effort for each in interact(engine, pairs, learn, mode=mode, memory=memory)), Effort())


def interact(
    engine: Engine,
    pairs: Iterable[tuple[str, str]],
    learn: bool = True,
    *,
    mode: Mode = "auto",
    memory: bool = False,
    guess: bool = True,
    clock: Callable[[], float] = time.perf_counter,
    upstream: Callable[[str], str] | None = None,
) -> Iterator[SimulatedSegment]:
    """`simulate`, segment by segment as they come; `guess` is as in `Session`, `clock` tells the time in seconds.

    `upstream` returns another engine's translation of a source, to complete and to learn from. A segment without
    words, or with too many, is not learned.
    """
    for source, reference in pairs:
        began = clock()
        answer = upstream(source) if upstream else None
        with engine.interact(source, mode=mode, memory=memory, guess=guess, upstream=answer) as session:
            first = session.suggest("").text
            opened = clock()
            keys: list[float] = []
            typing = type_characters(_timed(session, keys, clock), reference)
            strokes = type_words(lambda prefix: session.suggest(prefix).text, reference)
            ready = clock()
            if learn:
                with suppress(UnlearnableError):
                    session.accept(reference, force=True)
            learned = clock() - ready
        effort = Effort(*typing, strokes, len(reference), len(reference.split()), 1)
        yield SimulatedSegment(source, reference, first, effort, opened - began, tuple(keys), learned)


def _timed(session: Session, seconds: list[float], clock: Callable[[], float]) -> Callable[[str], str]:
    def suggest(prefix: str) -> str:
        began = clock()
        text = session.suggest(prefix).text
        if prefix:
            seconds.append(clock() - began)
        return text

    return suggest


def type_characters(suggest: Callable[[str], str], reference: str) -> tuple[int, int]:
    """(key strokes, mouse actions) until the suggestion, given the characters typed so far, is the reference.

    >>> type_characters(lambda prefix: prefix + "pulse la tecla"[len(prefix):], "pulse el botón")
    (7, 2)
    """
    keys, mouse, fixed = 0, 0, 0
    while (text := suggest(reference[:fixed])) != reference:
        right = _common(text, reference)
        if right == len(reference):
            return keys + 1, mouse + 1
        mouse += right > fixed
        keys += 1
        fixed = right + 1
    return keys, mouse


def type_words(suggest: Callable[[str], str], reference: str) -> int:
    """Words typed until the suggestion is the reference, by a user who types whole words and the gap after them.

    Cutting what runs on past the end of the reference counts as one.
    """
    strokes, fixed = 0, 0
    while (text := suggest(reference[:fixed])) != reference:
        strokes += 1
        right = _common(text, reference)
        if right == len(reference):
            return strokes
        fixed = _after_word(reference, max(right, fixed))
    return strokes


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common before the first that differs."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _after_word(text: str, at: int) -> int:
    """Where the word after the one at a place begins."""
    while at < len(text) and text[at].isspace():
        at += 1
    while at < len(text) and not text[at].isspace():
        at += 1
    while at < len(text) and text[at].isspace():
        at += 1
    return at
