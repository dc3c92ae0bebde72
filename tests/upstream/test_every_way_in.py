"""Whoever translates asks the engine that the project names: commands, readers, replicas; and says if it is silent."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.store import Project

SHOUT = "command:tr a-z A-Z"


def run(*words: object, given: str | None = None) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), input=given, catch_exceptions=False)


def make(path: Path, upstream: str | None) -> Path:
    with Engine.create(path, source="en", target="es", upstream=upstream):
        pass
    return path


@pytest.fixture
def over(tmp_path: Path) -> Path:
    return make(tmp_path / "over", SHOUT)


@pytest.fixture
def dead(tmp_path: Path) -> Path:
    with socket.socket() as listener:  # a port that was free a moment ago
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    return make(tmp_path / "dead", f"libretranslate:http://127.0.0.1:{port}")


def test_translate_asks_the_engine(over: Path) -> None:
    done = run("translate", over, "Open the file.")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "OPEN THE FILE.\n", "")
    assert run("translate", over, given="Open it.\nClose it.\n").stdout == "OPEN IT.\nCLOSE IT.\n"


def test_translate_says_that_the_engine_is_silent_and_can_require_it(dead: Path) -> None:
    done = run("translate", dead, "Open the file.", "Close the file.", "Open the file.", "--require-engine")
    assert done.exit_code == 1
    assert done.stdout == "Open the file.\nClose the file.\nOpen the file.\n"
    assert "2 of 2 without the engine: cannot be reached: connection refused" in done.stderr
    assert run("translate", dead, "Open the file.").exit_code == 0


def test_answers_that_look_wrong_are_counted(tmp_path: Path) -> None:
    rambling = make(tmp_path / "rambling", "command:sed 's/.*/la la la la la la la la la la la la la la la la la la/'")
    done = run("translate", rambling, "Open the file.", "Close the file.", "--require-engine")
    assert done.exit_code == 1
    assert done.stdout == "Open the file.\nClose the file.\n"  # nothing better is known
    assert done.stderr == "dragoman: 2 of 2 answers of the engine look wrong: rambling\n"


def test_nobody_is_suggested_a_source_that_the_engine_cannot_do(tmp_path: Path) -> None:
    rambling = make(tmp_path / "rambling", "command:sed 's/.*lid.*/la la la la la la la la la la la la la la la/'")
    with Engine.open(rambling) as engine:
        engine.learn("Open the box.", "Abra la caja.")
        for text in ("Close the lid of the box.", "Close the lid of the box. Open the box."):
            with engine.interact(text) as session:
                assert (session.silence, session.upstream) == ("rambling", None)
                assert "caja" in session.suggest("").suffix
        assert engine.translate("Close the lid of the box.").upstream_flaw == "rambling"


def test_fill_asks_the_engine_in_batches(over: Path, tmp_path: Path) -> None:
    log = tmp_path / "asked"
    program = tmp_path / "engine.py"
    program.write_text(
        "import sys\n"
        f"with open({str(log)!r}, 'a') as log: log.write('started\\n')\n"
        "sys.stdout.writelines(line.upper() for line in sys.stdin)\n"
    )
    with Engine.open(over) as engine:
        engine.upstream = f"command:{sys.executable} {program}"
    file, out = tmp_path / "help.md", tmp_path / "out.md"
    file.write_text("Open the file.\n\nClose the lid.\n\nWait a moment.\n")
    done = run("fill", over, file, out)
    assert done.exit_code == 0
    assert out.read_text() == "OPEN THE FILE.\n\nCLOSE THE LID.\n\nWAIT A MOMENT.\n"
    assert "3 translated, 0 left as they were" in done.stdout
    assert log.read_text().count("started") == 1


def test_fill_asks_for_the_files_of_a_directory_together(over: Path, tmp_path: Path) -> None:
    log, program, site = tmp_path / "asked", tmp_path / "engine.py", tmp_path / "site"
    program.write_text(
        "import sys\n"
        f"with open({str(log)!r}, 'a') as log: log.write('started\\n')\n"
        "sys.stdout.writelines(line.upper() for line in sys.stdin)\n"
    )
    with Engine.open(over) as engine:
        engine.upstream = f"command:{sys.executable} {program}"
    site.mkdir()
    for number in range(5):
        (site / f"page{number}.md").write_text(f"Open page number {number}.\n")
    done = run("fill", over, site, tmp_path / "out")
    assert "5 translated" in done.stdout
    assert (tmp_path / "out/page3.md").read_text() == "OPEN PAGE NUMBER 3.\n"
    assert log.read_text().count("started") == 1


def test_fill_never_counts_what_was_left_in_the_source_language(dead: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "help.md", tmp_path / "out.md"
    file.write_text("Open the file.\n\nClose the lid.\n\n12.50\n")
    done = run("fill", dead, file, out, "--json", "--require-engine")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert (found["translated"], found["without_engine"]) == (0, 2)
    assert "2 of 2 without the engine: cannot be reached: connection refused" in done.stderr
    assert "2 left in en" in done.stderr


def test_fill_counts_what_the_engine_cannot_do_as_left(tmp_path: Path) -> None:
    rambling = make(tmp_path / "rambling", "command:sed 's/.*lid.*/la la la la la la la la la la la la la la la/'")
    file, out = tmp_path / "help.md", tmp_path / "out.md"
    file.write_text("Close the lid of the box.\n")
    done = run("fill", rambling, file, out, "--json")
    assert json.loads(done.stdout)["translated"] == 0
    assert out.read_text() == file.read_text()


def test_fill_leaves_a_segment_new_that_nobody_could_translate(dead: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "es.po", tmp_path / "out.po"
    file.write_text('msgid ""\nmsgstr "Language: es\\n"\n\nmsgid "open it"\nmsgstr ""\n', encoding="utf-8")
    run("fill", dead, file, out)
    assert out.read_text(encoding="utf-8") == file.read_text(encoding="utf-8")


def test_what_the_memory_knows_needs_no_engine(dead: Path) -> None:
    run("learn", dead, "Open the file.", "Abra el archivo.")
    done = run("translate", dead, "Open the file.", "--require-engine")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "Abra el archivo.\n", "")


def test_a_reader_asks_and_keeps_in_a_file_of_its_own_what_a_writer_learns_from(over: Path) -> None:
    with Engine.open(over, write=False) as reader:
        assert reader.translate("Open the file.").text == "OPEN THE FILE."
    with Project.open(over) as project:
        assert [each.number for each in project.answers.summaries()] == [1]
    with Engine.open(over) as engine:
        number = engine.learn("Open the file.", "Abra el archivo.")
        said = engine.correction(number)
    assert said is not None


def test_a_reader_asks_while_somebody_else_writes(over: Path) -> None:
    with Engine.open(over), Engine.open(over, write=False) as reader, Engine.open(over, replica=True) as replica:
        assert reader.translate("Open it.").text == "OPEN IT."
        assert replica.translate("Close it.").text == "CLOSE IT."
        assert run("translate", over, "Press it.").stdout == "PRESS IT.\n"


def test_a_reader_asks_where_nothing_can_be_written(over: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.store.answer_file._may_write", lambda _: False)
    with Engine.open(over, write=False) as reader:
        assert reader.ask_ahead(["Open it."]).silent == {}
        assert reader.translate("Open it.").text == "OPEN IT."
    assert not (over / "answers.db").exists()


def test_asking_ahead_in_vain_is_not_repeated_for_each_text(dead: Path) -> None:
    with Engine.open(dead, write=False) as engine:
        asked = engine.ask_ahead(["Open it. ", "Close it."])
        assert asked.number == 2
        assert list(asked.silent) == ["Open it. ", "Close it."]
        assert "cannot be reached: connection refused" in str(asked)
        upstream = engine._consultant.upstream(engine.upstream)
        assert upstream
        before = upstream.counts.copy()
        assert engine.translate("Open it. ").upstream is None
        assert upstream.counts == before


def test_simulate_asks_ahead_and_says_what_is_missing(over: Path, dead: Path, tmp_path: Path) -> None:
    (tmp_path / "t.en").write_text("Open it.\nClose it.\n")
    (tmp_path / "t.es").write_text("OPEN IT.\nCLOSE IT.\n")
    found = json.loads(
        run("lab", "simulate", over, tmp_path / "t.en", tmp_path / "t.es", "--no-learn", "--json").stdout
    )
    assert found["WER"] == 0.0
    done = run("lab", "simulate", dead, tmp_path / "t.en", tmp_path / "t.es", "--require-engine")
    assert done.exit_code == 1
    assert "2 of 2 without the engine" in done.stderr


def test_watch_asks_for_what_it_learns_and_says_that_the_engine_is_silent(
    over: Path, dead: Path, tmp_path: Path
) -> None:
    (tmp_path / "done.tsv").write_text("Open the file.\tAbra el archivo.\n", encoding="utf-8")
    assert run("watch", over, tmp_path / "done.tsv", "--once").exit_code == 0
    with Engine.open(over, write=False) as engine:
        assert [engine.answer_to(row.id) for row in engine.corrections()] == ["OPEN THE FILE."]
    done = run("watch", dead, tmp_path / "done.tsv", "--once")
    assert "1 of 1 without the engine: cannot be reached: connection refused" in done.stderr
    with Engine.open(dead, write=False) as engine:
        assert [engine.answer_to(row.id) for row in engine.corrections()] == [None]
