"""The memory threshold: from which similarity on a correction of a similar text is suggested as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError

pytestmark = pytest.mark.kernels
LEARNED = "Press the green button on page 12.", "Pulse el botón verde de la página 12."
SIMILAR = "Press the green buttons on page 12."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        engine.learn(*LEARNED)
        yield engine


def test_by_default_only_the_same_text_is_taken_from_the_memory(engine: Engine) -> None:
    assert engine.memory_threshold == 100
    assert engine.translate(SIMILAR).memory is None
    assert engine.translate(LEARNED[0]).memory is not None


def test_below_the_threshold_a_similar_correction_is_not_taken(engine: Engine) -> None:
    engine.memory_threshold = 99
    assert engine.translate(SIMILAR).memory is None


def test_from_the_threshold_on_a_similar_correction_is_suggested_as_it_is(engine: Engine) -> None:
    engine.memory_threshold = 95
    found = engine.translate(SIMILAR, upstream="Oprima las teclas verdes de la página 12.")
    assert (found.text, found.memory) == (LEARNED[1], found.matches[0].id)
    assert set(engine.confidences(found)) == {round(found.matches[0].similarity / 100, 3)}
    with engine.interact(SIMILAR) as session:
        assert session.suggest("Pul").text == LEARNED[1]
        assert session.suggest("Pul").origin == "memory"


def test_a_correction_with_another_number_is_not_suggested_as_it_is(engine: Engine) -> None:
    engine.memory_threshold = 90
    assert engine.translate(LEARNED[0].replace("12", "13")).memory is None


def test_terms_of_the_glossary_come_before_similar_corrections(engine: Engine) -> None:
    engine.memory_threshold = 90
    engine.glossary = {"green": "esmeralda"}
    found = engine.translate(SIMILAR)
    assert found.memory is None
    assert "esmeralda" in found.text


def test_the_threshold_is_kept(engine: Engine) -> None:
    engine.memory_threshold = 90
    engine.close()
    with Engine.open(engine.path) as again:
        assert again.memory_threshold == 90
        assert again.translate(SIMILAR).text == LEARNED[1]


@pytest.mark.parametrize("value", [69, 101, "90", True, None])
def test_a_threshold_is_a_percentage_that_makes_sense(engine: Engine, value: object) -> None:
    with pytest.raises(BadInputError, match="from 70 to 100"):
        engine.change_settings({"memory_threshold": value})
