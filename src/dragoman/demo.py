"""What `make demo` shows: dragoman starts from nothing and learns a manual while it translates it."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from dragoman import kernels, sample
from dragoman.engine import Engine
from dragoman.interactive.post_editing import Outcome, post_edit
from dragoman.upstream.installed import name_in_the_box

BARS = "▁▂▃▄▅▆▇█"
WINDOW = 24  # segments to each bar of the curve
NEXT = """Next steps:
  dragoman create my-project --source en --target es      create your own project
  dragoman learn my-project "Press the button." "Pulse el botón."
  dragoman translate my-project "Press the button."
  dragoman --help"""


def show(segments: int = 0) -> None:
    """Translate the sample segment by segment, show each correction, learn it, and show the error falling."""
    console = Console()
    kernels.warm(only_first=True)
    pairs = sample.pairs()[: segments or None]
    engine_name = name_in_the_box()
    over = f" over {engine_name}" if engine_name else ""
    console.print(f"A new, empty project{over} translates a manual of {len(pairs)} segments. Each correction")
    console.print("is learned at once; the word error rate shows how much is left to correct.\n")
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "manual", source="en", target="es", upstream=engine_name) as engine,
        Live(console=console, refresh_per_second=8) as live,
    ):
        for outcome in post_edit(engine, pairs):
            outcomes.append(outcome)
            live.update(_picture(outcomes, len(pairs)))
    console.print(_summary(outcomes))
    console.print(NEXT, highlight=False)


def _picture(outcomes: list[Outcome], total: int) -> Group:
    latest = Grid.grid(padding=(0, 1))
    for outcome in outcomes[-5:]:
        same = outcome.translation == outcome.reference
        latest.add_row("[dim]source[/]", Text(outcome.source, overflow="ellipsis", no_wrap=True))
        latest.add_row("[dim]dragoman[/]", Text(outcome.translation, "green" if same else "yellow", no_wrap=True))
        latest.add_row("[dim]correct[/]", Text("✓" if same else outcome.reference, "green", no_wrap=True))
        latest.add_row()
    done = f"{len(outcomes)}/{total} segments"
    return Group(Panel(latest, title=done, title_align="left"), Text.from_markup(_curve(outcomes)))


def _curve(outcomes: list[Outcome]) -> str:
    """The word error rate of each stretch of segments, as bars."""
    remaining, bars = iter(outcomes), []
    while part := list(islice(remaining, WINDOW)):
        rate = _error_rate(part)
        bars.append(BARS[min(int(rate / 100 * len(BARS)), len(BARS) - 1)])
    latest = _error_rate(outcomes[-WINDOW:])
    return f"word error rate  [bold cyan]{''.join(bars)}[/]  {latest:.0f} % recently"


def _error_rate(outcomes: list[Outcome]) -> float:
    return 100 * sum(each.errors for each in outcomes) / max(sum(each.words for each in outcomes), 1)


def _summary(outcomes: list[Outcome]) -> str:
    quarter = max(len(outcomes) // 4, 1)
    first, last = _error_rate(outcomes[:quarter]), _error_rate(outcomes[-quarter:])
    perfect = sum(each.translation == each.reference for each in outcomes[-quarter:])
    times = sorted(each.learning for each in outcomes)
    return (
        f"\nWord error rate: {first:.0f} % in the first quarter, {last:.0f} % in the last, where {perfect} of "
        f"{quarter} segments needed no correction.\n"
        f"Learning a correction took {1e3 * times[len(times) // 2]:.1f} ms (median), including the write to disk.\n"
    )
