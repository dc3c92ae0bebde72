"""A simulated person translates a text with an engine: what `Engine.simulate` and `dragoman lab simulate` report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.errors import BadInputError
from dragoman.interactive import interactive_use, post_editing
from dragoman.interactive.user import interact
from dragoman.measure import Bleu, ImmediateRecall, Improvement, Ter, Wer, improvement, interval
from dragoman.measure.immediate import COLUMNS as RECALLS
from dragoman.measure.significance import Interval
from dragoman.progress import Progress, bars
from dragoman.text.tokens import checked_pairs

if TYPE_CHECKING:
    from dragoman.engine import Engine

WAYS: dict[str, tuple[Any, Any]] = {
    "post-edit": (post_editing.post_edit, post_editing),
    "interactive": (interact, interactive_use),
}
SAVED = "edits saved per change"


@dataclass(frozen=True)
class Simulation:
    """What came out, segment by segment, and all together."""

    mode: str
    outcomes: list[Any]  # of post_editing or of the simulated user, one a segment

    @cached_property
    def summary(self) -> dict[str, float]:
        """The figures of all segments together."""
        found: dict[str, float] = WAYS[self.mode][1].summary(self.outcomes)
        found |= {name: round(each.score, 2) for name, each in self.recalls.items()}
        if self.changes is None:
            return found
        changes = {name: getattr(self.changes, name) for name in ("changed", "better", "worse")}
        return found | changes | {SAVED: round(self.changes.saved.score, 2)}

    @cached_property
    def changes(self) -> Improvement | None:
        """What was changed in another engine's words when post-editing, and what that was worth; None without one."""
        answered = [each for each in self.outcomes if getattr(each, "answer", None) is not None]
        if not answered:
            return None
        return improvement(
            *([getattr(each, name) for each in answered] for name in ("answer", "translation", "reference"))
        )

    @cached_property
    def recalls(self) -> dict[str, Interval]:
        """R0, R1 and R0+1 of the translations as suggested (`dragoman.measure.recall`), with 95 % intervals."""
        counts = ImmediateRecall().statistics(*self._texts)
        return {kind: interval(ImmediateRecall(kind), counts) for kind in RECALLS}

    @property
    def _texts(self) -> tuple[list[str], list[str]]:
        return [each.translation for each in self.outcomes], [each.reference for each in self.outcomes]

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """BLEU, WER, TER and recall of the translations as suggested, and what changes save, with 95 % intervals."""
        measures = (Bleu(), Wer(), Ter())
        found = {each.name.upper(): interval(each, each.statistics(*self._texts)) for each in measures}
        return found | self.recalls | ({SAVED: self.changes.saved} if self.changes else {})

    def write_csv(self, path: str | Path) -> None:
        """One line per segment, with the learning curve."""
        WAYS[self.mode][1].write_csv(self.outcomes, Path(path))

    def write_translations(self, path: str | Path) -> None:
        """The translations as suggested, one per line."""
        from dragoman.files import storage_errors

        with storage_errors(Path(path), unchanged=False):
            Path(path).write_text("".join(f"{each.translation}\n" for each in self.outcomes), encoding="utf-8")

    def plot(self, path: str | Path, title: str = "") -> None:
        """Draw the learning curves; the file ending selects the format."""
        WAYS[self.mode][1].plot(self.outcomes, Path(path), title=title)

    def __str__(self) -> str:
        return "\n".join(f"{name:28} {self.intervals.get(name, value)}" for name, value in self.summary.items())

    def _repr_html_(self) -> str:
        rows = ((name, self.intervals.get(name, value)) for name, value in self.summary.items())
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
        return f"<table>{cells}</table>"


def simulate(
    engine: Engine,
    pairs: Iterable[tuple[str, str]],
    *,
    mode: str = "post-edit",
    learn: bool = True,
    memory: bool = False,
    progress: bool | Progress | None = None,
) -> Simulation:
    """Translate each source, compare with its reference and learn that, as a person would work in one of two modes."""
    if mode not in WAYS:
        raise BadInputError(f"unknown mode {mode!r}", remedy=f"choose one of {', '.join(WAYS)}")
    segments = list(checked_pairs(pairs))
    if not segments:
        raise BadInputError("no segments to simulate", remedy="provide at least one")
    with bars() if progress is True else nullcontext(progress or None) as report:
        done = WAYS[mode][0](engine, segments, learn=learn, memory=memory)
        return Simulation(mode, list(_reported(done, mode, len(segments), report)))


def _reported(done: Iterator[Any], mode: str, total: int, report: Progress | None) -> Iterator[Any]:
    for number, outcome in enumerate(done, start=1):
        if report is not None:
            report(mode, number, total)
        yield outcome
