"""Checks of translations: what each finds, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.project.glossary import Glossary, TermRules
from dragoman.quality import CHECKS, Checker
from tests.text.test_placeholders import pieces


def found(
    source: str, target: str, terms: dict[str, str] | None = None, *, language: str = "es", limit: int | None = None
) -> set[str]:
    checker = Checker("en", language, terms, known=lambda word: word == "motor")
    return {each.check for each in checker.check(source, target, limit=limit)}


@pytest.mark.parametrize(
    ("source", "target", "language", "wanted"),
    [
        ("Press.", "Pulse.", "es", set()),
        ("Press.", "", "es", set()),
        ("See <b>it</b>.", "Vea <b>eso</b>.", "es", set()),
        ("See <b>it</b>.", "Vea <b>eso.", "es", {"tags"}),
        ("See <b>it</b>.", "Vea </b>eso<b>.", "es", {"tags"}),
        ("A <br> b", "A b", "es", {"tags"}),
        ("{n} of {m}", "{m} de {n}", "es", set()),
        ("{n} of {m}", "{n} de {n}", "es", {"placeholders"}),
        ("%(name)s", "%(nombre)s", "es", {"placeholders"}),
        ("%1$s {{x}} ${y}", "%1$s {{x}}", "es", {"placeholders"}),
        ("{ $x } at {{y}}", "{{ y }} en {$x}", "es", set()),
        ("{0:day|days} left", "{0:día|días} más", "es", set()),
        ("{0:day|days} left", "{0:día días} más", "es", {"placeholders", "numbers"}),
        (
            "{n, plural, one {# file} other {# files}}",
            "{n, plural, one {# plik} few {# pliki} other {# pliku}}",
            "pl",
            set(),
        ),
        (
            "{n, plural, one {# file} other {# files}}",
            "{n, plural, one {# plik} other {# pliku}",
            "pl",
            {"placeholders"},
        ),
        ("Done! 🎉", "¡Hecho!", "es", {"punctuation"}),
        ("1,234.5 km", "1.234,5 km", "es", set()),
        ("10 000 km", "10.000 km", "es", set()),
        ("5 km", "٥ كم", "ar", set()),
        ("5 km", "6 km", "es", {"numbers"}),
        ("Really?", "本当？", "ja", set()),
        ("Really?", "本当。", "ja", {"punctuation"}),
        ("Done.", "เสร็จแล้ว", "th", set()),
        ("Why?", "Γιατί;", "el", set()),
        ("Wait…", "Espere...", "es", set()),
        ("(Done.)", "(Hecho.)", "es", set()),
        ("A  b", "A  b", "es", set()),
        ("A b", "A  b", "es", {"spaces"}),
        ("Ab ", "Ab", "es", {"spaces"}),
        ("The motor.", "El motor.", "es", set()),
        ("The Berlin flange.", "La brida Berlin.", "es", set()),
        ("The flange.", "La flange.", "es", {"untranslated"}),
    ],
)
def test_what_is_wrong_is_found_and_nothing_else(source: str, target: str, language: str, wanted: set[str]) -> None:
    assert found(source, target, language=language) == wanted


@pytest.mark.parametrize("slot", pieces())
def test_every_placeholder_that_is_lost_or_changed_is_found(slot: str) -> None:
    check = "tags" if slot.startswith("<") else "placeholders"
    assert found(f"Open {slot} now", "Abra ahora") >= {check}
    assert found("Open it now", f"Abra {slot} ahora") >= {check}
    assert not found(f"Open {slot} now", f"Abra {slot} ahora") & {"tags", "placeholders"}


def test_a_translation_longer_than_the_file_allows_is_found() -> None:
    assert found("Close", "Cerrar", limit=6) == set()
    assert found("Close", "Cerrarlo", limit=6) == {"length"}


def test_terms_are_whole_words_in_any_of_their_forms() -> None:
    terms = {"lid": "tapa"}
    assert found("The lid.", "La tapa.", terms) == set()
    assert found("The lid.", "Las tapas.", terms) == set()
    assert found("The lid.", "El etapal.", terms) == {"glossary"}
    assert found("The slide.", "La guía.", terms) == set()


def test_forbidden_translations_are_found_where_they_stand_and_the_right_one_is_told() -> None:
    rules = TermRules()
    rules.change(
        {"lid": {"forbidden": ["tapadera", "la cubierta"], "admitted": ["cierre"]}, "web": {"forbidden": ["Web"]}}
    )
    checker = Checker("en", "es", {"lid": "tapa", "web": "web"}, rules=rules.find)
    (finding,) = checker.check("Open the lid.", "Abra las tapaderas de la tapa.")
    assert finding.what == "“tapaderas” must not be used for “lid”; use “tapa”"
    assert (finding.start, finding.end, finding.severity) == (9, 18, "question")
    assert [each.check for each in checker.check("The lid.", "La cubierta.")] == ["forbidden", "glossary"]
    assert checker.check("The lid.", "El cierre.") == []
    assert checker.check("The door.", "La tapadera.") == []
    assert checker.check("On the web.", "En la web.") == []
    assert [each.check for each in checker.check("On the web.", "En la Web.")] == ["forbidden"]


def test_a_term_that_keeps_its_capitals_has_to_have_them() -> None:
    terms = Glossary({"npm": "npm"})
    terms.cases = {"npm": "same"}
    checker = Checker("en", "es", terms.find)
    assert checker.check("npm is open.", "npm está abierto.") == []
    (finding,) = checker.check("npm is open.", "Npm está abierto.")
    assert finding.what == "“npm” should be “npm”, with these capitals"


def test_a_check_can_be_switched_off() -> None:
    assert Checker("en", "es", off=["numbers"]).check("5 km", "6 km") == []


def test_positions_are_those_of_the_characters() -> None:
    (finding,) = Checker("en", "es").check("Wait 5 s", "Espere 66 s 5")
    assert ("Espere 66 s 5"[finding.start : finding.end], finding.severity) == ("66", "warning")


def test_every_check_says_what_it_looks_for() -> None:
    assert all(one.about.endswith(".") for one in CHECKS.values())


def test_a_file_is_checked_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("Open {0}.\tAbra.\nLid.\tTapa.\nLid.\tCubierta.\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["project", "check", str(file)])
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "1\tplaceholders\t{0} is missing",
        "3\tsame-source\tsegment 2 has the same source, but “Tapa.”",
    ]
    assert (
        CliRunner()
        .invoke(app, ["project", "check", str(file), "--off", "placeholders", "--off", "same-source"])
        .exit_code
        == 0
    )
