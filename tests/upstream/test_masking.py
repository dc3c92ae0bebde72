"""What must survive an engine survives whatever it does to the marks, or the answer is not taken."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.tokens import split
from dragoman.upstream.attempts import attempt
from dragoman.upstream.checks import missing
from dragoman.upstream.contract import NO_HINTS, Answer, Hints, Silence, TermPlace
from dragoman.upstream.masking import Masked, mask, restore

FIXED = [
    "<b>",
    "</b>",
    "<br/>",
    "{name}",
    "%s",
    "%(count)d",
    "``code``",
    "https://x.org/a_(b)",
    "$HOME/bin",
    ":ref:`x`",
]
PARTS = st.one_of(
    st.sampled_from(FIXED), st.sampled_from(["open", "the", "file", "12", "X1X", "7341", "a&b", "<", "…"])
)
TEXTS = st.lists(st.tuples(PARTS, st.sampled_from(["", " ", "  "])), min_size=1, max_size=8).map(
    lambda parts: "".join(part + gap for part, gap in parts)
)
MARKINGS = st.sampled_from(["words", "numbers", "tags"])
MARK = re.compile(r'<x id="\d+"/>|\b[A-Z]+\d+[A-Z]\b|\b\d{4}\b')


@given(TEXTS, MARKINGS)
def test_masking_then_restoring_an_answer_that_keeps_all_is_the_identity(text: str, marking: str) -> None:
    masked = mask(text, marking)
    assert masked is None or restore(masked, masked.text) == text


@given(TEXTS, MARKINGS)
def test_nothing_that_is_masked_reaches_the_engine(text: str, marking: str) -> None:
    masked = mask(text, marking)
    sentence = split(text)
    fixed = [word for word, kept in zip(sentence.words, sentence.placeable, strict=True) if kept]
    if masked is None:
        assert not fixed
    else:
        assert "".join(mark.value for mark in masked.marks) == "".join(fixed)


MANGLERS: dict[str, Callable[[str, re.Pattern[str]], str]] = {
    "drops": lambda text, mark: mark.sub("", text, count=1),
    "doubles": lambda text, mark: mark.sub(lambda found: f"{found[0]} {found[0]}", text, count=1),
    "renumbers": lambda text, mark: mark.sub(lambda found: re.sub(r"\d+", "99", found[0]), text, count=1),
}


@pytest.mark.parametrize("how", MANGLERS)
@given(text=TEXTS, marking=MARKINGS)
def test_an_answer_with_a_mark_lost_doubled_or_invented_is_not_restored(how: str, text: str, marking: str) -> None:
    masked = mask(text, marking)
    if masked:
        first = re.compile(
            re.escape(f'<x id="{masked.marks[0].written}"/>' if marking == "tags" else masked.marks[0].written)
        )
        assert restore(masked, MANGLERS[how](masked.text, first)) is None


@pytest.mark.parametrize(
    ("marking", "said"),
    [
        ("words", "Pulse x1x para X 2 X."),
        ("words", "Pulse X 1X para x2x."),
        ("numbers", "Pulse 7.341 para 7,454."),
        ("numbers", "Pulse 7341 para 7 454."),
        ("tags", "Pulse < x id = '1' / > para <X ID=“2”></x>."),
    ],
)
def test_marks_that_are_spaced_out_or_in_other_letters_are_recognised(marking: str, said: str) -> None:
    masked = mask("Press {key} for {name}.", marking)
    assert masked
    assert restore(masked, said) == "Pulse {key} para {name}."


def test_marks_may_change_places() -> None:
    masked = mask("{count} files in {folder}", "words")
    assert masked
    assert restore(masked, "X2X tiene X1X archivos") == "{folder} tiene {count} archivos"


def test_a_piece_of_a_mark_that_is_left_is_noticed() -> None:
    masked = mask("Open {a} now.", "words")
    assert masked is not None
    assert restore(masked, "Abra X1X y X2 ahora.") is None
    assert restore(masked, "Abra X1X ahora, Tex2.") == "Abra {a} ahora, Tex2."


def test_spaces_that_were_put_around_a_mark_are_taken_away_again() -> None:
    masked = mask("the<b>green</b>button", "words")
    assert masked
    assert masked.text == "the X1X green X2X button"
    assert restore(masked, "el botón X1X verde X2X .") == "el botón<b>verde</b>."


def test_a_text_that_looks_like_marks_is_given_others() -> None:
    masked = mask("X1X and Z2Z for {name}", "words")
    assert masked
    assert masked.marks[0].written == "Q1Q"
    numbers = mask("7341 for {name}", "numbers")
    assert numbers
    assert numbers.marks[0].written == "7454"


def test_xml_sees_no_other_markup_than_marks() -> None:
    masked = mask("a < b & c for {name}", "tags")
    assert masked
    assert masked.text == 'a &lt; b &amp; c for <x id="1"/>'
    assert restore(masked, 'para <x id="1"/>: a &lt; b &amp; c') == "para {name}: a < b & c"


def test_a_term_is_replaced_by_its_translation_and_wins_over_what_is_in_it() -> None:
    text = "Press the {x} button now."
    masked = mask(text, "words", [TermPlace(10, 20, "botón {x}")])
    assert masked
    assert masked.text == "Press the X1X now."
    assert restore(masked, "Pulse ahora el X1X.") == "Pulse ahora el botón {x}."


def test_too_many_marks_are_not_tried() -> None:
    assert mask(" ".join(["{a}"] * 50), "words") is None


# ── Attempts ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Say = Callable[[str], str]
MARKED_WORD = re.compile(r"\b[A-Z]\d+[A-Z]\b")


def ask(
    say: Say, text: str, hints: Hints = NO_HINTS, markings: tuple[str, ...] = ("words", "numbers")
) -> tuple[Answer | Silence, list[str]]:
    sent: list[str] = []

    def call(texts: object, _: object, __: bool) -> list[Answer | Silence]:
        assert isinstance(texts, list)
        sent.extend(texts)
        return [Answer(say(each)) for each in texts]

    return attempt(call, markings, [text], [hints], "es")[0], sent


def text_of(outcome: Answer | Silence) -> str:
    assert isinstance(outcome, Answer)
    assert outcome.flaw is None
    return outcome.text


def test_a_text_with_nothing_to_mask_is_asked_once_as_it_is() -> None:
    outcome, sent = ask(lambda _: "Abra el archivo.", "Open the file.")
    assert (text_of(outcome), sent) == ("Abra el archivo.", ["Open the file."])


def test_marks_that_an_engine_mangles_are_written_another_way() -> None:
    outcome, sent = ask(lambda text: MARKED_WORD.sub("XX", text).replace("Open", "Abra"), "Open {name}.")
    assert text_of(outcome) == "Abra {name}."
    assert sent == ["Open X1X.", "Open 7341."]


def test_an_engine_that_mangles_every_mark_is_asked_plainly() -> None:
    outcome, sent = ask(lambda text: re.sub(r"[A-Z]\d[A-Z]|\d+", "", text).replace("Open", "Abra"), "Open {name}.")
    assert (text_of(outcome), sent[-1]) == ("Abra {name}.", "Open {name}.")


def test_pairs_are_taken_out_and_put_around_the_words_that_they_belong_to() -> None:
    outcome, sent = ask(lambda _: "Abra el archivo rojo.", "Open the <b>red file</b>.")
    assert (text_of(outcome), sent[0]) == ("Abra el <b>archivo rojo</b>.", "Open the red file.")


def test_numbered_pairs_are_put_around_words_too() -> None:
    outcome, sent = ask(lambda _: "Abra el archivo rojo.", "Open the <0>red file</0>.")
    assert (text_of(outcome), sent[0]) == ("Abra el <0>archivo rojo</0>.", "Open the red file.")


def test_an_engine_that_loses_every_mark_is_asked_without_what_they_stand_for() -> None:
    say = lambda text: "Abra en la página." if "{" not in text else "Abra."  # noqa: E731
    outcome, sent = ask(say, "Open {name} on the page.")
    assert (text_of(outcome), sent[-1]) == ("Abra {name} en la página.", "Open on the page.")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('DELETE "{name}" NOW?', 'ELIMINAR "{name}" AHORA?'),
        ("DELETE (“%s”) NOW?", "ELIMINAR (“%s”) AHORA?"),
        ("DELETE [{a}] '{b}' NOW?", "ELIMINAR [{a}] '{b}' AHORA?"),
    ],
)
def test_quotes_do_not_move_away_from_a_placeholder_that_is_put_back(text: str, answer: str) -> None:
    words = {"DELETE": "ELIMINAR", "NOW": "AHORA"}

    def say(asked: str) -> str:
        return "?" if re.search(r"\d|[{%`]", asked) else re.sub(r"\w+", lambda word: words[word[0]], asked)

    outcome, _ = ask(say, text)
    assert text_of(outcome) == answer


@given(TEXTS, st.sampled_from(["words", "numbers"]))
def test_whatever_an_engine_says_there_is_an_answer_with_all_tags_or_one_that_is_flawed(text: str, way: str) -> None:
    outcome, _ = ask(lambda _: "X1X de la X7X 7341 caja.", text, markings=(way,))
    if isinstance(outcome, Answer) and outcome.flaw is None:
        assert not missing(text, outcome.text).slots


def test_a_lost_number_is_masked_the_next_time() -> None:
    outcome, sent = ask(lambda text: re.sub(r"\b42\b", "cuarenta", text).replace("page", "página"), "page 42")
    assert (text_of(outcome), sent) == ("página 42", ["page 42", "page 7341"])


def test_a_number_that_stays_lost_is_no_reason_to_drop_an_answer() -> None:
    outcome, _ = ask(lambda text: re.sub(r"\d+", "muchas", text).replace("pages", "páginas"), "42 pages")
    assert text_of(outcome) == "muchas páginas"


def test_numbers_written_in_another_way_are_the_same() -> None:
    assert missing("It costs 1,234.50 on 3 days.", "Cuesta 1.234,50 en tres días.") == ([], [])


def test_a_term_of_the_glossary_is_in_the_answer() -> None:
    hints = Hints((TermPlace(10, 22, "botón verde"),))
    outcome, sent = ask(lambda text: text.replace("Press the", "Pulse el"), "Press the green button.", hints)
    assert (text_of(outcome), sent) == ("Pulse el botón verde.", ["Press the X1X."])


def test_tags_that_come_back_in_the_wrong_order_are_lost() -> None:
    assert missing("<b>a</b> <i>b</i>", "<b>a</b> <i>b</i>").slots == []
    assert missing("<b>a</b> x", "</b>a<b> x").slots == ["</b>", "<b>"]


MANGLED = st.sampled_from(["drop", "double", "swap", "space", "lower", "keep"])


@given(TEXTS, st.lists(MANGLED, min_size=1, max_size=4))
def test_whatever_an_engine_does_to_marks_an_answer_that_is_taken_has_all_slots(text: str, how: list[str]) -> None:
    state = iter(how * 1000)

    def mangle(found: re.Match[str]) -> str:
        return {
            "drop": "", "double": found[0] * 2, "swap": found[0][::-1], "space": " ".join(found[0]),
            "lower": found[0].lower(), "keep": found[0],
        }[next(state)]  # fmt: skip

    for markings in (("words", "numbers"), ("tags",), ()):
        outcome, _ = ask(lambda said: MARK.sub(mangle, said), text, markings=markings)
        if isinstance(outcome, Answer) and outcome.flaw is None:
            assert missing(text, outcome.text).slots == []


def test_entities_in_a_plain_answer_are_left_alone() -> None:
    outcome, _ = ask(lambda text: text.replace("and", "y"), f"this {escape('&')} and that")
    assert text_of(outcome) == "this &amp; y that"


def test_an_nbest_list_is_restored_entry_by_entry_and_broken_ones_are_left_out() -> None:
    from dragoman.upstream.contract import Scored

    answer = Answer("Abra X1X.", (Scored("Abra X1X.", -1.0), Scored("Abre.", -2.0), Scored("Abrir x1x.", -3.0)))
    outcome = attempt(lambda *_: [answer], ("words",), ["Open {name}."], [NO_HINTS], "es")[0]
    assert isinstance(outcome, Answer)
    assert outcome.nbest == (Scored("Abra {name}.", -1.0), Scored("Abrir {name}.", -3.0))


def test_a_masked_text_has_no_more_than_one_mark_for_neighbours() -> None:
    masked: Masked | None = mask("See :func:`open`{x} now", "words")
    assert masked
    assert [mark.value for mark in masked.marks] == [":func:`open`{x}"]
