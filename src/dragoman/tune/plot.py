"""The rounds of tuning as a figure."""

from __future__ import annotations

from pathlib import Path

from dragoman.extras import load
from dragoman.files import storage_errors
from dragoman.tune.rounds import Report


def plot(report: Report, path: Path) -> None:
    """Write a figure of the score by round, decoded and expected on the pool; the file ending selects the format."""
    figure = load("matplotlib.figure", extra="plots").Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    numbers = [each.number for each in report.rounds]
    axes.plot(numbers, [each.score for each in report.rounds], "o-", label="decoded")
    expected = [(each.number, each.expected) for each in report.rounds if each.expected is not None]
    if expected:
        axes.plot(*zip(*expected, strict=True), "s--", label="expected on the pool")
    axes.plot(report.best, report.after, "o", markersize=14, fillstyle="none", color="black", label="kept")
    axes.set(xlabel="round", ylabel=report.measure.split("|")[0], title=f"{report.method}, seed {report.seed}")
    axes.set_xticks(numbers)
    axes.legend()
    with storage_errors(path, unchanged=False):
        figure.savefig(path)
