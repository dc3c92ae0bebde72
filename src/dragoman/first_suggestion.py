"""What the first suggestion takes: exercises that are run before all others when kernels are compiled.

Learning and translating have little in common, so two workers take one each and hardly wait for each other. What only a
project that has learned something needs is left for the third.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dragoman.engine import Engine
from dragoman.kernels import exercise

SOURCE, TARGET = "Press the button.", "Pulse el botón."


@exercise
def suggest() -> None:
    """Translate a sentence and complete what is typed, in a project that has learned nothing."""
    with _project() as engine:
        _suggest(engine)


@exercise
def learn() -> None:
    """Learn a sentence."""
    with _project() as engine:
        engine.learn(SOURCE, TARGET)


@exercise
def learn_and_suggest() -> None:
    """Both, one after the other."""
    with _project() as engine:
        engine.learn(SOURCE, TARGET)
        _suggest(engine)


@contextmanager
def _project() -> Iterator[Engine]:
    with (
        TemporaryDirectory(prefix="dragoman-exercise-") as directory,
        Engine.create(Path(directory) / "project", source="en", target="es") as engine,
    ):
        yield engine


def _suggest(engine: Engine) -> None:
    engine.translate(SOURCE)
    with engine.interact(SOURCE) as session:
        for prefix in ("", TARGET[:2], TARGET[:5]):
            session.suggest(prefix)
