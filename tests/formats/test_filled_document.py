"""Translations that fit into a document: lines, tabs and tags are those of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.engine import Engine
from dragoman.formats import read_document
from dragoman.formats.filled_document import translate_segment
from dragoman.project.multiline import joined, split_lines
from dragoman.text.tokens import split

PAIRS = [
    ("Open the lid.", "Abra la tapa."),
    ("Close the lid.", "Cierre la tapa."),
    ("Press the steam button.", "Pulse el botón de vapor."),
]
XLIFF = """<xliff version="1.2"><file source-language="en" target-language="es"><body>
<trans-unit id="1"><source>{}</source></trans-unit></body></file></xliff>"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.create(tmp_path_factory.mktemp("filling") / "p", source="en", target="es") as engine:
        for pair in PAIRS:
            engine.learn(*pair)
        yield engine


@given(st.text(st.sampled_from("AB \n\r\t\u2028"), max_size=12))
def test_lines_make_up_the_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert not any(re.search(r"[\n\r\t\u2028][^\n\r\t\u2028]", line) for line in lines)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Open the lid.\nClose the lid.\n", "Abra la tapa.\nCierre la tapa.\n"),
        ("\r\n  Open the lid.\r\n\r\n", "\r\n  Abra la tapa.\r\n\r\n"),
        ("Open the lid.\tClose the lid.", "Abra la tapa.\tCierre la tapa."),
        ("%d \t %s", "%d \t %s"),
        (" \n ", " \n "),
        ("", ""),
    ],
)
def test_breaks_are_kept(engine: Engine, source: str, target: str) -> None:
    assert engine.translate_text(source).text == target


def test_lines_are_one_translation(engine: Engine) -> None:
    source = "\n Open the steam lid.\n\tPress it.\n"
    lines = [engine.translate(line, n=3, memory=False) for line in split_lines(source)]
    found = joined(lines)
    assert found.source == split(source)
    assert found.target == split(found.text)
    assert found.score == pytest.approx(sum(line.score for line in lines))
    assert [found.source.words[s] for s, t in found.alignment if found.target.words[t] == "."] == [".", "."]
    spans = [(found.source.words[slice(*one.source)], found.target.words[slice(*one.target)]) for one in found.phrases]
    assert [(len(one), len(other)) for one, other in spans] == [
        (len(one.source_words), len(one.target_words)) for one in found.phrases
    ]
    assert found.nbest[0].text == found.text
    assert joined(lines[:1]) is lines[0]


def test_a_correction_of_all_lines_comes_before_those_of_each(engine: Engine) -> None:
    number = engine.learn("Open the lid.\nPress the steam button.", "Abra la tapa y pulse\nel botón de vapor.")
    try:
        text = "Open the lid.\nPress the steam button.\n"
        assert engine.translate_text(text).text == "Abra la tapa y pulse\nel botón de vapor.\n"
        assert engine.translate_text(text).memory == number
        without = engine.translate_text(text, memory=False)
        assert [line.source.text for line in without.lines] == ["Open the lid.\n", "Press the steam button.\n"]
    finally:
        engine.forget(number)


def filled(source: str, translations: dict[str, str]) -> str:
    """A segment as an engine fills it that knows some translations by heart, and copies what else there is."""
    document = read_document(XLIFF.format(source).encode(), "tag.xlf")
    translate = lambda text: SimpleNamespace(text=translations.get(text, text))  # noqa: E731
    careless: Any = SimpleNamespace(translate_text=translate, memory=False)
    return translate_segment(careless, document, document.segments[0])


def test_a_pair_of_tags_that_lost_its_words_gets_them_back() -> None:
    source = 'Press the <g id="1">steam button</g>.'
    pieces = {"Press the ": "Pulse el ", "steam button": "botón de vapor"}
    mended = 'Pulse el <g id="1">botón de vapor</g>.'
    for emptied in ('Pulse el botón de vapor <g id="1"></g>.', 'Pulse el botón de vapor<g id="1"> </g>.'):
        assert filled(source, pieces | {source: emptied}) == mended
    assert filled(source, pieces | {source: 'Pulse <g id="1">el botón</g>.'}) == 'Pulse <g id="1">el botón</g>.'


def test_separate_tags_of_a_pair_count_too_and_empty_ones_may_be_empty() -> None:
    source = 'a <bpt id="1">&lt;b></bpt>b<ept id="1">&lt;/b></ept> <g id="2"/><g id="3"></g>'
    shown = 'a <bpt id="1"/>b<ept id="1"/> <g id="2"/><g id="3"></g>'
    emptied = {shown: 'c d <bpt id="1"/><ept id="1"/> <g id="2"/><g id="3"></g>', "b": "d"}
    assert filled(source, emptied) == 'a <bpt id="1"/>d<ept id="1"/> <g id="2"/><g id="3"></g>'
    kept = 'd <bpt id="1"/>c<ept id="1"/><g id="2"/><g id="3"></g>'
    assert filled(source, {shown: kept}) == kept


def test_a_catalogue_keeps_its_lines(engine: Engine) -> None:
    document = read_document(rb'msgid "Open the lid.\nClose the lid.\n"' + b'\nmsgstr ""\n', "a.po")
    assert translate_segment(engine, document, document.segments[0]) == "Abra la tapa.\nCierre la tapa.\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    pairs = {"the red car": "el coche rojo", "the car": "el coche", "red": "rojo", "wine": "vino"}
    pairs |= {"white wine": "vino blanco", "the white house": "la casa blanca", "Open the file.": "Abra el  fichero ."}
    with Engine.create(tmp_path_factory.mktemp("small") / "p", source="en", target="es") as made:
        for source, target in pairs.items():
            made.learn(source, target, force=True)
        yield made


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("the <b>red car</b>", "el <b>coche rojo</b>"),
        ("<i>white</i> <b>wine</b>", "<b>vino</b> <i>blanco</i>"),
        ("Open <b>the file</b>.", "Abra <b>el  fichero</b> ."),
    ],
)
def test_tags_go_where_their_words_go_and_what_the_memory_says_is_not_altered(
    source: str, target: str, small: Engine
) -> None:
    page = read_document(f"<p>{source}</p>".encode(), "a.html")
    assert translate_segment(small, page, page.segments[0]) == target


def test_a_pair_that_was_learned_before_its_words_were_known_has_its_tags_right(tmp_path: Path) -> None:
    pairs = [("The red car", "El coche rojo"), ("The red house", "La casa roja"), ("A car", "Un coche")]
    pairs += [
        ("red", "rojo"),
        ("white wine", "vino blanco"),
        ("red wine", "vino tinto"),
        ("white house", "casa blanca"),
    ]
    page = read_document(b"<p><i>white</i> <b>wine</b></p>", "a.html", source="en", target="es")
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        for pair in pairs:
            engine.learn(*pair)
        assert translate_segment(engine, page, page.segments[0]) == "<b>vino</b> <i>blanco</i>"
