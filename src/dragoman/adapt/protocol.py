"""What all adaptation methods have in common.

1. A sentence was translated: there is an n-best list with features [N, M], the system's own choice in row 0.
2. A correction arrived: each entry has a loss. y* is the entry with the smallest one, the earlier of equals; l(y) is
   how much greater the loss of an entry is ([M] Eq. 4).
3. `update` moves the weights θ^{t−1} to θ^t, in most methods by θ^t = (1−α) θ^{t−1} + α θ̌^t ([M] Eq. 6, 8). Such a
   method is a `Rule`, and all it defines is θ̌.
4. `rerank` chooses from the n-best list of the next sentence.

The same methods adapt the scaling factors λ, with features h(x, y), and the factors u of phrase pairs, with features
g(x, y) ([M] §3.2). Which of them, and everything else about how an engine uses a method, is its `Policy`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.adapt import protocol_kernels as kernels
from dragoman.adapt.policy import Decay, MeasureName, Mode, Parameters, Policy
from dragoman.errors import BadInputError
from dragoman.files import Arrays
from dragoman.kernels import exercise
from dragoman.measure import Bleu, Measure, Ter, Wer

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MAX_SIZE = 1_000_000.0  # of a weight or factor; beyond, scores lose their digits

MEASURES: dict[str, type[Measure]] = {"ter": Ter, "wer": Wer, "bleu": Bleu}


class Sample(NamedTuple):
    """A validated n-best list with its losses."""

    features: Matrix  # [N, M]
    losses: Vector  # [N] l(y), 0 for the best
    best: int  # row of y*


@dataclass(kw_only=True)
class Adapter(ABC):
    """A method of adapting weights; subclasses are registered by name.

    The fields below are keywords of every adapter's constructor that make up its `policy`; an update never reads them.
    A subclass adds the numbers of its own mathematics as fields, and keeps everything it learns in `state()`, from
    which an engine resumes it.
    """

    parameters: Parameters = Policy.parameters
    mode: Mode = Policy.mode
    nbest: int = Policy.nbest
    measure: MeasureName = Policy.measure
    decay: Decay = Policy.decay

    known: ClassVar[dict[str, type[Adapter]]] = {}
    reranks_live: ClassVar[bool] = False  # whether it also chooses from the list in live mode
    adapts_factors: ClassVar[bool] = True  # whether it can adapt the factors u, of which there are very many

    def __init_subclass__(cls) -> None:
        Adapter.known[cls.__name__] = cls

    def __post_init__(self) -> None:
        if self.policy.adapts_factors and not self.adapts_factors:
            what = f"{type(self).__name__} adapts weights, not {self.parameters}"
            raise BadInputError(what, remedy="choose another method")

    @property
    def policy(self) -> Policy:
        """How an engine uses this adapter."""
        return Policy(**{each.name: getattr(self, each.name) for each in fields(Policy)})

    @abstractmethod
    def update(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """The weights after a correction: [M], [N, M], [N] → [M]; row 0 is the system's own choice."""

    def update_touched(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """`update`, except that parameters which the step says nothing about stay as they are."""
        return self.update(weights, features, losses)

    @property
    def remains(self) -> float:
        """The part of a parameter that `update` keeps where the step says nothing about it."""
        return 1.0

    def rerank(self, weights: ArrayLike, features: ArrayLike) -> int:
        """The row that the weights prefer, the earlier of equals."""
        theta, rows = check(weights, features)
        return int(kernels.best_row(rows, theta))

    # ── What an engine stores ────────────────────────────────────────────────────────────────────────────────────────

    def state(self) -> Arrays:
        """What it has learned, except weights and factors, which the caller of `update` keeps."""
        return {}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:  # noqa: B027 (most have none)
        """Return to the state that `state()` gave."""

    def addition(self) -> Arrays:
        """What the last update added to the state, for the journal; the whole state if it is small."""
        return self.state()

    def replay(self, addition: Mapping[str, np.ndarray]) -> None:
        """Repeat an update of the state from its `addition()`."""
        self.restore(addition)

    def retract(self, addition: Mapping[str, np.ndarray]) -> None:  # noqa: B027 (most cannot)
        """Forget a correction: take its addition back, if the method can."""

    # ── Options ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def settings(self) -> dict[str, Any]:
        """Name and options as JSON values; infinity, which JSON lacks, becomes None."""
        options = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        return {"name": type(self).__name__} | {
            name: None if isinstance(value, float) and math.isinf(value) else value for name, value in options.items()
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Adapter:
        """The adapter with these `settings()`, before it has learned anything.

        `Unknown` takes its place if there is no such class, or if the class no longer has these options.
        """
        options: dict[str, Any] = {
            name: math.inf if value is None else value for name, value in settings.items() if name != "name"
        }
        found = cls.known.get(settings["name"])
        fitting = found is not None and options.keys() <= {each.name for each in fields(found) if each.init}
        return found(**options) if found is not None and fitting else Unknown(dict(settings))


@dataclass(kw_only=True)
class Rule(Adapter):
    """A method that moves the weights towards some θ̌: θ^t = (1−α) θ^{t−1} + α θ̌^t ([M] Eq. 6, 8)."""

    alpha: float = 0.01  # the learning rate

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise BadInputError(f"alpha must be from 0 to 1, not {self.alpha}")

    @abstractmethod
    def direction(self, theta: Vector, sample: Sample) -> Vector | None:
        """θ̌ [M], or None to leave the weights as they are."""

    def update(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """The weights after a correction: [M], [N, M], [N] → [M]; row 0 is the system's own choice."""
        return self._mixed_with_direction(weights, features, losses, everywhere=True)

    def update_touched(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """`update`, except that parameters where θ̌ is 0 stay as they are."""
        return self._mixed_with_direction(weights, features, losses, everywhere=False)

    @property
    def remains(self) -> float:
        """The part of a parameter that `update` keeps where θ̌ is 0: (1−α)."""
        return 1 - self.alpha

    def _mixed_with_direction(
        self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike, *, everywhere: bool
    ) -> Vector:
        theta, rows = check(weights, features)
        found = self.direction(theta.copy(), Sample(rows, *check_losses(losses, len(rows))))
        if found is None:
            return theta.copy()
        towards = np.asarray(found, np.float64)
        if towards.shape != theta.shape:
            what = f"the direction of {type(self).__name__} has shape {list(towards.shape)}"
            raise BadInputError(what, remedy=f"return {theta.size} numbers, one per weight")
        moved = (1 - self.alpha) * theta + self.alpha * towards
        if not np.isfinite(moved).all():
            raise BadInputError("the losses or features are too large: the weights would not be finite")
        moved = np.clip(moved, -MAX_SIZE, MAX_SIZE)
        return moved if everywhere else np.where(towards == 0, theta, moved)


class Unknown(Adapter):
    """Stands in for a method whose class is not imported: keeps what it has learned, but cannot learn."""

    def __init__(self, stored: dict[str, Any]) -> None:
        named = {each.name: stored[each.name] for each in fields(Adapter) if each.name in stored}
        super().__init__(**named)
        self.stored = stored
        self._state: Arrays = {}

    def update(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:  # noqa: ARG002
        """Refuse, because the method is unknown."""
        remedy = "import the module that defines it before opening the project, or set another adapter, or None"
        raise BadInputError(f"this project's adapter {self.stored['name']!r} is not imported", remedy=remedy)

    def settings(self) -> dict[str, Any]:
        """The settings as they were stored."""
        return self.stored

    def state(self) -> Arrays:
        """The state as it was restored."""
        return self._state

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Keep the state."""
        self._state = dict(state)


def check(weights: ArrayLike, features: ArrayLike, names: Sequence[str] | None = None) -> tuple[Vector, Matrix]:
    """Weights [M] and features [N, M] as arrays; they must be finite and their shapes must match.

    >>> check([1.0, 1.0], [[0.0, 0.0], [0.0, float("nan")]], names=["language", "phrases"])
    Traceback (most recent call last):
    ...
    dragoman.errors.BadInputError: feature 'phrases' of entry 2 of the n-best list is nan, not a finite number
    """
    theta, rows = np.ascontiguousarray(weights, np.float64), np.ascontiguousarray(features, np.float64)
    if theta.ndim != 1 or rows.ndim != 2 or rows.shape[1] != theta.size or not len(rows):
        what = f"features of shape {list(rows.shape)} do not fit weights of shape {list(theta.shape)}"
        raise BadInputError(what, remedy="pass shapes [N, M] and [M] with at least one row")
    if not np.isfinite(rows).all():
        n, m = np.argwhere(~np.isfinite(rows))[0].tolist()
        feature = repr(names[m]) if names else m + 1
        what = f"feature {feature} of entry {n + 1} of the n-best list is {rows[n, m]}, not a finite number"
        raise BadInputError(what)
    if not np.isfinite(theta).all():
        m = int(np.flatnonzero(~np.isfinite(theta))[0])
        weight = repr(names[m]) if names else m + 1
        raise BadInputError(f"weight {weight} is {theta[m]}, not a finite number")
    return theta, rows


def check_losses(losses: ArrayLike, entries: int) -> tuple[Vector, int]:
    """How much worse each entry is than the best, l(y) ([M] Eq. 4), and the row of the best."""
    mu = np.asarray(losses, np.float64)
    if mu.shape != (entries,):
        raise BadInputError(f"losses of shape {list(mu.shape)} do not fit an n-best list of {entries} entries")
    if not np.isfinite(mu).all():
        n = int(np.flatnonzero(~np.isfinite(mu))[0])
        raise BadInputError(f"the loss of entry {n + 1} of the n-best list is {mu[n]}, not a finite number")
    best = int(np.argmin(mu))
    return mu - mu[best], best


@exercise
def _exercise() -> None:
    kernels.best_row(np.zeros((1, 1)), np.zeros(1))
