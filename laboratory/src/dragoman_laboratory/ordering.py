"""Does the order of sentences matter ([O] §4.7)? Online learning from nothing, in the original order and shuffled."""

from __future__ import annotations

import numpy as np

from dragoman_laboratory import learning_curves as curves
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Scale, Text
from dragoman_laboratory.judging import decided, less, together
from dragoman_laboratory.simulation import simulated
from dragoman_laboratory.workspace import Workspace


def ordered(workspace: Workspace, task: str, system: str, test: Text) -> Measured:
    """Learn each segment online, in the order of the text or shuffled."""
    del task
    pairs = workspace.pairs(test)
    order = np.arange(len(pairs))
    if system == "shuffled":
        order = np.random.default_rng(workspace.seed).permutation(len(pairs))
    with workspace.engine(None, test.languages) as engine:
        found = simulated(engine, [pairs[place] for place in order])
    counts = {name: rows[np.argsort(order)] for name, rows in found.counts.items()}  # segment by segment of the text
    return Measured(found.curve(), found.seconds(), [counts])


def cells(scale: Scale) -> list[Cell]:
    """Both orders of both corpora."""
    texts = curves.texts(scale, quick=800)
    return [
        Cell(ordered, {"task": task, "system": system, "test": text})
        for task, text in texts.items()
        for system in ("original", "shuffled")
    ]


def findings(results: Results) -> list[Finding]:
    """Whether the original order is better, and where more."""
    gains = curves.differences(results, "original", "shuffled")
    found = [Finding("original better", "the original order is better", curves.points(gains), decided(together(gains)))]
    if len(gains) == 4:  # both tasks, two measures each
        claim = "much more so for XRCE than for Europarl"
        more = less(together(gains[:2]), together(gains[2:]))
        found.append(Finding("manuals more", claim, curves.points(gains), decided(more)))
    return found


EXPERIMENTS = [
    Experiment(
        "O-fig7",
        "Original against shuffled order",
        "The original order is better, since similar sentences stand together; much more so for XRCE.",
        cells,
        curves.table,
        findings,
        curves.draw,
    ),
]
