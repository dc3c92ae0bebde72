"""What all methods of adapting weights have in common.

1. A sentence was translated: there is an n-best list, its features [N, M], the system's own choice in row 0.
2. The correction came: each entry has a loss, the lower the better. y* is the entry with the least, the earlier one
   among equals; l(y) is how much more each has ([M] Eq. 4).
3. `update` moves the weights θ^{t−1} to θ^t, most methods by θ^t = (1−α) θ^{t−1} + α θ̌^t ([M] Eq. 6, 8). A method of
   that kind is a `Rule`, and all it has to say is θ̌.
4. `rerank` chooses from the n-best list of the next sentence.

The same methods adapt the scaling factors λ, whose features are h(x, y), and the factors u of phrase pairs, whose
features are g(x, y) ([M] §3.2). Options say which, and how an engine uses the method.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.adapt import protocol_kernels as kernels
from dragoman.errors import BadInputError
from dragoman.files import Arrays
from dragoman.kernels import exercise
from dragoman.measure import Bleu, Measure, Ter, Wer

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MEASURES: dict[str, type[Measure]] = {"ter": Ter, "wer": Wer, "bleu": Bleu}


class Sample(NamedTuple):
    """An n-best list with its losses, found to be in order."""

    features: Matrix  # [N, M]
    losses: Vector  # [N] l(y), 0 for the best
    best: int  # row of y*


@dataclass(kw_only=True)
class Adapter(ABC):
    """A method of adapting weights, with its options; every subclass is known by its name.

    Whatever is not an option belongs into `state()`: with it an engine goes on where it has stopped.
    """

    parameters: Literal["weights", "factors", "both"] = "weights"  # λ, u, or both of them
    mode: Literal["live", "rerank"] = "live"  # search with what was learned, or choose from lists of fixed weights
    nbest: int = 500  # entries of the lists
    measure: Literal["ter", "wer", "bleu"] = "ter"  # what says how good an entry is
    decay: Literal["touched", "all"] = "touched"  # which u the factor (1−α) is for: those of this list, or every one

    known: ClassVar[dict[str, type[Adapter]]] = {}
    reranks_live: ClassVar[bool] = False  # whether it chooses from lists even where its weights are searched with

    def __init_subclass__(cls) -> None:
        Adapter.known[cls.__name__] = cls

    def __post_init__(self) -> None:
        for name in ("parameters", "mode", "measure", "decay"):
            if getattr(self, name) not in _choices(name):
                remedy = f"choose one of {', '.join(_choices(name))}"
                raise BadInputError(f"{name} cannot be {getattr(self, name)!r}", remedy=remedy)
        if self.nbest < 1:
            raise BadInputError(f"an n-best list has at least one entry, not {self.nbest}")

    @abstractmethod
    def update(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """The weights after a correction: [M], [N, M], [N] → [M]; row 0 is the system's own choice."""

    def update_factors(self, factors: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """The factors u after a correction, of the phrase pairs that the features g are of: [K], [N, K], [N] → [K]."""
        return self.update(factors, features, losses)

    @property
    def remains(self) -> float:
        """What is left of every other factor u after an update of some."""
        return 1.0

    def rerank(self, weights: ArrayLike, features: ArrayLike) -> int:
        """The row that the weights prefer, the earlier one among equals."""
        theta, rows = check(weights, features)
        return int(kernels.best_row(rows, theta))

    # ── What an engine keeps of it ───────────────────────────────────────────────────────────────────────────────────

    def state(self) -> Arrays:
        """What it has learned, weights and factors apart: these are kept by whoever calls `update`."""
        return {}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:  # noqa: B027 (most have none)
        """Become what it was when `state()` was this."""

    def addition(self) -> Arrays:
        """What the last update has added to the state, for the journal; all of the state if it is small."""
        return self.state()

    def replay(self, addition: Mapping[str, np.ndarray]) -> None:
        """Do to the state again what an update did whose `addition()` is known."""
        self.restore(addition)

    def retract(self, addition: Mapping[str, np.ndarray]) -> None:  # noqa: B027 (most cannot)
        """Forget a correction: take back an addition, where that is possible at all."""

    # ── Options ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def settings(self) -> dict[str, Any]:
        """Name and options in a form that JSON has: it knows no infinity."""
        options = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        return {"name": type(self).__name__} | {
            name: None if isinstance(value, float) and math.isinf(value) else value for name, value in options.items()
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Adapter:
        """The adapter whose `settings()` these are, as it was before it had learned anything.

        If there is no such class, or it has no such options any more, one that stands in for it.
        """
        options: dict[str, Any] = {
            name: math.inf if value is None else value for name, value in settings.items() if name != "name"
        }
        found = cls.known.get(settings["name"])
        fitting = found is not None and options.keys() <= {each.name for each in fields(found) if each.init}
        return found(**options) if found is not None and fitting else Unknown(dict(settings))


@dataclass(kw_only=True)
class Rule(Adapter):
    """A method whose weights move towards some θ̌: θ^t = (1−α) θ^{t−1} + α θ̌^t ([M] Eq. 6, 8)."""

    alpha: float = 0.01  # the learning rate

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise BadInputError(f"alpha must be from 0 to 1, not {self.alpha}")

    @abstractmethod
    def direction(self, theta: Vector, sample: Sample) -> Vector | None:
        """θ̌ [M], or None if the weights are to stay as they are."""

    def update(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """The weights after a correction: [M], [N, M], [N] → [M]; row 0 is the system's own choice."""
        return self._mixed_with_direction(weights, features, losses, everywhere=True)

    def update_factors(self, factors: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:
        """`update` for factors u, where those that θ̌ is nothing for stay as they are, unless `decay` is for all."""
        return self._mixed_with_direction(factors, features, losses, everywhere=self.decay == "all")

    @property
    def remains(self) -> float:
        """(1−α), if `decay` is for all."""
        return 1 - self.alpha if self.decay == "all" else 1.0

    def _mixed_with_direction(
        self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike, *, everywhere: bool
    ) -> Vector:
        theta, rows = check(weights, features)
        found = self.direction(theta.copy(), Sample(rows, *check_losses(losses, len(rows))))
        if found is None:
            return theta.copy()
        towards = np.asarray(found, np.float64)
        if towards.shape != theta.shape:
            what = f"the direction of {type(self).__name__} has the shape {list(towards.shape)}"
            raise BadInputError(what, remedy=f"return {theta.size} numbers, one for each weight")
        moved = (1 - self.alpha) * theta + self.alpha * towards
        if not np.isfinite(moved).all():
            raise BadInputError("the losses or the features are too large: the weights would be no numbers any more")
        return moved if everywhere else np.where(towards == 0, theta, moved)


class Unknown(Adapter):
    """In place of a method whose class this program does not have: keeps what it has learned, and learns no more."""

    def __init__(self, stored: dict[str, Any]) -> None:
        named = {each.name: stored[each.name] for each in fields(Adapter) if each.name in stored}
        super().__init__(**named)
        self.stored = stored
        self._state: Arrays = {}

    def update(self, weights: ArrayLike, features: ArrayLike, losses: ArrayLike) -> Vector:  # noqa: ARG002
        """Refuse: nobody knows how."""
        remedy = "import the module that defines it before the project is opened, or set another adapter, or None"
        raise BadInputError(f"this project adapts its weights by {self.stored['name']!r}, unknown here", remedy=remedy)

    def settings(self) -> dict[str, Any]:
        """What was stored."""
        return self.stored

    def state(self) -> Arrays:
        """What was restored."""
        return self._state

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Keep it."""
        self._state = dict(state)


def check(weights: ArrayLike, features: ArrayLike, names: Sequence[str] | None = None) -> tuple[Vector, Matrix]:
    """Weights [M] and features [N, M] as arrays, if they are finite numbers that fit each other.

    >>> check([1.0, 1.0], [[0.0, 0.0], [0.0, float("nan")]], names=["language", "phrases"])
    Traceback (most recent call last):
    ...
    dragoman.errors.BadInputError: feature 'phrases' of entry 2 of the n-best list is nan, not a finite number
    """
    theta, rows = np.ascontiguousarray(weights, np.float64), np.ascontiguousarray(features, np.float64)
    if theta.ndim != 1 or rows.ndim != 2 or rows.shape[1] != theta.size or not len(rows):
        what = f"features of the shape {list(rows.shape)} do not fit weights of the shape {list(theta.shape)}"
        raise BadInputError(what, remedy="give [N, M] and [M] with at least one row")
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
    """How much worse each entry is than the best, l(y) ([M] Eq. 4), and which one that is."""
    mu = np.asarray(losses, np.float64)
    if mu.shape != (entries,):
        raise BadInputError(f"losses of the shape {list(mu.shape)} do not fit an n-best list of {entries} entries")
    if not np.isfinite(mu).all():
        n = int(np.flatnonzero(~np.isfinite(mu))[0])
        raise BadInputError(f"the loss of entry {n + 1} of the n-best list is {mu[n]}, not a finite number")
    best = int(np.argmin(mu))
    return mu - mu[best], best


@cache
def _choices(name: str) -> tuple[str, ...]:
    return get_args(get_type_hints(Adapter)[name])


@exercise
def _exercise() -> None:
    kernels.best_row(np.zeros((1, 1)), np.zeros(1))
