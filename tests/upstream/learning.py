"""Projects over a tiny engine that learns, and what its weights are."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dragoman import Engine
from dragoman.upstream.ct2 import CTranslate2
from dragoman.upstream.learned_weights import WEIGHTS, LearnedWeights

WORDS = ["open", "close", "the", "file"]
PAIRS = [(f"{a} {b} {c}", f"{c} {b} abra {a}") for a in WORDS for b in WORDS for c in WORDS][:8]


def project(path: Path, model: Path, **options: str) -> Engine:
    """A new project over an engine that learns."""
    return Engine.create(path, source="en", target="es", upstream=f"ct2:{model}#learns=yes", **options)  # type: ignore[arg-type]


def learned(engine: Engine) -> LearnedWeights:
    """The weights of an engine that has learned all that is in force."""
    engine.translate("open")
    upstream = engine._consultant.upstream(engine.upstream)
    assert upstream
    loaded = upstream._engine.engine
    assert isinstance(loaded, CTranslate2)
    assert loaded.learned
    weights = loaded.learned
    wait_for(lambda: not weights.due or bool(weights.problem))
    assert (loaded.learned.problem, loaded.learned.due) == (None, 0)
    return loaded.learned


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    assert condition()


def bits(weights: LearnedWeights) -> list[bytes]:
    """Every weight."""
    assert weights._learner
    return [value.tobytes() for value in weights._learner.weights.values()]


def snapshots(path: Path) -> list[str]:
    """The names of the snapshots of a project's weights."""
    directory = path / WEIGHTS
    return sorted(each.name for each in directory.iterdir()) if directory.is_dir() else []
