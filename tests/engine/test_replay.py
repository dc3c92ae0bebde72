"""The state is a fold over the journal: staying alive, replaying, snapshots and failures all lead to the same bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman.engine import Engine
from dragoman.errors import StorageError
from dragoman.models.knowledge import Knowledge
from dragoman.project.open_project import OpenProject
from tests.engine.support import PAIRS, act, arrays_of, assert_is_clean_replay, assert_same, new

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("base") / "trained"
    with new(path) as engine:
        assert engine.train(PAIRS[200:400]) == 200
    return path


@pytest.mark.parametrize("over_base", [False, True])
def test_staying_alive_replaying_and_snapshots_give_the_same_bits(over_base: bool, base: Path, tmp_path: Path) -> None:
    path, chance = tmp_path / "project", random.Random(3)
    engine = new(path, base if over_base else None)
    for step in range(120):
        act(engine, chance)
        if step % 40 == 20:
            engine.save_snapshot()
    assert_is_clean_replay(engine, tmp_path / "copy")
    with Engine.open(path, write=False) as reader:  # from the last snapshot and the rows after it
        assert reader.opened.state.saved < reader.opened.state.revision
        assert_same(arrays_of(reader), arrays_of(engine))
        assert reader.translate(PAIRS[0][0]) == engine.translate(PAIRS[0][0])
    engine.close()
    with Engine.open(path) as again:
        for _ in range(20):
            act(again, chance)
        assert_is_clean_replay(again, tmp_path / "copy")


@pytest.mark.parametrize("over_base", [False, True])
def test_forgetting_all_in_any_order_leaves_what_was_there_before(over_base: bool, base: Path, tmp_path: Path) -> None:
    engine = new(tmp_path / "project", base if over_base else None)
    before, translations = arrays_of(engine), [engine.translate(source) for source, _ in PAIRS[:5]]
    numbers = [engine.learn(*pair) for pair in PAIRS[:60]]
    random.Random(4).shuffle(numbers)
    for number in numbers:
        engine.forget(number)
    assert_same(arrays_of(engine), before)
    assert [engine.translate(source) for source, _ in PAIRS[:5]] == translations
    assert_is_clean_replay(engine, tmp_path / "copy")
    engine.close()


@pytest.mark.parametrize("over_base", [False, True])
def test_tables_are_empty_when_all_is_subtracted(over_base: bool, base: Path) -> None:
    knowledge = Knowledge(Knowledge.open(base / "base") if over_base else None)
    samples = [(pair, knowledge.learn(knowledge.read_pair(*pair))) for pair in PAIRS[:60]]
    random.Random(5).shuffle(samples)
    for pair, contribution in samples:
        knowledge.forget(knowledge.read_pair(*pair), contribution)
    for name, array in knowledge.arrays().items():
        if name.startswith(("models.source", "models.target")):
            continue  # words are never forgotten
        if name.endswith(".keys") or ".column." in name:
            assert array.size == 0, name
        elif name.endswith(("slots", "scalars", "orientations", "pooled")):
            assert not array.any(), name


def break_learning(engine: Engine, error: BaseException) -> None:
    def fail(*_: Any) -> None:
        raise error

    engine.opened.state.knowledge.target.add = fail  # type: ignore[assignment, method-assign]  # the models have learned by then


def break_journal_before(engine: Engine, error: BaseException) -> None:
    def fail(*_: Any, **__: Any) -> int:
        raise error

    for name in ("append_learn", "append_forget", "append_revise", "append_settings"):
        setattr(engine.opened.store.journal, name, fail)


def break_journal_after(engine: Engine, error: BaseException) -> None:
    """The row is on disk, but nobody is told."""
    for name in ("append_learn", "append_forget", "append_revise", "append_settings"):
        append = getattr(engine.opened.store.journal, name)

        def fail(*given: Any, append: Callable[..., int] = append, **named: Any) -> int:
            append(*given, **named)
            raise error

        setattr(engine.opened.store.journal, name, fail)


FAILURES = [(change, break_learning) for change in ("learn", "revise")]  # the others do not learn
FAILURES += list(product(("learn", "forget", "revise", "weights"), (break_journal_before, break_journal_after)))


@pytest.mark.parametrize(("change", "breaking"), FAILURES)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
def test_a_change_that_fails_leaves_what_the_journal_says(
    change: str, breaking: Callable[[Engine, BaseException], None], error: BaseException, tmp_path: Path
) -> None:
    path = tmp_path / "project"
    engine = new(path)
    numbers = [engine.learn(*pair) for pair in PAIRS[:5]]
    before = arrays_of(engine)
    breaking(engine, error)
    changes: dict[str, Callable[[], object]] = {
        "learn": lambda: engine.learn("An entirely new sentence.", "Una frase completamente nueva."),
        "forget": lambda: engine.forget(numbers[2]),
        "revise": lambda: engine.revise(numbers[2], "Una frase completamente nueva."),
        "weights": lambda: setattr(engine, "weights", {"language": 2.0}),
    }
    with pytest.raises(type(error)):
        changes[change]()
    assert_is_clean_replay(engine, tmp_path / "copy")
    if breaking is not break_journal_after:
        assert_same(arrays_of(engine), before)
        assert engine.weights["language"] != 2.0
    else:
        assert engine.opened.store.journal.last_id > 5
    engine.close()
    with Engine.open(path) as engine:  # and it goes on
        engine.learn("An entirely new sentence.", "Una frase completamente nueva.")
        assert_is_clean_replay(engine, tmp_path / "copy")


def lose_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: OpenProject) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(OpenProject, "restore", fail)


def assert_learns_again(engine: Engine) -> None:
    engine.learn("blue", "azul")
    assert [engine.translate(word, memory=False).text for word in ("green", "blue", "red")] == ["verde", "azul", "red"]
    assert engine.problem is None
    engine.close()


def test_what_cannot_be_undone_in_memory_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = new(tmp_path / "project")
    engine.learn("green", "verde")
    break_learning(engine, MemoryError())
    with monkeypatch.context() as disk:
        lose_disk(disk)
        with pytest.raises(MemoryError):
            engine.learn("red", "rojo")
        with pytest.raises(StorageError, match="could not be restored"):
            engine.translate("red")
        assert engine.problem == "the disk is gone"
    assert engine.translate("green", memory=False).text == "verde"  # the disk is back
    assert_learns_again(engine)


def test_a_correction_that_could_not_be_written_is_taken_back_without_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = new(tmp_path / "project")
    engine.learn("green", "verde")
    break_journal_before(engine, StorageError("the disk is gone"))
    with monkeypatch.context() as disk:
        lose_disk(disk)
        for change in (
            lambda: engine.learn("red", "rojo"),
            lambda: engine.forget(1),
            lambda: engine.revise(1, "rojo", force=True),
        ):
            engine.opened._health.state = "sound"  # as if it were the first
            with pytest.raises(StorageError, match="disk is gone"):
                change()
            assert engine.problem == "the disk is gone"
            for memory in (False, True):
                assert [engine.translate(word, memory=memory).text for word in ("green", "red")] == ["verde", "red"]
    for name in ("append_learn", "append_forget", "append_revise", "append_settings"):
        delattr(engine.opened.store.journal, name)
    engine.opened._health.state = "unsettled"
    assert_learns_again(engine)
    with Engine.open(tmp_path / "project") as again:
        assert_is_clean_replay(again, tmp_path / "copy")


def test_translating_changes_nothing(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        for pair in PAIRS[:30]:
            engine.learn(*pair)
        before = arrays_of(engine)
        first = [engine.translate(source, n=5) for source, _ in PAIRS[20:50]]
        assert [engine.translate(source, n=5) for source, _ in PAIRS[20:50]] == first
        for translation in first:
            engine.provenance(translation)
        assert_same(arrays_of(engine), before)
        assert all(isinstance(array, np.ndarray) for array in before.values())
