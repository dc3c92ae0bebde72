"""Progress bars on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, int, int], None]  # name of the work, amount done, total amount


@contextmanager
def bars() -> Iterator[Progress]:
    """A function to report progress with; it draws a bar for each kind of work, if there is a terminal to draw on."""
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    unseen = not (console.is_terminal or console.is_jupyter)
    with progress.Progress(*columns, console=console, disable=unseen) as display:
        tasks: dict[str, Any] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = display.add_task(what, total=total)
            display.update(tasks[what], completed=done)

        yield report
