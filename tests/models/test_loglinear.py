"""Presets and weights by name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dragoman.errors import BadInputError
from dragoman.models.loglinear import FEATURES, PRESETS, Weights


def test_presets_have_the_features_of_the_papers() -> None:
    assert len(PRESETS["thot"]) == 7  # [O] §3.4
    assert len(PRESETS["moses"]) == 14  # [M] §5.1
    assert PRESETS["full"].keys() == PRESETS["thot"].keys() | PRESETS["moses"].keys() == set(FEATURES)


def test_weights_stand_at_the_places_of_their_features() -> None:
    weights = Weights("moses", {"language": 0.7})
    vector = weights.vector()
    assert vector[FEATURES.index("language")] == 0.7
    assert vector[FEATURES.index("source_length")] == 0
    np.testing.assert_array_equal(vector[weights.places], list(weights.values()))


def test_what_is_not_a_weight_is_refused_and_nothing_changes() -> None:
    weights = Weights("thot")
    before = dict(weights)
    with pytest.raises(BadInputError, match="lexical_direct"):
        weights["lexical_direct"] = 1.0
    with pytest.raises(BadInputError, match="finite"):
        weights["language"] = math.nan
    with pytest.raises(BadInputError, match="set its weight to 0"):
        del weights["language"]
    with pytest.raises(BadInputError, match="choose one of thot, moses, full"):
        Weights("best")
    assert dict(weights) == before
