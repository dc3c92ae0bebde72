"""Tuning the weights of an open project: what `Engine.tune` and `dragoman lab tune` do."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, TypedDict, Unpack

from dragoman.errors import BadInputError
from dragoman.measure.report import new_measure
from dragoman.progress import Progress, bars
from dragoman.text.tokens import checked_pairs
from dragoman.tune import METHODS, Development, TuningReport, Validation, tune, tune_held_out

if TYPE_CHECKING:
    from dragoman.engine import Engine

MEASURES = ("bleu", "ter", "wer")


class SearchOptions(TypedDict, total=False):
    """How weights are searched for; what is left out is as usual."""

    nbest: int
    rounds: int
    seed: int
    threads: int | None


def tune_engine(
    engine: Engine,
    pairs: Iterable[tuple[str, str]],
    *,
    method: str = "mira",
    measure: str = "bleu",
    folds: int = 2,
    keep: bool = True,
    progress: bool | Progress | None = None,
    **options: Unpack[SearchOptions],
) -> TuningReport | Validation:
    """Tune on a development set; unless `keep` is false, the project gets the weights if held-out text gains."""
    for value, known in ((method, tuple(METHODS)), (measure, MEASURES)):
        if value not in known:
            raise BadInputError(f"cannot tune with {value!r}", remedy=f"choose one of {', '.join(known)}")
    if keep:
        engine.check_writable()  # now, and not when the weights are found
    segments = list(checked_pairs(pairs))
    with bars() if progress is True else nullcontext(progress or None) as shown, engine.models() as models:
        development = Development.read(models.knowledge, segments)
        run = partial(tune_held_out, folds=folds) if folds > 1 else tune
        report = run(
            models.knowledge.models,
            models.weights,
            development,
            METHODS[method],
            new_measure(measure, tokenize="none"),
            estimates=models.estimates,
            progress=shown,
            **options,
        )
    if keep and report.changed:
        engine.weights = report.weights
    return report
