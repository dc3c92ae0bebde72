"""Tuning single numbers that are not weights: β and δ of the phrase features, shares of a layer, or any other.

These change the features themselves, so there is no pool to work on: each value is tried by decoding the
development set with it. A grid finds the region, golden-section search narrows it down. A layer's share has an effect
only once the layer has learned, so there each sentence is learned after decoding, as in post-editing.

>>> found = best_value("x", lambda x: -((x - 0.7) ** 2), low=0.0, high=1.0, evaluations=12)
>>> round(found.value, 2), len(found.tried)
(0.7, 12)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from dragoman.errors import BadInputError
from dragoman.measure import Measure
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.progress import Progress
from dragoman.search.decoder import Beam, Decoder, Estimates
from dragoman.tune.development import Development, decode

GRID = 5  # values tried before any are narrowed down
EVALUATIONS = 10
GOLDEN = (math.sqrt(5) - 1) / 2
BOUNDS = {"beta": (0.0, 1.0), "delta": (0.02, 0.98)}  # δ = 0 or 1 would make a probability 0
SHARES = ("share", "language_share")


@dataclass(frozen=True)
class TunedNumber:
    """The result of tuning one number: the best value, and all values tried with their quality, in order."""

    name: str
    value: float
    tried: tuple[tuple[float, float], ...]

    @property
    def quality(self) -> float:
        """The quality of the best value."""
        return max(quality for _, quality in self.tried)

    def as_json(self) -> dict[str, Any]:
        """Everything known, for `json.dumps`."""
        return {"name": self.name, "value": self.value, "quality": self.quality, "tried": self.tried}


def best_value(
    name: str,
    quality: Callable[[float], float],
    *,
    low: float,
    high: float,
    start: float | None = None,
    evaluations: int = EVALUATIONS,
) -> TunedNumber:
    """The best value between low and high: tries the start value, a grid, then golden-section search.

    Of equals the first tried wins, so the start value is left only for a better one.
    """
    if not (low < high and evaluations >= 1):
        raise BadInputError(f"cannot tune {name} between {low} and {high} in {evaluations} evaluations")
    tried: dict[float, float] = {}

    def evaluate(value: float) -> None:
        if value not in tried and len(tried) < evaluations:
            tried[value] = quality(value)

    for value in [*([] if start is None else [start]), *np.linspace(low, high, GRID).tolist()]:
        evaluate(value)
    while len(tried) < evaluations:
        left, best, right = _around(tried)
        wide = (left, best) if best - left > right - best else (best, right)
        before = len(tried)
        evaluate(wide[0] + (wide[1] - wide[0]) * (GOLDEN if wide[1] == best else 1 - GOLDEN))
        if len(tried) == before:
            break
    return TunedNumber(name, max(tried, key=lambda value: tried[value]), tuple(tried.items()))


def _around(tried: dict[float, float]) -> tuple[float, float, float]:
    """The best value and its neighbours on both sides among those tried; itself where there is none."""
    values = sorted(tried)
    place = values.index(max(tried, key=lambda value: tried[value]))
    return values[max(place - 1, 0)], values[place], values[min(place + 1, len(values) - 1)]


def tune_estimate(
    name: str,
    models: ModelSet,
    weights: Weights,
    development: Development,
    measure: Measure,
    *,
    estimates: Estimates | None = None,
    beam: Beam | str = "best",
    evaluations: int = EVALUATIONS,
    progress: Progress | None = None,
) -> TunedNumber:
    """The value of β (`beta`) or δ (`delta`) that translates the development set best."""
    if name not in BOUNDS:
        raise BadInputError(f"there is no estimate {name!r} to tune", remedy=f"choose one of {', '.join(BOUNDS)}")
    given = estimates or Estimates()

    def score(value: float) -> float:
        return decode(Decoder(models, weights, beam, replace(given, **{name: value})), development, measure).score

    quality = _quality(name, score, measure, evaluations, progress)
    low, high = BOUNDS[name]
    return best_value(name, quality, low=low, high=high, start=getattr(given, name), evaluations=evaluations)


def tune_share(
    name: str,
    models: ModelSet,
    weights: Weights,
    development: Development,
    measure: Measure,
    *,
    estimates: Estimates | None = None,
    beam: Beam | str = "best",
    evaluations: int = EVALUATIONS,
    progress: Progress | None = None,
) -> TunedNumber:
    """The `share` or `language_share` of a layer with which the development set needs the least correction.

    Each value is tried with a new layer over the base of the models, which learns each reference once its source has
    been translated; the models themselves do not change.
    """
    if name not in SHARES:
        raise BadInputError(f"there is no share {name!r} to tune", remedy=f"choose one of {', '.join(SHARES)}")
    if models.base is None:
        raise BadInputError("a share needs a base", remedy="train one, or create the project over one")
    references = [" ".join(words) for words in development.references]

    def score(value: float) -> float:
        layer = ModelSet(models.base, symmetrisation=models.symmetrisation)
        layer.share, layer.language_share = models.share, models.language_share
        setattr(layer, name, value)
        decoder, found = Decoder(layer, weights, beam, estimates), list[str]()
        rows = zip(development.sources, development.references, development.placeable, strict=True)
        for source, reference, placeable in rows:
            found.append(" ".join(decoder.search(source, placeable).best.words))
            layer.add(source, reference)
        return measure(found, references)

    quality = _quality(name, score, measure, evaluations, progress)
    given = models.shares[name]
    start = None if isinstance(given, str) else given
    return best_value(name, quality, low=0.0, high=1.0, start=start, evaluations=evaluations)


def _quality(
    name: str, score: Callable[[float], float], measure: Measure, evaluations: int, progress: Progress | None
) -> Callable[[float], float]:
    """A score as a quality (higher is better) that reports each value tried."""
    done = count(1)

    def quality(value: float) -> float:
        if progress is not None:
            progress(f"tuning {name}", next(done), evaluations)
        return score(value) if measure.higher_is_better else -score(value)

    return quality
