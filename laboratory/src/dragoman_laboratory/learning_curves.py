"""What figures of learning curves have in common: WER and KSMR of all segments so far, one line for each system."""

from __future__ import annotations

from typing import Any

from dragoman.measure import Wer
from dragoman.measure.significance import Interval
from dragoman_laboratory.experiment import Results, Scale, Table, Text
from dragoman_laboratory.judging import shown

CORPORA = {"XRCE": "pydocs-en-es", "Europarl": "europarl-en-es"}  # the papers' and what stands in for each
MEASURES = ("WER", "KSMR")


def texts(scale: Scale, full: int = 10_000, quick: int = 200) -> dict[str, Text]:
    """The first segments of the training sets, translated from nothing ([O] §4.3)."""
    return {task: scale.translated(corpus, "train", scale(full, quick)) for task, corpus in CORPORA.items()}


def final(results: Results, measure: str, task: str, system: str) -> float:
    """A measure over the whole text."""
    return results.value(measure, task=task, system=system)


def table(results: Results) -> Table:
    """WER and KSMR of the whole text for each system."""
    rows = []
    for task in results.distinct("task"):
        for system in results.distinct("system"):
            values = (f"{final(results, measure, task, system):.2f}" for measure in MEASURES)
            rows.append((task, str(system), *values))
    return Table(("task", "system", *(f"{name}, ours" for name in MEASURES)), rows)


def differences(results: Results, better: str, worse: str) -> list[Interval]:
    """By how many points one system is better than another, for each task and measure."""
    return [
        results.difference(Wer(), measure, {"task": task, "system": better}, {"task": task, "system": worse})
        for task in results.distinct("task")
        for measure in MEASURES
    ]


def points(found: list[Interval]) -> str:
    """Differences in words."""
    return f"{shown(found)} points"


def draw(figure: Any, results: Results) -> None:
    """A plot for each task and measure, as in [O] Fig. 3."""
    tasks = results.distinct("task")
    grid = figure.subplots(1, len(tasks) * len(MEASURES), squeeze=False)[0]
    places = ((task, measure) for task in tasks for measure in MEASURES)
    for axes, (task, measure) in zip(grid, places, strict=True):
        for system in results.distinct("system"):
            rows = results.select(task=task, system=system)
            axes.plot([row["segments"] for row in rows], [row[measure] for row in rows], label=system, linewidth=1)
        axes.set(title=task, xlabel="segments", ylabel=f"{measure}, all segments so far")
        axes.legend(fontsize=6)


def draw_boxes(figure: Any, results: Results) -> None:
    """The time to learn a segment: quartiles and extremes, as in [O] Fig. 6."""
    axes = figure.subplots()
    names = {"whislo": "least", "q1": "lower quartile", "med": "median", "q3": "upper quartile", "whishi": "most"}
    boxes = [
        {"label": f"{row['task']} {row['system']}"} | {key: row[f"learning, {name}"] for key, name in names.items()}
        for row in results.times
    ]
    axes.bxp(boxes, showfliers=False)
    axes.set(ylabel="seconds", yscale="log")
