"""A simulated user: one pass over a text gives BLEU and WER of the first suggestions, KSMR, and times.

What an interactive session suggests before anything is typed is the translation that would be post-edited, so
that both scenarios of [O] §4.2 are measured in one pass.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.engine import Engine
from dragoman.interactive.session import Mode
from dragoman.interactive.user import SimulatedSegment, interact
from dragoman.measure import Bleu, Measure, Wer, interval
from dragoman_laboratory.experiment import Measured, Row

POINTS = 25  # of a learning curve

Counts = NDArray[np.int64]
Curves = dict[str, NDArray[np.float64]]
MEASURES: dict[str, Measure] = {"BLEU": Bleu("none"), "WER": Wer(), "KSMR": Wer()}  # KSMR: actions per character


@dataclass(frozen=True)
class Simulation:
    """What the simulated user had to do, segment by segment."""

    counts: dict[str, Counts]  # for each measure [segments, k]
    learning: NDArray[np.float64]  # [segments] seconds of the processor: those of the disk say more about the machine

    @classmethod
    def of(cls, outcomes: Sequence[SimulatedSegment]) -> Simulation:
        """Count the results of all segments."""
        texts = [each.translation for each in outcomes], [each.reference for each in outcomes]
        efforts = [each.effort for each in outcomes]
        effort = np.array([(each.key_strokes + each.mouse_actions, each.characters) for each in efforts])
        counts = {"BLEU": Bleu("none").statistics(*texts), "WER": Wer().statistics(*texts), "KSMR": effort}
        return cls(counts, np.array([each.learning for each in outcomes]))

    def __add__(self, other: Simulation) -> Simulation:
        """Both, one after the other."""
        counts = {name: np.concatenate([rows, other.counts[name]]) for name, rows in self.counts.items()}
        return Simulation(counts, np.concatenate([self.learning, other.learning]))

    def summary(self) -> Row:
        """Each measure of the whole text with its margin, half of the 95 % interval."""
        row: Row = {}
        for name, measure in MEASURES.items():
            found = interval(measure, self.counts[name])
            row |= {name: found.score, f"{name} margin": found.margin}
        return row

    def curve(self) -> list[Row]:
        """WER and KSMR of all segments up to some of them."""
        size = len(self.learning)
        at = np.unique(np.linspace(1, size, min(size, POINTS)).round().astype(np.int64))
        scores = {name: MEASURES[name].scores(self.counts[name].cumsum(0)[at - 1]) for name in ("WER", "KSMR")}
        return [
            {"segments": int(n), "WER": float(w), "KSMR": float(k)}
            for n, w, k in zip(at, *scores.values(), strict=True)
        ]

    def seconds(self) -> dict[str, float]:
        """Quartiles and extremes of the time to learn a segment."""
        names = "least", "lower quartile", "median", "upper quartile", "most"
        quantiles = np.quantile(self.learning, [0, 0.25, 0.5, 0.75, 1])
        return {f"learning, {name}": float(value) for name, value in zip(names, quantiles, strict=True)}


def simulated(
    engine: Engine,
    pairs: Iterable[tuple[str, str]],
    *,
    learn: bool = True,
    mode: Mode = "graph",
    guess: bool = True,
) -> Simulation:
    """Let a simulated user translate the sources, with completions from word graphs as in [O]."""
    return Simulation.of(list(interact(engine, pairs, learn, mode=mode, guess=guess, clock=time.thread_time)))


def curves(found: Simulation) -> Measured:
    """The rows of a learning curve."""
    return Measured(found.curve(), found.seconds(), [found.counts])
