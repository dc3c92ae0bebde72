"""Over another engine: the search finds what trying out every derivation finds, and m itself can always be said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models.evidence import Replacements, blocks
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.decoder import Beam, Decoder, Step
from dragoman.search.sentence_search import TAKEN, SearchResult
from dragoman.search.upstream_options import ListedWords, Trust, UpstreamWords
from tests.oracles.fusion import Fused

pytestmark = pytest.mark.kernels

EVERYTHING = Beam(pops=20_000, stack=20_000, threshold=1e9, distortion=-1, options=1000)

sources = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3)
targets = st.lists(st.sampled_from(["v", "w", "ww", "x"]), min_size=1, max_size=3)
corpora = st.lists(st.tuples(sources, targets), max_size=5)
said = st.lists(st.sampled_from(["v", "w", "x", "y", "new"]), min_size=1, max_size=4)


@st.composite
def weights_of(draw: st.DrawFn) -> Weights:
    weights = Weights("moses", upstream=True)
    for name in weights:
        weights[name] = draw(st.sampled_from([0.0, 0.1, 0.3, 1.0, -0.2]))
    weights["language"] = draw(st.sampled_from([0.3, 1.0]))
    return weights


def learned(pairs: list[tuple[list[str], list[str]]]) -> ModelSet:
    models = ModelSet(order=3)
    for source, target in pairs:
        models.add(source, target)
    return models


def searched(
    models: ModelSet, weights: Weights, source: list[str], upstream: UpstreamWords, beam: Beam
) -> SearchResult:
    found = Decoder(models, weights, beam).search(source, upstream=upstream)
    assert isinstance(found, SearchResult)
    return found


@settings(deadline=None, max_examples=60)
@given(corpora, weights_of(), st.lists(st.sampled_from("abcde"), min_size=1, max_size=3), said, st.floats(0.01, 0.9))
def test_the_best_translation_is_the_best_of_all(
    pairs: list[tuple[list[str], list[str]]], weights: Weights, source: list[str], m: list[str], share: float
) -> None:
    models = learned(pairs)
    found = searched(models, weights, source, UpstreamWords(tuple(m), trust=Trust(share=share)), EVERYTHING)
    oracle = Fused(found, tuple(m), [any(column) for column in found._answer.linked.T.tolist()], share)
    derivations = list(oracle.derivations())
    scores = sorted(map(oracle.score, derivations), reverse=True)
    assert found.best.score == pytest.approx(scores[0], abs=1e-9)
    listed = found.nbest(20)
    assert listed.scores.tolist() == pytest.approx(scores[:20], abs=1e-9)
    names = list(found.weights)
    for hypothesis in listed:
        assert hypothesis.score == pytest.approx(sum(weights[name] * hypothesis.features[name] for name in names))


@settings(deadline=None, max_examples=60)
@given(
    corpora,
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=12),
    st.lists(st.sampled_from("vwxyz"), min_size=1, max_size=12),
)
def test_what_the_engine_says_can_always_be_said(
    pairs: list[tuple[list[str], list[str]]], source: list[str], m: list[str]
) -> None:
    weights = Weights("moses", dict.fromkeys(Weights("moses"), 0.0), upstream=True)
    weights.update({"upstream_words": 0.0, "upstream_left": 10.0, "upstream_breaks": 10.0, "upstream_evidence": 0.0})
    weights["word_penalty"] = 1.0  # for learned phrases that say more than m
    # With such weights many words for one are far behind until those that say fewer pay for what they leave out
    found = searched(learned(pairs), weights, source, UpstreamWords(tuple(m)), Beam(threshold=100.0))
    assert found.best.words == tuple(m)


@settings(deadline=None, max_examples=30)
@given(corpora, sources)
def test_an_engine_that_says_nothing_changes_nothing(
    pairs: list[tuple[list[str], list[str]]], source: list[str]
) -> None:
    models, weights = learned(pairs), Weights("moses")
    one, other = (
        Decoder(models, weights).search(source),
        Decoder(models, weights).search(source, upstream=UpstreamWords(())),
    )
    assert one.nbest(10)[:] == other.nbest(10)[:]
    assert one.best.score == other.best.score


def test_phrases_of_a_whole_n_best_list_are_on_offer_with_their_weights() -> None:
    models, weights = learned([(["shut", "the", "file"], ["cierre", "el", "fichero"])]), Weights("moses", upstream=True)
    source, first, second = ["open", "the", "file"], ("abra", "el", "archivo"), ("abra", "el", "documento")

    def offered(weight: float) -> dict[Step, float]:
        upstream = UpstreamWords(first, others=(ListedWords(second, weight),) if weight else ())
        found = searched(models, weights, source, upstream, Beam())
        assert first in [each.words for each in found.nbest(100)]
        return {found.step(n): float(row["estimate"]) for n, row in enumerate(found.options.row)}

    alone, unlikely, likely = offered(0.0), offered(0.1), offered(0.9)
    new = likely.keys() - alone.keys()
    assert unlikely.keys() == likely.keys() > alone.keys()
    assert {each.kind for each in new} == {"upstream"}
    assert all("documento" in each.words and unlikely[each] < likely[each] for each in new)


@settings(deadline=None, max_examples=30)
@given(corpora, sources, said)
def test_shares_are_those_of_the_n_best_list(
    pairs: list[tuple[list[str], list[str]]], source: list[str], heard: list[str]
) -> None:
    weights, upstream = Weights("moses", upstream=True), UpstreamWords(tuple(heard))
    found = searched(learned(pairs), weights, source, upstream, Beam())
    quick, listed = found.shares(20), found.nbest(20, distinct=True)
    assert quick.scores.tolist() == listed.scores.tolist()
    assert quick.taken.tolist() == listed.features[:, listed.names.index(TAKEN)].tolist()
    assert [list(quick.words(n)) for n in range(len(quick.scores))] == [list(each.words) for each in listed]


def test_a_learned_phrase_knows_its_place_and_the_engine_goes_on_behind_it() -> None:
    models = learned([(["open", "the", "file"], ["abrir", "el", "fichero"])] * 3)
    upstream = UpstreamWords(("abra", "el", "archivo", "ahora"))
    weights = Weights("moses", upstream=True)
    best = searched(models, weights, ["open", "the", "file", "now"], upstream, Beam()).best
    assert best.steps[0].words == ("abrir",)
    assert best.steps[-1].kind == "upstream"
    assert best.steps[-1].upstream == (1, 4)
    assert best.features["upstream_breaks"] == 0


def test_pieces_that_corrections_replaced_are_replaced_again() -> None:
    models, replacements = ModelSet(), Replacements()
    source, m, e = ["a", "b"], ["x", "y"], ["x", "z"]
    for _ in range(3):
        contribution = models.add(source, e)
        said_ids = models.target.ids(m, add=True)
        links = np.array([[0, 0], [1, 1]], np.int32)
        replacements.count(contribution.source, said_ids, links, contribution.target, contribution.links)
    found = searched(
        models, Weights("moses", upstream=True), source, UpstreamWords(tuple(m), replacements=replacements), Beam()
    )
    assert found.best.words == ("x", "z")


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([[1, 0], [0, 1]], [(0, 1, 0, 1), (1, 2, 1, 2)]),
        ([[0, 1], [1, 0]], [(0, 2, 0, 2)]),
        ([[0, 0], [0, 0]], [(0, 2, 0, 2)]),
        ([[1, 0, 0], [0, 0, 0], [0, 0, 1]], [(0, 2, 0, 2), (2, 3, 2, 3)]),
    ],
)
def test_blocks_are_monotone_and_leave_nothing_out(links: list[list[int]], expected: list[tuple[int, ...]]) -> None:
    assert blocks(np.array(links, bool)) == expected
