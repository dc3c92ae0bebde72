"""What every model promises, written once and run on each of them (see CONTRIBUTING.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman.files import Arrays, open_arrays, write_arrays
from dragoman.models.alignment import AlignmentModel
from dragoman.models.language import LanguageModel
from dragoman.models.lengths import LengthModel
from dragoman.models.modelset import ModelSet
from dragoman.models.phrases import PhraseModel
from dragoman.text.vocabulary import Vocabulary

pytestmark = pytest.mark.kernels

SAMPLES = [([4, 5, 6], [7, 8]), ([4], [7]), ([6, 5, 5, 4], [9, 8, 8, 7]), ([4, 5, 6], [7, 8])]


def ids(words: list[int]) -> np.ndarray:
    return np.array(words, np.int64)


def vocabulary() -> Vocabulary:
    known = Vocabulary()
    known.ids("abcdefgh", add=True)
    return known


def diagonal(source: list[int], target: list[int]) -> np.ndarray:
    n = min(len(source), len(target))
    return np.stack([np.arange(n), np.arange(n)], axis=1)


@dataclass(frozen=True)
class Contract:
    """How to make a model, teach it a sample, take that back, ask it something, and put it together again."""

    make: Callable[[], Any]
    add: Callable[[Any, list[int], list[int]], Any]
    remove: Callable[[Any, list[int], list[int], Any], None]
    ask: Callable[[Any], float]
    reopen: Callable[[Arrays], Any]


CONTRACTS = {
    "language": Contract(
        lambda: LanguageModel(3, vocabulary()),
        lambda model, _, e: model.add_ids(ids(e)),
        lambda model, _, e, __: model.remove_ids(ids(e)),
        lambda model: model.score(["d", "e", "unseen"]),
        lambda arrays: LanguageModel.from_arrays(arrays, vocabulary()),
    ),
    "alignment": Contract(
        lambda: AlignmentModel(vocabulary(), vocabulary()),
        lambda model, f, e: model.add_ids(ids(f), ids(e)),
        lambda model, f, e, added: model.apply(ids(f), ids(e), added, -1),
        lambda model: model.loglikelihood([(["a", "unseen"], ["d", "e"])]),
        lambda arrays: AlignmentModel.from_arrays(arrays, vocabulary(), vocabulary()),
    ),
    "phrases": Contract(
        PhraseModel,
        lambda model, f, e: model.add(f, e, diagonal(f, e)),
        lambda model, f, e, _: model.remove(f, e, diagonal(f, e)),
        lambda model: sum(model.probabilities([4], [7])),
        PhraseModel.from_arrays,
    ),
    "lengths": Contract(
        LengthModel,
        lambda model, f, e: model.add(len(f), len(e)),
        lambda model, f, e, _: model.remove(len(f), len(e)),
        lambda model: model.score(5, 4),
        LengthModel.from_arrays,
    ),
    "all": Contract(
        ModelSet,
        lambda model, f, e: model.add([str(word) for word in f], [str(word) for word in e]),
        lambda model, _, __, added: model.remove(added),
        lambda model: model.language.score(["7", "8"]) + model.lengths.score(2, 2),
        ModelSet.from_arrays,
    ),
}


@pytest.fixture(params=CONTRACTS)
def contract(request: pytest.FixtureRequest) -> Contract:
    return CONTRACTS[request.param]


def taught(contract: Contract) -> Any:
    model = contract.make()
    for source, target in SAMPLES:
        contract.add(model, source, target)
    return model


def test_it_answers_before_any_learning(contract: Contract) -> None:
    assert np.isfinite(contract.ask(contract.make()))


def test_asking_changes_nothing(contract: Contract) -> None:
    model = taught(contract)
    before = {name: array.copy() for name, array in model.arrays().items()}
    contract.ask(model)
    for name, array in model.arrays().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


def test_learning_is_deterministic(contract: Contract) -> None:
    one, other = taught(contract), taught(contract)
    assert one.arrays().keys() == other.arrays().keys()
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)


def test_adding_then_removing_restores_every_answer(contract: Contract) -> None:
    model = contract.make()
    nothing = contract.ask(model)
    contributions = [contract.add(model, source, target) for source, target in SAMPLES]
    assert contract.ask(model) != nothing
    for (source, target), added in reversed(list(zip(SAMPLES, contributions, strict=True))):
        contract.remove(model, source, target, added)
    assert contract.ask(model) == nothing
    for name, array in model.arrays().items():
        if ".column." in name and not name.startswith(("source.", "target.")):
            assert array.size == 0, name


def test_what_is_saved_opens_equal(contract: Contract, tmp_path: Path) -> None:
    model = taught(contract)
    write_arrays(tmp_path, model.arrays(), {})
    opened = contract.reopen(open_arrays(tmp_path)[0])
    assert contract.ask(opened) == contract.ask(model)
    contract.add(opened, *SAMPLES[0])
    contract.add(model, *SAMPLES[0])
    assert contract.ask(opened) == contract.ask(model)


def test_inputs_are_not_changed_or_kept(contract: Contract) -> None:
    model = contract.make()
    source, target = [4, 5, 6], [7, 8]
    contract.add(model, source, target)
    expected = contract.ask(model)
    assert (source, target) == ([4, 5, 6], [7, 8])
    source.clear()
    assert contract.ask(model) == expected
