"""What the papers leave to future work, in the same form: each question is a list of systems on one task.

The task is the shift of domain: models of parliament translate manuals, and are corrected as they go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dragoman.adapt import Adapter
from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import candidates, losses
from dragoman.engine import Engine
from dragoman.measure import Bleu, Ter
from dragoman.models.language import AUTO, Share
from dragoman.models.modelset import SHARE
from dragoman.search.decoder import Decoder, Prefix
from dragoman_laboratory.adapter_cells import made, row_of, run_of
from dragoman_laboratory.batch_online import Interlacing
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Scale, Table, Text
from dragoman_laboratory.judging import decided, shown, together
from dragoman_laboratory.reranking import MEASURES, Run, live, rerank
from dragoman_laboratory.workspace import Workspace

RATES = {"ridge, λ": 0.01, "Bayes, λ": 0.1, "perceptron, λ": 0.001, "perceptron, u": 0.3}  # docs/understand/adapt.md
NO_WORSE = 0.5  # points of BLEU that a system may be behind and still be called as good


def texts(scale: Scale) -> dict[str, Text]:
    """Parliament to train on, manuals to translate."""
    train = scale.text("europarl-en-es", "train", 60_000, 4000)
    return {"train": train, "test": scale.text("pydocs-en-es", "test", 2000, 300)}


# ── Systems that learn ───────────────────────────────────────────────────────────────────────────────────────────────


def corrected(
    workspace: Workspace,
    system: str,
    train: Text,
    test: Text,
    adapter: str | None = None,
    kept: int = 1,
    share: float | None = SHARE,
    language_share: Share = AUTO,
    limit: int | None = None,
    window: int | None = None,
    learn: bool = True,
) -> Measured:
    """Post-edit a text: translate, score, learn; with any combination of adapter, shares, limit and forgetting."""
    del system
    kind = type("Kept", (Interlacing,), {"kept": kept}) if kept > 1 else Engine
    last: deque[int] = deque()
    with workspace.engine(train, test.languages, kind) as engine:
        engine.adapter = made(adapter, RATES[adapter]) if adapter else None
        engine.change_settings({"share": share, "language_share": language_share, "limit": limit})
        pairs, translations = workspace.pairs(test), list[str]()
        for source, reference in pairs:
            translations.append(engine.translate(source).text)
            if learn:
                last.append(engine.learn(source, reference, force=True))
            if window is not None and len(last) > window:
                engine.forget(last.popleft())
        entries = {name: engine.statistics()[name] for name in ("phrase pairs", "n-grams", "links")}
    texts_of = translations, [reference for _, reference in pairs]
    counts = {name: measure.statistics(*texts_of) for name, measure in MEASURES.items()}
    run = Run(np.zeros(len(pairs), np.int64), counts, 0.0)
    return Measured([row_of(run) | entries], counts=[run.counted])


def weighed(workspace: Workspace, system: str, train: Text, test: Text, adapter: str) -> Measured:
    """Only the weights adapt, in live search; models do not learn."""
    del system
    adapting, weights = made(adapter, RATES[adapter]), workspace.weights(train, None)
    run = live(workspace.knowledge(train), weights, workspace.pairs(test), adapting)
    return Measured([row_of(run)], counts=[run.counted])


def joint_cells(scale: Scale) -> list[Cell]:
    """λ, h, and both."""
    common = texts(scale)
    found = [Cell(corrected, {"system": "none", **common, "learn": False})]
    found += [Cell(weighed, {"system": f"λ, {name}", **common, "adapter": f"{name}, λ"}) for name in ("Bayes", "ridge")]
    found.append(Cell(corrected, {"system": "h", **common}))
    both = {f"λ and h, {name}": f"{name}, λ" for name in ("Bayes", "ridge")}
    return found + [Cell(corrected, {"system": name, **common, "adapter": how}) for name, how in both.items()]


def option_cells(scale: Scale, option: str, values: Callable[[Scale], tuple[Any, ...]]) -> list[Cell]:
    """Normal learning, and learning with each value of an option."""
    usual = Cell(corrected, {"system": "as usual", **texts(scale)})
    others = [{"system": f"{option} {value:g}", **texts(scale), option: value} for value in values(scale)]
    return [usual, *(Cell(corrected, parameters) for parameters in others)]


def layer_cells(scale: Scale) -> list[Cell]:
    """Counts summed, and layers with a share: of the translation models, and of n-grams too."""
    found: list[dict[str, Any]] = [{"system": "as usual"}, {"system": "summed", "share": None, "language_share": None}]
    for share in (0.3, 0.5, 0.7, 0.9):
        found.append({"system": f"share {share:g}", "share": share, "language_share": None})
        found.append({"system": f"share {share:g}, n-grams too", "share": share, "language_share": share})
    return [Cell(corrected, texts(scale) | parameters) for parameters in found]


# ── Weights on n-best lists ──────────────────────────────────────────────────────────────────────────────────────────


def chosen(
    workspace: Workspace,
    system: str,
    train: Text,
    test: Text,
    n: int,
    method: str,
    measure: str = "ter",
    mode: str = "",
) -> Measured:
    """Adapt weights on n-best lists, by reranking, in live search, or with the reference itself as y*."""
    del system
    lists = workspace.lists(train, None, test, n)
    if method == "none":
        run = rerank(lists, None, n)
        return Measured([row_of(run)], counts=[run.counted])
    adapter = Adapter.from_settings(made(method, RATES[method]).settings() | {"measure": measure, "nbest": n})
    if mode == "live":
        run = live(workspace.knowledge(train), workspace.weights(train, None), workspace.pairs(test), adapter)
    elif mode in ("reached", "forced"):
        adaptation = Adaptation(adapter.settings() | {"mode": "rerank"}, lists.weights)
        return forced(workspace, train, test, n, adaptation, always=mode == "forced")
    else:
        run = rerank(lists, adapter, n)
    return Measured([row_of(run)], {"a sentence": run.seconds}, [run.counted])


def forced(workspace: Workspace, train: Text, test: Text, n: int, adaptation: Adaptation, *, always: bool) -> Measured:
    """Learn from the derivation of the reference, added to the list with no loss, if the models have one or `always`.

    Where they have none, words are brought in as unseen phrase pairs or by themselves (`search.constrained`).
    """
    knowledge, weights = workspace.knowledge(train), workspace.weights(train, None)
    lists, decoder = workspace.lists(train, None, test, n), Decoder(knowledge.models, weights)
    places, reached = list[int](), 0
    for source, target in workspace.pairs(test):
        words, reference = source.split(), tuple(target.split())
        found = decoder.search(words)
        offered = candidates(found, found.nbest(n, distinct=True), factors=False)
        places.append(adaptation.choose(offered))
        loss = losses(Ter(), offered.words, reference)
        own = decoder.search(words, prefix=Prefix(reference, whole=True)).best
        rows, theta = offered.features, adaptation.weights
        order = np.r_[places[-1], np.delete(np.arange(len(rows)), places[-1])]
        rows, loss = rows[order], loss[order]
        reached += not own.surcharges
        if always or not own.surcharges:
            rows = np.vstack([rows, [own.features[name] for name in weights]])
            loss = np.append(loss, 0.0)
        adaptation.weights = adaptation.adapter.update(theta, rows, loss)
    run = run_of(lists, places, n)
    return Measured([row_of(run) | {"reached": 100 * reached / len(places)}], counts=[run.counted])


def list_cells(scale: Scale, systems: dict[str, dict[str, str]]) -> list[Cell]:
    """Systems on the same n-best lists."""
    common = texts(scale) | {"n": scale(500, 100)}
    every = {"none": {"method": "none"}} | systems
    return [Cell(chosen, {"system": name, **common, **options}) for name, options in every.items()]


LIVE = {
    f"{method}{', live' if mode else ''}": {"method": method, "mode": mode} for method in RATES for mode in ("", "live")
}
BY_BLEU = {
    f"{method}, by {measure.upper()}": {"method": method, "measure": measure}
    for method in ("ridge, λ", "Bayes, λ", "perceptron, λ")
    for measure in ("ter", "bleu")
}
ORACLES = {
    f"{method}, {name}": {"method": method, "mode": mode}
    for method in ("ridge, λ", "perceptron, λ")
    for name, mode in (("y* of the list", ""), ("y* where reached", "reached"), ("y* forced", "forced"))
}

# ── Looking at the results ───────────────────────────────────────────────────────────────────────────────────────────


def table(results: Results) -> Table:
    """TER and BLEU of each system, with margins and other details."""
    more = [name for name in ("phrase pairs", "n-grams", "links", "reached") if results.distinct(name)]
    rows = []
    for row in results.rows:
        scores = (f"{row[name]:.2f} ± {row[f'{name} margin']:.1f}" for name in ("TER", "BLEU"))
        rows.append((row["system"], *scores, *(f"{row[name]:,.0f}" if name in row else "" for name in more)))
    return Table(("system", "TER", "BLEU", *more), rows)


def draw(figure: Any, results: Results) -> None:
    """Bars with margins."""
    names = [row["system"] for row in results.rows]
    for axes, name in zip(figure.subplots(1, 2, sharey=True), ("TER", "BLEU"), strict=True):
        values, margins = ([row[column] for row in results.rows] for column in (name, f"{name} margin"))
        axes.barh(names, values, xerr=margins, capsize=2)
        axes.set(xlabel=name, xlim=(min(values) * 0.9, max(values) * 1.05 + 1))
        axes.invert_yaxis()


def compare(results: Results, claim: str, first: str, second: str, tolerance: float = 0.0) -> list[Finding]:
    """Whether the best of some systems has higher BLEU than the best of others, both selected by name prefix."""
    best = []
    for beginning in (first, second):
        fitting = [row for row in results.rows if row["system"].startswith(beginning)]
        best.append(max(fitting, key=lambda row: float(row["BLEU"])))
    said = "; ".join(f"{row['system']}: TER {row['TER']:.2f}, BLEU {row['BLEU']:.2f}" for row in best)
    gain = results.difference(Bleu(), "BLEU", *({"system": row["system"]} for row in best))
    return [Finding("question", claim, f"{said}; BLEU {shown([gain])}", decided(gain, tolerance))]


def pairwise(results: Results, claim: str, ending: str, other: str) -> list[Finding]:
    """Whether systems with one name ending have higher mean BLEU than those with another."""
    gains, said = [], []
    for row in results.rows:
        if row["system"].endswith(ending):
            twins = {"system": row["system"]}, {"system": row["system"].removesuffix(ending) + other}
            gains.append(results.difference(Bleu(), "BLEU", *twins))
            ter = results.difference(Ter(), "TER", *twins)
            said.append(f"{row['system']}: BLEU {shown(gains[-1:])}, TER {-ter.score:+.2f} ± {ter.margin:.2f}")
    return [Finding("question", claim, "; ".join(said), decided(together(gains)))]


def _question(identity: str, title: str, cells: Any, findings: Any) -> Experiment:
    return Experiment(identity, title, "", cells, table, findings, draw)


def _option(identity: str, title: str, option: str, values: Any, claim: str) -> Experiment:
    cells = partial(option_cells, option=option, values=values)
    return _question(
        identity, title, cells, partial(compare, claim=claim, first=option, second="as usual", tolerance=NO_WORSE)
    )


EXPERIMENTS = [
    _question(
        "X-joint",
        "Weights and models adapted together",
        joint_cells,
        partial(compare, claim="λ and h together are better than h alone", first="λ and h", second="h"),
    ),
    _question(
        "X-live",
        "Searching with adapted weights against choosing from lists",
        partial(list_cells, systems=LIVE),
        partial(pairwise, claim="live search is better than reranking", ending=", live", other=""),
    ),
    _question(
        "X-bleu",
        "Smoothed sentence BLEU instead of TER as the measure to learn from",
        partial(list_cells, systems=BY_BLEU),
        partial(pairwise, claim="learning from BLEU gives more BLEU", ending=", by BLEU", other=", by TER"),
    ),
    _option(
        "X-interlaced",
        "Interlaced alignment models in the whole system, over a base",
        "kept",
        lambda scale: scale((100, 1000), (30, 100)),
        "interlaced learning is at least as good as online",
    ),
    _question(
        "X-layers",
        "Corrections weighed against the base, instead of summed",
        layer_cells,
        partial(compare, claim="a weighted layer is at least as good as summed counts", first="share", second="summed"),
    ),
    _option(
        "X-memory",
        "Layers of bounded size: quality against entries kept",
        "limit",
        lambda scale: scale((100_000, 30_000, 10_000, 3000), (20_000, 5000, 1000)),
        "the largest bound costs nothing",
    ),
    _option(
        "X-forgetting",
        "Only the latest corrections are kept",
        "window",
        lambda scale: scale((1000, 300, 100), (100, 30)),
        "forgetting old corrections costs nothing",
    ),
    _question(
        "X-oracle",
        "The reference itself as y*, by forced decoding, against the best of the list",
        partial(list_cells, systems=ORACLES),
        partial(pairwise, claim="a forced y* is better", ending=", y* forced", other=", y* of the list"),
    ),
]
