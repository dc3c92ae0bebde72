"""Adapting weights during interactive translation ([I] Table 1): by n-best lists, or by word graphs."""

from __future__ import annotations

from typing import Any

from dragoman.adapt import Ridge
from dragoman.measure import Wer
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Scale, Table, Text
from dragoman_laboratory.graph_ridge import GraphRidge
from dragoman_laboratory.interactive_adaptation import interact
from dragoman_laboratory.judging import decided, shown
from dragoman_laboratory.workspace import Workspace

PAPER = {"none": 40.6, "n-best": 42.8, "Gaussian": 40.9, "simplex": 40.4}


def typed(
    workspace: Workspace, method: str, train: Text, development: Text, test: Text, alpha: float, size: int
) -> Measured:
    """KSMR of a simulated user whose word graphs follow adapted weights; models do not learn."""
    ways: dict[str, Any] = {"none": None, "n-best": Ridge(alpha=alpha, nbest=max(size, 1))}
    for name in ("Gaussian", "simplex"):
        if name == method:
            ways[name] = GraphRidge(strategy=name.lower(), alpha=alpha, size=size, seed=workspace.seed)  # type: ignore[arg-type]
    weights = workspace.weights(train, development)
    found = interact(workspace.knowledge(train), weights, workspace.pairs(test), ways[method])
    return Measured([{"KSMR": found.ksmr}], {"a sentence": found.seconds}, [{"KSMR": found.counts}])


def cells(scale: Scale) -> list[Cell]:
    """The four of [I] Table 1, with its rates and sizes."""
    texts = {
        "train": scale.text("europarl-en-es", "train", 60_000, 4000),
        "development": scale.text("europarl-en-es", "dev", 500, 150),
        "test": scale.text("newstest-en-es", "test", 1000, 60),
    }
    settings = {
        "none": (0.0, 0),
        "n-best": (0.01, scale(5000, 500)),
        "Gaussian": (0.001, scale(201, 40)),
        "simplex": (0.0001, scale(70, 40)),
    }
    return [Cell(typed, {"method": name, **texts, "alpha": a, "size": n}) for name, (a, n) in settings.items()]


def table(results: Results) -> Table:
    """[I] Table 1 beside ours."""
    rows = []
    for row in results.rows:
        seconds = results.seconds("a sentence", method=row["method"])
        settings = f"{row['alpha']:g}", str(row["size"])
        numbers = f"{PAPER[row['method']]:.1f}", f"{row['KSMR']:.2f}", f"{seconds:.2f}"
        rows.append((row["method"], *settings, *numbers))
    return Table(("method", "α", "size", "KSMR, paper", "KSMR, ours", "seconds a sentence, ours"), rows)


def findings(results: Results) -> list[Finding]:
    """Whether the n-best version does harm, and only the simplex helps."""
    harm, gain = (
        results.difference(Wer(), "KSMR", {"method": better}, {"method": worse})
        for better, worse in (("none", "n-best"), ("simplex", "none"))
    )
    return [
        Finding(
            "n-best does harm", "ridge regression on n-best lists does harm", f"{shown([harm])} points", decided(harm)
        ),
        Finding("simplex helps", "by the simplex effort falls", f"{shown([gain])} points", decided(gain)),
    ]


def draw(figure: Any, results: Results) -> None:
    """KSMR of each method, the paper's beside ours."""
    axes = figure.subplots()
    places = range(len(PAPER))
    axes.bar([n - 0.2 for n in places], list(PAPER.values()), width=0.4, label="paper")
    axes.bar([n + 0.2 for n in places], [results.value("KSMR", method=m) for m in PAPER], width=0.4, label="ours")
    axes.set_xticks(list(places), list(PAPER))
    axes.set(ylabel="KSMR")
    axes.legend()


EXPERIMENTS = [
    Experiment(
        "I-tab1",
        "KSMR with ridge regression on n-best lists and on word graphs",
        "40.6 without, 42.8 by n-best lists, 40.9 with a Gaussian, 40.4 with a simplex.",
        cells,
        table,
        findings,
        draw,
    ),
]
