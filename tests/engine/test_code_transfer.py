"""A hit of the memory carries the codes of the segment that it is used for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.formats import read_document
from dragoman.formats.filled_document import fill_document, translate_segment
from dragoman.formats.import_plan import import_pairs, learnable
from dragoman.text.code_transfer import Carried, bare, carry_codes
from tests.engine.support import new

TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body><tu>
<tuv xml:lang="en"><seg>Press <bpt i="1" x="1" type="bold">&lt;b&gt;</bpt>the button<ept i="1">&lt;/b&gt;</ept>\
<ph x="2">&lt;br/&gt;</ph> now.</seg></tuv>
<tuv xml:lang="es"><seg>Pulse ahora<ph x="2">&lt;br/&gt;</ph> <bpt i="1" x="1" type="bold">&lt;b&gt;</bpt>el botón\
<ept i="1">&lt;/b&gt;</ept>.</seg></tuv></tu></body></tmx>"""


@pytest.mark.parametrize(
    ("text", "source", "target", "wanted"),
    [
        ("Press <g1>it</g1>.", "Press <b>it</b>.", "<b>Pulse</b> eso.", "<g1>Pulse</g1> eso."),
        ("A <x1/> b <x2/>", "A <ph x='1'/> b <ph x='2'/>", "<ph x='2'/> a <ph x='1'/>", "<x2/> a <x1/>"),
        ("<i>A</i> <b>b</b>", "<b>A</b> <i>b</i>", "<i>B</i> <b>a</b>", "<i>B</i> <b>a</b>"),
        (
            '<g id="1" ctype="italic">A</g> <g id="2" ctype="bold">b</g>',
            "<b>A</b> <i>b</i>",
            "<i>B</i> <b>a</b>",
            '<g id="1" ctype="italic">B</g> <g id="2" ctype="bold">a</g>',
        ),
        ("<a href='x'>A</a> <b>b</b>", "<bpt i='1'/>A<ept i='1'/> <bpt i='2'/>b<ept i='2'/>", "", ""),
        ("A<br>b", "A<br/>b", "a<br/>b", "a<br>b"),
    ],
)
def test_codes_belong_together_by_what_they_are_what_they_mean_their_number_or_their_order(
    text: str, source: str, target: str, wanted: str
) -> None:
    assert carry_codes(text, source, target).target == wanted


def test_codes_that_the_segment_has_not_are_left_out_and_told() -> None:
    found = carry_codes("Press it now.", "Press <b>it</b> <x1/> now.", "Pulse <b>eso</b> <x1/> ya.")
    assert found == Carried("Pulse eso ya.", (), ("<b>", "</b>", "<x1/>"))


def test_codes_that_the_entry_has_not_are_told() -> None:
    found = carry_codes("Press <b>it</b><x3/>.", "Press it.", "Pulse eso.")
    assert found == Carried("Pulse eso.", ("<b>", "</b>", "<x3/>"), ())


def test_a_pair_around_all_of_the_text_is_put_around_the_target() -> None:
    assert (
        carry_codes("<g1><g2>Press it.</g2></g1>", "Press it.", "Pulse eso.").target == "<g1><g2>Pulse eso.</g2></g1>"
    )
    assert carry_codes("<b>Press</b> <b>it.</b>", "Press it.", "Pulse eso.").target == "Pulse eso."


def test_text_without_codes_is_compared() -> None:
    assert bare("Press <b>the</b> <x/> lid, 1 < 2.") == "Press the lid, 1 < 2."


codes = st.sampled_from(["<b>", "</b>", "<g1>", "</g1>", "<x1/>", "<x2/>", "<br>", '<bpt i="1"/>', '<ept i="1"/>'])
texts = st.lists(st.one_of(codes, st.sampled_from(["one ", "two ", " ", "1 < 2 "])), max_size=8).map("".join)


@given(texts, texts, texts)
def test_a_target_has_only_codes_of_the_text_each_at_most_as_often(text: str, source: str, target: str) -> None:
    found = carry_codes(text, source, target)
    assert bare(found.target).split() == bare(target).split()
    ours, theirs = (re.findall(r"</?\w[^<>]*>", each) for each in (text, source))
    if ours == theirs:
        assert found == Carried(target, (), ())
    else:
        assert sorted([*re.findall(r"</?\w[^<>]*>", found.target), *found.lost]) == sorted(ours)


def test_a_memory_in_tmx_fills_a_page_with_the_codes_of_the_page(tmp_path: Path) -> None:
    memory = read_document(TMX.encode(), "memory.tmx", source="en", target="es")
    page = read_document(b"<p>Press <strong>the button</strong><br> now.</p>", "page.html", source="en", target="es")
    with new(tmp_path / "project") as engine:
        assert import_pairs(engine, learnable(memory), "memory.tmx") == {"new": 1}
        [match] = engine.matches(page.segments[0].source)
        assert match.target == "Pulse ahora<br> <strong>el botón</strong>."
        assert (match.similarity, match.lost, match.extra) == (99.0, (), ())
        assert translate_segment(engine, page, page.segments[0]) == match.target
        filled = fill_document(engine, page)
        assert filled.data == b"<p>Pulse ahora<br> <strong>el bot\xc3\xb3n</strong>.</p>"


def test_a_correction_without_codes_gets_those_of_the_segment_by_the_alignment(tmp_path: Path) -> None:
    page = read_document(b"<p>Press <b>the button</b>.</p>", "page.html", source="en", target="es")
    with new(tmp_path / "project") as engine:
        for pair in (("Press it.", "Pulse eso."), ("the button", "el botón"), ("Press", "Pulse"), ("button", "botón")):
            engine.learn(*pair)
        engine.learn("Press the button.", "Pulse el botón.")
        assert translate_segment(engine, page, page.segments[0]) == "Pulse <b>el botón</b>."


def test_similarity_is_that_of_the_words_and_less_where_codes_are_lost(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        engine.learn("Press the button now.", "Pulse el botón ahora.")
        [match] = engine.matches('Press <span class="very-long-name">the button</span> now.')
        assert (match.similarity, match.target) == (97.0, "Pulse el botón ahora.")
        assert match.lost == ('<span class="very-long-name">', "</span>")
        engine.learn("Press <i>the button</i> now.", "Pulse <i>el botón</i> ya.")
        assert engine.matches("Press the button now.")[0].similarity == 100
        assert engine.translate("Press the button now.").text == "Pulse el botón ahora."
        assert engine.exact_match("Press <b>the button</b> now.") is None
