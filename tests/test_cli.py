"""The command line, run as its users run it."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

import dragoman
from dragoman.adapt.ridge import Ridge
from dragoman.cli import FAMILIES, FAMILY_OF, SHOWN, app
from dragoman.commands import laboratory
from dragoman.engine import Engine
from dragoman.errors import BadInputError


def run(*arguments: str, given: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", *arguments]
    return subprocess.run(command, capture_output=True, text=True, input=given, env=os.environ | environment)


def call(*arguments: str | Path, given: str | None = None) -> Result:
    """The same in this process, which is quicker."""
    return CliRunner().invoke(app, list(map(str, arguments)), input=given)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    return tmp_path / "manual"


def corrections(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in call("project", "history", project, "--json").stdout.splitlines()]


def test_version() -> None:
    assert run("--version").stdout == f"dragoman {dragoman.__version__}\n"


def test_help_lists_the_commands_with_examples_and_needs_no_numba() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "doctor" in done.stdout
    assert "Example" in done.stdout
    program = "import sys, dragoman.cli; print('numba' in sys.modules, 'numpy' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert loaded.stdout == "False False\n"


def test_every_command_is_in_the_help_or_in_a_family() -> None:
    assert {*SHOWN, *FAMILY_OF} == set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    shown = run("--help", COLUMNS="100").stdout
    places = [shown.index(f"│ {name} ") for name in (*SHOWN, *FAMILIES)]
    assert places == sorted(places)
    for family, (_, names) in FAMILIES.items():
        assert all(f" {name} " in call(family, "--help").stdout for name in names)


def commands_of(group: Any, context: Any, name: str) -> Iterator[tuple[str, Any]]:
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if hasattr(command, "list_commands"):
            yield from commands_of(command, context, f"{name} {each}")
        else:
            yield f"{name} {each}", command


def test_the_help_of_every_command_has_an_example_and_no_types_of_python() -> None:
    root = typer.main.get_command(app)
    found = dict(commands_of(root, root.make_context("dragoman", ["doctor"]), "dragoman"))
    assert len(found) > 40
    for name, command in found.items():
        assert f"{name} " in f"{command.epilog} ", name
        shown = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": "200"}).stdout
        assert not re.search("<(bool|int|str|float|list)", shown.partition(" Options ")[2]), name


def test_a_command_that_has_moved_is_found_by_its_old_name_with_a_notice(project: Path) -> None:
    done = run("stats", str(project), "--json")
    assert json.loads(done.stdout)["corrections"] == 0
    assert done.stderr == "`dragoman stats` is `dragoman project stats` now; the old name will go\n"


@pytest.mark.parametrize("command", sorted(laboratory.NAMES))
def test_without_the_laboratory_its_commands_say_how_to_install_it(command: str) -> None:
    program = (
        "import importlib.metadata, sys\n"
        "importlib.metadata.entry_points = lambda group: []\n"
        "from dragoman import cli\n"
        "sys.argv = ['dragoman', *sys.argv[1:]]\n"
        "cli.main()"
    )
    for arguments in (["lab", command], ["lab", command, "O-tab7", "--data", "corpora"]):
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr == (
            f"dragoman: `dragoman lab {command}` is a command of the laboratory, which is not installed; "
            "in a clone of dragoman's repository, run: pip install ./laboratory\n"
        )
    listed = subprocess.run([sys.executable, "-c", program, "lab", "--help"], capture_output=True, text=True)
    assert f" {command} " in listed.stdout


def test_the_laboratory_adds_its_commands() -> None:
    assert "O-tab7" in run("lab", "experiment", "--list").stdout
    shown = run("lab", "--help").stdout
    assert "Needs the laboratory" not in shown
    assert all(f" {command} " in shown for command in laboratory.NAMES)


def test_a_shell_completes_the_names_of_commands() -> None:
    asked = {"_DRAGOMAN_COMPLETE": "complete_bash", "COMP_WORDS": "dragoman tr", "COMP_CWORD": "1"}
    assert run(**asked).stdout.split() == ["translate"]
    assert "--install-completion" in run("--help").stdout


def test_translating_does_not_import_what_it_does_not_use(project: Path) -> None:
    call("learn", project, "Close the lid.", "Cierre la tapa.")
    program = (
        "import sys\n"
        "from dragoman.cli import app\n"
        "app(['translate', sys.argv[1], 'the lid'], standalone_mode=False)\n"
        "print(*sorted({'fastapi', 'httpx', 'rich', 'sacrebleu', 'sklearn', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(project)], capture_output=True, text=True)
    assert done.stdout == "la tapa\n\n"


def test_importing_the_package_imports_no_library() -> None:
    program = "import sys; old = set(sys.modules); import dragoman; print(*sorted(set(sys.modules) - old))"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True)
    roots = {name.split(".")[0] for name in done.stdout.split()}
    assert roots <= set(sys.stdlib_module_names) | {"dragoman"}


def test_no_progress_bar_is_drawn_where_there_is_no_terminal(project: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("Close the lid.\tCierre la tapa.\n", encoding="utf-8")
    done = run("import", str(project), str(tmp_path / "pairs.tsv"))
    assert done.returncode == 0
    assert done.stderr == ""


def test_fetching_a_base_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    done = run("base", "fetch", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "nowhere: no base found here; give the directory of a trained base" in done.stderr


@pytest.mark.parametrize("command", ["assess", "project check"])
def test_a_language_that_does_not_exist_is_refused_before_any_work(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "texts.tsv"
    file.write_text("Close the lid.\tCierre la tapa.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = run(*command.split(), str(file), "--source", "en", "--target", "xx")
    assert done.returncode == 2
    assert done.stderr == "dragoman: 'xx' is not a language code; use a code such as es or pt-BR\n"
    assert list(tmp_path.iterdir()) == [file]


def test_explain_prints_json(project: Path) -> None:
    call("learn", project, "Close the lid.", "Cierre la tapa.")
    told = json.loads(call("project", "explain", project, "the lid", "--json").stdout)
    assert told["translation"] == ["la", "tapa"]
    assert told["score"] == pytest.approx(sum(step["total"] for step in told["derivation"]))
    assert {option["target"] for span in told["options"] for option in span["options"] if option["taken"]}
    assert told["memory"] is None


def test_explaining_into_a_file_cuts_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)  # which workers of the test-suite have
    call("learn", project, "Press the kernels [red]x[/red] button.", "Pulse los núcleos [red]x[/red] del botón.")
    told = run("project", "explain", str(project), "Press the kernels [red]x[/red] button.").stdout
    assert "…" not in told
    assert "translation │" in told.replace("┃", "│")
    assert "[red]x[/red]" in told


def test_help_is_quick() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.6  # 0.3 s on a quiet machine


def test_doctor_finds_this_machine_in_order() -> None:
    done = run("doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    assert findings.keys() == {
        "versions",
        "processor",
        "memory",
        "disk",
        "kernel cache",
        "shipped kernels",
        "self-test",
    }
    assert dragoman.__version__ in findings["versions"]["found"]
    assert all(finding["remedy"] == "" for finding in findings.values())


def test_doctor_says_what_to_do_about_a_cache_it_cannot_use(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("in the way")
    done = run("doctor", DRAGOMAN_CACHE=str(nowhere))
    assert done.returncode == 1
    assert "set DRAGOMAN_CACHE" in done.stdout


def test_an_unknown_command_is_refused_with_exit_code_2() -> None:
    done = run("translete")
    assert done.returncode == 2
    assert "translete" in done.stderr


def test_a_project_from_creation_to_statistics(tmp_path: Path) -> None:
    project = str(tmp_path / "manual")
    assert run("create", project, "--source", "en", "--target", "es").returncode == 0
    assert run("learn", project, "Press the green button.", "Pulse el botón verde.").stdout == "1\n"
    many = run("learn", project, "--json", given="Stop.\tPare.\nGo on.\tSiga.\n")
    assert [json.loads(line)["id"] for line in many.stdout.splitlines()] == [2, 3]
    assert run("translate", project, "Press the green button.").stdout == "Pulse el botón verde.\n"
    answer = json.loads(run("translate", project, "Stop.", "--json").stdout)
    assert answer["text"] == "Pare."
    assert [0, 0] in answer["alignment"]
    assert run("project", "revise", project, "2", "Deténgase.").returncode == 0
    assert run("translate", project, "Stop.").stdout == "Deténgase.\n"
    assert run("project", "forget", project, "1").returncode == 0
    listed = run("project", "history", project).stdout
    assert "Press the green button. → Pulse el botón verde. (forgotten)" in listed
    assert json.loads(run("project", "stats", project, "--json").stdout)["corrections"] == 2
    assert "runners-up" in run("project", "explain", project, "Go on.").stdout
    (tmp_path / "terms.tsv").write_text("lamp\tbombilla\n", encoding="utf-8")
    assert run("project", "glossary", project, "stop", "alto").stdout == "the glossary has 1 terms\n"
    assert (
        run("project", "glossary", project, "--file", str(tmp_path / "terms.tsv"), "--remove", "stop").returncode == 0
    )
    assert run("project", "glossary", project).stdout == "lamp\tbombilla\n"
    assert run("translate", project, "Lamp").stdout == "Bombilla\n"
    assert "has learned 2 corrections" in run("project", "copy", project, str(tmp_path / "copy")).stdout
    assert run("translate", str(tmp_path / "copy"), "Stop.", "Lamp").stdout == "Deténgase.\nBombilla\n"


def test_training_simulating_and_measuring(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("green button\nred button\ngreen light\n" * 5)
    (tmp_path / "a.es").write_text("botón verde\nbotón rojo\nluz verde\n" * 5)
    project, en, es = str(tmp_path / "p"), str(tmp_path / "a.en"), str(tmp_path / "a.es")
    assert run("create", project, "--source", "en", "--target", "es").returncode == 0
    assert run("base", "train", project, en, es).stdout == "trained on 15 pairs\n"
    files = "--csv", str(tmp_path / "curve.csv"), "--plot", str(tmp_path / "curve.svg")
    done = run("lab", "simulate", project, en, es, "--json", *files)
    assert json.loads(done.stdout)["WER"] == 0
    assert len((tmp_path / "curve.csv").read_text().splitlines()) == 16
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    report = json.loads(run("lab", "measure", "chrf", es, es, "--json").stdout)
    assert report["score"]["score"] == 100
    assert "online learning" in run("lab", "measure", "repetition", es).stdout.lower()


def test_bad_input_is_one_clear_line_and_exit_code_2(tmp_path: Path) -> None:
    project = str(tmp_path / "p")
    for arguments, said in (
        (("translate", project, "x"), "is not a dragoman project"),
        (("create", project, "--source", "en", "--target", "es", "--preset", "none"), "no preset"),
        (("lab", "measure", "blue", __file__, __file__), "no measure 'blue'"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert said in done.stderr
    assert not Path(project).exists()
    run("create", project, "--source", "en", "--target", "es")
    command = [sys.executable, "-m", "dragoman", "translate", project]
    damaged = subprocess.run(command, input=b"ok\n\xff\n", capture_output=True)
    assert damaged.returncode == 2
    assert b"line 2: byte 1" in damaged.stderr


def test_the_marks_of_windows_are_in_no_text(project: Path, tmp_path: Path) -> None:
    windows = "\ufeffStop.\tPare.\r\nGo on.\tSiga.\r\n"
    assert call("learn", project, given=windows).exit_code == 0
    assert [(row["source"], row["target"]) for row in corrections(project)] == [("Go on.", "Siga."), ("Stop.", "Pare.")]
    (tmp_path / "terms.tsv").write_bytes(windows.encode())
    assert call("project", "glossary", project, "--file", tmp_path / "terms.tsv").exit_code == 0
    assert json.loads(call("project", "glossary", project, "--json").stdout) == {"Go on.": "Siga.", "Stop.": "Pare."}


def test_lines_that_cannot_be_learned_are_named_and_the_others_learned(project: Path) -> None:
    lines = "Stop.\tPare.\nno tab\nthis one is wrong\tthis one is wrong\n\nGo on.\tSiga.\n"
    done = call("learn", project, given=lines)
    assert (done.exit_code, done.stdout) == (1, "1\n3\n")
    assert done.stderr.splitlines() == [
        "dragoman: line 2 refused: expected 2 fields, found 1",
        "dragoman: line 3 flagged: not learned: the target is a copy of the source",
        "2 learned, 1 flagged, 1 refused",
    ]


def test_history_tells_what_was_flagged_from_what_was_learned(project: Path) -> None:
    call("learn", project, given="Stop.\tPare.\nthis one is wrong\tthis one is wrong\n")
    reason = "the target is a copy of the source"
    assert [(row["kind"], row["reason"]) for row in corrections(project)] == [("flagged", reason), ("learn", None)]
    flagged, learned = call("project", "history", project).stdout.splitlines()
    assert flagged.endswith(f"this one is wrong (flagged: {reason})")
    assert learned.endswith("Stop. → Pare.")


def test_where_output_cannot_go_is_said_before_anything_is_done(project: Path, tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("green button\n")
    (tmp_path / "a.es").write_text("botón verde\n")
    (tmp_path / "a.tsv").write_text("green button\tbotón verde\n")
    texts, nowhere = (tmp_path / "a.en", tmp_path / "a.es"), tmp_path / "nosuch"
    for arguments, said in (
        (("lab", "simulate", project, *texts, "--csv", nowhere / "x.csv"), "nosuch: no such directory; create it"),
        (("lab", "simulate", project, *texts, "--csv", tmp_path), "is a directory; give the name of a file"),
        (("lab", "simulate", project, *texts, "--plot", tmp_path / "x.foo"), ".pdf"),
        (("lab", "simulate", project, *texts, "--plot", tmp_path / "x"), "cannot write a figure in this format"),
        (("lab", "tune", project, *texts, "--plot", nowhere / "x.svg"), "no such directory"),
        (("lab", "tune", project, *texts, "--plot", tmp_path / "x.foo"), "use one of ."),
        (("fill", project, tmp_path / "a.tsv", nowhere / "x.tsv", "--learn-confirmed"), "no such directory"),
    ):
        done = call(*arguments)
        assert isinstance(done.exception, BadInputError), arguments
        assert said in str(done.exception)
    assert corrections(project) == []


@pytest.mark.parametrize("before", [None, Ridge()])
def test_the_adapter_of_a_simulation_does_not_stay(before: Ridge | None, project: Path, tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("green button\nred button\n")
    (tmp_path / "a.es").write_text("botón verde\nbotón rojo\n")
    with Engine.open(project) as engine:
        engine.adapter = before
    assert call("lab", "simulate", project, tmp_path / "a.en", tmp_path / "a.es", "--adapter", "bayes").exit_code == 0
    with Engine.open(project) as engine:
        assert engine.adapter == before
        assert len(engine.history()) == 2


def test_the_order_over_a_base_is_that_of_the_base(tmp_path: Path) -> None:
    languages = "--source", "en", "--target", "es"
    base, new = tmp_path / "base", tmp_path / "new"
    assert call("create", base, *languages, "--order", "3").exit_code == 0
    assert call("base", "train", base, "-", given="green button\tbotón verde\n").exit_code == 0
    refused = call("create", new, *languages, "--base", base, "--order", "5")
    assert "was trained with order=3" in str(refused.exception)
    assert not new.exists()
    assert call("create", new, *languages, "--base", base).exit_code == 0
    with Engine.open(new, write=False) as engine:
        assert engine.opened.store.settings["order"] == 3


def test_errors_on_the_command_line_say_what_helps_there(project: Path, tmp_path: Path) -> None:
    new = "create", tmp_path / "new", "--source", "en", "--target", "es"
    for arguments, said in (
        (
            ("project", "glossary", project, "--file", tmp_path / "nosuch.tsv"),
            "nosuch.tsv: cannot be read (No such file",
        ),
        (
            ("project", "glossary", project, "--remove", "nosuch"),
            f"list its terms with `dragoman project glossary {project}`",
        ),
        ((*new, "--base", tmp_path / "nosuch"), "nosuch: no base found here; give the directory of a trained base"),
    ):
        done = call(*arguments)
        assert isinstance(done.exception, BadInputError), arguments
        assert said in str(done.exception)


@pytest.mark.parametrize("words", [["project settings"], ["translate", "Close the lid."], ["project stats", "--json"]])
def test_a_full_output_device_is_one_line(project: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "dragoman", *words[0].split(), str(project), *words[1:]]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "dragoman: cannot write the output: no space left on device\n")


def test_a_device_is_written_to_and_never_replaced(project: Path, tmp_path: Path) -> None:
    (tmp_path / "lid.txt").write_text("Close the lid.\n", encoding="utf-8")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    done = run("fill", str(project), str(tmp_path / "lid.txt"), str(pipe))
    assert done.returncode == 0, done.stderr
    assert reader.communicate()[0] and pipe.is_fifo()
