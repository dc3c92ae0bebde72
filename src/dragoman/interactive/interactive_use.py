"""Interactive translation, simulated as in the papers ([O] §4.2): the figures, the table and the curve of its outcomes.

>>> import tempfile
>>> from dragoman.engine import Engine
>>> from dragoman.interactive.user import interact
>>> directory = tempfile.TemporaryDirectory()
>>> with Engine.create(f"{directory.name}/p", source="en", target="es") as engine:
...     outcomes = list(interact(engine, [("green button", "botón verde")] * 2))
>>> directory.cleanup()
>>> summary(outcomes)["KSMR"]
50.0
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.files import storage_errors
from dragoman.interactive.user import Effort, SimulatedSegment

WINDOW = 50  # segments of the moving average

Curve = NDArray[np.float64]  # [segments]


def summary(outcomes: Sequence[SimulatedSegment]) -> dict[str, float]:
    """The effort of all segments together, and the times of opening, of a key, and of learning."""
    effort = total(outcomes)
    keys = 1e3 * np.array([seconds for each in outcomes for seconds in each.keys] or [0.0])
    opening, learning = (1e3 * np.array([getattr(each, name) for each in outcomes]) for name in ("opening", "learning"))
    return {
        "segments": len(outcomes),
        "KSMR": round(effort.ksmr, 2),
        "KSMR with acceptance": round(effort.ksmr_with_acceptance, 2),
        "WSR": round(effort.wsr, 2),
        "key strokes": effort.key_strokes,
        "mouse actions": effort.mouse_actions,
        "word strokes": effort.word_strokes,
        "opening, ms, median": round(float(np.median(opening)), 2),
        "key, ms, median": round(float(np.median(keys)), 2),
        "key, ms, 99 %": round(float(np.percentile(keys, 99)), 2),
        "learning, ms, median": round(float(np.median(learning)), 2),
    }


def total(outcomes: Sequence[SimulatedSegment]) -> Effort:
    """The effort of all segments together."""
    if not outcomes:
        raise BadInputError("no segments to measure", remedy="provide at least one")
    return sum((each.effort for each in outcomes), Effort())


def learning_curve(outcomes: Sequence[SimulatedSegment], window: int | None = None) -> Curve:
    """KSMR over all segments up to each of them, or over a window of the last ones."""
    actions = np.cumsum([0, *(each.effort.key_strokes + each.effort.mouse_actions for each in outcomes)])
    characters = np.cumsum([0, *(each.effort.characters for each in outcomes)])
    last = np.arange(1, len(outcomes) + 1)
    first = np.zeros_like(last) if window is None else np.maximum(last - window, 0)
    curve: Curve = 100 * (actions[last] - actions[first]) / np.maximum(characters[last] - characters[first], 1)
    return curve


def write_csv(outcomes: Sequence[SimulatedSegment], path: Path) -> None:
    """One line per segment, with the KSMR of all segments up to it: the learning curve."""
    with storage_errors(path, unchanged=False), path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = ["key strokes", "mouse actions", "word strokes", "characters", "cumulative KSMR", "learning, ms"]
        writer.writerow(["segment", "source", "first suggestion", "reference", *names])
        for number, (each, ksmr) in enumerate(zip(outcomes, learning_curve(outcomes), strict=True), start=1):
            effort = each.effort
            counts = effort.key_strokes, effort.mouse_actions, effort.word_strokes, effort.characters
            texts = each.source, each.translation, each.reference
            writer.writerow([number, *texts, *counts, round(float(ksmr), 2), round(1e3 * each.learning, 3)])


def plot(outcomes: Sequence[SimulatedSegment], path: Path, title: str = "") -> None:
    """The learning curve as a figure; the file ending selects the format."""
    figure = load("matplotlib.figure", extra="plots").Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    numbers = np.arange(1, len(outcomes) + 1)
    axes.plot(numbers, learning_curve(outcomes), label="KSMR, all segments so far")
    recent = learning_curve(outcomes, WINDOW)
    axes.plot(numbers, recent, linewidth=0.7, alpha=0.6, label=f"KSMR, last {WINDOW} segments")
    axes.set(xlabel="segment", ylabel="percent", title=title, ylim=(0, None))
    axes.legend()
    with storage_errors(path, unchanged=False):
        figure.savefig(path)
