"""Learned factors multiply the translation-model score of their phrase pairs, and of no others ([M] Eq. 7)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dragoman.models.loglinear import Weights
from dragoman.search.decoder import Decoder
from dragoman.search.sentence_search import SearchResult
from dragoman.tables import Table
from dragoman.tables.table_kernels import path_key
from tests.search.test_decoder import EVERYTHING, corpora, learned, sample, weights_of

pytestmark = pytest.mark.kernels

TRANSLATION = ("phrase_inverse", "phrase_direct", "lexical_inverse", "lexical_direct")
SOURCE = ["press", "the", "green", "button"]


def test_keys_are_those_of_the_phrase_model() -> None:
    models = sample()
    found = Decoder(models, Weights("moses")).search(SOURCE)
    for step in (step for hypothesis in found.nbest(20) for step in hypothesis.steps):
        source = models.phrases.sources.find_path(models.source.ids(SOURCE[slice(*step.source)]).tolist())
        target = models.phrases.targets.find_path(models.target.ids(step.words).tolist())
        assert step.pair == path_key(source, target)


def test_a_table_without_entries_changes_nothing() -> None:
    models, weights = sample(), Weights("full")
    plain = Decoder(models, weights).search(SOURCE).nbest(50)[:]
    assert Decoder(models, weights, factors=Table({"u": np.float64})).search(SOURCE).nbest(50)[:] == plain


@settings(deadline=None, max_examples=30)
@given(corpora, weights_of(), st.lists(st.sampled_from("abe"), min_size=1, max_size=3), st.data())
def test_scores_are_those_of_scaled_features(
    pairs: list[tuple[list[str], list[str]]], weights: Weights, source: list[str], data: st.DataObject
) -> None:
    models = learned(pairs)
    plain = Decoder(models, weights, EVERYTHING).search(source)
    assert isinstance(plain, SearchResult)
    keys = sorted(set(plain.options.row["pair"][plain.options.row["pair"] >= 0].tolist()))
    factors = {key: data.draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0])) for key in keys}
    table = Table({"u": np.float64})
    table.add(keys, u=[factors[key] - 1.0 for key in keys])
    scaled = Decoder(models, weights, EVERYTHING, factors=table).search(source)

    def look_up(wanted: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([factors[key] for key in wanted.tolist()], np.float64)

    assert Decoder(models, weights, EVERYTHING, factors=look_up).search(source).nbest(30)[:] == scaled.nbest(30)[:]
    expected = {}
    for hypothesis in plain.nbest(100_000):
        changes = 0.0
        for step in hypothesis.steps:
            changes += (factors.get(step.pair, 1.0) - 1.0) * translation_score(plain, step.pair, step.source)
        expected[hypothesis.steps] = hypothesis.score + changes
    for hypothesis in scaled.nbest(30):
        assert hypothesis.score == pytest.approx(expected[hypothesis.steps], abs=1e-8)
        weighted = sum(weight * hypothesis.features[name] for name, weight in weights.items())
        assert hypothesis.score == pytest.approx(weighted, abs=1e-8)
    assert scaled.best.score == pytest.approx(max(expected.values()), abs=1e-8)


def translation_score(search: SearchResult, pair: int, span: tuple[int, int]) -> float:
    """g, the combined translation-model score of a phrase pair."""
    row = search.options.row
    here = (row["pair"] == pair) & (row["start"] == span[0])
    return float(row["translation"][here][0])


def test_a_pair_that_has_been_praised_is_preferred() -> None:
    models, weights = sample(), Weights("moses")
    listed = Decoder(models, weights).search(SOURCE).nbest(100)
    best = listed[0].words
    other = next(entry for entry in listed if entry.words != best and all(step.pair >= 0 for step in entry.steps))
    praised = {step.pair for step in other.steps} - {step.pair for step in listed[0].steps}
    table = Table({"u": np.float64})
    table.add(
        sorted(praised), u=[-30.0] * len(praised)
    )  # log scores are negative: a negative factor makes them a bonus
    assert Decoder(models, weights, factors=table).search(SOURCE).best.words != best
