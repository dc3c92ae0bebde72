"""Bayesian predictive adaptation against re-estimating weights ([B] §5.5–5.7): MERT, MIRA, PRO and MERT+."""

from __future__ import annotations

from functools import partial
from typing import Any

from dragoman_laboratory import adaptation_sets as sets
from dragoman_laboratory.adaptation_sets import adapted, spread, values
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Results, Scale, Table
from dragoman_laboratory.judging import decided, paired, steadier, together

FEW = 100  # sentences of A under which [B] finds Bayes best
TUNERS = ("mert", "mira", "pro", "mert+")
CHEAPER = 3.0  # times, about half an order of magnitude


def systems(scale: Scale, measure: str = "ter") -> dict[str, dict[str, Any]]:
    """Bayes in both ways of sampling, which needs no measure, and the tuners, on one."""
    bayes: dict[str, Any] = {"method": "bayes", "samples": scale(1000, 200)}
    ways: dict[str, dict[str, Any]] = {
        "none": {"method": "none"},
        "BPA, heuristic": bayes | {"sampling": "heuristic"},
        "BPA, MCMC": bayes | {"sampling": "metropolis", "burn_in": scale(500, 100)},
    }
    return ways | {tuner.upper(): {"method": tuner, "measure": measure} for tuner in TUNERS}


def cells(scale: Scale, measure: str) -> list[Cell]:
    """Every system, the tuners on a measure."""
    return [
        Cell(adapted, {"system": name, **sets.common(scale), **options})
        for name, options in systems(scale, measure).items()
    ]


def size_cells(scale: Scale) -> list[Cell]:
    """Bayes and MERT with lists of several sizes and A of 100."""
    found = []
    for n in scale((50, 100, 200, 500, 1000), (25, 50, 100)):
        for name in ("none", "BPA, heuristic", "MERT"):
            parameters = sets.common(scale) | {"n": n, "sizes": "100"} | systems(scale)[name]
            found.append(Cell(adapted, {"system": name, **parameters}))
    return found


def findings(results: Results, name: str) -> list[Finding]:
    """Whether Bayes is best for small A, and steadier."""
    sign = 1 if name == "TER" else -1
    few = [size for size in sets.sizes_of(results) if size < FEW]
    bayes = [system for system in results.distinct("system") if system.startswith("BPA")]
    anew = ("MERT", "MIRA", "PRO")
    said, gains = [], []
    for size in few:
        means = {system: sign * spread(results, name, system, size)[0] for system in (*bayes, *anew)}
        ours, theirs = (min(kind, key=means.__getitem__) for kind in (bayes, anew))
        both = (values(results, name, system, size) for system in (theirs, ours))
        gains.append(paired(*both) if sign > 0 else paired(*reversed(list(both))))
        said.append(f"A of {size}: {ours} {sign * means[ours]:.2f}, {theirs} {sign * means[theirs]:.2f}")
    steady, theirs_at_most = (max(spread(results, name, s, few[0])[1] for s in kind) for kind in (bayes, anew))
    claim = f"2σ of BPA is under 2 points and less than that of the others, with A of {few[0]}"
    less = steadier(steady, theirs_at_most, len(results.distinct("draw"))) if steady < 2 else False
    return [
        Finding(
            "BPA best for few", "BPA is best with less than 100 sentences", "; ".join(said), decided(together(gains))
        ),
        Finding("BPA steady", claim, f"{steady:.2f} against up to {theirs_at_most:.2f}", less),
    ]


def time_table(results: Results) -> Table:
    """Seconds of adapting, by system and size of A."""
    sizes = sets.sizes_of(results)
    rows = [
        (row["system"], *(f"{row.get(f'|A| = {size}', 0.0):.3f}" for size in sizes))
        for row in results.times
        if row["system"] != "none"
    ]
    return Table(("seconds, ours", *(f"A of {size}" for size in sizes)), rows)


def time_findings(results: Results) -> list[Finding]:
    """Whether Bayes is cheaper."""
    largest = f"|A| = {sets.sizes_of(results)[-1]}"
    ours, theirs = (results.seconds(largest, system=name) for name in ("BPA, heuristic", "MERT"))
    said = f"{ours:.3f} s against {theirs:.3f} s of MERT, {largest}"
    claim = "BPA is about an order of magnitude cheaper than MERT"
    return [Finding("BPA cheaper", claim, said, theirs > CHEAPER * ours)]


def draw_time(figure: Any, results: Results) -> None:
    """[B] Fig. 6: seconds against the size of A, both logarithmic."""
    axes, sizes = figure.subplots(), sets.sizes_of(results)
    for row in results.times:
        if row["system"] != "none":
            axes.plot(sizes, [row[f"|A| = {size}"] for size in sizes], marker=".", label=row["system"])
    axes.set(xscale="log", yscale="log", xlabel="|A|", ylabel="seconds")
    axes.legend(fontsize=6)


def size_table(results: Results) -> Table:
    """Mean TER by the size of the lists."""
    sizes = results.distinct("n")
    rows = []
    for system in results.distinct("system"):
        cells_of = (results.select(system=system, n=n) for n in sizes)
        rows.append((system, *(f"{sum(float(row['TER']) for row in c) / len(c):.2f}" for c in cells_of)))
    return Table(("TER, ours, mean", *(f"{n}-best" for n in sizes)), rows)


def size_findings(results: Results) -> list[Finding]:
    """Whether Bayes gains from longer lists."""
    sizes = results.distinct("n")
    first, last = (values(results, "TER", "BPA, heuristic", 100, n=n) for n in (sizes[0], sizes[-1]))
    claim = "BPA gains by longer lists, and does not overfit"
    means = [sum(found) / len(found) for found in (first, last)]
    said = f"TER {means[0]:.2f} with {sizes[0]}-best, {means[1]:.2f} with {sizes[-1]}-best"
    return [Finding("longer lists", claim, said, decided(paired(first, last)))]


def draw_sizes(figure: Any, results: Results) -> None:
    """[B] Fig. 7: TER against the size of the lists."""
    axes, sizes = figure.subplots(), results.distinct("n")
    for system in results.distinct("system"):
        found = [[float(row["TER"]) for row in results.select(system=system, n=n)] for n in sizes]
        axes.plot(sizes, [sum(values) / len(values) for values in found], marker=".", label=system)
    axes.set(xlabel="n-best", ylabel="TER")
    axes.legend()


def part_cells(scale: Scale) -> list[Cell]:
    """Without adapting, and with A of 10 and of 100."""
    chosen = ("none", "BPA, heuristic", "MERT", "MIRA", "PRO")
    return [
        Cell(adapted, {"system": name, **sets.common(scale), **systems(scale)[name], "sizes": "10 100"})
        for name in chosen
    ]


def _mean(results: Results, column: str, system: str, size: int) -> float:
    rows = results.select(system=system, **{"|A|": size}) or results.select(system=system)
    return sum(float(row[column]) for row in rows) / len(rows)


def part_table(results: Results) -> Table:
    """Precisions and brevity penalty, means over the draws."""
    rows = []
    for system in results.distinct("system"):
        for size in (10, 100) if system != "none" else (0,):
            precisions = "/".join(f"{_mean(results, f'precision {n}', system, size):.1f}" for n in (1, 2, 3, 4))
            numbers = (f"{_mean(results, name, system, size):.3f}" for name in ("length", "brevity penalty"))
            rows.append((system, str(size or ""), precisions, *numbers))
    return Table(("system", "A of", "precisions, ours", "length, ours", "brevity penalty, ours"), rows)


def part_findings(results: Results) -> list[Finding]:
    """Whether Bayes chooses better words, and fewer."""
    changes = {
        name: _mean(results, name, "BPA, heuristic", 100) - _mean(results, name, "none", 0)
        for name in ("precision 1", "length")
    }
    said = f"precision of words {changes['precision 1']:+.2f}, words per reference word {changes['length']:+.3f}"
    right = changes["precision 1"] > 0 and changes["length"] < 0
    return [Finding("precision up, length down", "precision rises and length falls", said, right)]


def draw_parts(figure: Any, results: Results) -> None:
    """Precision of words against length."""
    axes = figure.subplots()
    for system in results.distinct("system"):
        rows = results.select(system=system)
        axes.plot([row["length"] for row in rows], [row["precision 1"] for row in rows], ".", label=system)
    axes.set(xlabel="words per reference word", ylabel="precision of words")
    axes.legend(fontsize=6)


def _compared(identity: str, name: str, paper: str) -> Experiment:
    return Experiment(
        identity,
        f"BPA against MERT, MIRA, PRO and MERT+ by the size of the adaptation set, {name}",
        paper,
        partial(cells, measure=name.lower()),
        partial(sets.spread_table, name=name),
        partial(findings, name=name),
        partial(sets.draw_spread, name=name),
    )


EXPERIMENTS = [
    _compared(
        "B-fig4", "TER", "BPA is best under about 100 sentences; its 2σ is under 2 points, others reach 10 to 20."
    ),
    _compared("B-fig5", "BLEU", "The same as by TER, though BPA is slightly worse by BLEU."),
    Experiment(
        "B-fig6",
        "Cost of adapting, in seconds",
        "BPA is an order of magnitude cheaper.",
        partial(cells, measure="ter"),
        time_table,
        time_findings,
        draw_time,
    ),
    Experiment(
        "B-fig7",
        "BPA and MERT against the size of n-best lists",
        "BPA gains by additional hypotheses, without overfitting.",
        size_cells,
        size_table,
        size_findings,
        draw_sizes,
    ),
    Experiment(
        "B-tab3",
        "n-gram precisions and brevity penalty after adapting to a set",
        "Precision goes up and length goes down.",
        part_cells,
        part_table,
        part_findings,
        draw_parts,
    ),
]
