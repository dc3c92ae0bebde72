"""The features of a phrase pair and of a step from phrase to phrase, as compiled functions ([O] §3.4, [M] §5.1).

Places of the features in all arrays of the search; loglinear.py names them in the same order.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math

import numpy as np

from dragoman.kernels import lean

LANGUAGE = 0
SOURCE_LENGTH = 1
PHRASE_INVERSE = 2
PHRASE_DIRECT = 3
TARGET_PHRASE_LENGTH = 4
SOURCE_PHRASE_LENGTH = 5
DISTORTION = 6
WORD_PENALTY = 7
PHRASE_PENALTY = 8
LINEAR_DISTORTION = 9
LEXICAL_INVERSE = 10
LEXICAL_DIRECT = 11
PREVIOUS = 12  # three places: monotone, swap, discontinuous
NEXT = 15  # three places
UPSTREAM_WORDS = 18
UPSTREAM_LEFT = 19
UPSTREAM_BREAKS = 20
UPSTREAM_EVIDENCE = 21
CLASS_LANGUAGE = 22
FEATURES = 23

FLOOR = 1e-7  # probability of what was never seen, such as the copy of an unknown word


@lean
def geometric_target(delta, I):
    """h5 of one phrase: log δ(1−δ)^|ẽ| ([O] §3.4)."""
    return math.log(delta) + I * math.log1p(-delta)


@lean
def geometric_source(delta, J, I):
    """h6 of one phrase: log δ(1−δ)^||f̃|−|ẽ|| / (1+τ), τ = Σ_{i=1}^{|ẽ|−1} δ(1−δ)^i ([O] §3.4)."""
    tau = 0.0
    for i in range(1, I):
        tau += delta * (1.0 - delta) ** i
    return math.log(delta) + abs(J - I) * math.log1p(-delta) - math.log1p(tau)


@lean
def geometric_jump(delta, jump):
    """h7 of one step: log δ(1−δ)^|b_k − l_{k−1}| / (2−δ); `jump` is b_k − l_{k−1}, 1 when monotone ([O] §3.4)."""
    return math.log(delta) + abs(jump) * math.log1p(-delta) - math.log(2.0 - delta)


@lean
def lexical_weight(emission, J, I):
    """Log lex(f̃|ẽ) = Σ_j log max_i p(f_j|e_i), the null word among the e_i; emission [≥ J, ≥ I + 1], null first."""
    weight = 0.0
    for j in range(J):
        best = 0.0
        for i in range(I + 1):
            best = max(best, emission[j, i])
        weight += math.log(max(best, FLOOR))
    return weight


@lean
def fill_phrase(features, J, I, inverse, direct, lexical_inverse, lexical_direct, delta):
    """Write the features that a phrase pair has by itself into `features` [FEATURES]; the others are left at zero."""
    features[PHRASE_INVERSE] = math.log(max(inverse, FLOOR))
    features[PHRASE_DIRECT] = math.log(max(direct, FLOOR))
    features[TARGET_PHRASE_LENGTH] = geometric_target(delta, I)
    features[SOURCE_PHRASE_LENGTH] = geometric_source(delta, J, I)
    features[WORD_PENALTY] = -np.float64(I)
    features[PHRASE_PENALTY] = 1.0
    features[LEXICAL_INVERSE] = lexical_inverse
    features[LEXICAL_DIRECT] = lexical_direct
