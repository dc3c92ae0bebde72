"""Rules about terms: capitals, notes, and translations that must not be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.project.glossary import Glossary, TermRule
from tests.engine.support import assert_is_clean_replay, new

pytestmark = pytest.mark.kernels
LESSONS = [
    ("Open the lid.", "Abra la tapadera."),
    ("Close the lid.", "Cierre la tapadera."),
    ("Clean the lid.", "Limpie la tapadera."),
    ("lid", "tapa"),
    ("Press", "Pulse"),
    ("Open the door.", "Abra la puerta."),
]


def taught(path: Path) -> Engine:
    engine = new(path)
    for pair in LESSONS:
        engine.learn(*pair)
    return engine


def translated(engine: Engine, text: str) -> str:
    return engine.translate(text, memory=False).text


def test_a_forbidden_translation_is_avoided_where_the_term_occurs(tmp_path: Path) -> None:
    with taught(tmp_path / "p") as engine:
        assert translated(engine, "Clean the lid.") == "Limpie la tapadera."
        engine.set_rule("lid", TermRule(forbidden=("tapadera",)))
        assert translated(engine, "Clean the lid.") == "Limpie la tapa."
        assert all("tapadera" not in each.text for each in engine.translate("Open the lid.", n=5, memory=False).nbest)
        with engine.interact("Press the lid.") as session:
            assert session.suggest("Pulse ").text == "Pulse la tapa."
            assert session.suggest("Pulse la tapadera").text.startswith("Pulse la tapadera")
        engine.set_rule("lid", None)
        assert translated(engine, "Clean the lid.") == "Limpie la tapadera."


def test_several_words_in_a_row_can_be_forbidden(tmp_path: Path) -> None:
    with taught(tmp_path / "p") as engine:
        engine.set_rule("lid", TermRule(forbidden=("la tapadera",)))
        assert "la tapadera" not in translated(engine, "Open the lid.")


def test_without_any_other_translation_there_still_is_one(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.learn("lid", "tapadera")
        engine.set_rule("lid", TermRule(forbidden=("tapadera",)))
        assert translated(engine, "lid")


def test_what_another_engine_says_is_not_taken_with_a_forbidden_word(tmp_path: Path) -> None:
    with taught(tmp_path / "p") as engine:
        engine.set_rule("lid", TermRule(forbidden=("tapadera",)))
        found = engine.translate("Clean the lid.", memory=False, upstream="Limpie la tapadera.")
        assert "tapadera" not in found.text


@pytest.mark.parametrize(
    ("case", "found"),
    [("", ["lid", "Lid", "LID"]), ("same", ["lid"]), ("any", ["lid", "Lid", "LID"])],
)
def test_a_lower_case_term_is_found_by_the_rule_about_its_capitals(case: str, found: list[str]) -> None:
    glossary = Glossary({"lid": "tapa"})
    glossary.cases = {"lid": case} if case else {}
    assert [word for word in ("lid", "Lid", "LID") if glossary.find(("the", word))] == found


def test_a_term_with_capitals_is_found_in_any_if_so_said() -> None:
    glossary = Glossary({"Lid": "Tapa"})
    assert [word for word in ("lid", "Lid", "LID") if glossary.find(("the", word))] == ["Lid"]
    glossary.cases = {"Lid": "any"}
    assert [word for word in ("lid", "Lid", "LID") if glossary.find(("the", word))] == ["lid", "Lid", "LID"]


def test_a_term_is_written_with_a_capital_at_the_start_of_a_sentence_unless_it_keeps_its_own(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.glossary = {"npm": "npm", "lid": "tapa"}
        assert translated(engine, "Lid") == "Tapa"
        assert translated(engine, "Npm is open.").startswith("Npm")
        engine.set_rule("npm", TermRule(case="same"))
        assert translated(engine, "npm is open.").startswith("npm")
        assert translated(engine, "Npm is open.").startswith("npm")


def test_rules_come_back_after_opening_again_and_after_a_replay(tmp_path: Path) -> None:
    rule = TermRule("of the kettle", "any", ("cubierta",), ("tapadera",))
    with new(tmp_path / "p") as engine:
        engine.change_terms({"lid": "tapa"}, {"lid": rule})
        engine.save_snapshot()
        engine.set_rule("door", TermRule(note="of the house"))
        assert_is_clean_replay(engine, tmp_path / "copy")
    with Engine.open(tmp_path / "p") as engine:
        assert engine.term_rules == {"door": TermRule("of the house"), "lid": rule}
        assert engine.glossary == {"lid": "tapa"}
        engine.term_rules = {"lid": {"note": "a lid"}}
        assert engine.term_rules == {"lid": TermRule("a lid")}


@pytest.mark.parametrize(
    "rule",
    [{"case": "upper"}, {"colour": "red"}, {"forbidden": [""]}, {"forbidden": ["x"] * 51}, {"note": "x" * 4001}, "lid"],
)
def test_what_is_no_rule_is_refused(tmp_path: Path, rule: object) -> None:
    with new(tmp_path / "p") as engine, pytest.raises(BadInputError):
        engine.term_rules = {"lid": rule}  # type: ignore[dict-item]
