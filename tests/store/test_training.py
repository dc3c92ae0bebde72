"""A base is trained while others have the project open: they follow, and nobody writes without it unawares."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError, StorageError
from dragoman.store.sqlite_files import Place
from tests.engine.support import PAIRS, arrays_of, assert_same
from tests.store.replicas import assert_follows, copied, until, writer

if TYPE_CHECKING:
    pass

TRAINED, LEARNED = PAIRS[:50], PAIRS[50:]


@pytest.fixture
def first(place: Place, tmp_path: Path) -> Iterator[Engine]:
    journal = place if isinstance(place, str) else None
    with Engine.create(tmp_path / "first", source="en", target="es", preset="thot", journal=journal) as engine:
        yield engine


@pytest.fixture
def shared(url: str, tmp_path: Path) -> Iterator[Engine]:
    with writer(tmp_path / "shared", url) as engine:
        yield engine


def has_base(engine: Engine) -> bool:
    with engine.opened.reading() as state:
        return state.knowledge.base is not None


def bring(name: str, engine: Engine, to: Path) -> None:
    """Copy a file, or the base, from the machine that writes."""
    found = engine.opened.store.path / name
    shutil.copytree(found, to / name) if found.is_dir() else shutil.copy(found, to)


def test_a_replica_comes_to_know_the_base_and_what_is_learned_over_it(first: Engine) -> None:
    with Engine.open(first.opened.store.path, replica=True) as replica:
        first.weights = {"language": 0.7}
        first.train(TRAINED)
        until(lambda: has_base(replica))
        for pair in LEARNED[:5]:
            first.learn(*pair)
        assert_follows(replica, first)
        assert replica.translate(TRAINED[0][0]) == first.translate(TRAINED[0][0])
        assert (replica.problem, replica.warnings) == (None, [])


def test_a_reader_that_looks_only_after_both_knows_both(first: Engine) -> None:
    with Engine.open(first.opened.store.path, write=False) as reader:
        first.train(TRAINED)
        first.learn(*LEARNED[0])
        reader.refresh()
        assert_same(arrays_of(reader), arrays_of(first))
        first.close()
        reader.promote()
        reader.learn(*LEARNED[1])
    with Engine.open(first.opened.store.path) as again:
        assert_same(arrays_of(again), arrays_of(reader))


def test_a_standby_takes_over_with_the_base_that_was_just_trained(first: Engine) -> None:
    with Engine.open(first.opened.store.path, standby=True) as standby:
        first.train(TRAINED)
        first.close()
        until(lambda: standby.role == "writer")
        assert has_base(standby)
        standby.learn(*LEARNED[0])
    with Engine.open(first.opened.store.path) as again:
        assert_same(arrays_of(again), arrays_of(standby))


def test_a_standby_of_another_machine_does_not_take_over_without_the_base(shared: Engine, tmp_path: Path) -> None:
    path = copied(shared.opened.store.path, tmp_path / "second")
    with Engine.open(path, standby=True) as standby:
        shared.train(TRAINED)
        shared.close()
        until(lambda: standby.problem is not None)
        assert "copy project.json and the base here" in str(standby.problem)
        with pytest.raises(BadInputError, match="has a different base"):
            standby.promote()
        with Engine.open(shared.opened.store.path) as again:
            again.learn(*LEARNED[0])
            assert standby.role == "standby"
            bring("base", again, path)
            bring("project.json", again, path)
            assert_follows(standby, again)
        until(lambda: standby.role == "writer")
        standby.learn(*LEARNED[1])


def test_a_base_that_is_not_there_yet_keeps_nobody_from_translating(shared: Engine, tmp_path: Path) -> None:
    path = copied(shared.opened.store.path, tmp_path / "second")
    with Engine.open(path, replica=True) as replica:
        shared.train(TRAINED)
        bring("project.json", shared, path)
        until(lambda: "there is no base here" in str(replica.problem))
        assert replica.translate("green").text == "green"
        bring("base", shared, path)
        shared.learn(*LEARNED[0])
        assert_follows(replica, shared)


def test_a_training_that_failed_at_the_very_end_leaves_base_and_journal_in_agreement(
    shared: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> None:
        raise StorageError("cannot write: the connection is lost")

    with monkeypatch.context() as patch:
        patch.setattr(shared.opened.store.journal, "describe", fail)
        with pytest.raises(StorageError, match="the connection is lost"):
            shared.train(TRAINED)
    shared.learn(*LEARNED[0])
    shared.close()
    with Engine.open(shared.opened.store.path) as again:
        assert has_base(again)
        assert_same(arrays_of(again), arrays_of(shared))
