"""Import, export and fill, with an engine that learns."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.formats import read_document
from dragoman.formats.filled_document import translate_segment
from dragoman.formats.tmx import TmxEntry, write_tmx

DATA = Path(__file__).parent / "data"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


def counts(*arguments: str | Path) -> dict[str, int]:
    done = run(*arguments, "--json")
    assert done.exception is None, done.exception
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert run("create", tmp_path / "p", "--source", "en", "--target", "es").exit_code == 0
    return tmp_path / "p"


def test_a_memory_is_learned_and_written_again(project: Path, tmp_path: Path) -> None:
    learned = counts("import", project, DATA / "memory.tmx", "--user", "ana")
    nothing = dict.fromkeys(("changed", "known", "flagged", "refused", "left_out"), 0)
    assert learned == nothing | {"learned": 2, "new": 2, "left_out": 1}
    (tmp_path / "more.tsv").write_text("Stop & go\tPare y siga\nthis one is wrong\tthis one is wrong\n")
    more = counts("import", project, tmp_path / "more.tsv")
    assert more == nothing | {"learned": 1, "new": 1, "flagged": 1}
    assert run("project", "forget", project, "1").exit_code == 0
    assert counts("export", project, tmp_path / "out.tmx") == {"written": 2, "left_out": 0}
    assert counts("export", project, tmp_path / "out.tsv") == {"written": 2, "left_out": 0}
    expected = [
        ('Press <bpt i="1"/>here<ept i="1"/>.', 'Pulse <bpt i="1"/>aquí<ept i="1"/>.'),
        ("Stop & go", "Pare y siga"),
    ]
    for name in ("out.tmx", "out.tsv"):
        document = read_document((tmp_path / name).read_bytes(), name)
        assert [(one.source, one.target) for one in document.segments] == expected
    assert "use .tmx or .tsv" in str(run("export", project, tmp_path / "out.docx").exception)
    with Engine.open(project) as engine:
        engine.learn("One\ttwo", "Uno\tdos")
    assert counts("export", project, tmp_path / "out.tsv") == {"written": 2, "left_out": 1}
    assert "contains a tab" in run("export", project, tmp_path / "out.tsv").stderr
    assert counts("export", project, tmp_path / "out.tmx") == {"written": 3, "left_out": 0}


def test_codes_of_three_letters_are_the_languages_of_the_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "long.tmx").write_bytes(write_tmx([TmxEntry("1", "Open the lid.", "Abra la tapa.")], "eng", "spa-MX"))
    learned = counts("import", project, tmp_path / "long.tmx")
    assert (learned["learned"], learned["left_out"]) == (1, 0)


def test_a_file_is_filled(project: Path, tmp_path: Path) -> None:
    (tmp_path / "more.tsv").write_text(
        "the boiler\tla caldera\nwait\tespere\npress OK or\tpulse OK o\nopen it.\tábralo.\nclose it.\tciérrelo.\n"
        "care of the boiler\tcuidado de la caldera\nfree again\totra vez libre\n" * 3
    )
    trained = counts("import", project, tmp_path / "more.tsv", "--base")
    assert trained == {"learned": 21, "flagged": 0, "refused": 0, "left_out": 0}
    filled = counts("fill", project, DATA / "manual.xlf", tmp_path / "out.xlf", "--learn-confirmed")
    assert (filled["learned"], filled["translated"], filled["left_as_they_were"]) == (1, 6, 7)
    document = read_document((tmp_path / "out.xlf").read_bytes(), "out.xlf")
    by_id = {one.id: one for one in document.segments}
    assert {one.state for one in document.segments} == {"translated", "confirmed", "locked", "new"}
    assert by_id["copy"].target == "Espere"
    assert by_id["long/1"].target == "Ábralo."
    assert "caldera</g>" in by_id["title"].target
    assert by_id["native"].target.count("<") == 3
    assert by_id["fill"].target == 'Llene el depósito.<x id="2"/>'


def test_a_translation_that_breaks_tags_is_made_piece_by_piece() -> None:
    class Careless:
        memory = False

        def translate_text(self, text: str) -> SimpleNamespace:
            return SimpleNamespace(text=re.sub("<.*?>", "", text).upper())

    document = read_document((DATA / "manual.xlf").read_bytes(), "manual.xlf")
    engine: Any = Careless()
    done = {one.id: translate_segment(engine, document, one) for one in document.segments}
    assert done["title"] == 'CARE OF THE <g id="1" ctype="bold">BOILER</g>'
    assert done["long/2"] == 'CLOSE <x id="1"/>IT.'
    assert done["free"] == "FREE AGAIN"


@pytest.mark.parametrize("name", ["manual2.xlf", "es.po", "words.tsv", "page.txt", "memory.tmx"])
def test_every_kind_is_filled(name: str, project: Path, tmp_path: Path) -> None:
    alone = counts("fill", project, DATA / name, tmp_path / "alone")["translated"]  # it knows nothing yet
    assert run("upstream", "set", project, "command:sed s/^.*/Hola/").exit_code == 0
    assert counts("fill", project, DATA / name, tmp_path / name)["translated"] > alone
    again = read_document((tmp_path / name).read_bytes(), name, source="en", target="es")
    left = [one for one in again.segments if one.state == "new"]
    assert name == "page.txt" or all(len(one.source) > 100 for one in left)  # a word is no answer to a long text


def test_a_file_in_another_script_is_refused(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="zh-Hant"):
        pass
    for code in ("zh-TW", "zh"):
        (tmp_path / "a.tmx").write_bytes(write_tmx([TmxEntry("1", "Stop", "停止")], "en", code))
        found = counts("import", tmp_path / "p", tmp_path / "a.tmx")
        assert found["learned"] + found["known"] == 1
    for code in ("zh-Hans", "zh-CN"):
        (tmp_path / "a.tmx").write_bytes(write_tmx([TmxEntry("1", "Stop", "停止")], "en", code))
        with pytest.raises(BadInputError, match=f"is from en to {code}, but the project is from en to zh-Hant"):
            raise run("import", tmp_path / "p", tmp_path / "a.tmx").exception or AssertionError("it was learned")


def test_bad_input(project: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.tmx").write_text("<tmx")
    wrong = (DATA / "manual.xlf").read_text().replace('target-language="es"', 'target-language="fr"')
    (tmp_path / "french.xlf").write_text(wrong)
    memory = (DATA / "memory.tmx").read_text()
    (tmp_path / "several.tmx").write_text(memory.replace('"es', '"de'))
    (tmp_path / "french.tmx").write_text(write_tmx([TmxEntry("1", "Halt", "Stop")], "de", "fr").decode())
    for name, said in (
        ("bad.tmx", "bad.tmx: line 1 is not well-formed"),
        ("french.xlf", "the file is from en to fr, but the project is from en to es; use a file from en to es"),
        ("french.tmx", "the file is from de to fr, but the project is from en to es; use a file from en to es"),
        ("several.tmx", "has the languages en-US, de-ES, fr, de; use a file from en to es"),
        ("none.po", "cannot read it (No such file or directory)"),
    ):
        done = run("import", project, tmp_path / name)
        assert isinstance(done.exception, BadInputError)
        assert said in str(done.exception)


@pytest.mark.parametrize(("text", "segments"), [("", 0), ("Stop.\nGo on.\n", 2)])
def test_a_file_with_nothing_to_learn_is_said_to_be_one(
    text: str, segments: int, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "new.tsv").write_text(text)
    for base in ([], ["--base"]):
        done = run("import", project, tmp_path / "new.tsv", *base)
        assert done.exit_code == 0
        assert f"new.tsv: nothing to learn in {segments} segments" in done.stderr


@pytest.fixture
def taught(project: Path) -> Path:
    with Engine.open(project) as engine:
        engine.learn("Press the green button.", "Pulse el botón verde.")
    return project


def test_a_directory_is_filled_and_what_is_left_out_is_named(taught: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "en").mkdir(parents=True)
    (site / "node_modules").mkdir()
    (site / "en" / "page.html").write_text("<html lang='en'><p>Press the green button.</p></html>")
    (site / "en.json").write_text('{"a": "Press the green button."}')
    (site / "old.md").write_text("Press the green button.\n")
    (site / "bad.json").write_text("{")
    (site / "french.html").write_text("<html lang='fr'><p>Bonjour</p></html>")
    (site / "node_modules" / "x.md").write_text("Press the green button.\n")
    (site / "style.css").write_text("p {}")
    done = run("fill", taught, site, tmp_path / "out", "--exclude", "old*", "--json")
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "files": 2, "files_unchanged": 0, "files_left_out": 2, "translated": 2, "left_as_they_were": 0
    }  # fmt: skip
    assert "left out: bad.json: line 1 is not JSON" in done.stderr
    assert "the file is from fr to es" in done.stderr
    assert (tmp_path / "out" / "es.json").read_text() == '{"a": "Pulse el botón verde."}'
    page = (tmp_path / "out" / "es" / "page.html").read_text()
    assert page == "<html lang='es'><p>Pulse el botón verde.</p></html>"
    assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == [
        ".dragoman-fill.json",
        "es",
        "es.json",
        "page.html",
    ]


def test_only_files_that_are_included_are_filled(taught: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.md", "b.txt"):
        (tmp_path / "in" / name).write_text("Press the green button.\n")
    assert counts("fill", taught, tmp_path / "in", tmp_path / "out", "--include", "*.md")["files"] == 1
    assert not (tmp_path / "out" / "b.txt").exists()


def test_a_directory_of_memories_is_learned(project: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.tsv").write_text("Stop & go\tPare y siga\n")
    (tmp_path / "in" / "b.csv").write_text("source,target\nOpen the lid.,Abra la tapa.\n")
    (tmp_path / "in" / "c.tmx").write_text("<tmx")
    done = run("import", project, tmp_path / "in", "--json")
    assert json.loads(done.stdout.splitlines()[-1])["learned"] == 2
    assert "left out: c.tmx: line 1 is not well-formed" in done.stderr


def test_paragraphs_are_not_divided_if_that_is_not_wanted(taught: Path, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Press the green button. Press the green button.</p>")
    assert counts("fill", taught, tmp_path / "a.html", tmp_path / "b.html")["translated"] == 2
    assert counts("fill", taught, tmp_path / "a.html", tmp_path / "b.html", "--paragraphs")["translated"] == 1
