"""The settings of a search: models, weights and beam."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.options import Estimates, Factors


@dataclass(frozen=True)
class Beam:
    """Limits on the effort of a search; time grows roughly in proportion to each number."""

    pops: int = 300  # hypotheses expanded for each number of covered words
    stack: int = 75  # states kept of these, from which the search continues
    threshold: float = 10.0  # a state whose log score is this far below the best is dropped
    distortion: int = 6  # source words that may be jumped over at once; −1 for any number
    options: int = 20  # translations considered for each source phrase

    def __post_init__(self) -> None:
        for field in fields(self):
            least = {"threshold": 0.0, "distortion": -1}.get(field.name, 1)
            if not getattr(self, field.name) >= least:
                raise BadInputError(f"{field.name} of a beam must be at least {least}, not {getattr(self, field.name)}")

    @classmethod
    def of(cls, beam: Beam | str) -> Beam:
        """The beam itself, or the one of the named profile."""
        if isinstance(beam, str) and beam not in PROFILES:
            raise BadInputError(f"unknown profile {beam!r}", remedy=f"choose one of {', '.join(PROFILES)}")
        return PROFILES[beam] if isinstance(beam, str) else beam


PROFILES = {"fast": Beam(pops=100, stack=50, options=10), "best": Beam()}


@dataclass(frozen=True)
class Plan:
    """What all searches of a decoder have in common."""

    models: ModelSet
    weights: Weights
    beam: Beam
    estimates: Estimates
    factors: Factors | None
    slots: NDArray[np.bool_] | None = None  # [V] target words that are said only where the source has them
    banned: tuple[tuple[str, ...], ...] = ()  # target words in a row that are not to be said
    guess: bool = False  # what unknown words mean, from known words related to them
