"""Unknown words in a project: what they are guessed from, how sure that is, and the setting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError

pytestmark = pytest.mark.kernels

VERBS = {"climb": "subi", "paint": "pinta", "shout": "grita", "clean": "limpia", "march": "marcha"}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        for verb, said in VERBS.items():
            engine.learn(f"{verb}s", said)
            engine.learn(f"{verb}ed", f"{said}ba")
        engine.learn("laughs", "ríe")
        yield engine


def test_an_unknown_form_is_guessed_and_says_what_from(engine: Engine) -> None:
    found = engine.translate("laughed")
    assert (found.text, found.phrases[0].kind, found.phrases[0].guessed_from) == ("ríe", "guess", ("laughs",))
    assert engine.provenance(found)[0].learned == 0


def test_nobody_is_confident_of_a_guess(engine: Engine) -> None:
    assert engine.confidences(engine.translate("laughed")) == [0.0]
    assert engine.confidences(engine.translate("laughs"))[0] > 0


def test_guesses_can_be_switched_off(engine: Engine) -> None:
    engine.guess_unknown = False
    assert engine.translate("laughed").text == "laughed"
    with pytest.raises(BadInputError, match="true or false"):
        engine.change_settings({"guess_unknown": 1})


def test_what_was_learned_replaces_the_guess_and_forgetting_restores_it(engine: Engine) -> None:
    guessed = engine.translate("laughed")
    number = engine.learn("laughed", "rió")
    assert engine.translate("laughed").text == "rió"
    engine.forget(number)
    again = engine.translate("laughed")
    assert (again.text, again.score) == (guessed.text, guessed.score)


def test_a_reopened_project_guesses_the_same(engine: Engine, tmp_path: Path) -> None:
    guessed = engine.translate("laughed")
    engine.close()
    with Engine.open(tmp_path / "project") as again:
        assert again.translate("laughed") == guessed


def test_the_words_of_another_engine_come_first(engine: Engine) -> None:
    assert engine.translate("laughed", upstream="carcajeó").text == "carcajeó"
