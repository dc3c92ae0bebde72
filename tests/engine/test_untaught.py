"""A project that knows nothing of a text leaves it as it is, to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import Engine

TEXTS = [
    "$COUNT$ items",
    "Delete $COUNT$ items?",
    "Total: { $x }  of {$y}",
    "%#@files@ left",
    "e\u0301tude cafe\u0301",
    "a\x07b \ufeffc\ufeff",
    "Wait ... what ?  Yes !",
    "« oui »",
    "one\ttwo\n\nthree",
    "10 % of 5 °C",
]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path: Path = tmp_path_factory.mktemp("fresh") / "p"
    with Engine.create(path, source="en", target="es") as engine:
        yield engine


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_left_as_it_is(text: str, fresh: Engine) -> None:
    assert fresh.translate(text).text == text
    assert fresh.translate_text(text).text == text


@given(text=st.text(st.sampled_from("aB $%{}<>/.,!?&\u0301\ufeff\x07\u00a0#@é_-'\"`:;()[]\t0"), max_size=30))
def test_whatever_it_is(text: str, fresh: Engine) -> None:
    assert fresh.translate_text(text).text == text


def test_so_is_a_text_of_which_nothing_is_known_where_other_things_are(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn("the lid", "la tapa")
        assert engine.translate("Delete $COUNT$ items ?").text == "Delete $COUNT$ items ?"
        assert engine.translate("Open the lid").text == "Open la tapa"
