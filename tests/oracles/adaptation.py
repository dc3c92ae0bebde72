"""The updates of adaptation, transcribed from the papers ([M], [B], [I]) with lists and loops."""

from __future__ import annotations

import math
from collections.abc import Sequence

Vector = Sequence[float]
Rows = Sequence[Sequence[float]]


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def best_and_losses(losses: Vector) -> tuple[int, list[float]]:
    best = losses.index(min(losses)) if isinstance(losses, list) else list(losses).index(min(losses))
    return best, [abs(loss - losses[best]) for loss in losses]


def mixed(weights: Vector, towards: Vector, alpha: float) -> list[float]:
    return [(1 - alpha) * old + alpha * new for old, new in zip(weights, towards, strict=True)]


def passive_aggressive(
    weights: Vector, features: Rows, losses: Vector, alpha: float, C: float, heuristic: bool, printed: bool
) -> list[float]:
    best, differences = best_and_losses(losses)
    phi = [a - b for a, b in zip(features[best], features[0], strict=True)]
    margin = math.sqrt(differences[0])
    wanted = differences[0] > 0 if heuristic else dot(weights, phi) < margin
    if not wanted or not any(phi):
        return list(weights)
    tau = (margin - dot(weights, phi)) / (dot(phi, phi) + 1 / C)
    step = [tau * x for x in phi]
    towards = step if printed else [w + s for w, s in zip(weights, step, strict=True)]
    return mixed(weights, towards, alpha)


def perceptron(weights: Vector, features: Rows, losses: Vector, alpha: float) -> list[float]:
    best, differences = best_and_losses(losses)
    if differences[0] == 0:
        return list(weights)
    signs = [float((a > b) - (a < b)) for a, b in zip(features[best], features[0], strict=True)]
    return mixed(weights, signs, alpha)


def samples_around(weights: Vector, offsets: Vector) -> list[list[float]]:
    """λ_T, and copies with one component after the other moved by an offset, all with Σ|λ| = 1."""
    size = sum(abs(weight) for weight in weights)
    centre = [weight / size for weight in weights]
    answer = [centre]
    for s, offset in enumerate(offsets, start=1):
        sample = list(centre)
        sample[s % len(sample)] += offset
        total = sum(abs(weight) for weight in sample)
        answer.append([weight / total for weight in sample])
    return answer


def log_probability(weights: Vector, features: Rows, entry: int) -> float:
    scores = [dot(weights, row) for row in features]
    top = max(scores)
    return scores[entry] - top - math.log(sum(math.exp(score - top) for score in scores))


def bayes_scores(
    samples: Rows, seen: Sequence[tuple[Rows, int]], features: Rows, delta: float, variance: float
) -> list[float]:
    """Σ_s ( p(A|λ_s) · p(y|x,λ_s) )^{1/δ} · N(λ_s; λ_T, σ) of each entry, as a logarithm."""
    answer = []
    for entry in range(len(features)):
        terms = []
        for sample in samples:
            evidence = sum(log_probability(sample, rows, best) for rows, best in seen)
            distance = sum((a - b) ** 2 for a, b in zip(sample, samples[0], strict=True))
            likelihood = evidence + log_probability(sample, features, entry)
            terms.append(likelihood / delta - distance / (2 * variance))
        top = max(terms)
        answer.append(top + math.log(sum(math.exp(term - top) for term in terms)))
    return answer
