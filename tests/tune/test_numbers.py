"""Single numbers are tuned by trying them: a grid, then narrower and narrower around the best."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.decoder import Decoder, Estimates
from dragoman.tune import Development, best_value, decode, tune_estimate, tune_share
from tests.tune.support import MEASURES

pytestmark = pytest.mark.kernels


@settings(deadline=None, max_examples=100)
@given(st.floats(0, 1))
def test_the_top_of_a_hill_is_found(top: float) -> None:
    found = best_value("x", lambda x: -abs(x - top), low=0, high=1, evaluations=20)
    assert found.value == pytest.approx(top, abs=0.03)
    assert found.quality == max(quality for _, quality in found.tried)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-1, 1), min_size=12, max_size=12), st.floats(0, 1), st.integers(1, 12))
def test_the_best_of_what_was_tried_is_taken_whatever_the_landscape(
    qualities: list[float], start: float, evaluations: int
) -> None:
    rest = iter(qualities)
    found = best_value("x", lambda _: next(rest), low=0, high=1, start=start, evaluations=evaluations)
    assert 1 <= len(found.tried) <= evaluations
    assert found.tried[0][0] == start
    assert all(0 <= value <= 1 for value, _ in found.tried)
    assert found.value == next(value for value, quality in found.tried if quality == found.quality)


def test_where_all_are_equal_the_start_stays() -> None:
    assert best_value("x", lambda _: 1.0, low=0, high=1, start=0.9).value == 0.9


def test_estimates_are_tuned_by_decoding() -> None:
    models = ModelSet()
    rows = ("a b c", "x y z"), ("a", "x"), ("b", "y"), ("c b", "z y"), ("a c", "x z")
    for source, target in rows:
        models.add(source.split(), target.split())
    development = Development.of([(list("cab"), list("zxy")), (list("bc"), list("yz"))])
    for name, measure in (("beta", MEASURES["bleu"]), ("delta", MEASURES["wer"])):
        found = tune_estimate(name, models, Weights("full"), development, measure, evaluations=6)
        decoder = Decoder(models, Weights("full"), estimates=Estimates(**{name: found.value}))
        assert abs(found.quality) == decode(decoder, development, measure).score
        assert found.tried[0][0] == getattr(Estimates(), name)
        assert json.loads(json.dumps(found.as_json()))["name"] == name


def test_a_share_is_tuned_by_correcting_the_development_set() -> None:
    base = ModelSet()
    for _ in range(20):
        base.add(["the", "press"], ["la", "prensa"])
    models, weights = ModelSet(base, share=0.0), Weights("moses")
    development = Development.of([(["the", "press"], ["el", "pulsador"])] * 8)
    found = tune_share("share", models, weights, development, MEASURES["wer"], evaluations=6)
    assert found.tried[0] == (0.0, -MEASURES["wer"](["la prensa"] * 8, ["el pulsador"] * 8))  # never learned
    assert found.value > 0
    assert -found.quality < -found.tried[0][1]
    assert models.phrases.phrase_count == base.phrases.phrase_count  # they have learned nothing themselves


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInputError, match="cannot tune x between 1 and 0"):
        best_value("x", abs, low=1, high=0)
    with pytest.raises(BadInputError, match=r"no estimate 'gamma' to tune; choose one of beta, delta"):
        tune_estimate("gamma", ModelSet(), Weights("thot"), Development.of([(["a"], ["b"])]), MEASURES["wer"])
    with pytest.raises(BadInputError, match="a share needs a base"):
        tune_share("share", ModelSet(), Weights("thot"), Development.of([(["a"], ["b"])]), MEASURES["wer"])
    for wrong in ({"beta": 1.2}, {"delta": 0.0}, {"delta": float("nan")}):
        with pytest.raises(BadInputError, match=r"from 0 to 1|between 0 and 1"):
            Estimates(**wrong)
