"""Adapting weights during interactive translation ([I] Table 1): effort and cost of each way to choose Λ.

1. Translate with the current weights, and let a simulated user reach the reference with the word graph.
2. Adapt the weights: by the n-best list and TER, as in post-editing, or by the effort with word graphs ([I] §2.2).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.adapt import Rule
from dragoman.adapt.lists import candidates, losses
from dragoman.adapt.protocol import MEASURES, Vector
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.search.decoder import Decoder, SearchResult
from dragoman_laboratory.graph_ridge import GraphRidge, ksmr

ARCS = 20  # out of each state of a word graph: hardly a completion is lost, and the rest is gone through in vain


@dataclass(frozen=True)
class Result:
    """The effort for a text, and the cost of adapting."""

    counts: NDArray[np.int64]  # [sentences, 2] key strokes and mouse actions, and characters, of each
    seconds: float  # of processor time for adapting, a sentence
    weights: dict[str, float]  # at the end

    @property
    def ksmr(self) -> float:
        """Key strokes and mouse actions per hundred characters."""
        actions, characters = self.counts.sum(axis=0)
        return 100 * float(actions / max(characters, 1))


def interact(
    knowledge: Knowledge, weights: Weights, pairs: Iterable[tuple[str, str]], method: GraphRidge | Rule | None
) -> Result:
    """Translate the sources interactively until the references are reached, adapting the weights after each."""
    theta: Vector = np.array(list(weights.values()))
    counts, seconds = list[tuple[int, int]](), 0.0
    for source, target in pairs:
        read, reference = knowledge.source.read(source), knowledge.target.model_words(knowledge.target.read(target))
        if not (read.words and reference):
            continue
        current = Weights(weights.preset, dict(zip(weights, theta.tolist(), strict=True)))
        found = Decoder(knowledge.models, current).search(knowledge.source.model_words(read), read.placeable)
        length = len(" ".join(reference))
        counts.append((round(length * ksmr(found.graph().pruned(arcs=ARCS), reference)), length))
        began = time.process_time()
        theta = _adapted(theta, found, reference, method)
        seconds += time.process_time() - began
    final = dict(zip(weights, theta.tolist(), strict=True))
    return Result(np.array(counts, np.int64).reshape(-1, 2), seconds / max(len(counts), 1), final)


def _adapted(
    theta: Vector, found: SearchResult, reference: tuple[str, ...], method: GraphRidge | Rule | None
) -> Vector:
    if isinstance(method, GraphRidge):
        graph = found.graph().pruned(arcs=ARCS)
        return method.update(theta, graph, lambda each: ksmr(each, reference))
    if method is not None:
        offered = candidates(found, found.nbest(method.nbest, distinct=True), factors=False)
        return method.update(theta, offered.features, losses(MEASURES[method.measure](), offered.words, reference))
    return theta
