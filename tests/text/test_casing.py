"""Casing: forms at starts and inside, capitals throughout, scripts with and without case, and exact removal."""

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
from dragoman.text.casing import Casing
from dragoman.text.tokens import shape, split
from dragoman.text.vocabulary import Vocabulary
from tests.oracles.text_counts import form_at_start

pytestmark = pytest.mark.kernels

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"

WORDS = [
    "the",
    "The",
    "THE",
    "madrid",
    "Madrid",
    "MADRID",
    "iPhone",
    "IPhone",
    "I",
    "i",
    "mp3",
    "水",
    "Straße",
    "ı",
    "İ",
]
PIECES = [*WORDS, ".", ":", "!", "...", "(", '"', "3", "-", "<b>", "%s"]


@st.composite
def sentences(draw: st.DrawFn, pieces: list[str] = PIECES) -> Sentence:
    words = draw(st.lists(st.sampled_from(pieces), max_size=8))
    return Sentence(tuple(words), ("", *[" "] * len(words)), tuple(word in ("<b>", "%s") for word in words))


def learned(*texts: str) -> Casing:
    casing = Casing(Vocabulary())
    for text in texts:
        casing.add(split(text))
    return casing


def truecased(casing: Casing, text: str) -> str:
    return " ".join(casing.truecase(split(text)))


def recased(casing: Casing, text: str, like: str) -> str:
    sentence = split(text)
    return " ".join(casing.recase(sentence.words, split(like), sentence.placeable))


def returned(casing: Casing, sentence: Sentence) -> bool:
    words = casing.truecase(sentence)
    return tuple(casing.recase(words, like=sentence, placeable=sentence.placeable)) == sentence.words


# ── Truecasing ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_start_takes_the_form_that_is_usual_inside() -> None:
    casing = learned("We saw Madrid and the sea.", "Then I left The Hague by the sea.")
    assert truecased(casing, "Madrid is big") == "Madrid is big"
    assert truecased(casing, "The sea") == "the sea"
    assert truecased(casing, "I am") == "I am"
    assert truecased(casing, "Never seen before") == "never seen before"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Press it", "“ press it"),
        ("(Press it)", "( press it )"),
        ("- Press it", "- press it"),
        ("• Press it", "• press it"),
        ("3. Press it", "3 . press it"),
        ("a) Press it", "a ) press it"),
        ("<b>Press</b> it", "<b> press </b> it"),
        ("¿Cómo está?", "¿ cómo está ?"),
        ("Stop! Go. Wait… See: Here", "stop ! go . wait … see : here"),
        ("Փակեք։ Բացե՞ք", "փակեք ։ բացե՞ք"),
        ("Stop (Now) here", "stop ( Now ) here"),
        ("%s Files", "%s Files"),
    ],
)
def test_where_sentences_start(text: str, expected: str) -> None:
    assert truecased(Casing(Vocabulary()), text) == expected


@pytest.mark.parametrize("word", ["iOS", "camelCase", "USB", "mp3", "McDonald", "setup.py", "X11", "my_Name"])
def test_what_carries_meaning_is_never_changed(word: str) -> None:
    casing = learned("the words usb and ios and mcdonald")
    assert casing.truecase(split(f"{word} is it")) == (word, "is", "it")
    assert casing.recase([word, "it"], like=split("Is it")) == [word, "it"]


def test_a_sentence_in_capitals_is_lowered_to_the_usual_forms() -> None:
    casing = learned("my iPhone has a USB port in Madrid", "an iPhone in Madrid")
    assert truecased(casing, "THE IPHONE IN MADRID HAS MP3 AND USB") == "the iPhone in Madrid has MP3 and USB"
    assert truecased(casing, "USB") == "USB"


def test_of_two_mixed_forms_none_is_chosen() -> None:
    casing = learned("my iPhone and my IPhone")
    assert truecased(casing, "MY IPHONE") == "my iphone"


def test_an_abbreviation_ends_no_sentence() -> None:
    casing = learned(
        "We met Mr. Miller here.", "So Mr. Smith left.", "And Mr. Brown came.", "But he left. Then she came."
    )
    assert truecased(casing, "Now Mr. Jones left. Then he came.") == "now Mr . Jones left . then he came ."


# ── Recasing ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_start_follows_the_source() -> None:
    casing = Casing(Vocabulary())
    assert recased(casing, "la llave", like="The key") == "La llave"
    assert recased(casing, "la llave", like="the key") == "la llave"
    assert recased(casing, "¿ dónde está ?", like="Where is it?") == "¿ Dónde está ?"
    assert recased(casing, "<b> pulse </b>", like="<b>Press</b>") == "<b> Pulse </b>"
    assert recased(casing, "alto . siga", like="Stop. Go") == "Alto . Siga"
    assert recased(casing, "sea : no", like="So: no") == "Sea : no"


def test_a_number_or_placeholder_may_be_the_start() -> None:
    casing = Casing(Vocabulary())
    assert recased(casing, "3 archivos", like="Three files") == "3 archivos"
    assert recased(casing, "%s no existe", like="The file %s is missing") == "%s no existe"
    assert recased(casing, "3 . pulse", like="3. Press") == "3 . Pulse"


@pytest.mark.parametrize("like", ["你好世界", "مرحبا بالعالم", "გამარჯობა", "iPhone だ", ""])
def test_a_source_without_case_leaves_it_to_habit(like: str) -> None:
    assert recased(Casing(Vocabulary()), "hello", like=like) == "Hello"
    assert recased(learned("Hello.", "Good day."), "hello", like=like) == "Hello"
    assert recased(learned("hello", "good day", "Yes"), "hello", like=like) == "hello"


def test_habits_after_marks_are_learned() -> None:
    casing = learned(*["Note: The end.", "See: The door."] * 2, "Es etc. y más.", "El etc. y otros.", *["Sí. No."] * 3)
    assert recased(casing, "so : it is", like="这样") == "So : It is"
    assert recased(casing, "el etc . pero . no", like="这样") == "El etc . pero . No"


def test_capitals_are_imitated_and_titles_are_not() -> None:
    casing = Casing(Vocabulary())
    assert recased(casing, "no abrir 5 mL de iPhone %s", like="DO NOT OPEN") == "NO ABRIR 5 mL DE IPHONE %s"
    assert recased(casing, "cómo se abre", like="How To Open It") == "Cómo se abre"
    assert recased(casing, "el puerto", like="USB") == "El puerto"


def test_a_name_first_seen_at_a_start_is_mended_later() -> None:
    casing = learned("Madrid is far.")
    assert truecased(casing, "Madrid is far.") == "madrid is far ."
    assert recased(casing, "to madrid", like="a Madrid") == "to madrid"
    casing.add(split("It is in Madrid."))
    assert recased(casing, "to madrid", like="a Madrid") == "to Madrid"


# ── Scripts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("lower", "capital", "upper"),
    [
        ("straße", "Straße", "straße"),  # STRASSE could not be undone
        ("ǆep", "ǅep", "ǄEP"),
        ("οδός", "Οδός", "ΟΔΌΣ"),
        ("e\u0301tude", "E\u0301tude", "E\u0301TUDE"),
        ("ﬁn", "ﬁn", "ﬁn"),
        ("ŉ", "ŉ", "ŉ"),
        ("水", "水", "水"),
        ("мир", "Мир", "МИР"),
        ("'tis", "'Tis", "'TIS"),
        ("ısı", "ısı", "ısı"),  # without evidence of a dotless i, nothing is known about it
    ],
)
def test_letters_of_all_kinds(lower: str, capital: str, upper: str) -> None:
    casing = Casing(Vocabulary())
    assert casing.recase([lower], like=split("Yes")) == [capital]
    assert casing.recase([lower], like=split("YES SIR")) == [upper]
    assert casing.truecase(Sentence((capital, "x"), ("", " ", ""), (False, False))) == (lower, "x")


def test_a_dotless_i_is_learned_not_assumed() -> None:
    turkish = learned("Isı için ışık ve kırmızı İstanbul", "Bu İzmir kapısı açık değil")
    assert turkish.recase(["için"], like=split("For")) == ["İçin"]
    assert turkish.recase(["ışık", "için"], like=split("FOR LIGHT")) == ["IŞIK", "İÇİN"]
    assert truecased(turkish, "Işık için") == "ışık için"
    english = learned("It is in İstanbul, in this city which is big, and it is fine.", "This is it, I think, as it is.")
    assert english.recase(["is"], like=split("Sí")) == ["Is"]
    assert truecased(english, "İstanbul is big") == "İstanbul is big"


def test_georgian_sentences_start_without_capitals() -> None:
    casing = Casing(Vocabulary())
    assert casing.recase(["გამარჯობა"], like=split("Hello")) == ["გამარჯობა"]


# ── Properties ───────────────────────────────────────────────────────────────────────────────────────────────────────


def folded(words: tuple[str, ...]) -> list[str]:
    return [word.replace("İ", "i").replace("ı", "i").casefold() for word in words]


@given(st.lists(sentences(), max_size=4), st.text(max_size=30).filter(lambda text: text.isprintable()), sentences())
@settings(deadline=None, max_examples=80)
def test_nothing_but_case_ever_changes(examples: list[Sentence], text: str, like: Sentence) -> None:
    casing = Casing(Vocabulary())
    for example in examples:
        casing.add(example)
    for sentence in (split(text), like):
        assert folded(casing.truecase(sentence)) == folded(sentence.words)
        again = casing.recase(casing.truecase(sentence), like=like, placeable=sentence.placeable)
        assert folded(tuple(again)) == folded(sentence.words)
        fixed = [i for i, placeable in enumerate(sentence.placeable) if placeable or shape(sentence.words[i]) > 5]
        assert all(again[i] == sentence.words[i] for i in fixed)


@given(st.lists(sentences(["the", "The", "madrid", "Madrid", "sea", "Sea", ".", "x"]), max_size=6))
@settings(deadline=None, max_examples=50)
def test_starts_against_a_slow_and_obvious_version(examples: list[Sentence]) -> None:
    casing = Casing(Vocabulary())
    for example in examples:
        casing.add(example)
    for word in ("The", "Madrid", "Sea"):
        assert casing.truecase(split(f"{word} is"))[0] == form_at_start(examples, word)


@given(st.lists(sentences(), max_size=4), st.lists(sentences(), max_size=4))
@settings(deadline=None, max_examples=40)
def test_adding_then_removing_restores_the_counts(kept: list[Sentence], passing: list[Sentence]) -> None:
    words = Vocabulary()
    words.ids(PIECES, add=True)
    casing, untouched = Casing(words), Casing(words)
    for sentence in kept:
        casing.add(sentence)
        untouched.add(sentence)
    for sentence in passing:
        casing.add(sentence)
    for sentence in passing:
        casing.remove(sentence)
    same(casing, untouched)


@given(st.lists(sentences(), max_size=4), st.lists(sentences(), max_size=4), sentences(), sentences())
@settings(deadline=None, max_examples=40)
def test_a_layer_reads_like_one_model(
    below: list[Sentence], above: list[Sentence], new: Sentence, like: Sentence
) -> None:
    words = Vocabulary()
    base, whole = Casing(words), Casing(Vocabulary())
    for sentence in below:
        base.add(sentence)
    layer = Casing(Vocabulary(words), base)
    for sentence in above:
        layer.add(sentence)
    for sentence in [*below, *above]:
        whole.add(sentence)
    assert layer.truecase(new) == whole.truecase(new)
    assert layer.recase(new.words, like, new.placeable) == whole.recase(new.words, like, new.placeable)


def test_saved_and_opened_again(tmp_path: Path) -> None:
    casing = learned("We saw Madrid and my iPhone.", "Yes. No.")
    write_arrays(tmp_path, casing.arrays(), {})
    opened = Casing.from_arrays(open_arrays(tmp_path)[0], casing.vocabulary)
    same(opened, casing)
    assert truecased(opened, "Madrid is") == "Madrid is"
    layer = Casing.from_arrays(Casing(casing.vocabulary).arrays(), casing.vocabulary, base=opened)
    assert truecased(layer, "MADRID IPHONE") == "Madrid iPhone"


@pytest.mark.skipif(not CORPORA.is_dir(), reason="needs ../shared/corpora")
@pytest.mark.parametrize(
    ("name", "language"), [("desktop-en-es", "es"), ("europarl-en-es", "en"), ("pydocs-en-es", "es")]
)
def test_lines_of_real_text_come_back_as_they_were(name: str, language: str) -> None:
    with gzip.open(CORPORA / name / f"train.{language}.gz", "rt", encoding="utf-8") as file:
        text = [split(line.rstrip("\n")) for line in islice(file, 1500)]
    casing = Casing(Vocabulary())
    for sentence in text[:1000]:
        casing.add(sentence)
    assert np.mean([returned(casing, sentence) for sentence in text[:1000]]) > 0.999
    assert np.mean([returned(casing, sentence) for sentence in text[1000:]]) > 0.98


def same(one: Casing, other: Casing) -> None:
    for name in ("forms", "mixed", "habits"):
        ours, theirs = getattr(one, name).contents(), getattr(other, name).contents()
        assert all(np.array_equal(ours[column], theirs[column]) for column in theirs)
