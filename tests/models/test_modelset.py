"""All models together: pairs in and out in any order, over a base, through a save, in batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.models.modelset import Contribution, ModelSet

pytestmark = pytest.mark.kernels

side = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=5)
pairs = st.lists(st.tuples(side, side), max_size=8)
Pair = tuple[list[str], list[str]]


def state(models: ModelSet) -> dict[str, object]:
    """The statistics of all models in canonical order, words spelled out where ids depend on history."""
    words = models.target.words(range(len(models.target)))
    tables = {
        f"{name}.{key}": array.tolist()
        for name in ("inverse", "direct")
        for key, array in getattr(models, name).contents().items()
    }
    lengths = {key: array.tolist() for key, array in models.lengths.table.contents().items()}
    return {
        "words": words,
        "n-grams": models.language.counts(),
        "phrases": models.phrases.contents(),
        "lengths": lengths,
        "pooled": models.lengths.pooled.tolist(),
        **tables,
    }


@settings(deadline=None, max_examples=25)
@given(pairs, pairs, st.data())
def test_what_is_left_is_what_was_never_removed(kept: list[Pair], removed: list[Pair], data: st.DataObject) -> None:
    models = ModelSet(order=3)
    for pair in kept:
        models.add(*pair)
    for word in "abcd":  # words stay known for ever: let both sides of the comparison know them
        models.source.add(word)
        models.target.add(word)
    expected = state(models)
    contributions = [models.add(*pair) for pair in removed]
    for contribution in data.draw(st.permutations(contributions)):
        models.remove(Contribution.from_bytes(contribution.to_bytes()))
    assert state(models) == expected


@settings(deadline=None, max_examples=15)
@given(pairs, pairs)
def test_learning_and_forgetting_everything_leaves_empty_tables(one: list[Pair], two: list[Pair]) -> None:
    base = ModelSet(order=3)
    if one:
        base.train(one, threads=1)
    models = ModelSet(base)
    for contribution in [models.add(*pair) for pair in two]:
        models.remove(contribution)
    for name, array in models.arrays().items():
        if not name.startswith(("source.", "target.")) and ".column." in name:
            assert array.size == 0, name
    assert not models.phrases.orientations.any()
    assert not models.language.scalars.any()


def corpus() -> list[Pair]:
    random = np.random.default_rng(3)
    words = [f"w{i}" for i in range(30)]
    sides = []
    for _ in range(300):
        numbers = random.integers(0, 30, random.integers(1, 12))
        sides.append(([words[i] for i in numbers], [words[i].upper() for i in numbers[::-1]]))
    return sides


def test_batch_training_is_the_same_for_any_number_of_threads() -> None:
    one, two = ModelSet(), ModelSet()
    one.train(corpus(), threads=1)
    two.train(corpus(), threads=2)
    assert one.arrays().keys() == two.arrays().keys()
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, two.arrays()[name], err_msg=name)


def test_batch_training_learns_a_reversed_language_and_reports_progress() -> None:
    models, said = ModelSet(), []
    models.train(corpus(), progress=lambda what, done, total: said.append((what, done, total)))
    f, e = models.source.ids(["w1", "w2", "w3"]), models.target.ids(["W3", "W2", "W1"])
    assert models.align(f, e).tolist() == [[0, 2], [1, 1], [2, 0]]
    assert {what for what, *_ in said} == {"aligning source to target", "aligning target to source", "counting phrases"}
    assert said[-1][1:] == (300, 300)


@pytest.mark.parametrize("with_base", [False, True])
def test_a_saved_set_opens_equal_and_goes_on_bit_for_bit(tmp_path: Path, with_base: bool) -> None:
    base = None
    if with_base:
        base = ModelSet()
        base.train(corpus()[:100])
        base.save(tmp_path / "base")
        base = ModelSet.open(tmp_path / "base")
    models = ModelSet(base)
    for pair in corpus()[100:130]:
        models.add(*pair)
    models.save(tmp_path / "layer")
    opened = ModelSet.open(tmp_path / "layer", base)
    one = [models.add(*pair).to_bytes() for pair in corpus()[130:140]]
    two = [opened.add(*pair).to_bytes() for pair in corpus()[130:140]]
    assert one == two
    assert state(models) == state(opened)


@pytest.mark.parametrize(
    ("source", "target", "match"),
    [([], ["a"], "0 words"), (["a"], [], "0 words"), (["a"] * 501, ["a"], "501 words"), ("a b", ["a"], "one string")],
)
def test_a_pair_that_cannot_be_learned_is_refused_and_changes_nothing(
    source: list[str], target: list[str], match: str
) -> None:
    models = ModelSet()
    models.add(["a", "b"], ["x", "y"])
    before = {name: array.copy() for name, array in models.arrays().items()}
    with pytest.raises(BadInputError, match=match):
        models.add(source, target)
    for name, array in models.arrays().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (["a"] * 500, ["b"]),
        (["same", "words"], ["same", "words"]),
        ([",", ".", "!"], ["."]),
        (["\x00", "\u200b", "🫖", "ﷺ"], ["é", "\U0010ffff"]),
    ],
)
def test_odd_pairs_are_learned_and_can_be_forgotten(source: list[str], target: list[str]) -> None:
    models = ModelSet()
    models.remove(models.add(source, target))
    assert models.phrases.phrase_count == len(models.language) == 0


def test_a_layer_keeps_to_its_limit_and_says_what_it_dropped() -> None:
    models = ModelSet(limit=200)
    contributions = [models.add(*pair) for pair in corpus()]
    assert len(models.language) <= 200
    assert len(models.phrases.pairs) <= 200
    statistics = models.statistics()
    assert statistics["dropped n-grams"] > 0
    assert statistics["dropped phrase pairs"] > 0
    history = ["w5".upper()]
    words = [*models.target.words(range(4, len(models.target))), "</s>", "<unk>"]
    assert sum(models.language.prob(word, history) for word in words) == pytest.approx(1, abs=1e-9)
    for contribution in contributions:  # what was dropped is skipped
        models.remove(contribution)


def test_a_contribution_that_is_cut_short_is_refused() -> None:
    data = ModelSet().add(["a"], ["b"]).to_bytes()
    with pytest.raises(DamagedFileError, match=r"is damaged .*; restore the journal from a backup"):
        Contribution.from_bytes(data[:-4])


def test_a_first_long_pair_gives_monotone_phrases() -> None:
    models = ModelSet()
    f, e = [f"f{n}" for n in range(30)], [f"e{n}" for n in range(30)]
    contribution = models.add(f, e)
    assert contribution.links.tolist() == [[n, n] for n in range(30)]
    assert models.phrases.probabilities(models.source.ids(f[3:6]), models.target.ids(e[3:6])) == (1.0, 1.0)


def test_a_limit_bounds_the_links_too() -> None:
    models = ModelSet(limit=100)
    contributions = [models.add([f"f{n}", "g", "h"], [f"e{n}", "i", "j"]) for n in range(60)]
    figures = models.statistics()
    assert figures["links"] <= 200
    assert figures["dropped links"] > 0
    for contribution in contributions:
        models.remove(contribution)
    assert models.statistics()["links"] == 0
