"""`dragoman upstream`: list, test, fill, clear."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.formats import read_document
from dragoman.formats.filled_document import fill_document
from dragoman.store import Project
from dragoman.store.answers import Answers

ENGINE = "command:tr a-z A-Z"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    return tmp_path / "manual"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["upstream", *map(str, words)], catch_exceptions=True)


def test_filling_asks_for_a_document_once_and_listing_shows_it(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "chapter.txt"
    file.write_text("abra\ncierre\nabra\n", encoding="utf-8")
    first = run("fill", project, file, "--engine", ENGINE)
    assert first.exit_code == 0, first.output
    assert "2 segments, 2 asked, 0 kept, 0 without answer" in first.output
    assert "2 segments, 0 asked, 2 kept" in run("fill", project, file, "--engine", ENGINE).output
    assert "command:tr a-z A-Z: 2 answers, en to es" in run("list", project).output
    (listed,) = json.loads(run("list", project, "--json").output)
    assert (listed["engine"], listed["number"]) == (ENGINE, 2)
    assert run("list", project, "--answers").output == "abra\tABRA\ncierre\tCIERRE\n"
    assert "2 answers deleted" in run("clear", project, "--engine", ENGINE).output
    assert "no answers are kept" in run("list", project).output


CUE = "{}\n00:00:0{},000 --> 00:00:0{},900\n{}\n\n"
SPANNING = {
    "a.srt": CUE.format(1, 1, 1, "abra") + CUE.format(2, 2, 2, "y\ncierre."),
    "a.ftl": "about = abra.\n    pulse,\n    cierre.\n",
    "a.resx": "<root><data name='A'><value>abra.\npulse,\n  cierre.</value></data></root>",
}


@pytest.mark.parametrize("name", SPANNING)
def test_what_was_asked_ahead_is_what_filling_the_file_wants(project: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(SPANNING[name], encoding="utf-8")
    assert run("fill", project, file, "--engine", ENGINE).exit_code == 0
    kept = run("list", project, "--answers").output
    with Engine.open(project) as engine:
        engine.upstream = ENGINE
        document = read_document(file.read_bytes(), name, source="en", target="es")
        assert fill_document(engine, document).translated == len(document.segments)
    assert run("list", project, "--answers").output == kept


def test_what_is_listed_is_a_recorded_engine(project: Path, tmp_path: Path) -> None:
    file, recorded = tmp_path / "chapter.txt", tmp_path / "said.tsv"
    file.write_text("abra\ncierre\n", encoding="utf-8")
    run("fill", project, file, "--engine", ENGINE)
    recorded.write_text(run("list", project, "--answers").output, encoding="utf-8")
    assert "CIERRE" in run("test", project, "--engine", f"recorded:{recorded}", "--text", "cierre").output


def test_a_run_that_was_cut_short_goes_on_where_it_stopped(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "chapter.txt"
    file.write_text("abra\ncierre\npulse\n", encoding="utf-8")
    short = run("fill", project, file, "--engine", f"{ENGINE} #batch=1&requests=2", "--json")
    assert short.exit_code == 1
    found = json.loads(short.stdout)
    assert (found["asked"], found["without answer"], found["reasons"]) == (2, 1, ["spent"])
    assert "3 segments, 1 asked, 2 kept" in run("fill", project, file, "--engine", ENGINE).output


def test_counts_are_never_below_zero_and_a_problem_has_a_name(project: Path, tmp_path: Path) -> None:
    file, recorded = tmp_path / "chapter.txt", tmp_path / "said.tsv"
    file.write_text("no answer\nnor here\ncierre\n", encoding="utf-8")
    recorded.write_text("cierre\tCIERRE\n", encoding="utf-8")
    done = run("fill", project, file, "--engine", f"recorded:{recorded}")
    assert "0 kept, 2 without answer" in done.output
    assert "-" not in done.stdout
    assert "None" not in done.output


def test_an_xliff_document_is_read_by_its_segments(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "chapter.po"
    file.write_text('msgid ""\nmsgstr "Language: es\\n"\n\nmsgid "open {x}"\nmsgstr ""\n', encoding="utf-8")
    assert "1 segments, 1 asked" in run("fill", project, file, "--engine", ENGINE).output
    with Project.open(project) as opened:
        (entry,) = Answers(opened.journal, "en", "es").entries()
    assert (entry.text, json.loads(entry.answer)[0]) == ("open {x}", "OPEN {x}")


def test_the_engine_of_the_settings_in_force_is_the_default(project: Path) -> None:
    with Project.open(project, write=True) as opened:
        opened.journal.append_settings({"upstream": ENGINE})
        opened.journal.append_learn("a", "b")
    assert "OPEN" in run("test", project, "--text", "open").output


def test_the_engine_stays_after_other_settings_were_changed(project: Path, tmp_path: Path) -> None:
    with Engine.open(project) as engine:
        engine.upstream = ENGINE
        engine.memory_threshold = 80.0
        engine.learn("a lid", "una tapa")
        engine.newest_first = True
    assert "OPEN" in run("test", project, "--text", "open").output
    (tmp_path / "texts.txt").write_text("open\n", encoding="utf-8")
    assert "1 asked" in run("fill", project, tmp_path / "texts.txt").output
    with Engine.open(project) as engine:
        engine.upstream = None
        engine.memory_threshold = 90.0
    assert "builds on no engine" in str(run("test", project).exception)


def test_testing_a_language_model_shows_what_it_is_told(project: Path) -> None:
    with Engine.open(project) as engine:
        engine.upstream = "openai:http://127.0.0.1:9/v1#model"
        engine.learn("Close the lid.", "Cierre la tapa.")
        engine.set_term("lid", "tapa")
    shown = run("test", project, "--text", "Open the lid.")
    assert shown.exit_code == 1 and "[system]\nYou are a translation engine." in shown.output
    assert "Close the lid. => Cierre la tapa." in shown.output and "lid => tapa" in shown.output
    told = json.loads(run("test", project, "--text", "Open the lid.", "--json").output)["prompt"]
    assert [message["role"] for message in told] == ["system", "user"]


def test_testing_says_what_is_wrong(project: Path) -> None:
    silent = run("test", project, "--engine", "command:false")
    assert silent.exit_code == 1
    assert "command:false gives no answer to “Open the file.”: ended with exit code 1" in silent.output
    assert isinstance(run("test", project).exception, BadInputError)
    assert "builds on no engine; name one, for instance: dragoman upstream set" in str(run("test", project).exception)
    assert "does not name an engine" in str(run("test", project, "--engine", "nmt").exception)


def test_testing_reports_as_json(project: Path) -> None:
    found = json.loads(run("test", project, "--engine", ENGINE, "--json").output)
    assert (found["engine"], found["answer"], found["silence"]) == (ENGINE, "OPEN THE FILE.", None)


def test_an_engine_is_named_in_one_step_and_asked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "over"
    made = CliRunner().invoke(
        app, ["create", str(path), "--source", "en", "--target", "es", "--upstream", ENGINE], catch_exceptions=False
    )
    assert made.exit_code == 0
    assert "command:tr a-z A-Z translates “Open the file.” as “OPEN THE FILE.” (" in made.stdout
    done = run("set", path, "command:rev")
    assert (done.exit_code, "as “.elif eht nepO”" in done.stdout) == (0, True)
    silent = run("set", path, "command:false")
    assert silent.exit_code == 1
    assert "command:false gives no answer" in silent.stderr
    shown = CliRunner().invoke(app, ["project", "settings", str(path), "upstream", "--json"]).stdout
    assert json.loads(shown) == {"upstream": "command:false"}
    assert "builds on no engine now" in run("set", path, "none").stdout


def test_what_names_no_engine_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    path = tmp_path / "over"
    asked = ["create", str(path), "--source", "en", "--target", "es", "--upstream", "nmt"]
    assert isinstance(CliRunner().invoke(app, asked).exception, BadInputError)
    assert not path.exists()


def test_settings_take_a_plain_string_and_ask_the_engine(project: Path) -> None:
    done = CliRunner().invoke(app, ["project", "settings", str(project), "upstream", ENGINE], catch_exceptions=False)
    assert done.exit_code == 0
    assert "as “OPEN THE FILE.”" in done.stderr
    quoted = CliRunner().invoke(
        app, ["project", "settings", str(project), "upstream", f'"{ENGINE}"'], catch_exceptions=False
    )
    assert quoted.exit_code == 0
