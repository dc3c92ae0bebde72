"""Adapting weights, as cells: the methods of [M] by name, on n-best lists of news made with models of parliament."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dragoman.adapt import Adapter, Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.measure import Bleu, Ter, bootstrap
from dragoman_laboratory.experiment import Measured, Row, Scale, Text
from dragoman_laboratory.mert200 import Mert200
from dragoman_laboratory.reranking import MEASURES, Lists, Run, rerank
from dragoman_laboratory.workspace import Workspace

METHODS: dict[str, Callable[[float], Adapter]] = {
    "PA, λ": lambda rate: PassiveAggressive(alpha=rate),
    "perceptron, λ": lambda rate: Perceptron(alpha=rate),
    "ridge, λ": lambda rate: Ridge(alpha=rate),
    "Bayes, λ": lambda rate: Bayes(delta=1 / rate),  # the rate is 1/δ ([M] Eq. 31)
    "PA, u": lambda rate: PassiveAggressive(alpha=rate, parameters="factors"),
    "perceptron, u": lambda rate: Perceptron(alpha=rate, parameters="factors"),
    "ridge, u": lambda rate: Ridge(alpha=rate, parameters="factors"),
}
VARIANTS: dict[str, Callable[[float], Adapter]] = {
    "heuristic PA, λ": lambda rate: PassiveAggressive(alpha=rate, heuristic=True),
    "heuristic PA, u": lambda rate: PassiveAggressive(alpha=rate, heuristic=True, parameters="factors"),
}
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
CHOOSING = 500  # entries of the lists that rates are chosen on ([M] Fig. 5)
POINTS = 40  # of a learning curve


def texts(scale: Scale, language: str) -> dict[str, Text]:
    """Models and weights of parliament; news to choose the rate on, and other news to translate."""
    corpus, news = f"europarl-en-{language}", f"newstest-en-{language}"
    return {
        "train": scale.text(corpus, "train", 60_000, 4000),
        "development": scale.text(corpus, "dev", 500, 150),
        "chosen_on": scale.text(news, "dev", 1000, 250),
        "test": scale.text(news, "test", 2000, 400),
    }


def made(method: str, rate: float) -> Adapter:
    """An adapter by the name of its method."""
    return (METHODS | VARIANTS)[method](rate)


def swept(workspace: Workspace, method: str, train: Text, development: Text, chosen_on: Text, **_: Any) -> Measured:
    """Final TER with each learning rate, on the text that rates are chosen on."""
    lists = workspace.lists(train, development, chosen_on, CHOOSING)
    if method == "none":
        runs = {0.0: rerank(lists, None, CHOOSING)}
    else:
        runs = {rate: rerank(lists, made(method, rate), CHOOSING) for rate in RATES}
    rows = [row_of(run) | {"rate": rate} for rate, run in runs.items()]
    return Measured(rows, counts=[run.counted for run in runs.values()])


def best_rate(workspace: Workspace, method: str, train: Text, development: Text, chosen_on: Text) -> float:
    """The rate with the lowest TER."""
    rows = swept(workspace, method, train, development, chosen_on).rows
    return float(min(rows, key=lambda row: float(row["TER"]))["rate"])


def sized(
    workspace: Workspace, method: str, sizes: str, train: Text, development: Text, chosen_on: Text, test: Text, **_: Any
) -> Measured:
    """Final TER and BLEU with lists of each size, at the best rate of another text."""
    entries = [int(size) for size in sizes.split()]
    lists = workspace.lists(train, development, test, max(entries))
    base = rerank(lists, None, max(entries))
    if method in ("none", "oracle"):
        runs = {n: rerank(lists, None, n, oracle=method == "oracle") for n in entries}
        rate = 0.0
    else:
        rate = best_rate(workspace, method, train, development, chosen_on)
        runs = {n: rerank(lists, made(method, rate), n) for n in entries}
    rows = [row_of(run, base) | {"n-best": n, "rate": rate} for n, run in runs.items()]
    seconds = {f"a sentence, {n}-best": run.seconds for n, run in runs.items()}
    return Measured(rows, seconds, [run.counted for run in runs.values()])


def followed(
    workspace: Workspace, method: str, n: int, train: Text, development: Text, chosen_on: Text, test: Text, every: int
) -> Measured:
    """The learning curve of a method: TER of all segments so far, and the difference from not adapting."""
    lists = workspace.lists(train, development, test, n)
    base = rerank(lists, None, n)
    if method.startswith("MERT"):
        run = mert_every(lists, n, every, workspace.seed)
    elif method == "none":
        run = base
    else:
        rate = best_rate(workspace, method, train, development, chosen_on)
        run = rerank(lists, made(method, rate), n)
    at = np.unique(np.linspace(0, len(lists) - 1, POINTS).round().astype(np.int64))
    both = run.curve("ter"), base.curve("ter")
    rows: list[Row] = [
        {"segments": int(t) + 1, "TER": float(both[0][t]), "TER difference": float(both[0][t] - both[1][t])} for t in at
    ]
    return Measured(rows, {"a sentence": run.seconds}, [run.counted])


def mert_every(lists: Lists, n: int, every: int, seed: int) -> Run:
    """Choose by weights that MERT finds again after every so many segments, on the last ones ([M] §5)."""
    stream, weights = Mert200(Ter(), every=every, seed=seed), np.array(list(lists.weights.values()))
    chosen = []
    for sentence in range(len(lists)):
        features = lists.candidates(sentence, n, factors=False).features
        chosen.append(int(np.argmax(features @ weights)))
        weights = stream.update(weights, features, lists.counts("ter", sentence, n))
    return run_of(lists, chosen, n)


def run_of(lists: Lists, chosen: list[int], n: int) -> Run:
    """A run from the chosen entries, with their counts."""
    counts = {name: np.array([lists.counts(name, s, n)[c] for s, c in enumerate(chosen)]) for name in MEASURES}
    return Run(np.array(chosen), counts, 0.0)


def row_of(run: Run, base: Run | None = None) -> Row:
    """TER and BLEU with margins, the components of BLEU, and the difference from not adapting."""
    row: Row = {}
    for name in ("TER", "BLEU"):
        counts = run.counts[name.lower()]
        before = base.counts[name.lower()] if base else counts
        found = bootstrap(MEASURES[name.lower()], before, counts)
        row |= {name: found.system.score, f"{name} margin": found.system.margin}
        if base:
            row |= {f"{name} difference": found.difference.score, f"{name} p": found.p_value}
    parts = Bleu("none").parts(run.counts["bleu"].sum(0))
    row |= {f"precision {n}": value for n, value in enumerate(parts.precisions, start=1)}
    words = float(run.counts["bleu"][:, 0].mean())
    return row | {"words": words, "length": parts.length_ratio, "brevity penalty": parts.brevity_penalty}
