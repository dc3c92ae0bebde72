"""What several tests of the engine need: text to learn, and comparison of engines bit for bit."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from dragoman import sample
from dragoman.engine import Engine
from dragoman.errors import StorageError

PAIRS = sample.pairs()


def new(path: Path, base: Path | None = None) -> Engine:
    return Engine.create(path, source="en", target="es", preset="thot", base=base)  # whatever the default is


def arrays_of(engine: Engine) -> dict[str, np.ndarray]:
    """Copies of all that an engine has learned."""
    return {name: array.copy() for name, array in engine.opened.state.arrays().items()}


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].dtype == other[name].dtype, name
        assert np.array_equal(one[name], other[name]), name


def clean_replay(path: Path, to: Path) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    """Arrays and settings of a project, computed from its journal alone."""
    shutil.copytree(path, to)
    shutil.rmtree(to / "snapshots")
    with Engine.open(to, write=False) as engine:
        assert engine.warnings == []
        found = arrays_of(engine), engine.opened.state.settings
    shutil.rmtree(to)
    return found


def assert_is_clean_replay(engine: Engine, to: Path) -> None:
    """Its state is what its journal gives, bit for bit."""
    arrays, settings = clean_replay(engine.opened.store.path, to)
    assert_same(arrays_of(engine), arrays)
    assert engine.opened.state.settings == settings


@contextmanager
def full_disk() -> Iterator[None]:
    """Nothing can be learned for want of room."""

    def fail(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "learn", fail)
        yield


def act(engine: Engine, chance: random.Random) -> str:
    """Do something at random; what was acknowledged, as "kind id"."""
    learned = sorted(engine.opened.state.memory._texts)
    what = chance.random()
    if what < 0.2 and learned:
        number = chance.choice(learned)
        engine.forget(number)
        return f"forget {number}"
    if what < 0.35 and learned:
        number = chance.choice(learned)
        return f"learn {engine.revise(number, chance.choice(PAIRS)[1], force=True)}"
    if what < 0.4:
        engine.weights = {"language": chance.uniform(0.5, 1.5)}
        return "settings 0"
    return f"learn {engine.learn(*chance.choice(PAIRS), force=True)}"
