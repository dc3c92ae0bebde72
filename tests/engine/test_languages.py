"""Languages and scripts: what was learned comes back as it was written, and what is like it is found."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from dragoman.engine import Engine

pytestmark = pytest.mark.kernels

ENGLISH = [
    "Clean the filter.",
    "Remove the filter.",
    "Clean the coffee machine.",
    "The filter is dirty.",
    "Wait 5 minutes.",
]
WRITTEN = {
    "ja": [
        "フィルターを掃除してください。",
        "フィルターを取り外してください。",
        "コーヒーメーカーを掃除してください。",
        "フィルターが汚れています。",
        "5分お待ちください。",
    ],
    "zh-Hant": ["請清潔濾網。", "請取下濾網。", "請清潔咖啡機。", "濾網髒了。", "請等待５分鐘。"],
    "ko": [
        "필터를 청소하세요.",
        "필터를 제거하세요.",
        "커피 머신을 청소하세요.",
        "필터가 더럽습니다.",
        "5분 동안 기다리세요.",
    ],
    "am": ["ማጣሪያውን ያጽዱ።", "ማጣሪያውን ያውጡ።", "የቡና ማሽኑን ያጽዱ።", "ማጣሪያው ቆሻሻ ነው።", "5 ደቂቃ ይጠብቁ።"],
    "fa": [
        "صافی را تمیز کنید.",
        "صافی را بردارید.",
        "قهوه\u200cساز را تمیز کنید.",
        "صافی کثیف است.",
        "۵ دقیقه صبر کنید.",
    ],
}


def made(path: Path, source: str, target: str, *pairs: tuple[str, str]) -> Engine:
    engine = Engine.create(path, source=source, target=target)
    for pair in pairs:
        engine.learn(*pair)
    return engine


@pytest.mark.parametrize("language", ["ja", "zh-Hant", "fa"])
def test_the_models_write_what_they_have_learned(tmp_path: Path, language: str) -> None:
    pairs = list(zip(ENGLISH, WRITTEN[language], strict=True))
    with made(tmp_path / "p", "en", language, *pairs) as engine:
        assert [engine.translate(source, memory=False).text for source, _ in pairs] == WRITTEN[language]


@pytest.mark.parametrize("language", WRITTEN)
def test_what_is_typed_stays_and_is_completed_wherever_it_ends(tmp_path: Path, language: str) -> None:
    source, target = ENGLISH[0], WRITTEN[language][0]
    with made(tmp_path / "p", "en", language, (source, target)) as engine:
        session = engine.interact(source, memory=False)
        assert {session.suggest(target[:size]).text for size in range(len(target) + 1)} == {target}


@pytest.mark.parametrize(
    "source", ["Đèn có sáng không?", "램프가 켜져 있습니까?", "Ṣé iná náà wà ní títàn?", "বোতামটি কি \u09dc?"]
)
def test_accents_written_apart_make_no_other_source(tmp_path: Path, source: str) -> None:
    apart = unicodedata.normalize("NFD", source)
    with made(tmp_path / "p", "vi", "en", (source, "Is the lamp on?")) as engine:
        found = engine.translate(apart)
        assert (found.text, found.memory) == ("Is the lamp on?", 1)
        engine.forget(1)
        engine.learn(apart, "Is it on?")
        assert engine.translate(source).text == "Is it on?"
        if unicodedata.is_normalized("NFC", source):  # to the models, letters that Unicode takes apart are two
            assert engine.translate(source, memory=False).text == "Is it on?"
        engine.set_term(source.split()[1], "TERM")
        assert "TERM" in engine.translate(apart, memory=False).text


def test_accents_written_apart_are_put_together_in_what_is_learned(tmp_path: Path) -> None:
    source, target = "The lamp is on.", "Đèn đang sáng."
    apart = unicodedata.normalize("NFD", target)
    with made(tmp_path / "p", "en", "vi") as engine:
        number = engine.learn(source, apart)
        assert engine.translate(source).text == apart  # the memory has what was typed
        assert engine.translate(source, memory=False).text == target
        with engine.interact(source, memory=False) as session:
            for size in range(len(apart) + 1):
                if not unicodedata.combining(apart[size : size + 1] or "."):
                    assert unicodedata.normalize("NFC", session.suggest(apart[:size]).text) == target
        engine.forget(number)
        assert engine.statistics()["phrase pairs"] == 0
        assert engine.translate("{café\u0301} é\u0301 x").text == "{café\u0301} é\u0301 x"


def test_a_noun_of_the_glossary_is_found_where_a_sentence_starts(tmp_path: Path) -> None:
    with made(tmp_path / "p", "de", "en") as engine:
        engine.glossary = {"Kaffeemaschine": "coffee maker", "Polnisch": "Polish"}
        texts = ["Kaffeemaschine!", "Aus. Kaffeemaschine", "die Kaffeemaschine", "so polnisch"]
        found = [engine.translate(text).text for text in texts]
        assert found == ["Coffee maker!", "Aus. Coffee maker", "die coffee maker", "so polnisch"]


def test_letters_that_unicode_takes_apart_are_completed_as_they_are_written(tmp_path: Path) -> None:
    target = (
        "\u09aa\u09be\u0993\u09df\u09be \u09ac\u09cb\u09a4\u09be\u09ae\u0964"  # য় in one character, which NFC has not
    )
    with made(tmp_path / "p", "en", "bn", ("The button was found.", target)) as engine:
        session = engine.interact("The button was found.", memory=False)
        assert {session.suggest(target[:size]).text for size in range(len(target) + 1)} == {target}


def test_greek_capitals_are_completed_in_capitals_to_the_last_sigma(tmp_path: Path) -> None:
    with made(tmp_path / "p", "en", "el", ("the reason", "ο λόγος")) as engine:
        assert engine.interact("the reason", memory=False).suggest("Ο ΛΌΓ").suffix == "ΟΣ"


def test_marks_that_do_not_show_are_no_spaces(tmp_path: Path) -> None:
    target = "ចុច\u200bប៊ូតុង\u200f! (USB\u200e)."
    with made(tmp_path / "p", "en", "km", ("Press (USB).", target)) as engine:
        assert engine.translate("Press (USB).").text == target
        assert engine.translate("Press (USB).", memory=False).text == "ចុចប៊ូតុង! (USB)."
        assert engine.interact("Press (USB).", memory=False).suggest("ចុចប៊ូតុង!\u200f").suffix == " (USB)."
