"""How often models are retrained ([O] §4.5): every 10, 100 or 1,000 sentences, from nothing, in batch."""

from __future__ import annotations

import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from dragoman.models.knowledge import Knowledge
from dragoman_laboratory import learning_curves as curves
from dragoman_laboratory.corpora import Pair
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Row, Scale, Table, Text
from dragoman_laboratory.judging import all_decided
from dragoman_laboratory.simulation import Simulation, simulated
from dragoman_laboratory.workspace import MAX_TRAINING_WORDS, Workspace


def retrained(workspace: Workspace, task: str, system: str, test: Text, every: int) -> Measured:
    """Translate some segments at a time, then train models in batch on all segments so far."""
    del task, system
    pairs, parts = workspace.pairs(test), list[Simulation]()
    for begin in range(0, len(pairs), every):
        with tempfile.TemporaryDirectory() as directory:
            base = train(pairs[:begin], Path(directory) / "base")
            with workspace.engine(base, test.languages) as engine:
                parts.append(simulated(engine, pairs[begin : begin + every], learn=False))
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return Measured(whole.curve(), counts=[whole.counts])


def train(pairs: list[Pair], directory: Path) -> Path | None:
    """A base trained on some pairs; None if there are none."""
    fit = [pair for pair in pairs if max(len(side.split()) for side in pair) <= MAX_TRAINING_WORDS]
    if not fit:
        return None
    knowledge = Knowledge(tokens="words")
    knowledge.train(fit)
    knowledge.save(directory)
    return directory


def timed(workspace: Workspace, task: str, test: Text, step: int) -> Measured:
    """Train models in batch on more and more sentences; seconds are processor time."""
    del task
    pairs, rows, seconds = workspace.pairs(test), list[Row](), dict[str, float]()
    with tempfile.TemporaryDirectory() as directory:
        train(pairs[:2], Path(directory) / "base")  # so that loading kernels is not counted
    for size in (*range(step, len(pairs), step), len(pairs)):
        with tempfile.TemporaryDirectory() as directory:
            began = time.process_time()
            train(pairs[:size], Path(directory) / "base")
            seconds[f"training on {size}"] = time.process_time() - began
        rows.append({"sentences": size})
    return Measured(rows, seconds)


def cells(scale: Scale) -> list[Cell]:
    """Each frequency on both corpora."""
    return [
        Cell(retrained, {"task": task, "system": f"Batch{every}", "test": text, "every": every})
        for task, text in curves.texts(scale).items()
        for every in scale((10, 100, 1000), (10, 50, 100))
    ]


def time_cells(scale: Scale) -> list[Cell]:
    """Both corpora, up to the papers' 10,000 sentences."""
    texts = curves.texts(scale, quick=4000)
    return [Cell(timed, {"task": task, "test": text, "step": 1000}) for task, text in texts.items()]


def findings(results: Results) -> list[Finding]:
    """Whether training more often is better."""
    systems = results.distinct("system")
    gains = [gain for a, b in pairwise(systems) for gain in curves.differences(results, a, b)]
    claim = "the more often models are trained anew, the lower are WER and KSMR"
    return [Finding("more often is better", claim, curves.points(gains), all_decided(gains))]


def _trainings(results: Results) -> dict[str, tuple[list[int], list[float]]]:
    """For each task: sizes of the training set, and seconds of training."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for task in results.distinct("task"):
        sizes = results.distinct("sentences", task=task)
        found[task] = sizes, [results.seconds(f"training on {size}", task=task) for size in sizes]
    return found


def time_table(results: Results) -> Table:
    """Seconds of the largest training, scaled to the papers' 10,000 sentences."""
    minutes = {"XRCE": 19, "Europarl": 45}  # [O] §4.5, after 10,000 sentences
    rows = []
    for task, (sizes, seconds) in _trainings(results).items():
        scaled = seconds[-1] * 10_000 / sizes[-1]
        rows.append((task, f"{minutes[task]} min", str(sizes[-1]), f"{seconds[-1]:.2f} s", f"{scaled:.0f} s"))
    return Table(("task", "10,000 sentences, paper", "sentences here", "took", "of 10,000, if linear"), rows)


def time_findings(results: Results) -> list[Finding]:
    """Whether training time grows."""
    said, rises = [], []
    for task, (sizes, seconds) in _trainings(results).items():
        said.append(f"{task}: {seconds[0]:.2f} s for {sizes[0]:,} sentences, {seconds[-1]:.2f} s for {sizes[-1]:,}")
        rises.append(seconds[-1] > seconds[0])
    claim = "training in batch takes longer, the more there is to train on"
    return [Finding("time grows", claim, "; ".join(said), all(rises))]


def draw_time(figure: Any, results: Results) -> None:
    """[O] Fig. 4: seconds of training by the size of the training set."""
    axes = figure.subplots()
    for task, (sizes, seconds) in _trainings(results).items():
        axes.plot(sizes, seconds, marker=".", label=task)
    axes.set(xlabel="sentences to train on", ylabel="seconds", ylim=(0, None))
    axes.legend()


EXPERIMENTS = [
    Experiment(
        "O-fig3",
        "Training anew every 10, 100 or 1,000 sentences",
        "The more often, the better, by WER and by KSMR, on both corpora.",
        cells,
        curves.table,
        findings,
        curves.draw,
    ),
    Experiment(
        "O-fig4",
        "Time of training in batch",
        "It grows with what there is to train on: 19 (XRCE) and 45 minutes (Europarl) at 10,000 sentences.",
        time_cells,
        time_table,
        time_findings,
        draw_time,
    ),
]
