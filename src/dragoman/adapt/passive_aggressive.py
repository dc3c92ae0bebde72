"""Passive-aggressive, type II (Crammer et al. 2006): leave the weights alone, or move them just far enough.

The constraint is that y* beats the system's choice ŷ by a margin, θ·Φ ≥ √l(ŷ) with Φ = h(y*) − h(ŷ). If it is met,
nothing happens. If not, the closest weights that meet it are θ + τΦ, τ = (√l − θ·Φ) / (‖Φ‖² + 1/C), exactly so
if C = ∞.

[M] Eq. 11 and [P] Eq. 11 print θ̌ = τΦ without the θ, and then mix it with θ by (1−α); [M] also says that α = 1 gives
the method of Crammer et al., which is true only with it. `printed` follows the papers literally.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dragoman.adapt.protocol import Rule, Sample, Vector
from dragoman.errors import BadInputError


@dataclass(kw_only=True)
class PassiveAggressive(Rule):
    """Passive-aggressive II ([M] §4.1, [P]); `heuristic` updates whenever ŷ is worse than y* ([M] §4.1.3, [P] §4.3)."""

    C: float = math.inf  # how aggressive
    heuristic: bool = False
    printed: bool = False  # θ̌ = τΦ instead of θ + τΦ

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.C > 0:
            raise BadInputError(f"C must be above 0, not {self.C}")

    @property
    def remains(self) -> float:
        """All of it, unless θ̌ is as printed: the closest weights differ from θ only where Φ is not 0."""
        return super().remains if self.printed else 1.0

    def direction(self, theta: Vector, sample: Sample) -> Vector | None:
        """The closest weights that meet the constraint ([M] Eq. 11)."""
        phi = sample.features[sample.best] - sample.features[0]
        margin, found = math.sqrt(sample.losses[0]), float(theta @ phi)
        triggered = sample.losses[0] > 0 if self.heuristic else found < margin
        length = float(phi @ phi)
        if not triggered or length == 0:
            return None
        step: Vector = phi * ((margin - found) / (length + 1 / self.C))
        return step if self.printed else theta + step
