"""Where sentences end, and that dividing loses nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.formats.codes import read_codes
from dragoman.formats.division import into_sentences, whole
from dragoman.formats.icu_messages import divide_message
from dragoman.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "language", "sentences"),
    [
        ("Hello. World.", "en", ["Hello. ", "World."]),
        ("See Fig. 3 by Dr. J. Smith. It helps.", "en", ["See Fig. 3 by Dr. J. Smith. ", "It helps."]),
        ("Version 3.5 is out! Really?! Yes.", "en", ["Version 3.5 is out! ", "Really?! ", "Yes."]),
        ("He said “Stop.” Then he left.", "en", ["He said “Stop.” ", "Then he left."]),
        ("and so on... but not here.", "en", ["and so on... but not here."]),
        ("Am 3. Mai kam er. Dann ging er, z.B. heim.", "de", ["Am 3. Mai kam er. ", "Dann ging er, z.B. heim."]),
        ("¿Qué? ¡Sí! El Sr. Gómez.", "es", ["¿Qué? ", "¡Sí! ", "El Sr. Gómez."]),
        ("これは本です。読みますか？「はい。」", "ja", ["これは本です。", "読みますか？", "「はい。」"]),
        ("यह है। वह है।", "hi", ["यह है। ", "वह है।"]),
        ("One\n\ntwo", "en", ["One\n\n", "two"]),
    ],
)
def test_sentences(text: str, language: str, sentences: list[str]) -> None:
    assert split_sentences(text, language) == sentences


@given(st.text(alphabet="aB .!?\n<>b/{}，。\"'1", max_size=60))
def test_joining_what_was_divided_gives_the_text(text: str) -> None:
    parts = read_codes(text).parts
    for divide in (whole, into_sentences("en"), into_sentences(None), divide_message):
        chunks = divide(parts)
        assert "".join(chunk.inline.text for chunk in chunks) == text


def test_a_sentence_does_not_end_inside_a_pair_of_tags() -> None:
    chunks = into_sentences("en")(read_codes("Press <b>Stop. Then go.</b> Wait. End.").parts)
    assert [chunk.inline.text for chunk in chunks if chunk.is_segment] == [
        "Press <b>Stop. Then go.</b>",
        "Wait.",
        "End.",
    ]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("{n, plural, =0 {none} one {# file} other {# files}}", ["none", "# file", "# files"]),
        ("{g, select, f {She has {n, plural, one {a dog} other {# dogs}}} other {They do}}",
         ["She has", "a dog", "# dogs", "They do"]),
        ("{n, plural, one {broken", ["{n, plural, one {broken"]),
        ("Plain {name}", ["Plain {name}"]),
    ],
)  # fmt: skip
def test_forms_of_a_message_are_segments(text: str, forms: list[str]) -> None:
    assert [chunk.inline.text for chunk in divide_message([text]) if chunk.is_segment] == forms


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("「はい。」と言った。", "ja"),
        ("Vive en EE. UU. desde 2010.", "es"),
        ("El presidente de los EE. UU. y la reina.", "es"),
    ],
)
def test_these_are_one_sentence(text: str, language: str) -> None:
    assert split_sentences(text, language) == [text]


def test_a_quotation_may_end_a_sentence_in_japanese() -> None:
    assert split_sentences("「はい。」次の文。", "ja") == ["「はい。」", "次の文。"]
