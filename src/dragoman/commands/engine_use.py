"""How a command uses the engine that its project names: asks it in batches, and says what it was silent about."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from dragoman.engine import Engine

BATCH = 64  # texts asked for at once
T = TypeVar("T")
RequireEngine = Annotated[
    bool,
    typer.Option("--require-engine", help="Exit with 1 if the engine that the project names left out any text."),
]


class EngineUse:
    """Counts the texts that were asked for, and those that the engine had no answer for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        learning = engine.wait_for_learning()
        if learning and learning.due:
            typer.echo(f"dragoman: the engine has {learning}", err=True)
        self._asked = 0
        self._texts: set[str] = set()  # each is asked for once
        self._silent: dict[str, str] = {}
        self._doubtful: dict[str, str] = {}

    @property
    def silent(self) -> int:
        """How many texts had no answer."""
        return len(self._silent)

    def ask(self, texts: Sequence[str], *, around: str = "") -> None:
        """Ask for some texts at once, with the text `around` them; translating them does not wait for the engine."""
        asked = self._engine.ask_ahead([text for text in texts if text not in self._texts], around=around)
        self._texts.update(texts)
        self._asked += asked.number
        self._silent |= asked.silent
        self._doubtful |= asked.doubtful

    def asked_ahead(self, texts: Iterable[str]) -> Iterator[str]:
        """The same texts, asked for in batches of those that are there without waiting for more."""
        if self._engine.upstream is None:
            yield from texts
            return
        for batch in _batches(texts):
            self.ask(batch)
            yield from batch

    def report(self, *, required: bool = False) -> None:
        """Say on standard error how many texts had no answer and why, and how many answers look wrong.

        If the engine is required, a text that it could not do is exit code 1.
        """
        from dragoman.project.consultant import Asked
        from dragoman.upstream import Silence

        asked = Asked(self._asked, self._silent, self._doubtful)
        if asked.doubtful:
            typer.echo(f"dragoman: {asked.doubts}", err=True)
        if asked.silent:
            typer.echo(f"dragoman: {asked}", err=True)
        left_out = asked.silent or set(asked.doubtful.values()) - {str(Silence.MARKS_LOST)}
        if left_out and required:
            raise typer.Exit(1)


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    """What has arrived, at most so many at once; whoever sends one line and waits for its translation gets it.

    >>> list(_batches([1, 2, 3]))[0][0]
    1
    """
    if isinstance(items, Sequence):
        yield from (list(items[at : at + BATCH]) for at in range(0, len(items), BATCH))
        return
    arrived: queue.Queue[tuple[T] | BaseException | None] = queue.Queue(BATCH)

    def read() -> None:
        try:
            for item in items:
                arrived.put((item,))
            arrived.put(None)
        except BaseException as error:
            arrived.put(error)

    threading.Thread(target=read, daemon=True, name="reading texts").start()
    while True:
        found = [arrived.get()]
        while len(found) < BATCH and not arrived.empty():
            found.append(arrived.get())
        end = found[-1] if not isinstance(found[-1], tuple) else ()
        if batch := [each[0] for each in found if isinstance(each, tuple)]:
            yield batch
        if isinstance(end, BaseException):
            raise end
        if end is None:
            return
