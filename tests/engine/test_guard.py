"""Corrections that look like mistakes are kept aside, and learned when somebody insists."""

from __future__ import annotations

import gzip
import math
from itertools import islice
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.project.guard import FlaggedError, Guard
from dragoman.text.identification import scripts_of
from dragoman.text.tokens import split
from tests.engine.support import PAIRS, arrays_of, assert_same, new

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"
SENTENCE = "Press the green button twice to rinse the group."


def check(source: str, target: str, language: str = "es") -> str | None:
    return Guard().check(split(source), split(target), language)


@pytest.mark.parametrize(
    ("target", "language", "reason"),
    [
        (SENTENCE, "es", "the target is a copy of the source"),
        (SENTENCE.upper(), "es", "the target is a copy of the source"),
        ("Pulseeeeeeee el botón verde dos veces.", "es", "'e' is repeated 8 times in a row in the target"),
        ("asdfasdfasdfasdfasdfasdf", "es", "'asdf' is repeated 6 times in a row in the target"),
        ("el el el el el el botón", "es", "'el ' is repeated 6 times in a row in the target"),
        ("Нажмите зелёную кнопку два раза.", "es", "in Cyrillic, but es uses Latin"),
        ("Pulse dos veces el botón verde.", "el-GR", "in Latin, but el-GR uses Greek"),
        ("Pulse dos veces el botón verde.", "gre", "in Latin, but gre uses Greek"),
        ("Pulse", "es", "the target is much shorter than the source (5 letters for 39)"),
        ("Pulse " + SENTENCE * 4, "es", "the target is much longer than the source"),
        ("…", "es", "the target is much shorter than the source (0 letters for 39)"),
    ],
)
def test_mistakes_are_called_by_name(target: str, language: str, reason: str) -> None:
    assert reason in str(check(SENTENCE, target, language))


@pytest.mark.parametrize(
    ("source", "target", "language"),
    [
        ("OK", "De acuerdo, continuar", "es"),
        ("Google Chrome Web Store", "Google Chrome Web Store", "es"),  # names stay
        ("rm -rf `x` %s", "rm -rf `x` %s", "es"),
        ("-------- Begin --------", "-------- Principio --------", "es"),
        ("1000000000 bytes", "1.000.000.000 bytes", "es"),
        ("Yes!!!!!!!", "¡¡¡¡¡¡¡Sí!!!!!!!", "es"),
        ("Open Microsoft Word.", "Откройте Microsoft Word.", "ru"),
        ("Press the green button twice.", "绿色按钮按两次。", "zh-Hans"),
        ("Нажмите кнопку.", "Pritisnite dugme.", "sr-Latn"),
        ("Press the button.", "ghItlh yIQaw'", "tlh"),  # nobody knows its scripts
    ],
)
def test_what_only_looks_odd_is_let_through(source: str, target: str, language: str) -> None:
    assert check(source, target, language) is None


def test_a_flagged_correction_is_kept_and_not_learned_until_somebody_insists(tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        engine.learn("Close the lid.", "Cierre la tapa.")
        before = arrays_of(engine)
        with pytest.raises(FlaggedError, match="not learned: the target is a copy of the source; if it is") as caught:
            engine.learn(SENTENCE, SENTENCE)
        assert caught.value.id == 2
        assert caught.value.reason == "the target is a copy of the source"
        with pytest.raises(FlaggedError, match="much shorter"):
            engine.learn(SENTENCE, "Pulse", user="ana")
        assert_same(arrays_of(engine), before)
        assert engine.translate(SENTENCE).memory is None
        rows = engine.history()
        assert [(row.kind, row.user) for row in rows] == [("flagged", "ana"), ("flagged", None), ("learn", None)]
        assert rows[1].reason == caught.value.reason
        number = engine.learn(SENTENCE, SENTENCE, force=True)
        assert engine.history()[0].reason == caught.value.reason
        assert engine.translate(SENTENCE).memory == number
        engine.forget(2)
        assert engine.revise(3, "Pulse dos veces el botón verde para enjuagar el grupo.") == 7
    with Engine.open(path) as engine:
        assert engine.statistics()["corrections"] == 3
        assert engine.translate(SENTENCE).memory == 7


def test_a_revision_is_examined_too(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        number = engine.learn("Close the lid.", "Cierre la tapa.")
        with pytest.raises(FlaggedError) as caught:
            engine.revise(number, "Cierre la taaaaaaaaapa.")
        assert engine.opened.store.journal.get(caught.value.id).refers_to == number
        assert engine.translate("Close the lid.").text == "Cierre la tapa."
        engine.revise(number, "Cierre la taaaaaaaaapa.", force=True)
        assert engine.translate("Close the lid.").text == "Cierre la taaaaaaaaapa."


def test_thresholds_are_set_and_restored(tmp_path: Path) -> None:
    path = tmp_path / "project"
    guard = Guard(copied_words=math.inf, repeats=20)
    with new(path) as engine:
        engine.guard = guard
        engine.learn(SENTENCE, SENTENCE)
    with Engine.open(path) as engine:
        assert engine.guard == guard
        engine.guard = Guard(length_ratio=1, length_slack=1)
        with pytest.raises(FlaggedError, match="much shorter"):
            engine.learn("Close the lid.", "Cierre.")
    for bad in (0, -1, math.nan, True, "many"):
        with pytest.raises(BadInputError, match="repeats must be at least 1"):
            Guard(repeats=bad)  # type: ignore[arg-type]


def test_a_line_of_nothing_but_repetitions_is_no_burden() -> None:
    assert check("a b " * 2_000, "ab" * 5_000) is not None


def test_nothing_of_the_sample_is_flagged() -> None:
    assert [pair for pair in PAIRS if check(*pair)] == []


@pytest.mark.parametrize("name", ["pydocs-en-es", "europarl-en-fr", "newstest-en-fr", "desktop-en-es"])
def test_hardly_anything_of_real_corpora_is_flagged(name: str) -> None:
    source, target = name.split("-")[1:]
    files = [CORPORA / name / f"train.{side}.gz" for side in (source, target)]
    if not files[0].exists():
        pytest.skip(f"{files[0]} is not there")
    with gzip.open(files[0], "rt", encoding="utf-8") as one, gzip.open(files[1], "rt", encoding="utf-8") as other:
        pairs = list(islice(zip(one, other, strict=True), 3_000))
    flagged = [pair for pair in pairs if check(*pair, target)]
    assert len(flagged) <= len(pairs) / 500


def test_script_subtags_decide() -> None:
    assert scripts_of("sr") == scripts_of("sr-Cyrl") == ("CYRILLIC",)
    assert scripts_of("zh-Hant-TW") == ("CJK", "BOPOMOFO")
    assert scripts_of("") == scripts_of("x") == ()
