"""Adapting weights online ([M], [P]): learning rates, sizes of n-best lists, learning curves, and length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dragoman.measure import Ter
from dragoman.measure.significance import Interval
from dragoman_laboratory.adapter_cells import METHODS, VARIANTS, followed, sized, swept, texts
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Results, Row, Scale, Table
from dragoman_laboratory.judging import decided, shown, together

BEST_TWO = ("ridge, λ", "Bayes, λ")  # of [M]
NEAR = (0.003, 0.03)  # about 0.01
PASSIVE_AGGRESSIVE = ("PA, λ", "heuristic PA, λ", "PA, u", "heuristic PA, u")

# [M] Table 4, English to Spanish: words a sentence, BLEU, precisions, brevity penalty
TABLE_4 = {
    "none": (26.6, 22.0, "57.9/28.3/16.0/9.4", 0.985),
    "ridge, λ": (25.1, 21.4, "59.5/29.2/16.6/9.8", 0.929),
    "Bayes, λ": (25.6, 21.7, "59.1/29.0/16.4/9.7", 0.950),
    "oracle": (26.2, 26.6, "62.6/34.1/20.7/12.9", 0.968),
}


def sizes(scale: Scale) -> str:
    """Of n-best lists, as in [M] Fig. 6."""
    return scale("100 500 1000 1500 2000", "50 200 500")


def rate_cells(scale: Scale) -> list[Cell]:
    """Every method, swept."""
    found = texts(scale, "es")
    del found["test"]
    return [Cell(swept, {"method": method, **found}) for method in ("none", *METHODS)]


def size_cells(scale: Scale, language: str, methods: tuple[str, ...]) -> list[Cell]:
    """Methods with lists of each size."""
    common = {"language": language, "sizes": sizes(scale), **texts(scale, language)}
    return [Cell(sized, {"method": method, **common}) for method in ("none", *methods)]


def curve_cells(scale: Scale, language: str, methods: tuple[str, ...], n: int) -> list[Cell]:
    """Learning curves, MERT every 200 segments among them."""
    every = scale(200, 50)
    common = {"n": scale(n, 200), "every": every, **texts(scale, language)}
    return [Cell(followed, {"method": method, **common}) for method in ("none", f"MERT{every}", *methods)]


def part_cells(scale: Scale) -> list[Cell]:
    """Those of [M] Table 4, with the longest lists."""
    return size_cells(scale, "es", ("ridge, λ", "Bayes, λ", "oracle"))


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def rate_table(results: Results) -> Table:
    """TER of each method at each rate."""
    rates = [rate for rate in results.distinct("rate") if rate]
    base = f"{results.value('TER', method='none'):.2f}"
    rows = [("none", base, *("" for _ in rates[1:]))]
    rows += [
        (method, *(f"{results.value('TER', method=method, rate=rate):.2f}" for rate in rates))
        for method in results.distinct("method")[1:]
    ]
    return Table(("TER, ours", *(f"{rate:g}" for rate in rates)), rows)


def size_table(results: Results) -> Table:
    """TER and BLEU of each method and size; a star where the difference from not adapting has p < 0.05."""
    rows = []
    for method in results.distinct("method"):
        found = results.select(method=method)
        rows.append((method, f"{found[0]['rate']:g}", *map(_shown, found)))
    columns = (f"{n}-best, TER / BLEU, ours" for n in results.distinct("n-best"))
    return Table(("method", "rate", *columns), rows)


def _shown(row: Row) -> str:
    cells = []
    for name in ("TER", "BLEU"):
        star = "*" if row[f"{name} p"] < 0.05 and row[f"{name} difference"] else ""
        cells.append(f"{row[name]:.2f} ± {row[f'{name} margin']:.1f}{star}")
    return " / ".join(cells)


def curve_table(results: Results) -> Table:
    """Final TER, and the difference from not adapting."""
    rows = []
    for method in results.distinct("method"):
        last = results.select(method=method)[-1]
        rows.append((method, f"{last['TER']:.2f}", f"{last['TER difference']:+.2f}"))
    return Table(("method", "TER, ours", "difference, ours"), rows)


def part_table(results: Results) -> Table:
    """[M] Table 4 beside ours."""
    rows = []
    for method in results.distinct("method"):
        row = results.select(method=method)[-1]
        words, bleu, precisions, penalty = TABLE_4[method]
        ours = "/".join(f"{row[f'precision {n}']:.1f}" for n in (1, 2, 3, 4))
        pairs = (f"{words}", f"{row['words']:.1f}"), (f"{bleu}", f"{row['BLEU']:.1f}"), (precisions, ours)
        rows.append((method, *sum(pairs, ()), f"{penalty:.3f}", f"{row['brevity penalty']:.3f}"))
    names = ("words", "BLEU", "precisions", "brevity penalty")
    return Table(("method", *(f"{name}, {who}" for name in names for who in ("paper", "ours"))), rows)


# ── Findings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _gain(results: Results, better: dict[str, Any], worse: dict[str, Any]) -> Interval:
    """By how many points of TER one row is better than another, on the same segments."""
    return results.difference(Ter(), "TER", better, worse)


def rate_findings(results: Results) -> list[Finding]:
    """The best rates, and whether those around 0.01 are worse."""
    best, losses = {}, []
    for method in results.distinct("method")[1:]:
        rows = sorted(results.select(method=method), key=lambda row: float(row["TER"]))
        best[method] = rows[0]["rate"]
        near = next(row["rate"] for row in rows if NEAR[0] <= row["rate"] <= NEAR[1])
        losses.append(_gain(results, {"method": method, "rate": best[method]}, {"method": method, "rate": near}))
    said = ", ".join(
        f"{method} {rate:g} ({shown([loss])} better)" for (method, rate), loss in zip(best.items(), losses, strict=True)
    )
    worse = sum(loss.low > 0 for loss in losses)
    claim = "the best rates are about 0.01, or no better than those"
    return [Finding("near 0.01", claim, said, False if 2 * worse > len(losses) else True if not worse else None)]


def _gains(results: Results) -> tuple[dict[str, Interval], str]:
    """The gain of each method over not adapting, with the longest lists, and the same in words."""
    gains = {m: _gain(results, {"method": m}, {"method": "none"}) for m in results.distinct("method")[1:]}
    return gains, ", ".join(f"{method} {shown([gain])}" for method, gain in gains.items()) + " points of TER"


def _best(gains: dict[str, Interval], fits: Callable[[str], bool]) -> dict[str, str]:
    """The best of some methods."""
    return {"method": max((method for method in gains if fits(method)), key=lambda method: gains[method].score)}


def _weights(method: str) -> bool:
    return method.endswith("λ")


def _factors(method: str) -> bool:
    return method.endswith("u")


def size_findings(results: Results) -> list[Finding]:
    """Which methods are best, whether λ beats u, and whether longer lists help."""
    gains, said = _gains(results)
    beaten = _gain(results, _best(gains, _weights), _best(gains, _factors))
    found = [Finding("weights beat factors", "adapting λ is better than adapting u", said, decided(beaten))]
    if "Bayes, λ" in gains:
        worse = min(BEST_TWO, key=lambda method: gains[method].score)
        others = _best(gains, lambda method: method not in BEST_TWO)
        claim = "ridge regression and Bayes, on λ, are the best methods"
        found.append(Finding("ridge and Bayes", claim, said, decided(_gain(results, {"method": worse}, others))))
        first, last = results.distinct("n-best")[0], results.distinct("n-best")[-1]
        grows = [_gain(results, {"method": m, "n-best": last}, {"method": m, "n-best": first}) for m in BEST_TWO]
        text = f"{shown(grows)} points from {first}-best to the longest"
        found.append(Finding("longer lists", "they gain by longer lists", text, decided(together(grows))))
    return found


def curve_findings(results: Results) -> list[Finding]:
    """Whether adapting λ ends below the baseline, and below adapting u ([P]) or MERT ([M])."""
    gains, said = _gains(results)
    best = _best(gains, _weights)
    found = [Finding("below the baseline", "adapting λ ends below the baseline", said, decided(gains[best["method"]]))]
    if any(map(_factors, gains)):
        below = _gain(results, best, _best(gains, _factors))
        return [*found, Finding("below factors", "and below adapting u", said, decided(below))]
    below = _gain(results, best, _best(gains, lambda method: method.startswith("MERT")))
    return [*found, Finding("below MERT200", "and below MERT every 200 sentences", said, decided(below))]


def part_findings(results: Results) -> list[Finding]:
    """Whether precision rises and length falls."""
    base, said, right = results.select(method="none")[-1], [], []
    for method in ("ridge, λ", "Bayes, λ"):
        row = results.select(method=method)[-1]
        precision, length = (float(row[name]) - float(base[name]) for name in ("precision 1", "length"))
        said.append(f"{method}: precision of words {precision:+.1f}, words per reference word {length:+.3f}")
        right.append(precision > 0 and length < 0)
    return [Finding("precision up, length down", "precision rises and length falls", "; ".join(said), all(right))]


# ── Figures ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def draw_rates(figure: Any, results: Results) -> None:
    """[M] Fig. 5: TER by rate."""
    axes = figure.subplots()
    for method in results.distinct("method")[1:]:
        rows = results.select(method=method)
        axes.plot([row["rate"] for row in rows], [row["TER"] for row in rows], marker=".", label=method)
    axes.axhline(results.value("TER", method="none"), color="black", linestyle=":", label="none")
    axes.set(xscale="log", xlabel="α, 1/δ", ylabel="TER")
    axes.legend(fontsize=6)


def draw_sizes(figure: Any, results: Results) -> None:
    """[M] Fig. 6, [P] Fig. 1: TER and BLEU by the size of the lists."""
    for axes, name in zip(figure.subplots(1, 2), ("TER", "BLEU"), strict=True):
        for method in results.distinct("method"):
            rows = results.select(method=method)
            style = ":" if method == "none" else "-"
            axes.plot([r["n-best"] for r in rows], [r[name] for r in rows], style, marker=".", label=method)
        axes.set(xlabel="n-best", ylabel=name)
    axes.legend(fontsize=6)


def draw_curves(figure: Any, results: Results) -> None:
    """[M] Fig. 9: TER so far, and the difference from the baseline."""
    for axes, name in zip(figure.subplots(1, 2), ("TER", "TER difference"), strict=True):
        for method in results.distinct("method"):
            rows = results.select(method=method)
            axes.plot([row["segments"] for row in rows], [row[name] for row in rows], label=method, linewidth=1)
        axes.set(xlabel="segments", ylabel=name)
    axes.legend(fontsize=6)


def draw_parts(figure: Any, results: Results) -> None:
    """Precisions and brevity penalty."""
    left, right = figure.subplots(1, 2)
    methods = results.distinct("method")
    last = [results.select(method=method)[-1] for method in methods]
    for method, row in zip(methods, last, strict=True):
        left.plot([1, 2, 3, 4], [row[f"precision {n}"] for n in (1, 2, 3, 4)], marker="o", label=method)
    left.set(xlabel="n", ylabel="n-gram precision")
    left.legend(fontsize=6)
    right.bar(methods, [row["brevity penalty"] for row in last])
    right.set(ylabel="brevity penalty")


def _sizes(identity: str, language: str, methods: tuple[str, ...], title: str, paper: str) -> Experiment:
    looks = size_table, size_findings, draw_sizes
    return Experiment(identity, title, paper, lambda scale: size_cells(scale, language, methods), *looks)


def _curves(identity: str, language: str, methods: tuple[str, ...], n: int, title: str, paper: str) -> Experiment:
    looks = curve_table, curve_findings, draw_curves
    return Experiment(identity, title, paper, lambda scale: curve_cells(scale, language, methods, n), *looks)


BEST = "λ beats u; ridge regression and Bayes are best, and gain by longer lists."
EXPERIMENTS = [
    Experiment(
        "M-fig5",
        "TER against the learning rate",
        "The best rates are about 0.01 for all methods.",
        rate_cells,
        rate_table,
        rate_findings,
        draw_rates,
    ),
    _sizes("M-fig6", "es", tuple(METHODS), "TER against the size of n-best lists, English–Spanish", BEST),
    _sizes("M-fig7", "fr", tuple(METHODS), "TER against the size of n-best lists, English–French", BEST),
    _sizes(
        "P-fig1",
        "fr",
        PASSIVE_AGGRESSIVE,
        "Passive-aggressive updates against the size of n-best lists",
        "λ is consistently better than u; the heuristic variant is slightly better by TER, not by BLEU.",
    ),
    _curves(
        "M-fig9",
        "es",
        tuple(method for method in METHODS if method.endswith("λ")),
        500,
        "Learning curves of λ, with MERT200",
        "Ridge regression and Bayes end below the baseline and below MERT200.",
    ),
    _curves(
        "P-fig2",
        "fr",
        PASSIVE_AGGRESSIVE,
        1000,
        "Learning curves of passive-aggressive updates",
        "Adapting λ gains much more than adapting u.",
    ),
    Experiment(
        "M-tab4",
        "Length, n-gram precisions and brevity penalty",
        "Precision goes up and length goes down.",
        part_cells,
        part_table,
        part_findings,
        draw_parts,
    ),
]
assert {*PASSIVE_AGGRESSIVE} <= {*METHODS, *VARIANTS}  # noqa: S101 (names that must agree)
