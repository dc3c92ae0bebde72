"""`dragoman import-base`, as its users run it: a Moses phrase table and an ARPA model become the base of a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import BadInputError
from dragoman.models.arpa import write_arpa
from dragoman.models.language import LanguageModel
from tests.models.test_imported import TABLE

pytestmark = pytest.mark.kernels


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with a phrase table and a language model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table").write_text(TABLE, encoding="utf-8")
    language = LanguageModel(3)
    for sentence in ("pulse el botón", "pulse la lámpara", "la lámpara"):
        language.add(sentence.split())
    write_arpa(language, tmp_path / "model.arpa.gz")
    return tmp_path


def dragoman(*arguments: str, fails: str = "") -> str:
    """What a command prints, in this process; or part of its error, where it should fail."""
    done = CliRunner().invoke(app, list(arguments))
    if fails:
        assert isinstance(done.exception, BadInputError)
        assert fails in str(done.exception)
    else:
        assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(
    ("tokens", "source", "target"),
    [("words", "press the lamp", "pulse la lámpara"), ("text", "Press the lamp.", "Pulse la lámpara.")],
)
@pytest.mark.usefixtures("place")
def test_a_project_translates_and_learns_over_an_imported_base(tokens: str, source: str, target: str) -> None:
    said = dragoman("import-base", "base", "table", "--language", "model.arpa.gz", "--tokens", tokens)
    assert said == "base: 6 phrase pairs, 23 n-grams\n"
    dragoman("create", "project", "--source", "en", "--target", "es", "--base", "base", "--tokens", tokens)
    assert dragoman("translate", "project", source) == f"{target}\n"
    for _ in range(3):
        dragoman("learn", "project", "press the red lamp", "apriete la lámpara roja")
    assert dragoman("translate", "project", "the red lamp") == "la lámpara roja\n"
    for number in ("1", "2", "3"):
        dragoman("forget", "project", number)
    assert dragoman("translate", "project", source) == f"{target}\n"


@pytest.mark.usefixtures("place")
def test_a_phrase_table_alone_is_enough() -> None:
    sizes = json.loads(dragoman("import-base", "base", "table", "--json"))
    assert (sizes["phrase pairs"], sizes["n-grams"]) == (6, 0)
    dragoman("create", "project", "--source", "en", "--target", "es", "--base", "base", "--tokens", "words")
    assert dragoman("translate", "project", "press the button") == "pulse el botón\n"


def test_what_cannot_be_imported_is_one_clear_line_and_leaves_nothing(place: Path) -> None:
    (place / "bad").write_text("press ||| pulse\n", encoding="utf-8")
    dragoman("import-base", "base", "bad", fails="bad:1: not a line of a Moses table")
    dragoman("import-base", "base", "nowhere", fails="cannot be read")
    dragoman("import-base", "base", "table", "--tokens", "letters", fails="choose text or words")
    assert not (place / "base").exists()
    dragoman("import-base", "base", "table")
    dragoman("import-base", "base", "table", fails="base: already exists")
