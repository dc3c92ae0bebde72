"""One step of Adam as it is written down, a number at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

Numbers = dict[str, list[float]]


@dataclass
class SlowAdam:
    """Weights as plain lists, with their moments."""

    weights: Numbers
    steps: int = 0
    m: Numbers = field(default_factory=dict)
    v: Numbers = field(default_factory=dict)

    def step(self, gradients: Mapping[str, list[float]]) -> None:
        self.steps += 1
        norm = math.sqrt(sum(g * g for values in gradients.values() for g in values))
        clip = min(1.0, 1.0 / norm) if norm else 1.0
        for name, weights in self.weights.items():
            m, v = self.m.setdefault(name, [0.0] * len(weights)), self.v.setdefault(name, [0.0] * len(weights))
            for i, slope in enumerate(gradients[name]):
                m[i] = 0.9 * m[i] + 0.1 * slope * clip
                v[i] = 0.98 * v[i] + 0.02 * (slope * clip) ** 2
                mean, spread = m[i] / (1 - 0.9**self.steps), v[i] / (1 - 0.98**self.steps)
                weights[i] -= 1e-4 * mean / (math.sqrt(spread) + 1e-8)
