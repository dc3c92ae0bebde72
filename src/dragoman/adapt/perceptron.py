"""Perceptron-like: a step of fixed length in every component where y* and ŷ differ ([M] §4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dragoman.adapt.protocol import Rule, Sample, Vector


@dataclass(kw_only=True)
class Perceptron(Rule):
    """The perceptron-like method of [M] §4.2; no update while the system's choice is as good as any."""

    def direction(self, theta: Vector, sample: Sample) -> Vector | None:  # noqa: ARG002
        """sign(h(y*) − h(ŷ)) ([M] Eq. 15, 16)."""
        if sample.losses[0] == 0:
            return None
        signs: Vector = np.sign(sample.features[sample.best] - sample.features[0])
        return signs
