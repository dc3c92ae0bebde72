"""Batch and online estimation, against enumeration and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.models.alignment import AlignmentModel
from dragoman.models.estimators import BATCH_EM, PLAN, train
from tests.oracles.hmm import EnumeratedHmm

pytestmark = pytest.mark.kernels

Ids = NDArray[np.int64]
IdPair = tuple[Ids, Ids]

sources = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)
targets = st.lists(st.sampled_from("xyz"), min_size=1, max_size=3)
corpora = st.lists(st.tuples(sources, targets), min_size=1, max_size=6)


def ids(model: AlignmentModel, corpus: list[tuple[list[str], list[str]]]) -> list[IdPair]:
    return [(model.source.ids(source, add=True), model.target.ids(target, add=True)) for source, target in corpus]


def synthetic(n: int, seed: int = 1) -> list[IdPair]:
    """Sentence pairs of a made-up language: each target word becomes one or two source words, nearly in order."""
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        target = 4 + random.zipf(1.3, random.integers(3, 12)) % 200
        source = np.concatenate([[5 + 3 * word, 6 + 3 * word][: 2 - word % 2] for word in target.tolist()])
        if random.random() < 0.5:
            at = random.integers(source.size - 1)
            source[[at, at + 1]] = source[[at + 1, at]]
        pairs.append((source.astype(np.int64), target.astype(np.int64)))
    return pairs


def same(a: AlignmentModel, b: AlignmentModel) -> bool:
    here, there = a.contents(), b.contents()
    return here.keys() == there.keys() and all(np.array_equal(here[name], there[name]) for name in here)


@given(corpora, st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_batch_em_equals_enumeration(corpus: list[tuple[list[str], list[str]]], epochs: int) -> None:
    model, oracle = AlignmentModel(), EnumeratedHmm()
    pairs = ids(model, corpus)
    for source, _ in corpus:
        oracle.sources.update(source)
    log_likelihoods = train(model, pairs, ["hmm"] * epochs)
    for log_likelihood in log_likelihoods:
        expected = sum(np.log(oracle.probability(source, target)) for source, target in corpus)
        assert log_likelihood == pytest.approx(expected, abs=1e-2)  # negligible counts are dropped
        oracle.epoch(corpus)
    for e in ("x", "y", "z", None):
        assert model.lexical("a", e) == pytest.approx(oracle.lexical("a", e), abs=1e-2)
    assert model.jump(2, 1, 3) == pytest.approx(oracle.jump(2, 1, 3), abs=1e-2)


@given(corpora)
@settings(deadline=None, max_examples=30)
def test_ibm1_is_the_hmm_with_uniform_jumps(corpus: list[tuple[list[str], list[str]]]) -> None:
    model, other = AlignmentModel(), AlignmentModel()
    for kind, chosen in (("ibm1", model), ("hmm", other)):
        train(chosen, ids(chosen, corpus), [kind])
    assert model.tables["links"].contents()["key"].tolist() == other.tables["links"].contents()["key"].tolist()
    mine, theirs = (chosen.tables["links"].contents()["amount"] for chosen in (model, other))
    assert np.abs(mine - theirs).max() <= sum(len(source) * len(target) for source, target in corpus)
    assert len(model.tables["jumps"]) == 0


def test_an_online_epoch_is_adding_one_by_one() -> None:
    pairs = synthetic(150)
    trained, model = AlignmentModel(), AlignmentModel()
    [log_likelihood] = train(trained, pairs, ["online"])
    met = 0.0
    for source, target in pairs:
        met += model.loglikelihood_ids([(source, target)])
        model.add_ids(source, target)
    assert same(trained, model)
    assert log_likelihood == pytest.approx(met)


@pytest.mark.parametrize("plan", [PLAN, BATCH_EM])
def test_the_number_of_threads_changes_nothing(plan: tuple[str, ...]) -> None:
    pairs = synthetic(200)
    models = [AlignmentModel() for _ in range(3)]
    log_likelihoods = [train(model, pairs, plan, threads=n) for n, model in enumerate(models, start=1)]
    assert same(models[0], models[1])
    assert same(models[0], models[2])
    assert log_likelihoods[0] == log_likelihoods[1] == log_likelihoods[2]


def test_batch_em_never_lowers_the_likelihood() -> None:
    pairs = synthetic(300)
    log_likelihoods = train(AlignmentModel(), pairs, ["ibm1"] * 8 + ["hmm"] * 12, smooth=False)
    words = sum(source.size for source, _ in pairs)
    for kind in (log_likelihoods[:8], log_likelihoods[8:]):
        assert np.diff(kind).min() > -1e-3 * words  # what quantisation may cost
        assert kind[-1] > kind[0]


def test_progress_runs_to_the_end() -> None:
    pairs = synthetic(40)
    reports: list[tuple[int, int]] = []
    train(
        AlignmentModel(), pairs, ["online", "ibm1", "hmm"], progress=lambda done, whole: reports.append((done, whole))
    )
    assert reports == sorted(reports)
    assert reports[-1] == (120, 120)


def test_what_cannot_be_trained_on_is_refused() -> None:
    pair = synthetic(1)[0]
    empty = np.zeros(0, np.int64)
    model = AlignmentModel()
    with pytest.raises(BadInputError, match="no sentence pairs"):
        train(model, [])
    with pytest.raises(BadInputError, match="pair 2"):
        train(model, [pair, (pair[0], empty)])
    with pytest.raises(BadInputError, match="unknown training plan"):
        train(model, [pair], ["hmm", "online"])
    with pytest.raises(BadInputError, match="unknown training plan"):
        train(model, [pair], ["ibm4"])
    assert same(model, AlignmentModel())
    model.add_ids(*pair)
    with pytest.raises(BadInputError, match="empty model"):
        train(model, [pair])
