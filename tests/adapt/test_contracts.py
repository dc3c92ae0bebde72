"""What every method must do, written once and run on all of them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

from dragoman.adapt import Adapter, Bayes, PassiveAggressive, Perceptron, Ridge, Rule
from dragoman.adapt.policy import Policy
from dragoman.adapt.protocol import Sample, Unknown, Vector
from dragoman.errors import BadInputError

pytestmark = pytest.mark.kernels

METHODS: list[Adapter] = [
    PassiveAggressive(alpha=0.5),
    PassiveAggressive(C=0.1, heuristic=True, printed=True),
    Perceptron(),
    Ridge(),
    Bayes(samples=30, window=5),
]
every = pytest.mark.parametrize("prototype", METHODS, ids=lambda adapter: type(adapter).__name__)
RANDOM = np.random.default_rng(7)
WEIGHTS = RANDOM.normal(size=4)
SAMPLES = [(RANDOM.normal(size=(10, 4)), RANDOM.uniform(size=10)) for _ in range(8)]


def fresh(prototype: Adapter) -> Adapter:
    return Adapter.from_settings(prototype.settings())


def learned(adapter: Adapter, samples: list[tuple[Vector, Vector]] = SAMPLES) -> Vector:
    weights = WEIGHTS.copy()
    for features, losses in samples:
        weights = adapter.update(weights, features, losses)
    return weights


@every
def test_learning_is_deterministic_and_leaves_its_inputs_alone(prototype: Adapter) -> None:
    before = [(features.copy(), losses.copy()) for features, losses in SAMPLES], WEIGHTS.copy()
    assert np.array_equal(learned(fresh(prototype)), learned(fresh(prototype)))
    assert np.array_equal(WEIGHTS, before[1])
    for (features, losses), (old_features, old_losses) in zip(SAMPLES, before[0], strict=True):
        assert np.array_equal(features, old_features)
        assert np.array_equal(losses, old_losses)


@every
def test_what_is_returned_is_not_the_input(prototype: Adapter) -> None:
    after = fresh(prototype).update(WEIGHTS, SAMPLES[0][0], np.zeros(10))
    after += 1
    assert not np.shares_memory(after, WEIGHTS)


@every
def test_it_goes_on_from_its_state_as_if_it_had_never_stopped(prototype: Adapter) -> None:
    adapter, again = fresh(prototype), fresh(prototype)
    weights = learned(adapter, SAMPLES[:5])
    again.restore(adapter.state())
    for features, losses in SAMPLES[5:]:
        assert adapter.rerank(weights, features) == again.rerank(weights, features)
        one, other = adapter.update(weights, features, losses), again.update(weights, features, losses)
        assert np.array_equal(one, other)
        weights = one


@every
def test_replaying_additions_is_the_same_as_learning(prototype: Adapter) -> None:
    adapter, again = fresh(prototype), fresh(prototype)
    weights = WEIGHTS
    for features, losses in SAMPLES:
        weights = adapter.update(weights, features, losses)
        again.replay(adapter.addition())
    one, other = adapter.state(), again.state()
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)


@every
def test_options_survive_json(prototype: Adapter) -> None:
    assert Adapter.from_settings(json.loads(json.dumps(prototype.settings(), allow_nan=False))) == prototype


@every
def test_a_list_of_one_entry(prototype: Adapter) -> None:
    adapter = fresh(prototype)
    assert adapter.rerank(WEIGHTS, SAMPLES[0][0][:1]) == 0
    after = adapter.update(WEIGHTS, SAMPLES[0][0][:1], [0.4])
    assert np.isfinite(after).all()
    if not isinstance(prototype, Bayes):
        assert np.array_equal(after, WEIGHTS)


@every
def test_losses_that_are_all_equal_teach_nothing(prototype: Adapter) -> None:
    after = fresh(prototype).update(WEIGHTS, SAMPLES[0][0], np.full(10, 0.3))
    assert np.isfinite(after).all()
    if not isinstance(prototype, Bayes):  # which has no losses, only a best entry: the first
        assert np.array_equal(after, WEIGHTS)


@every
def test_features_that_are_all_zero(prototype: Adapter) -> None:
    adapter = fresh(prototype)
    assert np.isfinite(adapter.update(WEIGHTS, np.zeros((5, 4)), [0.1, 0.2, 0.0, 0.3, 0.4])).all()
    assert adapter.rerank(WEIGHTS, np.zeros((5, 4))) == 0
    assert np.isfinite(adapter.update(np.zeros(4), SAMPLES[0][0], SAMPLES[0][1])).all()


@every
def test_thousands_of_identical_entries(prototype: Adapter) -> None:
    adapter = fresh(prototype)
    features = np.tile(SAMPLES[0][0][0], (5000, 1))
    assert np.isfinite(adapter.update(WEIGHTS, features, np.linspace(1, 0, 5000))).all()
    assert adapter.rerank(WEIGHTS, features) == 0


@every
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused_and_nothing_changes(prototype: Adapter, value: float) -> None:
    adapter, untouched = fresh(prototype), fresh(prototype)
    weights = learned(adapter, SAMPLES[:2])
    learned(untouched, SAMPLES[:2])
    features, losses = SAMPLES[3][0].copy(), SAMPLES[3][1].copy()
    features[2, 1] = value
    for act in (lambda: adapter.update(weights, features, losses), lambda: adapter.rerank(weights, features)):
        with pytest.raises(BadInputError, match=r"feature 2 of entry 3 of the n-best list is -?(nan|inf)"):
            act()
    losses[4] = value
    with pytest.raises(BadInputError, match="the loss of entry 5"):
        adapter.update(weights, SAMPLES[3][0], losses)
    with pytest.raises(BadInputError, match="weight 1 is"):
        adapter.update([value, 0, 0, 0], SAMPLES[3][0], SAMPLES[3][1])
    one, other = adapter.state(), untouched.state()
    assert all(np.array_equal(one[name], other[name]) for name in one)


@every
@pytest.mark.parametrize("features", [np.zeros((3, 5)), np.zeros(4), np.zeros((0, 4))])
def test_shapes_that_do_not_fit_are_refused(prototype: Adapter, features: Vector) -> None:
    with pytest.raises(BadInputError, match="do not fit"):
        fresh(prototype).update(WEIGHTS, features, np.zeros(len(features)))
    with pytest.raises(BadInputError, match="do not fit"):
        fresh(prototype).update(WEIGHTS, SAMPLES[0][0], np.zeros(3))


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInputError, match="choose one of live, rerank"):
        Ridge(mode="sometimes")  # type: ignore[arg-type]
    for make in (
        lambda: Ridge(alpha=1.5),
        lambda: Ridge(alpha=math.nan),
        lambda: Ridge(beta=0),
        lambda: PassiveAggressive(C=-1),
        lambda: Perceptron(nbest=0),
        lambda: Bayes(window=0),
        lambda: Bayes(parameters="factors"),
    ):
        with pytest.raises(BadInputError):
            make()


def test_the_policy_is_a_value_beside_the_mathematics() -> None:
    adapter = Ridge(alpha=0.5, mode="rerank", nbest=20, parameters="both", measure="wer", decay="all")
    policy = Policy(mode="rerank", nbest=20, parameters="both", measure="wer", decay="all")
    assert adapter.policy == policy != Ridge().policy
    features, losses = SAMPLES[0]
    assert np.array_equal(adapter.update(WEIGHTS, features, losses), Ridge(alpha=0.5).update(WEIGHTS, features, losses))


def test_settings_journalled_by_earlier_versions_are_read() -> None:
    common = {"parameters": "weights", "mode": "rerank", "nbest": 200, "measure": "bleu", "decay": "touched"}
    adapter = Adapter.from_settings({"name": "PassiveAggressive", **common, "alpha": 0.1, "C": None})
    assert adapter == PassiveAggressive(alpha=0.1, C=math.inf, mode="rerank", nbest=200, measure="bleu")
    assert Adapter.from_settings({"name": "Ridge"}) == Ridge()


def test_a_new_rule_is_known_by_its_name() -> None:
    @dataclass(kw_only=True)
    class Halfway(Rule):
        """Half the way to the best entry's features."""

        share: float = 0.5

        def direction(self, theta: Vector, sample: Sample) -> Vector | None:
            towards: Vector = (1 - self.share) * theta + self.share * sample.features[sample.best]
            return towards

    try:
        again = Adapter.from_settings(Halfway(alpha=0.25, share=1.0).settings())
        assert isinstance(again, Halfway)
        assert again.update([0.0], [[1.0], [2.0]], [1.0, 0.0]).tolist() == [0.5]
    finally:
        del Adapter.known["Halfway"]
    stored = Halfway().settings()
    missing = Adapter.from_settings(stored)
    assert isinstance(missing, Unknown)
    assert missing.settings() == stored
    assert missing.rerank([1.0], [[1.0], [2.0]]) == 1
    with pytest.raises(BadInputError, match="import the module that defines it"):
        missing.update([0.0], [[1.0]], [0.0])


@dataclass(kw_only=True)
class Returning(Rule):
    """Returns anything, whatever the sample."""

    what: object = None

    def direction(self, theta: Vector, sample: Sample) -> Vector | None:  # noqa: ARG002
        return self.what  # type: ignore[return-value]


@dataclass(kw_only=True)
class InPlace(Rule):
    """Changes the weights that it is given."""

    def direction(self, theta: Vector, sample: Sample) -> Vector | None:  # noqa: ARG002
        theta += 1
        return theta


def test_a_direction_has_a_number_for_each_weight() -> None:
    features, losses = SAMPLES[0]
    for wrong in ([1.0], 1.0, np.ones((4, 1))):
        with pytest.raises(BadInputError, match=r"direction of Returning has shape .* return 4 numbers"):
            Returning(what=wrong).update(WEIGHTS, features, losses)
    assert np.allclose(Returning(what=[1, 2, 3, 4], alpha=1).update(WEIGHTS, features, losses), [1, 2, 3, 4])


def test_a_rule_may_change_the_weights_it_is_given() -> None:
    features, losses = SAMPLES[0]
    before = WEIGHTS.copy()
    assert np.allclose(InPlace(alpha=0.1).update(WEIGHTS, features, losses), before + 0.1)
    assert np.array_equal(WEIGHTS, before)
