"""How an engine uses an adapter: what is adapted, from which lists, judged by what. The adapter's mathematics is apart.

>>> Policy(mode="rerank", nbest=200).live
False
>>> Policy(mode="sometimes")
Traceback (most recent call last):
...
dragoman.errors.BadInputError: mode cannot be 'sometimes'; choose one of live, rerank
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from dragoman.errors import BadInputError

Parameters = Literal["weights", "factors", "both"]
Mode = Literal["live", "rerank"]
MeasureName = Literal["ter", "wer", "bleu"]
Decay = Literal["touched", "all"]

CHOICES = {"parameters": Parameters, "mode": Mode, "measure": MeasureName, "decay": Decay}
MAX_NBEST = 100_000


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The options that every adapter has in common."""

    parameters: Parameters = "weights"  # λ, u, or both of them
    mode: Mode = "live"  # search with the adapted weights, or rerank lists that were made with fixed ones
    nbest: int = 500  # length of the lists
    measure: MeasureName = "ter"  # what the losses are
    decay: Decay = "touched"  # which u the factor (1−α) applies to: those in this list, or all

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in get_args(choices):
                remedy = f"choose one of {', '.join(get_args(choices))}"
                raise BadInputError(f"{name} cannot be {getattr(self, name)!r}", remedy=remedy)
        if self.nbest < 1:
            raise BadInputError(f"an n-best list needs at least one entry, not {self.nbest}")
        if type(self.nbest) is not int or self.nbest > MAX_NBEST:
            raise BadInputError(f"nbest must be a whole number up to {MAX_NBEST:,}, not {self.nbest}")

    @property
    def live(self) -> bool:
        """Whether the search uses the adapted weights and factors."""
        return self.mode == "live"

    @property
    def adapts_weights(self) -> bool:
        """Whether the weights λ are adapted."""
        return self.parameters != "factors"

    @property
    def adapts_factors(self) -> bool:
        """Whether the factors u of phrase pairs are adapted."""
        return self.parameters != "weights"
