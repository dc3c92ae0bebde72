"""Weights of an engine that learns are those of the corrections in force, however a project came by them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dragoman import Engine
from dragoman.neural import learner as learner_module
from dragoman.project.project_merge import merge
from dragoman.store.backup import make_backup, restore
from dragoman.upstream import learned_weights
from tests.store.replicas import copied
from tests.upstream.learning import PAIRS, bits, learned, project, snapshots
from tests.upstream.support import make_model

pytestmark = pytest.mark.kernels

FORGOTTEN = 3  # of PAIRS
KEPT = [pair for n, pair in enumerate(PAIRS) if n != FORGOTTEN]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A snapshot after every third correction."""
    monkeypatch.setattr(learner_module, "EVERY", 3)
    monkeypatch.setattr(learned_weights, "EVERY", 3)
    yield
    gc.collect()


@pytest.fixture
def assert_learned(model: Path, tmp_path: Path) -> Callable[..., None]:
    """Check that an engine has the weights of a new project that has learned these pairs."""

    def check(engine: Engine, pairs: list[tuple[str, str]]) -> None:
        with project(tmp_path / "fresh", model) as fresh:
            for pair in pairs:
                fresh.learn(*pair)
            expected = learned(fresh)
            assert bits(learned(engine)) == bits(expected)
            assert learned(engine).served().digest == expected.served().digest  # type: ignore[union-attr]

    return check


@pytest.fixture
def old(model: Path, tmp_path: Path) -> Path:
    """A project that has learned and forgotten."""
    path = tmp_path / "old"
    with project(path, model) as engine:
        numbers = [engine.learn(*pair) for pair in PAIRS]
        learned(engine)
        engine.forget(numbers[FORGOTTEN])
        learned(engine)
    assert len(snapshots(path)) == 2
    return path


def test_a_copy(old: Path, tmp_path: Path, assert_learned: Callable[..., None]) -> None:
    Engine.copy(old, tmp_path / "new")
    with Engine.open(tmp_path / "new") as engine:
        assert_learned(engine, KEPT)


def test_merged_projects(old: Path, model: Path, tmp_path: Path, assert_learned: Callable[..., None]) -> None:
    later = [("the button", "el botón"), ("press the button", "pulse el botón")]
    with project(tmp_path / "other", model) as other:
        for pair in later:
            other.learn(*pair)
        learned(other)
    merge(Engine, [tmp_path / "other", old], tmp_path / "new")
    with Engine.open(tmp_path / "new") as engine:
        assert_learned(engine, [*KEPT, *later])


def test_a_restored_backup(old: Path, tmp_path: Path, assert_learned: Callable[..., None]) -> None:
    make_backup(old, tmp_path / "backup.zip")
    restore(tmp_path / "backup.zip", tmp_path / "new")
    with Engine.open(tmp_path / "new") as engine:
        assert_learned(engine, KEPT)


@pytest.mark.parametrize("count", [2, len(PAIRS)])
def test_a_project_as_it_was(old: Path, tmp_path: Path, count: int, assert_learned: Callable[..., None]) -> None:
    with Engine.open(old) as engine:
        rows = [row.id for row in engine.history() if row.kind == "learn"]
    make_backup(old, tmp_path / "backup.zip")
    restore(tmp_path / "backup.zip", tmp_path / "new", at=sorted(rows)[count - 1])
    with Engine.open(tmp_path / "new") as engine:
        assert_learned(engine, PAIRS[:count])


def test_a_reader_beside_the_writer(old: Path, assert_learned: Callable[..., None]) -> None:
    with Engine.open(old), Engine.open(old, write=False) as reader:
        before = snapshots(old)
        assert_learned(reader, KEPT)
        assert snapshots(old) == before


def test_a_replica_follows_and_becomes_the_writer(
    model: Path, url: str, tmp_path: Path, assert_learned: Callable[..., None]
) -> None:
    path = tmp_path / "first"
    with project(path, model, journal=url) as writer:
        numbers = [writer.learn(*pair) for pair in PAIRS[:5]]
        second = copied(path, tmp_path / "second")
        with Engine.open(second, replica=True) as replica:
            learned(replica)
            numbers += [writer.learn(*pair) for pair in PAIRS[5:]]
            writer.forget(numbers[FORGOTTEN])
            replica.wait_for(writer.revision)
            weights = learned(replica)
            assert numbers[FORGOTTEN] not in weights.served().ids  # type: ignore[union-attr]
            assert bits(weights) == bits(learned(writer))
            assert snapshots(second) == snapshots(path)  # each in its own directory
            writer.close()
            replica.opened.promote()
            replica.learn(*PAIRS[FORGOTTEN])
            assert_learned(replica, [*KEPT, PAIRS[FORGOTTEN]])
