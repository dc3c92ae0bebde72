"""Settings of Bayesian predictive adaptation ([B] §5.4): δ and σ, chains and their length, the best sample alone."""

from __future__ import annotations

from functools import partial
from typing import Any

from dragoman.measure.significance import Interval
from dragoman_laboratory import adaptation_sets as sets
from dragoman_laboratory.adaptation_sets import adapted, spread, values
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Results, Scale
from dragoman_laboratory.judging import decided, paired, steadier, together

LARGE = 1000  # sentences of A, below which a quick run cannot tell
USUAL = "δ = 10, σ = 0.1"


def _cells(scale: Scale, systems: dict[str, dict[str, Any]]) -> list[Cell]:
    every = {"none": {"method": "none"}} | {name: {"method": "bayes"} | options for name, options in systems.items()}
    return [Cell(adapted, {"system": name, **sets.common(scale), **options}) for name, options in every.items()]


def heuristic_cells(scale: Scale) -> list[Cell]:
    """Every δ at the usual σ, and every σ at the usual δ."""
    basic = {"sampling": "heuristic", "samples": scale(1000, 200)}
    systems = {f"δ = {delta:g}, σ = 0.1": basic | {"delta": delta} for delta in (1.0, 10.0, 100.0)}
    systems |= {f"δ = 10, σ = {sigma:g}": basic | {"delta": 10.0, "variance": sigma} for sigma in (0.001, 0.01, 1.0)}
    return _cells(scale, systems)


def chain_cells(scale: Scale) -> list[Cell]:
    """Every σ of the proposal, and every length of the chain."""
    burn, usual = scale(500, 100), scale(1000, 200)
    basic = {"sampling": "metropolis", "burn_in": burn}
    systems = {f"σ = {s:g}, {usual} samples": basic | {"proposal": s, "samples": usual} for s in (0.001, 0.01, 0.1)}
    lengths = scale((100, 5000), (50, 600))
    systems |= {f"σ = 0.01, {length} samples": basic | {"proposal": 0.01, "samples": length} for length in lengths}
    return _cells(scale, systems)


def viterbi_cells(scale: Scale) -> list[Cell]:
    """Both ways of sampling, the sum of all samples and the best of them."""
    samples, burn = scale(1000, 200), scale(500, 100)
    basic: dict[str, dict[str, Any]] = {
        "heuristic": {"sampling": "heuristic"},
        "MCMC": {"sampling": "metropolis", "burn_in": burn},
    }
    return _cells(
        scale,
        {
            f"{name}{', Viterbi' if viterbi else ''}": options | {"samples": samples, "viterbi": viterbi}
            for name, options in basic.items()
            for viterbi in (False, True)
        },
    )


def _means(results: Results, size: int) -> dict[str, float]:
    """Mean TER of each system for a size of A, minus that of not adapting."""
    base = float(results.select(system="none")[0]["TER"])
    return {system: spread(results, "TER", system, size)[0] - base for system in results.distinct("system")[1:]}


def _said(means: dict[str, float]) -> str:
    return ", ".join(f"{system}: {change:+.2f}" for system, change in means.items())


def _less(results: Results, size: int, system: str, other: str) -> Interval:
    """By how many points of TER a system is below another, on the same draws of A."""
    return paired(values(results, "TER", other, size), values(results, "TER", system, size))


def heuristic_findings(results: Results) -> list[Finding]:
    """Whether adapting helps from the beginning, and a small δ does harm with much data."""
    few, many = results.distinct("|A|")[0], results.distinct("|A|")[-1]
    helps = _less(results, few, USUAL, "none")
    harms = _less(results, many, USUAL, "δ = 1, σ = 0.1")
    claims = "BPA is better than not adapting from few sentences on", "a small δ is worse when A is large"
    return [
        Finding("from the beginning", claims[0], _said(_means(results, few)), decided(helps)),
        Finding("small δ", claims[1], _said(_means(results, many)), decided(harms) if many >= LARGE else None),
    ]


def chain_findings(results: Results) -> list[Finding]:
    """Whether the usual proposal is best, and longer chains are steadier."""
    few, many = results.distinct("|A|")[0], results.distinct("|A|")[-1]
    means, draws = _means(results, many), len(results.distinct("draw"))
    middle = next(system for system in list(means)[:3] if "0.01," in system)
    others = (_less(results, many, middle, system) for system in list(means)[:3] if system != middle)
    best = min(others, key=lambda each: each.score)
    lengths = sorted((int(system.split()[-2]), system) for system in means if "0.01," in system)
    short, long = (spread(results, "TER", lengths[place][1], few)[1] for place in (0, -1))
    steady = f"2σ {short:.2f} with {lengths[0][0]} samples, {long:.2f} with {lengths[-1][0]}"
    return [
        Finding("σ about 0.01", "the best σ of the proposal is about 0.01", _said(means), decided(best)),
        Finding("longer chains", "longer chains narrow the interval", steady, steadier(long, short, draws)),
    ]


def viterbi_findings(results: Results) -> list[Finding]:
    """Whether summing is more robust than the best sample where A is small."""
    few = results.distinct("|A|")[0]
    gains = [_less(results, few, name, f"{name}, Viterbi") for name in ("heuristic", "MCMC")]
    claim = "with few sentences the sum over samples is better than the best of them"
    return [Finding("sum is robust", claim, _said(_means(results, few)), decided(together(gains)))]


def _settings(identity: str, title: str, paper: str, cells: Any, findings: Any) -> Experiment:
    table, draw = partial(sets.spread_table, name="TER"), partial(sets.draw_spread, name="TER")
    return Experiment(identity, title, paper, cells, table, findings, draw)


EXPERIMENTS = [
    _settings(
        "B-fig1",
        "BPA with heuristic samples: δ and σ",
        "Better than not adapting from the very beginning; a small δ is slightly worse when A is large.",
        heuristic_cells,
        heuristic_findings,
    ),
    _settings(
        "B-fig2",
        "BPA with a Markov chain: σ of the proposal, and length",
        "σ of the proposal is best at about a tenth of that of the prior, 0.01; longer chains narrow the interval.",
        chain_cells,
        chain_findings,
    ),
    _settings(
        "B-fig3",
        "BPA with the best sample instead of the sum (Viterbi)",
        "The sum is more robust where A is small.",
        viterbi_cells,
        viterbi_findings,
    ),
]
