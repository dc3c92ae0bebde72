"""Tuning that never loses: weights are changed only if text that they were not tuned on is translated better with them.

1. The development set is divided into parts that follow each other, as documents do.
2. For each part, weights are tuned on all the others, and the part is decoded with them; with the weights at the start;
   and with some in between, so many quarters of the way.
3. The parts together tell how far to go: as far as the score is best there. If that gain is significant, the weights
   are moved so far towards the mean of what was found; if it may be chance, half as far; if there is none, they stay as
   they are.

The mean of weights that were tuned on different text is also steadier than any one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np

from dragoman.errors import BadInputError
from dragoman.measure import Measure, bootstrap
from dragoman.measure.significance import Comparison
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.progress import Progress
from dragoman.search.decoder import Decoder
from dragoman.tables import Ids
from dragoman.tune.development import Development, decode
from dragoman.tune.pool import Tuner, Vector
from dragoman.tune.rounds import TuningOptions, TuningReport, tune, vector

FOLDS = 2
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the way from the weights at the start to those that were found
SIGNIFICANT = 0.05  # p-value


@dataclass(frozen=True)
class Validation:
    """What tuning has found on some parts of a development set, and what came of it on the others."""

    start: dict[str, float]
    folds: tuple[TuningReport, ...]  # a report for each part that was held out
    scores: tuple[float, ...]  # of all held-out parts, by the share of the way
    best: float  # the share with the best score
    comparison: Comparison  # of the start and that share
    share: float  # that is gone

    @property
    def weights(self) -> dict[str, float]:
        """The weights to use from now on: those at the start, if nothing was gained."""
        if self.share == 0:
            return dict(self.start)
        mean = np.mean([vector(fold.weights) for fold in self.folds], axis=0)
        moved = between(vector(self.start), mean, self.share)
        return dict(zip(self.start, moved.tolist(), strict=True))

    @property
    def changed(self) -> bool:
        """Whether the weights are to be changed."""
        return self.share > 0

    @property
    def before(self) -> float:
        """The score of the held-out parts with the weights at the start."""
        return self.scores[0]

    @property
    def after(self) -> float:
        """The score of the held-out parts with the weights that were tried and are used."""
        return self.scores[SHARES.index(self.best)] if self.changed else self.before

    def as_json(self) -> dict[str, Any]:
        """Everything known, for `json.dumps`."""
        own = {
            "before": self.before,
            "after": self.after,
            "weights": self.weights,
            "changed": self.changed,
            "share": self.share,
            "held_out": dict(zip(map(str, SHARES), self.scores, strict=True)),
            "comparison": asdict(self.comparison),
        }
        about = self.folds[0]
        sentences = sum(fold.sentences for fold in self.folds) // (len(self.folds) - 1)
        own |= {"method": about.method, "measure": about.measure, "nbest": about.nbest, "seed": about.seed}
        return own | {"sentences": sentences, "folds": [fold.as_json() for fold in self.folds]}

    def __str__(self) -> str:
        text = []
        for number, fold in enumerate(self.folds, start=1):
            text += [f"tuned without part {number} of {len(self.folds)}:", str(fold), ""]
        name = self.folds[0].measure.split("|")[0]
        tried = ", ".join(f"{share:.0%}: {score:.2f}" for share, score in zip(SHARES, self.scores, strict=True))
        text.append(f"{name} of the parts held out, by how far the weights were moved: {tried}")
        return "\n".join([*text, self._verdict(name)])

    def _verdict(self, name: str) -> str:
        if self.best == 0:
            return f"refused: no text that was held out gains; {name} stays at {self.before:.2f}"
        found = self.comparison
        gain = f"{found.difference.score:+.2f} ± {found.difference.margin:.2f} {name}, p = {found.p_value:.3f}"
        if self.share == self.best:
            return f"moved {self.share:.0%} of the way: {gain} on text that was held out"
        return f"moved {self.share:.0%} of the way only, since the gain may be chance: {gain} at {self.best:.0%}"


def tune_held_out(
    models: ModelSet,
    weights: Weights,
    development: Development,
    method: Tuner,
    measure: Measure,
    *,
    folds: int = FOLDS,
    **options: Unpack[TuningOptions],
) -> Validation:
    """Find weights that translate other text better too, by `tune`; models and initial weights do not change."""
    if not 2 <= folds <= len(development):
        what = f"{len(development)} sentences cannot be divided into {folds} parts to hold out"
        raise BadInputError(what, remedy="pass at least as many sentences as parts, and at least two parts")
    reports, statistics = list[TuningReport](), [list[Ids]() for _ in SHARES]
    for number, (rest, part) in enumerate(divided(development, folds)):
        each: TuningOptions = {**options, "progress": _placed(options.get("progress"), number, folds)}
        report = tune(models, weights, rest, method, measure, **each)
        reports.append(report)
        for place, share in enumerate(SHARES):
            moved = between(vector(weights), vector(report.weights), share)
            tried = Weights(weights.preset, dict(zip(weights, moved.tolist(), strict=True)))
            decoder = Decoder(models, tried, options.get("beam", "best"), options.get("estimates"))
            statistics[place].append(decode(decoder, part, measure, threads=options.get("threads")).best)
    return judged(dict(weights), tuple(reports), [np.concatenate(each) for each in statistics], measure)


def judged(
    start: dict[str, float], folds: tuple[TuningReport, ...], statistics: list[Ids], measure: Measure
) -> Validation:
    """Decide how far to go, given the counts of all sentences [n, k] by the share of the way."""
    scores = tuple(measure.score(each.sum(0)) for each in statistics)
    sign = 1 if measure.higher_is_better else -1
    chosen = int(np.argmax([sign * score for score in scores]))  # the shortest way among equals
    comparison = bootstrap(measure, statistics[0], statistics[chosen])
    share = SHARES[chosen] if comparison.p_value <= SIGNIFICANT else SHARES[chosen] / 2
    return Validation(start, folds, scores, SHARES[chosen], comparison, share)


def between(start: Vector, end: Vector, share: float) -> Vector:
    """Weights so far on the way from one to the other, with the absolute sum of the first."""
    moved = (1 - share) * start + share * end
    total = np.abs(moved).sum()
    scaled: Vector = moved * (np.abs(start).sum() / total) if total > 0 and share > 0 else start.copy()
    return scaled


def divided(development: Development, folds: int) -> Iterator[tuple[Development, Development]]:
    """All but one part of a development set, and that part, for each part in turn."""
    everything = np.arange(len(development))
    for part in np.array_split(everything, folds):
        yield development.chosen(np.setdiff1d(everything, part).tolist()), development.chosen(part.tolist())


def _placed(progress: Progress | None, number: int, folds: int) -> Progress | None:
    """The progress of one of so many parts as part of the whole."""
    if progress is None:
        return None
    return lambda what, done, total: progress(what, number * total + done, folds * total)
