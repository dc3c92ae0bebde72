"""Over another engine: what it says, what was learned, and both in one translation, from nothing.

What the engines say was recorded beforehand, so these experiments run anywhere. Text is cased and written as usual,
unlike that of the papers' experiments: each segment is translated, scored, and then its reference is learned.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np

from dragoman.adapt import Adapter, Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.adapt.adaptation import Adaptation
from dragoman.engine import Engine
from dragoman.errors import UnlearnableError
from dragoman.measure import Bleu, Measure, Ter
from dragoman.models.evidence import Replacements
from dragoman.models.loglinear import TRUST, Weights
from dragoman.models.trust import BONUSES, HANDICAPS, Confidence
from dragoman.project import corrector
from dragoman.project.correction_record import CorrectionRecord
from dragoman.project.corrector import CorrectionComparison, PreparedCorrection, apply_correction
from dragoman.project.state import State
from dragoman.search.upstream_options import Trust
from dragoman_laboratory.corpora import Segment
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Row, Scale, Table, Text
from dragoman_laboratory.judging import all_decided, decided, shown
from dragoman_laboratory.workspace import Workspace

CORPORA = ("desktop", "pydocs", "tico19", "newstest")
MANUALS = CORPORA[:3]  # something repeats in these
ENGINES = {"nmt": "neural", "apertium": "Apertium"}
SYSTEMS = ("engine", "dragoman", "memory and engine", "fused")
MEASURES: dict[str, Measure] = {"BLEU": Bleu(), "TER": Ter()}
POINTS = 20  # of a curve
NO_WORSE = 0.5  # points of BLEU that a system may be behind and still be called as good
NEVER = 10**9  # edits that keep a level of trust from being chosen
NBEST = 100  # entries that adapters learn from
ADAPTERS: dict[str, Adapter] = {
    "passive-aggressive": PassiveAggressive(nbest=NBEST),
    "perceptron": Perceptron(alpha=0.001, nbest=NBEST),
    "ridge": Ridge(nbest=NBEST),
    "Bayes": Bayes(nbest=NBEST),
}
FEATURES = {f"without {name}": name for name, weight in TRUST.items() if weight}
OPTIONS = {"without a share in the language model": Trust(share=0.0)}
LEARNING = ("trust fixed", "replacements not counted", "nothing learned of the engine")


class Ablated(Engine):
    """An engine that lacks one part of what it does over another engine. It cannot be opened again."""

    lacking: ClassVar[str] = ""  # one of FEATURES, OPTIONS and LEARNING

    def learn(self, *texts: Any, **options: Any) -> int:
        """Learn a correction in another way, for as long as that takes."""
        with patch.object(corrector, "apply_correction", self._apply):
            return super().learn(*texts, **options)

    def _apply(
        self, state: State, prepared: PreparedCorrection, comparison: CorrectionComparison | None
    ) -> CorrectionRecord:
        if comparison and self.lacking in FEATURES:
            comparison = replace(comparison, offered=None)
        if comparison and self.lacking == "trust fixed":
            comparison = replace(comparison, costs=None)
        if self.lacking == "nothing learned of the engine":
            prepared, comparison = replace(prepared, answer=None), None
        learned = apply_correction(state, prepared, comparison)
        if self.lacking == "replacements not counted":
            state.replacements = Replacements()
        return learned


def prepare(engine: Engine, system: str) -> None:
    """Set an engine up as one of the systems, before anything is learned."""
    engine.adapter = ADAPTERS.get(system)
    with engine.opened.writing() as state:
        state.trust = OPTIONS.get(system, state.trust)
        if system in FEATURES:  # weights over an engine are not a setting, so an adapter that never learns holds them
            weights = Weights(state.weights.preset, {FEATURES[system]: 0.0}, upstream=True)
            state.fused_adaptation = Adaptation(Perceptron(nbest=1).settings(), weights)
        if system == "trust fixed":
            state.confidence = Confidence(NEVER * (np.arange(HANDICAPS.size) != BONUSES.index(0.0)))


# ── Cells ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def said_by(system: str, engine: Engine, segment: Segment) -> str:
    """What a system says for a segment."""
    if system == "engine":
        return segment.upstream
    if system == "dragoman":
        return engine.translate(segment.source).text
    if system == "memory and engine":
        known = engine.exact_match(segment.source)
        return known.target if known else segment.upstream
    return engine.translate(segment.source, upstream=segment.upstream).text


def followed(workspace: Workspace, text: str, engine: str, system: str, test: Text) -> Measured:
    """Post-edit a text over an engine: BLEU and TER of all segments so far, and the time it takes."""
    del text, engine
    kind = type("Lacking", (Ablated,), {"lacking": system})
    with workspace.engine(None, test.languages, kind, tokens="text", memory=True) as project:
        prepare(project, system)
        translations, seconds = [], list[tuple[float, float]]()
        segments = workspace.corpora.segments(test)
        for segment in segments:
            began = time.thread_time()
            translations.append(said_by(system, project, segment))
            translated = time.thread_time()
            if system != "engine":
                said = None if system in SYSTEMS[1:3] else segment.upstream
                with suppress(UnlearnableError):
                    project.learn(segment.source, segment.reference, upstream=said, force=True)
            seconds.append((translated - began, time.thread_time() - translated))
    references = [segment.reference for segment in segments]
    counts = {name: each.statistics(translations, references) for name, each in MEASURES.items()}
    curves = {name: each.scores(counts[name].cumsum(axis=0)) for name, each in MEASURES.items()}
    at = np.unique(np.linspace(0, len(segments) - 1, POINTS).round().astype(np.int64)).tolist()
    rows: list[Row] = [{"segments": n + 1} | {name: float(curve[n]) for name, curve in curves.items()} for n in at]
    medians = np.median(seconds, axis=0).tolist()
    return Measured(rows, dict(zip(("translating", "learning"), medians, strict=True)), [counts])


def cells(scale: Scale, systems: tuple[str, ...], corpora: tuple[str, ...], part: str) -> list[Cell]:
    """Each system on each text over each engine."""
    found = []
    for text in corpora:
        for engine, name in ENGINES.items():
            size = scale(1000, 100)
            test = replace(scale.translated(f"{text}-en-es", part, size), engine=engine)
            found += [Cell(followed, {"text": text, "engine": name, "system": each, "test": test}) for each in systems]
    return found


# ── Looking at the results ───────────────────────────────────────────────────────────────────────────────────────────


def tasks(results: Results) -> list[dict[str, str]]:
    """Each text with each engine."""
    return [
        {"text": text, "engine": engine}
        for text in results.distinct("text")
        for engine in results.distinct("engine", text=text)
    ]


def table(results: Results) -> Table:
    """BLEU, TER and milliseconds of CPU time for each system."""
    rows = []
    for task in tasks(results):
        for system in results.distinct("system", **task):
            scores = (f"{results.value(name, **task, system=system):.2f}" for name in MEASURES)
            times = (
                f"{1e3 * results.seconds(what, **task, system=system):.1f}" for what in ("translating", "learning")
            )
            rows.append((", ".join(task.values()), str(system), *scores, *times))
    return Table(("text, engine", "system", *MEASURES, "translating, ms", "learning, ms"), rows)


def draw(figure: Any, results: Results) -> None:
    """BLEU of all segments so far, a plot for each text and engine."""
    found = tasks(results)
    grid = figure.subplots(2, -(-len(found) // 2), squeeze=False).T.ravel()
    for axes, task in zip(grid, found, strict=False):
        for system in results.distinct("system", **task):
            rows = results.select(**task, system=system)
            axes.plot([row["segments"] for row in rows], [row["BLEU"] for row in rows], label=system, linewidth=1)
        axes.set_title(", ".join(task.values()), fontsize=7)
    grid[0].legend(fontsize=5)


def draw_bars(figure: Any, results: Results) -> None:
    """By how many points of BLEU each system differs from the whole, on average."""
    systems, found = results.distinct("system"), tasks(results)
    whole = [results.value("BLEU", **task, system="fused") for task in found]
    means = [np.subtract([results.value("BLEU", **t, system=each) for t in found], whole).mean() for each in systems]
    axes = figure.subplots()
    axes.barh(systems, means)
    axes.set(xlabel="points of BLEU, mean difference")
    axes.invert_yaxis()


def curve_findings(results: Results) -> list[Finding]:
    """Whether both together are better than each of the others, and harmless where little repeats."""
    found = []
    manuals = [task for task in tasks(results) if task["text"] in MANUALS]
    for other in SYSTEMS[:3] if manuals else ():
        gains = [_gain(results, task, "fused", other) for task in manuals]
        claim = f"where text repeats, fused is better than {other}"
        found.append(Finding(f"better than {other}", claim, f"BLEU {shown(gains)}", all_decided(gains)))
    for task in tasks(results):
        if task["text"] not in MANUALS:
            gain = _gain(results, task, "fused", "engine")
            claim = f"{', '.join(task.values())}: fused is no worse than the engine"
            found.append(Finding(claim, claim, f"BLEU {shown([gain])}", decided(gain, NO_WORSE)))
    return found


def difference_findings(results: Results, claim: str, *, gain: bool) -> list[Finding]:
    """For each variant whether it is better than the whole, or, without a gain, whether the whole is better."""
    found = []
    for system in results.distinct("system"):
        if system != "fused":
            pair = (system, "fused") if gain else ("fused", system)
            gains = [_gain(results, task, *pair) for task in tasks(results)]
            ours = f"mean BLEU {np.mean([each.score for each in gains]):+.2f}: {shown(gains)}"
            found.append(Finding(str(system), claim.format(system), ours, all_decided(gains)))
    return found


def _gain(results: Results, task: dict[str, str], system: str, other: str) -> Any:
    return results.difference(Bleu(), "BLEU", task | {"system": system}, task | {"system": other})


EXPERIMENTS = [
    Experiment(
        "U-curves",
        "Another engine, dragoman, the memory before the engine, and fused",
        "",
        partial(cells, systems=SYSTEMS, corpora=CORPORA, part="test"),
        table,
        curve_findings,
        draw,
    ),
    Experiment(
        "U-ablations",
        "What each feature and each way to learn contributes over another engine",
        "",
        partial(cells, systems=("fused", *FEATURES, *OPTIONS, *LEARNING), corpora=MANUALS, part="dev"),
        table,
        partial(difference_findings, claim="the whole is better than {}", gain=False),
        draw_bars,
    ),
    Experiment(
        "U-adapters",
        "Adapting the weights over another engine as well",
        "",
        partial(cells, systems=("fused", *ADAPTERS), corpora=MANUALS, part="dev"),
        table,
        partial(difference_findings, claim="adapting the weights by {} is better than not adapting", gain=True),
        draw_bars,
    ),
]
