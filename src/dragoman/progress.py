"""Progress on standard error: bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

EACH, LONGEST, STEP = 10.0, 60.0, 0.1  # seconds between two lines, at least and at most; share of the work

Progress = Callable[[str, int, int], None]  # name of the work, amount done, total amount


@contextmanager
def bars() -> Iterator[Progress]:
    """A function to report progress with: a bar for each kind of work, or lines if there is no terminal to draw on."""
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield Lines()
        return
    with progress.Progress(*columns, console=console) as display:
        tasks: dict[str, Any] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = display.add_task(what, total=total)
            display.update(tasks[what], completed=done)

        yield report


class Lines:
    """Progress in lines, for logs: the first after ten seconds, then one at each tenth of the work, or each minute.

    Between two lines there are at least ten seconds.

    >>> seconds = iter([0, 5, 12, 14, 30, 95])
    >>> report = Lines(print, lambda: next(seconds))
    >>> for done in (1, 2, 30, 50, 51):
    ...     report("training", done, 100)
    training: 2 %
    training: 50 %
    training: 51 %
    """

    def __init__(
        self, write: Callable[[str], object] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write, self._clock = write or (lambda line: print(line, file=sys.stderr, flush=True)), clock
        self._last, self._shown = clock(), ("", 0.0)  # when a line was last written, and which work was how far then

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say how far some work is, unless a line was written just before."""
        share, waited = done / max(total, 1), self._clock() - self._last
        further = share - self._shown[1]
        is_new = what != self._shown[0]
        if waited >= EACH and (is_new or further >= STEP or waited >= LONGEST):
            self._write(f"{what}: {share:.0%}".replace("%", " %"))
            self._last, self._shown = self._last + waited, (what, share)
