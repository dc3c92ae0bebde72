"""Answers that are empty, endless, or in another language are told from good ones."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from dragoman.text.text_files import lines
from dragoman.upstream import Silence
from dragoman.upstream.checks import refuse

SHARED = Path(__file__).parents[3] / "shared"
SOURCE = "Press the green button twice to rinse the group."


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", Silence.EMPTY),
        (" … ", Silence.EMPTY),
        ("Нажмите зелёную кнопку дважды.", Silence.WRONG_LANGUAGE),
        ("绿色按钮按两次以冲洗", Silence.WRONG_LANGUAGE),
        (SOURCE, Silence.WRONG_LANGUAGE),
        ("Pulse el botón " + "de la caja " * 6, Silence.RAMBLING),
        ("Pulse " + "muy " * 9 + "bien", Silence.RAMBLING),
        ("Pulse el botón. " + "*" * 300, Silence.RAMBLING),
        ("Pulse el botón . . . . . . . .", Silence.RAMBLING),
        ("Claro que sí, con mucho gusto. " + " ".join(f"Palabra{n}" for n in range(40)), Silence.RAMBLING),
        ("Pulse \ud800", Silence.UNUSABLE),
        ("Pulse dos veces el botón verde para enjuagar el grupo.", None),
        ("Pulse 'OK' en Кнопка.", None),
    ],
)
def test_a_bad_answer_is_told_with_its_reason(said: str, why: Silence | None) -> None:
    assert refuse(SOURCE, said, "es") is why


def test_tags_and_placeholders_alone_say_nothing() -> None:
    assert refuse("Open that <b>door</b>.", "<b></b>", "es") is Silence.EMPTY
    assert refuse("Open {name}.", "{name}.", "es") is Silence.EMPTY
    assert refuse("<b>{name}</b>", "<b>{name}</b>", "es") is None
    assert refuse("Page 12", "12", "es") is None


def test_a_few_words_for_a_long_text_are_as_good_as_nothing() -> None:
    assert refuse(SOURCE * 5, "Pulse.", "es") is Silence.EMPTY


def test_what_repeats_itself_in_the_source_may_do_so_in_the_answer() -> None:
    assert refuse("no no no no no no", "no no no no no no", "es") is None
    assert refuse("ha ha ha ha ha ha ha", "ja ja ja ja ja ja ja", "es") is None


def test_rows_of_marks_may_stay() -> None:
    assert refuse("Name: __________", "Nombre: __________", "es") is None
    assert refuse("Costs 3000000000.", "Cuesta 3000000000.", "es") is None


def test_names_in_a_script_of_few_letters_do_not_make_another_language() -> None:
    source = "The game debuted in December 2009 at InterCasino.com ."
    assert refuse(source, "该游戏 于 2009 年 12 月 在 InterCasino . com 首发 。", "zh") is None
    assert refuse(source, "The game started in December 2009 该", "zh") is Silence.WRONG_LANGUAGE


def test_names_and_short_texts_may_stay_as_they_are() -> None:
    assert refuse("Linus Torvalds", "Linus Torvalds", "es") is None
    assert refuse("GNOME desktop settings", "GNOME desktop settings", "es") is None


@pytest.mark.parametrize("engine", ["nmt", "apertium"])
def test_hardly_any_answer_of_real_engines_is_refused(engine: str) -> None:
    files = sorted((SHARED / "engines" / "recorded").glob(f"*.test.{engine}.es.gz"))
    if not files:
        pytest.skip("there are no recorded answers of real engines")
    pairs = refused = 0
    for file in files:
        corpus = file.name.partition(".")[0]
        sources = islice(lines(SHARED / "corpora" / corpus / "test.en.gz"), 300)
        for source, answer in zip(sources, islice(lines(file), 300), strict=True):
            pairs += 1
            refused += refuse(source, answer, "es") is not None
    assert refused <= pairs / 500
