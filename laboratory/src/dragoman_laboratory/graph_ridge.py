"""Ridge regression for interactive translation ([I]): what is good or bad is not a translation but a whole word graph.

1. Λ is a set of weights near the current ones: drawn from a Gaussian, or the points that a downhill simplex visits on
   its way to the best weights of this sentence.
2. Each of them gives the word graph of the sentence other scores. Its loss is the effort of a simulated user who
   translates with it until the correction is reached; its features are those of its best way.
3. Ridge regression over these rows, as over the entries of an n-best list ([I] Eq. 12–15).

The graph is not searched again but rescored: the scores of all its ways are then exactly those of the other weights.
What a new search would differ in are ways that the first one had already pruned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dragoman.adapt.protocol import Matrix, Vector, check, check_losses
from dragoman.adapt.ridge import regress
from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.interactive.error_model import Beginning, ErrorModel
from dragoman.interactive.user import type_characters
from dragoman.search.wordgraph import WordGraph

Loss = Callable[[WordGraph], float]


@dataclass(kw_only=True)
class GraphRidge:
    """Discriminative ridge regression on word graphs, rescored with many weights."""

    strategy: Literal["gaussian", "simplex"] = "gaussian"
    size: int = 200  # of Λ, at most; [I] has 201 for a Gaussian, and a simplex of about 70
    alpha: float = 0.001  # [I] has 0.001 for a Gaussian, 0.0001 for a simplex
    beta: float = 0.01
    spread: float = 0.1  # of Λ around the weights, of their mean size
    seed: int = 1

    def __post_init__(self) -> None:
        if self.strategy not in ("gaussian", "simplex"):
            raise BadInputError(f"there is no strategy {self.strategy!r}", remedy="choose gaussian or simplex")
        if self.size < 1 or not 0 <= self.alpha <= 1 or not self.beta > 0 or not self.spread > 0:
            raise BadInputError("size, beta and spread must be above 0, and alpha from 0 to 1")
        self._random = np.random.default_rng(self.seed)

    def update(self, weights: ArrayLike, graph: WordGraph, loss: Loss) -> Vector:
        """The weights, in the order of `graph.names`, after a correction, given its graph and the loss of any graph."""
        given, _ = check(weights, graph.features, graph.names)
        rows, losses = self.tried(given, graph, loss)
        theta, features = check(given, rows, graph.names)
        differences, best = check_losses(losses, len(features))
        if not differences.any():
            return theta.copy()
        towards = regress(features[best] - features, differences, self.beta)
        moved: Vector = (1 - self.alpha) * theta + self.alpha * towards
        return moved

    def tried(self, weights: Vector, graph: WordGraph, loss: Loss) -> tuple[Matrix, Vector]:
        """Features [N, M] of the best way and loss [N] of the graph under each of Λ, the weights themselves first."""
        rows, losses = list[Vector](), list[float]()

        def judge(candidate: Vector) -> float:
            rescored = graph.rescored(dict(zip(graph.names, candidate.tolist(), strict=True)))
            rows.append(np.array(list(rescored.best.features.values())))
            losses.append(loss(rescored))
            return losses[-1]

        size = self.spread * max(float(np.abs(weights).mean()), 1e-9)
        if self.strategy == "gaussian":
            for candidate in (weights, *self._random.normal(weights, size, (self.size - 1, weights.size))):
                judge(candidate)
        else:
            _descend(judge, weights, size, self.size)
        return np.array(rows), np.array(losses)


def _descend(judge: Callable[[Vector], float], weights: Vector, size: float, most: int) -> None:
    """Visit what a downhill simplex visits, starting with the weights and steps of this size."""
    minimize = load("scipy.optimize", extra="tune").minimize
    corners = np.concatenate([weights[None], weights + size * np.eye(weights.size)])
    settings = {"initial_simplex": corners, "maxfev": most, "xatol": size / 100, "fatol": 1e-6}
    minimize(judge, weights, method="Nelder-Mead", options=settings)


def ksmr(graph: WordGraph, reference: Sequence[str]) -> float:
    """Keys and mouse actions per character of a simulated user ([O] §4.2) whom the graph completes what he types.

    Words are the models' own, with one space between them.
    """
    error_model, wanted = ErrorModel(graph), " ".join(reference)

    def suggest(prefix: str) -> str:
        *finished, begun = prefix.split(" ")
        gap = bool(finished) and not begun
        found = error_model.complete(Beginning(tuple(finished), begun, gap))
        if not begun:
            return prefix + " ".join(found.words)
        stands = bool(found.words) and found.stands > 0
        rest = found.words[0][found.stands :] if stands else ""
        return prefix + " ".join([rest, *found.words[int(stands) :]])

    return sum(type_characters(suggest, wanted)) / max(len(wanted), 1)
