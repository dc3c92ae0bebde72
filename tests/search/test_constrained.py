"""A prefix is kept whatever the models think of it, and what follows is the best that can follow."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Beam, Decoder
from tests.oracles.search import Exhaustive
from tests.search.test_decoder import EVERYTHING, assert_true, corpora, learned, sample, weights_of

pytestmark = pytest.mark.kernels

Pairs = list[tuple[list[str], list[str]]]
sources = st.lists(st.sampled_from("abe"), min_size=1, max_size=3)
given_words = st.lists(st.sampled_from(["v", "w", "ww", "e", "new"]), min_size=1, max_size=3)


@settings(deadline=None, max_examples=60)
@given(corpora, weights_of(), sources, given_words, st.sampled_from([-1, 0, 1]))
def test_the_best_translation_that_begins_with_given_words(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str], limit: int
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    beam = Beam(pops=20_000, stack=20_000, threshold=1e9, distortion=limit, options=1000)
    found = Decoder(models, weights, beam).search(source, prefix=words)
    scores = sorted(map(oracle.score, oracle.constrained(tuple(words), limit=limit)), reverse=True)
    listed = found.nbest(30)
    assert listed.scores.tolist() == pytest.approx(scores[:30], abs=1e-8)
    for hypothesis in listed:
        assert hypothesis.words[: len(words)] == tuple(words)
        assert_true(oracle, hypothesis)


@settings(deadline=None, max_examples=40)
@given(corpora, weights_of(), sources, given_words, st.sampled_from(["w", "ne", "v", "ww", "q"]))
def test_the_last_word_may_be_unfinished(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str], last: str
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    prefix = Prefix((*words[:2], last), unfinished=True)
    found = Decoder(models, weights, EVERYTHING).search(source, prefix=prefix)
    derivations = oracle.constrained(prefix.words, unfinished=True)
    listed = found.nbest(20)
    assert listed.scores.tolist() == pytest.approx(sorted(map(oracle.score, derivations), reverse=True)[:20], abs=1e-8)
    for hypothesis in listed:
        assert hypothesis.words[: len(prefix.words) - 1] == prefix.words[:-1]
        assert hypothesis.words[len(prefix.words) - 1].startswith(last)


@settings(deadline=None, max_examples=60)
@given(corpora, weights_of(), sources, given_words)
def test_how_a_whole_reference_may_have_come_about(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str]
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    found = Decoder(models, weights, EVERYTHING).search(source, prefix=Prefix(tuple(words), whole=True))
    scores = sorted(map(oracle.score, oracle.constrained(tuple(words), whole=True)), reverse=True)
    listed = found.nbest(20)
    assert listed.scores.tolist() == pytest.approx(scores[:20], abs=1e-8)
    for hypothesis in listed:
        assert hypothesis.words == tuple(words)


@settings(deadline=None, max_examples=30)
@given(corpora, weights_of(), sources, given_words, st.booleans())
def test_even_the_narrowest_search_keeps_the_prefix(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str], whole: bool
) -> None:
    models = learned(pairs)
    beam = Beam(pops=1, stack=1, threshold=0.0, distortion=0, options=1)
    best = Decoder(models, weights, beam).search(source, prefix=Prefix(tuple(words), whole=whole)).best
    assert best.words[: len(words)] == tuple(words)
    assert len(best.words) == len(words) or not whole
    assert_true(Exhaustive(models, weights, source), best)


@pytest.mark.parametrize("preset", ["thot", "moses", "full"])
def test_the_beginning_of_the_best_translation_leads_back_to_it(preset: str) -> None:
    decoder = Decoder(sample(), Weights(preset))
    source = ["press", "the", "red", "button"]
    best = decoder.search(source).best
    for n in range(len(best.words) + 1):
        found = decoder.search(source, prefix=best.words[:n]).best
        assert found.words == best.words
        assert found.score == pytest.approx(best.score, abs=1e-9)
        assert found.surcharges == 0
    forced = decoder.search(source, prefix=Prefix(best.words, whole=True)).best
    assert forced.words == best.words
    assert forced.score == pytest.approx(best.score, abs=1e-9)


def test_a_prefix_longer_than_any_translation_is_completed_by_insertions() -> None:
    words = ["uno", "dos", "<b>", "uno", "🙂", "pulse"] * 5
    best = Decoder(sample(), Weights("moses")).search(["press"], prefix=words).best
    assert best.words[: len(words)] == tuple(words)
    assert best.surcharges > 0


def test_placeables_are_not_traded_for_other_words() -> None:
    decoder = Decoder(sample(), Weights("moses"), EVERYTHING)
    found = decoder.search(["press", "<b>"], [False, True], prefix=["pulse", "otra"])
    assert all(hypothesis.words.count("<b>") == 1 for hypothesis in found.nbest(20))


def test_a_prefix_with_nothing_learned() -> None:
    best = Decoder(ModelSet(), Weights("thot")).search(["just", "so"], prefix=["así"]).best
    assert best.words[0] == "así"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadInputError, match="list of words"):
        Prefix("pulse")  # type: ignore[arg-type]
    with pytest.raises(BadInputError, match="without any characters"):
        Prefix(("pulse", ""), unfinished=True)
    with pytest.raises(BadInputError, match="at least one word"):
        Prefix((), whole=True)
