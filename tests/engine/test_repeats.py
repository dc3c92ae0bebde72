"""Texts that come again over another engine: what has been right most often is said, unless the newest must be."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.project.repeats import ALIKE, ANSWER, DIFFERENT, MAJORITY, NEWEST, ONE, Repeat, Repeats, compare
from tests.engine.support import arrays_of, assert_is_clean_replay, assert_same

pytestmark = pytest.mark.kernels

ANSWERS = {"Sure, one moment please.": "Claro, un momento por favor."}
SOURCE, SAID = next(iter(ANSWERS.items()))
ODD = ["Desde luego, espere un poco.", "Cómo no, ahora mismo voy.", "Vale, ya lo miro enseguida."]


def test_the_newest_correction_is_said_at_first(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn(SOURCE, ODD[0], upstream=SAID)
        assert engine.translate(SOURCE, upstream=SAID).text == ODD[0]


def test_where_people_mostly_keep_the_answer_it_comes_before_the_newest_correction(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        for turn in range(12):
            engine.learn(SOURCE, ODD[turn // 4 % 3] if turn % 4 == 0 else SAID, upstream=SAID, force=True)
        engine.learn(SOURCE, ODD[1], upstream=SAID, force=True)
        assert engine.translate(SOURCE, upstream=SAID).text == SAID
        engine.newest_first = True
        assert engine.translate(SOURCE, upstream=SAID).text == ODD[1]
        assert engine.translate(SOURCE).text == ODD[1]  # nobody else says anything


def test_what_is_counted_is_taken_back_and_replayed(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn(SOURCE, ODD[0], upstream=SAID)
        engine.learn("The lid.", "La tapa.", upstream="La cubierta.")
        before = arrays_of(engine)["upstream.repeats.edits"]
        number = engine.learn(SOURCE, ODD[1], upstream=SAID)
        assert_is_clean_replay(engine, tmp_path / "copy")
        assert arrays_of(engine)["upstream.repeats.edits"].any()
        engine.forget(number)
        assert_same({"edits": arrays_of(engine)["upstream.repeats.edits"]}, {"edits": before})


def test_choices_by_what_they_have_saved() -> None:
    repeats = Repeats()
    assert repeats.choose(["a"]) == repeats.choose(["a", "a"]) == repeats.choose(["a", "b"]) == NEWEST
    for _ in range(8):
        repeats.add(Repeat(ONE, 4, 4, 0))
        repeats.add(Repeat(DIFFERENT, 4, 1, 3))
    assert (repeats.choose(["a"]), repeats.choose(["a", "b"]), repeats.choose(["a", "a"])) == (ANSWER, MAJORITY, NEWEST)
    assert compare(["a b", "c d", "a b", "a c"], ["x"], ["a", "b"]) == Repeat(DIFFERENT, 1, 0, 2)
    assert compare(["a", "a"], ["b"], ["b"]).kind == ALIKE
