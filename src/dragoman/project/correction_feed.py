"""The corrections in force of an open project, for an engine that learns them in the background."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from dragoman.errors import DragomanError
from dragoman.project.memory import Memory
from dragoman.project.open_project import OpenProject


class CorrectionFeed:
    """What the memory holds at this moment; see `upstream.contract.CorrectionsInForce`.

    It is read without the project's lock, so that nobody who holds that waits for the background. A correction is in
    the memory once its row is safe, and is no longer there when `forget` returns.
    """

    def __init__(self, opened: OpenProject) -> None:
        self._opened = opened
        self.directory = opened.path
        self._known: tuple[Memory, int, tuple[int, ...]] | None = None  # a memory that begins with these

    @contextmanager
    def keeping_files(self) -> Iterator[bool]:
        """Keep others from changing files in the directory; whether it is the writer's, or a replica's own."""
        with ExitStack() as stack:
            may_write = self._opened.role != "reader"
            if may_write:
                try:
                    stack.enter_context(self._opened.store.keeping_files())
                except (DragomanError, OSError):  # another process writes here
                    may_write = False
            yield may_write

    def __len__(self) -> int:
        """How many there are."""
        return len(self._opened.state.memory)

    def in_order(self) -> list[tuple[int, tuple[str, str]]]:
        """The id, source and target of each, the oldest first."""
        return self._opened.state.memory.in_order()

    def begin_with(self, ids: tuple[int, ...]) -> bool:
        """Whether the oldest of them are these; what is added later changes nothing about that."""
        memory = self._opened.state.memory
        now, known = (memory, memory.removed, ids), self._known
        if known and known[0] is memory and known[1:] == now[1:]:
            return True
        begins = tuple(number for number, _ in memory.in_order()[: len(ids)]) == ids
        if begins:
            self._known = now
        return begins
