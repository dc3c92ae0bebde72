"""How much a text reveals about itself: each segment is translated by models that have learned all its others.

Online learning knows only the segments before. What these models gain from those before and after is more than they
can gain online, and so shows whether a text could yield the points that [O] gained on another.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from dragoman.interactive.user import SimulatedSegment, interact
from dragoman.measure.significance import Interval
from dragoman_laboratory.domains import LANGUAGES, SYSTEMS, as_much, gains, paper_gains, parameters, translate
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Scale, Table, Text
from dragoman_laboratory.judging import all_decided, shown
from dragoman_laboratory.simulation import MEASURES, Simulation
from dragoman_laboratory.workspace import Workspace

TASKS = ("manuals", "parliament")  # where less is gained than in the paper
OTHERS = "all others learned"


def others_learned(
    workspace: Workspace,
    task: str,
    language: str,
    train: Text,
    test: Text,
    system: str,
    development: Text | None = None,
) -> Measured:
    """BLEU, WER and KSMR where each segment is forgotten, translated, and learned again."""
    del task, language, system
    with workspace.engine(train, test.languages) as engine:
        engine.weights = workspace.weights(train, development, "mert")
        pairs = workspace.pairs(test)
        numbers = [engine.learn(*pair, force=True) for pair in pairs]
        outcomes = list[SimulatedSegment]()
        for number, pair in zip(numbers, pairs, strict=True):
            engine.forget(number)
            outcomes += interact(engine, [pair], mode="graph")
    found = Simulation.of(outcomes)
    return Measured([found.summary()], counts=[found.counts])


def cells(scale: Scale) -> list[Cell]:
    """Not learning, learning from what came before, and from all others; on the full scale with tuned weights."""
    found = []
    for task, language in product(TASKS, LANGUAGES):
        usual = [parameters(scale, task, language, system) for system in SYSTEMS[:2]]
        found += [Cell(translate, each | {"mode": "graph"}) for each in usual]
        found.append(Cell(others_learned, parameters(scale, task, language, OTHERS)))
    return found


def gained(results: Results, task: str, language: str) -> dict[str, dict[str, Interval]]:
    """The points gained by learning online, and with all others learned."""
    return {system: gains(results, language, system, task=task) for system in (SYSTEMS[1], OTHERS)}


def settings(results: Results) -> list[tuple[str, str]]:
    """Tasks and languages with results."""
    return [(row["task"], row["language"]) for row in results.select(system=OTHERS)]


def table(results: Results) -> Table:
    """The points gained, with those of the paper."""
    rows = []
    for task, language in settings(results):
        found = {"online, paper": paper_gains(task, language)}
        found |= {system: list(points.values()) for system, points in gained(results, task, language).items()}
        for system, points in found.items():
            rows.append((task, LANGUAGES[language], system, *(shown([each], 1) for each in points)))
    return Table(("task", "languages", "system", *(f"{name}, gained" for name in MEASURES)), rows)


def findings(results: Results) -> list[Finding]:
    """Whether a text reveals more than online learning uses; on the full scale, whether as much as in the paper."""
    answer, more, said = [], list[Interval](), list[str]()
    for task, language in settings(results):
        more += gains(results, language, OTHERS, SYSTEMS[1], task=task).values()
        said.append(shown(more[-len(MEASURES) :], 1))
        if "development" in results.rows[0]:
            whole = as_much(task, language, gained(results, task, language)[OTHERS])
            claim = f"with all other segments of the {task} learned, {whole.claim}"
            answer.append(whole._replace(name=f"{task}: {whole.name}", claim=claim))
    claim = "the segments before and after tell more than those before alone"
    return [Finding("more than online", claim, "; ".join(said), all_decided(more)), *answer]


def draw(figure: Any, results: Results) -> None:
    """The points gained by each measure, with those of the paper."""
    there = settings(results)
    for axes, (place, name) in zip(figure.subplots(1, len(MEASURES)), enumerate(MEASURES), strict=True):
        bars = {"online, paper": [paper_gains(*each)[place] for each in there]}
        for system in (SYSTEMS[1], OTHERS):
            bars[system] = [gained(results, *each)[system][name] for each in there]
        for n, (system, found) in enumerate(bars.items()):
            heights, margins = [each.score for each in found], [each.margin for each in found]
            axes.bar([at + n / 4 for at in range(len(there))], heights, 0.25, yerr=margins, label=system, capsize=2)
        axes.set(title=name, ylabel="points gained")
        labels = [f"{task}\n{language}" for task, language in there]
        axes.set_xticks([n + 0.25 for n in range(len(there))], labels, fontsize=7)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)


EXPERIMENTS = [Experiment("X-ceiling", "What a text can tell about itself", "", cells, table, findings, draw)]
