"""Spacing: rules before any learning, what learning changes, and the group property of its counts."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.files import open_arrays, write_arrays
from dragoman.records import Sentence
from dragoman.text.spacing import GAPS, Spacing
from dragoman.text.tokens import split
from dragoman.text.vocabulary import Vocabulary
from tests.oracles import text_counts as oracle

pytestmark = pytest.mark.kernels

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"

TOKENS = [
    "a",
    "press",
    "Madrid",
    "42",
    "l'",
    "'s",
    "水",
    "(",
    ")",
    ",",
    "!",
    '"',
    "'",
    "*",
    "-",
    "“",
    "”",
    "»",
    "%",
    "¤",
    "x",
]
PLACEABLES = ["<b>", "</b>", ":kbd:", "`Esc`", "%s", "https://example.org/long"]


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    """Sentences with every kind of gap."""
    tokens = draw(st.lists(st.sampled_from([*TOKENS, *PLACEABLES]), max_size=8))
    gaps = draw(st.lists(st.sampled_from([*GAPS, "", " ", " \n"]), min_size=len(tokens) + 1, max_size=len(tokens) + 1))
    return Sentence(tuple(tokens), tuple(gaps), tuple(token in PLACEABLES for token in tokens))


def spaced(spacing: Spacing, text: str) -> str:
    """The text as it is after all its spaces have been forgotten and predicted."""
    sentence = split(text)
    return spacing.space(sentence.words, sentence.placeable).text


def learned(*texts: str) -> Spacing:
    spacing = Spacing(Vocabulary())
    for text in texts:
        spacing.add(split(text))
    return spacing


@pytest.mark.parametrize(
    "text",
    [
        "Press (and hold) the [green] button, then {wait}: 5; 6!",
        "¿Qué tal? ¡Muy bien!",
        'He said: "Stop!" and "go".',
        '"Yes", she said.',
        "It isn't John's 'own' book; the guests' rooms",
        "l'homme d'aujourd'hui, «Bonjour» et “merci”, l’eau",
        "Er sagte: „Guten Tag“ und ‚ja‘ sowie »nein«.",
        "Hän sanoi: ”kyllä” ja ”ei”.",
        "Он сказал: «Да» — и ушёл.",
        "قال: «مرحبا»، ثم ذهب؟",
        "他说：“你好，世界。”（第3页）使用USB。",
        "日本語「テスト」です。10:30～12:00",
        "ภาษาไทย",
        "안녕하세요, 세계!",
        "ڈھکن بند کریں۔ سبز بٹن دبائیں؟",
        "डॉ॰ किं दीपः? न लब्धा॥",
        "ማሽኑን ያብሩ፣ ከዚያም «ጀምር» ይጫኑ።",
        "Լամպը միացվա՞ծ է։ Զգուշացում՝ «Սկսել»։",
        "ר׳ משה: ״התחל״ או ״צה״ל״.",
        "בית־ספר ב־15.3.2024, ב-2024 וב-USB.",
        "កំណែ«ចាប់»។",
        "ཁ་གཅོད་རྒྱོབ།",
        "٥٪ من العدد",
        "Press <b>OK</b> now, <i>not</i> later.",
        "See :ref:`install` and ``pip``; use *args* or **bold** [1]_.",
        "See the `title <https://example.org>`_ here.",
        "It costs $5 or 5 €, i.e. 50% at 20°C.",
        "-5 degrees, #3, and/or yes/no, @user",
        "A – B, not A - B — or what?!",
        "Wait... what? Is it? (Yes.) “Is it ‘fine’?” he asked.",
        "%s of {0} (see %d)\\n",
        "x = 5 + 3 & more",
    ],
)
def test_rules_before_any_learning(text: str) -> None:
    assert spaced(Spacing(Vocabulary()), text) == text


@pytest.mark.parametrize("gap", ["\u00a0", "\u202f", " "])
def test_french_spaces_are_learned_with_their_kind(gap: str) -> None:
    spacing = learned(*(f"Voici{gap}: «{gap}{word}{gap}» est prêt{gap}!" for word in ("un", "deux", "trois")))
    assert spaced(spacing, "Attention: «encore» fini!") == f"Attention{gap}: «{gap}encore{gap}» fini{gap}!"
    assert spaced(spacing, "Oui, bien.") == "Oui, bien."


def test_what_is_particular_to_a_word_does_not_change_the_rest() -> None:
    spacing = learned(*["Alt+Click", "Ctrl+Click", "Shift+Click"] * 3, "x = y", "a = b", "c = d")
    assert spaced(spacing, "Press Meta + Click") == "Press Meta+Click"
    assert spaced(spacing, "n = m") == "n = m"


def test_one_oddity_does_not_overrule_a_rule() -> None:
    assert spaced(learned("What ?"), "Why?") == "Why?"


def test_quotes_keep_their_roles_apart() -> None:
    spacing = learned(*('Il dit " oui " et part' for _ in range(3)))
    assert spaced(spacing, 'Elle "non" crie') == 'Elle " non " crie'
    spacing = learned(*('Il dit "oui" et part' for _ in range(3)))
    assert spaced(spacing, 'Elle " non " crie " si "') == 'Elle "non" crie "si"'


def test_an_apostrophe_is_not_taken_for_a_quotation_mark_where_it_has_been_seen() -> None:
    spacing = learned(*["the users' guide", "our users' data", "all users' rights"] * 2)
    assert spaced(spacing, "The users' list is 'long' indeed") == "The users' list is 'long' indeed"


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("&File...", "&File..."),
        ("Save &As", "Guardar &como"),
        ("AT&T", "AT&T"),
        ("At AT&T", "En A&T"),
        ("C++/CLI and C#", "C++/CLI y C#"),
        ("+3 or 5 + 2", "+3 o 5 + 2"),
        ("{a}{b}{c} water {d}", "{a}{b}{c} agua {d}"),
        ("Close the lid.<br/>Open it.", "Cierre la tapa.<br/>Ábrala."),
        ("Call f(x) (twice)", "Llame f(x) (dos veces)"),
        ("%s:%d", "%s:%d"),
    ],
)
def test_what_is_copied_is_spaced_as_in_the_source(source: str, translation: str) -> None:
    sentence = split(translation)
    for spacing in (Spacing(Vocabulary()), learned(*["Uno & dos", "más + menos", "C %s {a} {b}, uno"] * 4)):
        assert spacing.space(sentence.words, sentence.placeable, like=split(source)).text == translation


def test_punctuation_is_spaced_as_the_language_has_it_even_if_copied() -> None:
    spacing = learned("Vite !", "Bien !", "Oui, 5 %", "Non, 7 %")
    words = ["Attention", "!", "5", "%"]
    assert spacing.space(words, [False] * 4, like=split("Attention! 5%")).text == "Attention ! 5 %"


def test_where_nothing_is_copied_the_source_changes_nothing() -> None:
    words = ["Black", "y", "Decker", "=", "B", "+", "D"]
    alone = Spacing(Vocabulary()).space(words, [False] * 7)
    assert Spacing(Vocabulary()).space(words, [False] * 7, like=split("A&T, {a}{b}")) == alone
    assert Spacing(Vocabulary()).space(words, [False] * 7, like=split("+1 + 2 = 3")) == alone


def test_nothing_and_little() -> None:
    spacing = Spacing(Vocabulary())
    spacing.add(split(""))
    spacing.add(split("one"))
    assert spacing.space((), ()) == Sentence((), ("",), ())
    assert spacing.space(["one"], [False]) == Sentence(("one",), ("", ""), (False,))
    assert len(spacing.table) == 0


def test_the_result_is_a_sentence_of_the_same_tokens() -> None:
    sentence = split("Open <b>%s</b>, please")
    assert Spacing(Vocabulary()).space(list(sentence.words), list(sentence.placeable)) == sentence


@given(st.lists(sentences(), max_size=5), sentences())
@settings(deadline=None, max_examples=60)
def test_against_a_slow_and_obvious_version(examples: list[Sentence], sentence: Sentence) -> None:
    spacing = Spacing(Vocabulary())
    for example in examples:
        spacing.add(example)
    expected = oracle.space(examples, sentence.words, sentence.placeable)
    assert list(spacing.space(sentence.words, sentence.placeable).gaps[1:-1]) == expected


@given(st.lists(sentences(), max_size=4), st.lists(sentences(), max_size=4))
@settings(deadline=None, max_examples=40)
def test_adding_then_removing_restores_the_counts(kept: list[Sentence], passing: list[Sentence]) -> None:
    words = Vocabulary()
    words.ids([*TOKENS, *PLACEABLES], add=True)
    spacing, untouched = Spacing(words), Spacing(words)
    for sentence in [*passing, *kept]:
        spacing.add(sentence)
    for sentence in passing:
        spacing.remove(sentence)
    for sentence in kept:
        untouched.add(sentence)
    same(spacing, untouched)


@given(st.lists(sentences(), max_size=4), st.lists(sentences(), max_size=4), sentences())
@settings(deadline=None, max_examples=40)
def test_a_layer_over_a_base_reads_like_one_model(below: list[Sentence], above: list[Sentence], new: Sentence) -> None:
    words = Vocabulary()
    base, whole = Spacing(words), Spacing(Vocabulary())
    for sentence in below:
        base.add(sentence)
    layer = Spacing(Vocabulary(words), base)
    for sentence in above:
        layer.add(sentence)
    for sentence in [*below, *above]:
        whole.add(sentence)
    assert layer.space(new.words, new.placeable) == whole.space(new.words, new.placeable)
    for sentence in below:
        layer.remove(sentence)
    only = Spacing(Vocabulary())
    for sentence in above:
        only.add(sentence)
    assert layer.space(new.words, new.placeable) == only.space(new.words, new.placeable)


def test_saved_and_opened_again(tmp_path: Path) -> None:
    spacing = learned("Vite !", "Bien !", "Oui (non) !")
    write_arrays(tmp_path, spacing.arrays(), {})
    opened = Spacing.from_arrays(open_arrays(tmp_path)[0], spacing.vocabulary)
    same(opened, spacing)
    assert spaced(opened, "Alors!") == "Alors !"
    layer = Spacing.from_arrays(Spacing(spacing.vocabulary).arrays(), spacing.vocabulary, base=opened)
    assert spaced(layer, "Alors!") == "Alors !"
    opened.add(split("Une autre phrase, plus longue, pour faire croître la table !"))


def test_a_very_long_line() -> None:
    words = ["word", ",", '"', "(", ")"] * 2000
    assert len(Spacing(Vocabulary()).space(words, [False] * len(words))) == len(words)


@pytest.mark.skipif(not CORPORA.is_dir(), reason="needs ../shared/corpora")
@pytest.mark.parametrize(("name", "language"), [("europarl-en-fr", "fr"), ("europarl-en-es", "es")])
def test_most_lines_of_real_text_come_out_as_they_were(name: str, language: str) -> None:
    def sentences_of(part: str, n: int) -> list[Sentence]:
        with gzip.open(CORPORA / name / f"{part}.{language}.gz", "rt", encoding="utf-8") as file:
            return [split(line.rstrip("\n")) for line in islice(file, n)]

    spacing = Spacing(Vocabulary())
    for sentence in sentences_of("train", 2000):
        spacing.add(sentence)
    results = [(s, spacing.space(s.words, s.placeable)) for s in sentences_of("test", 300)]
    right = [a == b for s, out in results for a, b in zip(s.gaps[1:-1], out.gaps[1:-1], strict=True)]
    assert np.mean(right) > 0.995
    assert np.mean([s.text == out.text for s, out in results]) > 0.9


def same(one: Spacing, other: Spacing) -> None:
    ours, theirs = one.table.contents(), other.table.contents()
    assert all(np.array_equal(ours[name], theirs[name]) for name in theirs)
