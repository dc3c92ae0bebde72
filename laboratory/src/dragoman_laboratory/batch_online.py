"""Online learning against retraining every 10 sentences, from nothing ([O] §4.6); interlaced ([O] App. A)."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar
from unittest.mock import patch

from dragoman.engine import Engine
from dragoman.models.contribution import Contribution
from dragoman.project import corrector
from dragoman.project.correction_record import CorrectionRecord
from dragoman.project.corrector import CorrectionComparison, PreparedCorrection
from dragoman.project.state import State
from dragoman_laboratory import learning_curves as curves
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Scale, Table, Text
from dragoman_laboratory.judging import decided, together
from dragoman_laboratory.renewal import interlaced, renew
from dragoman_laboratory.simulation import curves as curve_rows
from dragoman_laboratory.simulation import simulated
from dragoman_laboratory.update_frequency import retrained
from dragoman_laboratory.workspace import Workspace

EPOCHS = 5  # E of the interlaced rule, as in [O] App. A
EVERY = 10  # sentences after which the batch system is retrained
PAPER = {"XRCE": 0.03, "Europarl": 0.16}  # [O] §4.6: median seconds of learning a sample


class Interlacing(Engine):
    """An engine that keeps re-estimating the alignments of its last R corrections ([O] App. A).

    Phrase pairs stay as first extracted; only the alignment models change. It cannot
    be opened again, since the journal does not record this.
    """

    kept: ClassVar[int] = 1  # R

    def learn(self, *texts: Any, **options: Any) -> int:
        """Learn a correction in another way, for as long as that takes."""
        with patch.object(corrector, "apply_correction", self._apply):
            return super().learn(*texts, **options)

    def _apply(
        self, state: State, prepared: PreparedCorrection, comparison: CorrectionComparison | None
    ) -> CorrectionRecord:
        del comparison  # weights do not adapt here
        contribution = state.knowledge.learn(prepared.pair)
        added = Contribution.from_bytes(contribution.to_bytes())  # before it is renewed
        self._renew(state, contribution)
        state.after_learning()
        return CorrectionRecord(prepared.pair.source.text, prepared.pair.target.text, added)

    def _renew(self, state: State, new: Contribution) -> None:
        """Re-estimate the E − 1 corrections before the new one, in both directions."""
        models = state.knowledge.models
        if not hasattr(self, "_last"):
            self._last: deque[list[Any]] = deque(maxlen=self.kept)
            self._trial = 0
        self._trial += 1
        self._last.append([new.source, new.target, new.inverse, new.direct])
        for trial in interlaced(self._trial, self.kept, min(EPOCHS, self.kept))[1:]:
            sample = self._last[len(self._last) - 1 - (self._trial - trial)]
            source, target = sample[:2]
            sample[2] = renew(models.inverse, source, target, sample[2])
            sample[3] = renew(models.direct, target, source, sample[3])


def learned(workspace: Workspace, task: str, system: str, test: Text, kept: int = 1) -> Measured:
    """Learn each segment online, from nothing; with kept > 1, interlaced."""
    del task, system
    kind = type("Kept", (Interlacing,), {"kept": kept}) if kept > 1 else Engine
    with workspace.engine(None, test.languages, kind) as engine:
        return curve_rows(simulated(engine, workspace.pairs(test)))


def cells(scale: Scale) -> list[Cell]:
    """Online, and retrained every 10 sentences."""
    found = []
    for task, text in curves.texts(scale).items():
        batch = {"task": task, "system": f"Batch{EVERY}", "test": text, "every": EVERY}
        found += [Cell(learned, {"task": task, "system": "Online", "test": text}), Cell(retrained, batch)]
    return found


def online_cells(scale: Scale) -> list[Cell]:
    """Online alone."""
    return [cell for cell in cells(scale) if cell.parameters["system"] == "Online"]


def interlaced_cells(scale: Scale) -> list[Cell]:
    """Online, and interlaced with more and more corrections kept."""
    found = online_cells(scale)
    for task, text in curves.texts(scale).items():
        for kept in scale((10, 100, 1000), (10, 30, 100)):  # with R past the text, nothing would be renewed
            found.append(Cell(learned, {"task": task, "system": f"R={kept}", "test": text, "kept": kept}))
    return found


def findings(results: Results) -> list[Finding]:
    """Whether online learning is at least as good."""
    gains = curves.differences(results, "Online", f"Batch{EVERY}")
    claim = "online learning is slightly better than training anew every 10 sentences"
    return [Finding("online better", claim, curves.points(gains), decided(together(gains)))]


def interlaced_findings(results: Results) -> list[Finding]:
    """Whether keeping many corrections helps, and keeping few does harm."""
    few, *_, many = results.distinct("system")[1:]
    worse, better = curves.differences(results, "Online", few), curves.differences(results, many, "Online")
    return [
        Finding(
            "many are better",
            "with many kept, it is slightly better than online",
            curves.points(better),
            decided(together(better)),
        ),
        Finding(
            "few are worse",
            "with R = 10 it is clearly worse than online",
            curves.points(worse),
            decided(together(worse)),
        ),
    ]


def time_table(results: Results) -> Table:
    """Median and longest time to learn a segment."""
    rows = []
    for row in results.times:
        paper = f"{PAPER[str(row['task'])]:.2f}" if row["system"] == "Online" else ""
        ours = (f"{row[f'learning, {name}']:.4f}" for name in ("median", "most"))
        rows.append((str(row["task"]), str(row["system"]), paper, *ours))
    return Table(("task", "system", "seconds, median, paper", "median, ours", "most, ours"), rows)


def time_findings(results: Results) -> list[Finding]:
    """Whether learning a segment takes less than a second."""
    most = max(row["learning, most"] for row in results.times)
    median = max(row["learning, median"] for row in results.times)
    said = f"median at most {median:.3f} s, never more than {most:.3f} s"
    return [Finding("under a second", "learning a segment never takes more than a second", said, most < 1)]


def interlaced_time_findings(results: Results) -> list[Finding]:
    """Whether the interlaced rule costs more."""
    tasks = dict.fromkeys(row["task"] for row in results.times)
    ratios = [
        results.seconds("learning, median", task=task, system=results.distinct("system")[-1])
        / results.seconds("learning, median", task=task, system="Online")
        for task in tasks
    ]
    said = ", ".join(f"{ratio:.1f} times" for ratio in ratios)
    return [Finding("interlaced slower", "interlaced learning takes longer than online", said, min(ratios) > 1)]


EXPERIMENTS = [
    Experiment(
        "O-fig5",
        "Online learning against training anew every 10 sentences, from nothing",
        "Online learning is slightly better, by WER and by KSMR.",
        cells,
        curves.table,
        findings,
        curves.draw,
    ),
    Experiment(
        "O-fig6",
        "Time of learning a sentence",
        "The median is 0.03 s (XRCE) and 0.16 s (Europarl), and never more than a second.",
        online_cells,
        time_table,
        time_findings,
        curves.draw_boxes,
    ),
]
INTERLACED = [
    Experiment(
        "O-figA2",
        "Interlaced learning in the whole system, from nothing",
        "R = 10 is clearly worse than online, R = 100 the same, R = 1,000 slightly better.",
        interlaced_cells,
        curves.table,
        interlaced_findings,
        curves.draw,
    ),
    Experiment(
        "O-figA3",
        "Time of learning a sentence, interlaced",
        "It takes longer than online, as five samples are estimated each time.",
        interlaced_cells,
        time_table,
        interlaced_time_findings,
        curves.draw_boxes,
    ),
]
