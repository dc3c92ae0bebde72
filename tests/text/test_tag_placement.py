"""Tags come back around the right words, all of them, well nested, and nothing else changes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.markup import take_out
from dragoman.text.tag_placement import place, rearrange, renumber
from dragoman.text.tokens import split

WORDS = st.sampled_from(["casa", "roja", "el", "de", "100", ".", ",", "vino", "¿", "{name}"])
TAGGED = st.recursive(
    st.lists(WORDS, max_size=3).map(" ".join),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["b", "i", "a"]), inner).map(lambda one: f"<{one[0]}>{one[1]}</{one[0]}>"),
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        inner.map(lambda one: f"{one}<br/>"),
    ),
    max_leaves=6,
)


def bare(text: str) -> str:
    return re.sub(r"\s+", "", re.sub(r"<[^<>]*>", "", text))


@given(TAGGED, st.lists(WORDS, max_size=8).map(" ".join))
def test_every_tag_comes_back_once_well_nested_and_the_words_are_those_of_the_translation(
    source: str, said: str
) -> None:
    markup = take_out(source)
    placed = place(markup, said)
    assert bare(placed) == bare(said)
    assert sorted(marker.shown for marker in markup.markers) == sorted(re.findall(r"<[^<>]*>", placed))
    begun: list[str] = []
    for tag in re.findall(r"</?\w+>", placed):
        if tag.startswith("</"):
            assert begun.pop() == tag.strip("</>")
        else:
            begun.append(tag.strip("<>"))
    assert not begun


@pytest.mark.parametrize(
    ("source", "said", "links", "placed"),
    [
        ("the <b>red car</b>", "el coche rojo", "0-0 1-2 2-1", "el <b>coche rojo</b>"),
        ("<i>white</i> <b>wine</b>", "vino blanco", "0-1 1-0", "<b>vino</b> <i>blanco</i>"),
        ("Press <b>OK </b>now", "Pulse OK ahora", "0-0 1-1 2-2", "Pulse <b>OK </b>ahora"),
        ("Press<b> OK</b> now", "Pulse OK ahora", "0-0 1-1 2-2", "Pulse<b> OK</b> ahora"),
        ("one<br/>two", "uno dos", "0-0 1-1", "uno<br/>dos"),
        ("one <br/> two", "uno dos", "0-0 1-1", "uno <br/> dos"),
        ("The end<b>.</b>", "El fin.", "0-0 1-1 2-2", "El fin<b>.</b>"),
        ("Is it <b>true</b>?", "¿Es verdad?", "0-1 2-2 3-3", "¿Es <b>verdad</b>?"),
        ("<a>the <b>old</b> house</a>", "la casa vieja", "0-0 1-2 2-1", "<a>la casa <b>vieja</b></a>"),
    ],
)
def test_tags_are_at_the_words_that_they_were_at(source: str, said: str, links: str, placed: str) -> None:
    known = [tuple(map(int, link.split("-"))) for link in links.split()]
    assert place(take_out(source), said, [(one, other, 1.0) for one, other in known]) == placed


PIECES = st.sampled_from(["<b>", "</b>", "<i>", "</i>", "<br/>", " ", " ", "S", "ave", "foo", "2", ".", "{n}", "'t"])
ANYHOW = st.lists(PIECES, max_size=12).map("".join)


@given(ANYHOW, ANYHOW, st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.just(1.0))))
def test_tags_inside_words_or_anywhere_do_not_matter_to_the_links(
    one: str, other: str, links: list[tuple[int, int, float]]
) -> None:
    source, target = split(one), split(other)
    known = [link for link in links if link[0] < len(source) and link[1] < len(target)]
    moved = rearrange(source, target, known)
    if moved is not None:
        assert bare(moved) == bare(other)
        assert sorted(re.findall(r"<[^<>]*>", moved)) == sorted(re.findall(r"<[^<>]*>", other))
    markup = take_out(one)
    numbers = renumber(source, markup.bare, frozenset(n for n, word in enumerate(source.words) if word[0] == "<"))
    assert set(numbers.values()) <= set(range(len(split(markup.bare))))


def test_words_that_a_tag_divides_are_one_word_of_the_bare_text() -> None:
    source, target = split("Press <b>S</b>ave now"), split("Pulse <b>S</b>ave ahora")
    links = [(0, 0, 1.0), (2, 2, 1.0), (4, 4, 1.0), (5, 5, 1.0)]
    assert rearrange(source, target, links) == "Pulse <b></b>Save ahora"  # which is for the caller to refuse


def test_a_sentence_far_longer_than_its_tags_is_placed_by_position_and_spelling_alone() -> None:
    source = "The treaty of <b>Maastricht</b> was signed in <i>1992</i> by twelve states."
    said = "El tratado de Maastricht fue firmado en 1992 por doce estados."
    placed = "El tratado de <b>Maastricht</b> fue firmado en <i>1992</i> por doce estados."
    assert place(take_out(source), said) == placed


def test_a_translation_whose_tags_are_right_is_left_alone() -> None:
    links = [(0, 0, 1.0), (2, 2, 1.0)]
    assert rearrange(split("the <b>car</b>"), split("el <b>coche</b>"), links) is None
    assert rearrange(split("the car"), split("el coche"), [(0, 0, 1.0)]) is None


@pytest.mark.parametrize(
    ("source", "said", "wordings", "placed"),
    [
        (
            "I saw <b>the red car</b> there.",
            "Allí vi el coche rojo.",
            ["El coche rojo"],
            "Allí vi <b>el coche rojo</b>.",
        ),
        ("We spoke of <b>the dog</b>.", "Hablamos del perro.", ["el perro"], "Hablamos <b>del perro</b>."),
        ("It is <b>the end</b> that hurts.", "Es el fin lo que duele.", ["El fin"], "Es <b>el fin</b> lo que duele."),
        (
            "The dog<b> is very big.</b>",
            "El perro es muy grande.",
            ["Es muy grande."],
            "El perro<b> es muy grande.</b>",
        ),
        (
            "See <b>the second question</b>.",
            "Vea la segunda cuestión.",
            ["La segunda pregunta"],
            "Vea <b>la segunda cuestión</b>.",
        ),
    ],
)
def test_what_the_words_are_called_alone_says_where_they_are(
    source: str, said: str, wordings: list[str], placed: str
) -> None:
    assert place(take_out(source), said, wordings={0: wordings}) == placed
