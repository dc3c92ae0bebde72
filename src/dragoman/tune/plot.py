"""The rounds of tuning as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dragoman.extras import load
from dragoman.files import storage_errors
from dragoman.tune.held_out import Validation
from dragoman.tune.rounds import TuningReport


def plot(report: TuningReport | Validation, path: Path) -> None:
    """Write a figure of the score by round, decoded and expected on the pool; the file ending selects the format.

    Where parts of the development set were held out, there is a panel for each.
    """
    panels = report.folds if isinstance(report, Validation) else (report,)
    size = 6 * len(panels), 4
    figure = load("matplotlib.figure", extra="plots").Figure(figsize=size, layout="constrained")
    for number, (each, axes) in enumerate(
        zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True), 1
    ):
        _draw(each, axes, f", without part {number}" if len(panels) > 1 else "")
    with storage_errors(path, unchanged=False):
        figure.savefig(path)


def _draw(report: TuningReport, axes: Any, remark: str) -> None:
    numbers = [each.number for each in report.rounds]
    axes.plot(numbers, [each.score for each in report.rounds], "o-", label="decoded")
    expected = [(each.number, each.expected) for each in report.rounds if each.expected is not None]
    if expected:
        axes.plot(*zip(*expected, strict=True), "s--", label="expected on the pool")
    axes.plot(report.best, report.after, "o", markersize=14, fillstyle="none", color="black", label="kept")
    axes.set(xlabel="round", ylabel=report.measure.split("|")[0], title=f"{report.method}, seed {report.seed}{remark}")
    axes.set_xticks(numbers)
    axes.legend()
