"""Incremental and interlaced estimation, against batch EM and the online rule."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.models.alignment import AlignmentContribution, AlignmentModel
from dragoman.models.estimators import train
from dragoman_laboratory.renewal import IncrementalEM, Interlaced, interlaced
from tests.models.test_estimators import same, synthetic

pytestmark = pytest.mark.kernels


def test_incremental_em_is_ahead_of_batch_em_at_equal_epochs() -> None:
    pairs = synthetic(300)
    incremental_model = AlignmentModel()
    incremental = IncrementalEM(incremental_model, pairs)
    for epochs in (1, 2, 3, 4):
        batch_model = AlignmentModel()
        train(batch_model, pairs, ["hmm"] * epochs)
        incremental.epoch()
        assert incremental_model.loglikelihood_ids(pairs) >= batch_model.loglikelihood_ids(pairs)


def test_incremental_statistics_are_the_sum_of_the_contributions_kept() -> None:
    pairs = synthetic(60)
    model, total = AlignmentModel(), AlignmentModel()
    incremental = IncrementalEM(model, pairs)
    reports: list[tuple[int, int]] = []
    for _ in range(3):
        incremental.epoch(lambda done, whole: reports.append((done, whole)))
    assert reports[-1] == (60, 60)
    for source, target, contribution in incremental.samples:
        assert contribution is not None
        total.apply(source, target, contribution)
    assert same(model, total)


def test_the_first_epoch_of_incremental_em_is_the_online_rule() -> None:
    pairs = synthetic(60)
    model, online = AlignmentModel(), AlignmentModel()
    IncrementalEM(model, pairs).epoch()
    train(online, pairs, ["online"])
    assert same(model, online)


def test_interlaced_trials() -> None:
    assert interlaced(10, R=5, E=3) == [10, 8, 6]
    assert interlaced(10, R=1000, E=5) == [10]
    assert interlaced(1001, R=1000, E=5) == [1001, 801, 601, 401, 201]
    assert [interlaced(t, R=1, E=1) for t in (1, 2)] == [[1], [2]]


def test_interlaced_with_one_sample_is_the_online_rule() -> None:
    pairs = synthetic(60)
    model, online = AlignmentModel(), AlignmentModel()
    learner = Interlaced(model, R=1, E=1)
    for source, target in pairs:
        learner.add_ids(source, target)
        online.add_ids(source, target)
    assert same(model, online)


def test_interlaced_renews_what_is_due_and_keeps_the_rest() -> None:
    pairs = synthetic(30)
    model, slow = AlignmentModel(), AlignmentModel()
    learner = Interlaced(model, R=7, E=3)
    kept: dict[int, AlignmentContribution] = {}
    for trial, pair in enumerate(pairs, start=1):
        learner.add_ids(*pair)
        for due in interlaced(trial, R=7, E=3):
            fresh = slow.estimate(*pairs[due - 1])
            if due in kept:
                slow.apply(*pairs[due - 1], kept[due], -1)
            slow.apply(*pairs[due - 1], fresh)
            kept[due] = fresh
    assert same(model, slow)
    assert len(learner.samples) == 7


@pytest.mark.parametrize(("R", "E"), [(1, 2), (5, 0), (0, 0)])
def test_more_epochs_than_samples_are_refused(R: int, E: int) -> None:
    with pytest.raises(BadInputError, match="re-estimate"):
        Interlaced(AlignmentModel(), R, E)
