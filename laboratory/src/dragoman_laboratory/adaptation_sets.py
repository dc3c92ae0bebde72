"""Adapting weights to a fixed set of sentences A ([B] §5): sets are drawn at random, and other news is reranked.

Lists are decoded once with the trained weights; tuners find weights on those of A, Bayes a predictive distribution,
and both choose from the lists of the test set. [B] decodes again in each round of tuning; here nothing does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from dragoman.tune import METHODS, Pool
from dragoman_laboratory.adapter_cells import row_of, run_of
from dragoman_laboratory.batch_bayes import adapt
from dragoman_laboratory.experiment import Measured, Results, Row, Scale, Table, Text
from dragoman_laboratory.reranking import MEASURES, Lists, Run
from dragoman_laboratory.workspace import Workspace

MOST = 2000  # sentences that A is drawn from


def texts(scale: Scale) -> dict[str, Text]:
    """Models and weights of parliament; news to draw A from, and other news to translate."""
    corpus, news = "europarl-en-es", "newstest-en-es"
    return {
        "train": scale.text(corpus, "train", 60_000, 4000),
        "development": scale.text(corpus, "dev", 500, 150),
        "adaptation": scale.text(news, "dev", MOST, 400),
        "test": scale.text(news, "test", 1000, 250),
    }


def common(scale: Scale) -> dict[str, Any]:
    """What all cells of a family share: the texts, sizes of A, the number of draws, the length of the lists."""
    sizes = scale("10 20 50 100 200 500 1000 2000", "10 30 100 300")
    return {**texts(scale), "sizes": sizes, "draws": scale(10, 6), "n": scale(200, 100)}


def adapted(
    workspace: Workspace,
    system: str,
    method: str,
    train: Text,
    development: Text,
    adaptation: Text,
    test: Text,
    sizes: str,
    draws: int,
    n: int,
    measure: str = "ter",
    **options: Any,
) -> Measured:
    """TER and BLEU of the test set for each size of A and each draw; processor seconds of adapting, per draw."""
    del system
    offered, other = (workspace.lists(train, development, text, n) for text in (adaptation, test))
    known = workspace.lists(train, development, development, n) if method == "mert+" else None
    rows, seconds = list[Row](), dict[str, float]()
    for size in map(int, sizes.split()):
        began = time.process_time()
        runs = []
        for draw in range(draws):
            random = np.random.default_rng([workspace.seed, size, draw])
            drawn = sorted(random.permutation(len(offered))[:size].tolist())
            choose = _chooser(method, offered, drawn, n, measure, known, workspace.seed + draw, options)
            runs.append((draw, choose))
        seconds[f"|A| = {size}"] = (time.process_time() - began) / draws
        rows += [{"|A|": size, "draw": draw} | row_of(_run(other, choose, n)) for draw, choose in runs]
        if method == "none":
            break
    return Measured(rows, seconds)


def _chooser(
    method: str,
    lists: Lists,
    drawn: Sequence[int],
    n: int,
    measure: str,
    known: Lists | None,
    seed: int,
    options: dict[str, Any],
) -> Any:
    """A function that chooses from a list after adapting: from features to a row."""
    weights = np.array(list(lists.weights.values()))
    if method == "bayes":
        features = [lists.candidates(s, n, factors=False).features for s in drawn]
        best = [int(np.argmin(lists.losses("ter", s, n))) for s in drawn]
        return adapt(weights, features, best, seed=seed, **options).rerank
    if method != "none":
        pool = pool_of(lists, drawn, n, measure)
        if known is not None:
            pool = pool_of(known, range(len(known)), n, measure).joined(pool)
        weights = METHODS[method.removesuffix("+")](pool, weights, seed=seed)
    return lambda rows: int(np.argmax(rows @ weights))


def pool_of(lists: Lists, sentences: Sequence[int], n: int, measure: str) -> Pool:
    """The lists of some sentences, as tuners take them."""
    pool = Pool(MEASURES[measure])
    features = [lists.candidates(s, n, factors=False).features for s in sentences]
    pool.add(features, [lists.counts(measure, s, n) for s in sentences])
    return pool


def _run(lists: Lists, choose: Any, n: int) -> Run:
    return run_of(lists, [choose(lists.candidates(s, n, factors=False).features) for s in range(len(lists))], n)


# ── Looking at the results ───────────────────────────────────────────────────────────────────────────────────────────


def values(results: Results, name: str, system: str, size: int, **where: Any) -> list[float]:
    """A measure for each draw of A; without adapting it does not depend on A."""
    found = results.select(system=system, **{"|A|": size}, **where) or results.select(system=system, **where)
    return [float(row[name]) for row in found]


def spread(results: Results, name: str, system: str, size: int) -> tuple[float, float]:
    """Mean and 2σ of a measure over the draws of A."""
    found = values(results, name, system, size)
    return float(np.mean(found)), 2 * float(np.std(found))


def sizes_of(results: Results) -> list[int]:
    """The sizes of A."""
    return results.distinct("|A|")


def spread_table(results: Results, name: str) -> Table:
    """Mean ± 2σ of each system and size."""
    rows = []
    for system in results.distinct("system"):
        cells = [
            "{:.2f} ± {:.2f}".format(*spread(results, name, system, size))
            if results.select(system=system, **{"|A|": size})
            else ""
            for size in sizes_of(results)
        ]
        rows.append((system, *cells))
    return Table((f"{name}, ours, mean ± 2σ", *(f"A of {size}" for size in sizes_of(results))), rows)


def draw_spread(figure: Any, results: Results, name: str) -> None:
    """Left the mean with its 2σ, right the 2σ, against the size of A."""
    left, right = figure.subplots(1, 2)
    for system in results.distinct("system"):
        sizes = results.distinct("|A|", system=system)
        values = [spread(results, name, system, size) for size in sizes]
        if system == "none":
            left.axhline(values[0][0], color="black", linestyle=":", label=system)
            continue
        left.errorbar(sizes, [mean for mean, _ in values], [sigma for _, sigma in values], capsize=2, label=system)
        right.plot(sizes, [sigma for _, sigma in values], marker=".")
    left.set(xscale="log", xlabel="|A|", ylabel=name)
    right.set(xscale="log", xlabel="|A|", ylabel=f"2σ of {name}")
    left.legend(fontsize=6)
