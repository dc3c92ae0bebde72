"""What gain to expect before anything is replayed: from how much a text repeats, and how good the engine is on it.

A linear model, calibrated with `python benchmarks/bench_assess.py calibrate` over corpora with the recorded answers of
two engines. It predicts how many words in a hundred dragoman over the engine saves, compared with the engine alone.
Beyond what it was calibrated with, it goes by the nearest value that it knows.

>>> manual = PredictionInput(rr=14, segments=1000, bleu=25)
>>> news = PredictionInput(rr=4, segments=1000, bleu=32)
>>> predict(manual).words > 5 > predict(news).words
True
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

FEATURES = ("repetition", "quality", "length")
# Calibrated; see above.
INTERCEPT = -10.999
WEIGHTS = {"repetition": 1.1101, "quality": -0.1169, "length": 3.7271}
MARGIN = 5.2  # two standard errors, each corpus left out in turn
RANGES = {"repetition": (3.38, 14.64), "quality": (13.85, 37.44), "length": (2.3, 2.78)}


class PredictionInput(NamedTuple):
    """What is known of a text and an engine without replaying."""

    rr: float  # repetition rate in a window of 1,000 words, percent
    segments: int
    bleu: float  # of the engine alone

    @property
    def features(self) -> dict[str, float]:
        """What the model weighs."""
        return {"repetition": self.rr, "quality": self.bleu, "length": math.log10(max(self.segments, 1))}


class Prediction(NamedTuple):
    """The gain that is expected."""

    words: float  # fewer to correct in each hundred, against the engine alone
    margin: float  # of two standard errors, from texts and engines that were left out in turn

    def as_json(self) -> dict[str, Any]:
        """For a report."""
        return {"words": round(self.words, 1), "margin": round(self.margin, 1)}


def predict(evidence: PredictionInput) -> Prediction:
    """The expected gain of dragoman over the engine."""
    known = {name: min(max(value, RANGES[name][0]), RANGES[name][1]) for name, value in evidence.features.items()}
    return Prediction(INTERCEPT + sum(WEIGHTS[name] * known[name] for name in FEATURES), MARGIN)
