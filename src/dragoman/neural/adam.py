"""Adam (Kingma and Ba 2015): how far each weight goes, by the running mean and spread of its slopes.

    m ← β₁ m + (1 - β₁) g          v ← β₂ v + (1 - β₂) g²
    w ← w - η · m / (1 - β₁ᵗ) / (√(v / (1 - β₂ᵗ)) + ε)

η = 1e-4, β₁ = 0.9, β₂ = 0.98, ε = 1e-8, and g is made shorter if its norm over all weights is above 1. These were
chosen on development sets of two manuals, by how probable the next correction became.

Some rows of a matrix at a time, the gradient is computed from its factors and used while it is in the processor's
cache; 40 million weights with their moments are read and written once. A row whose slope was zero from the beginning,
that of a piece that has never been looked up, has moments of zero and stays where it is, so it is passed over.
"""

from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import exercise
from dragoman.neural.adam_kernels import adam_step
from dragoman.neural.gradients import Gradients

RATE, BETA1, BETA2, LONGEST = 1e-4, 0.9, 0.98, 1.0
AT_ONCE = 1 << 15  # weights that fit into the processor's cache, four times

Weights = dict[str, np.ndarray]


class Adam:
    """The moments of weights, and the steps that change both."""

    def __init__(self, weights: Weights) -> None:
        self.steps = 0
        self.m = {name: np.zeros_like(value) for name, value in weights.items()}
        self.v = {name: np.zeros_like(value) for name, value in weights.items()}

    def step(self, weights: Weights, gradients: Gradients, *, rate: float = RATE) -> None:
        """Change the weights against their gradient, in place."""
        self.steps += 1
        numbers = step_numbers(self.steps, gradients.norm(), rate)
        for name, m in self.m.items():
            w, v = weights[name], self.v[name]
            if w.ndim == 1:
                if name in gradients.vectors:
                    adam_step(w, m, v, gradients.vectors[name], numbers)
                continue
            for begin, end in self._blocks(name, gradients):
                g = np.empty((end - begin, w.shape[1]), np.float32)
                gradients.part(name, begin, end, g)
                part = slice(begin, end)
                adam_step(w[part].reshape(-1), m[part].reshape(-1), v[part].reshape(-1), g.reshape(-1), numbers)

    def _blocks(self, name: str, gradients: Gradients) -> list[tuple[int, int]]:
        """Which rows of a matrix may change, some at a time."""
        rows, columns = self.m[name].shape
        size = max(1, AT_ONCE // columns)
        blocks = [(begin, min(begin + size, rows)) for begin in range(0, rows, size)]
        if name in gradients.outer:
            return blocks
        looked_up = set(gradients.rows[name].ids // size) if name in gradients.rows else set()
        return [block for i, block in enumerate(blocks) if i in looked_up or self.v[name][slice(*block)].any()]


def step_numbers(steps: int, norm: float, rate: float = RATE) -> np.ndarray:
    """What `adam_step` multiplies by in this step, [7]."""
    clip = min(1.0, LONGEST / norm) if norm > 0 else 1.0
    corrected = rate / (1 - BETA1**steps), 1 / (1 - BETA2**steps)
    return np.array([clip, BETA1, 1 - BETA1, BETA2, 1 - BETA2, *corrected], np.float32)


def is_finite(gradients: Gradients) -> bool:
    """Whether a step can be made; overflow is not worth learning from."""
    return math.isfinite(gradients.norm())


@exercise
def _exercise() -> None:
    w, m, v, g = (np.zeros(1, np.float32) for _ in range(4))
    adam_step(w, m, v, g, step_numbers(1, 0.0))
