"""All experiments by their id, family by family: one family, one module and one page of the report."""

from __future__ import annotations

from dragoman.errors import BadInputError
from dragoman_laboratory import (
    batch_online,
    bayes_settings,
    beyond,
    ceiling,
    convergence,
    domains,
    interactive_ridge,
    ordering,
    over_engine,
    reestimation,
    update_frequency,
    weights,
)
from dragoman_laboratory.experiment import Experiment

FAMILIES: dict[str, tuple[str, list[Experiment]]] = {
    "convergence": ("Convergence of the alignment model", convergence.EXPERIMENTS + batch_online.INTERLACED),
    "update-frequency": ("How often to learn", update_frequency.EXPERIMENTS),
    "batch-online": ("Batch against online", batch_online.EXPERIMENTS),
    "ordering": ("The order of sentences", ordering.EXPERIMENTS),
    "domains": ("Learning from trained models", domains.EXPERIMENTS),
    "weights": ("Adapting weights online", weights.EXPERIMENTS),
    "bayes-settings": ("Settings of Bayesian predictive adaptation", bayes_settings.EXPERIMENTS),
    "reestimation": ("Adapting against estimating anew", reestimation.EXPERIMENTS),
    "interactive-ridge": ("Adapting weights in interactive translation", interactive_ridge.EXPERIMENTS),
    "beyond": ("Beyond the papers", beyond.EXPERIMENTS + ceiling.EXPERIMENTS),
    "over-engine": ("Over another engine", over_engine.EXPERIMENTS),
}
EXPERIMENTS = {each.id: each for _, family in FAMILIES.values() for each in family}


def find(identity: str) -> list[Experiment]:
    """One experiment, a family of them, those whose ids begin with the same letter, or all.

    >>> [each.id for each in find("U")]
    ['U-curves', 'U-ablations', 'U-adapters']
    """
    if identity == "all":
        return list(EXPERIMENTS.values())
    if identity in FAMILIES:
        return FAMILIES[identity][1]
    if identity in EXPERIMENTS:
        return [EXPERIMENTS[identity]]
    found = [each for each in EXPERIMENTS.values() if each.id.startswith(f"{identity}-")]
    if not found:
        raise BadInputError(f"there is no experiment {identity!r}", remedy="see dragoman lab experiment --list")
    return found
