"""One step of Adam, in one pass over memory."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import lean


@lean
def adam_step(w, m, v, g, numbers):
    """One step for the weights w and their moments m and v, all [n] float32, which change in place.

    g [n] is the gradient; numbers [7] float32 are what each g is multiplied by (clipping), β₁, 1 - β₁, β₂, 1 - β₂, the
    learning rate / (1 - β₁ᵗ) and 1 / (1 - β₂ᵗ).
    """
    clip, keep1, new1, keep2, new2 = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    rate, correction, tiny = numbers[5], numbers[6], np.float32(1e-8)
    for i in range(w.size):
        slope = g[i] * clip
        first = keep1 * m[i] + new1 * slope
        second = keep2 * v[i] + new2 * (slope * slope)
        m[i] = first
        v[i] = second
        w[i] -= rate * first / (np.sqrt(second * correction) + tiny)
