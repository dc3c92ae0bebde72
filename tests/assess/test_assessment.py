"""The whole assessment: equal to `simulate` on the same text, resumed to the same report, and its command."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.assess.assessment import AssessmentOptions, ask, assess
from dragoman.assess.replay import LINES, read_outcomes
from dragoman.assess.report_page import render, write_report
from dragoman.assess.system_names import ALONE, BOTH, ENGINE, MEMORY, OVER, SIMILAR
from dragoman.assess.systems import TYPING, WORDS
from dragoman.cli import app
from dragoman.errors import BadInputError
from dragoman.formats.tmx import TmxEntry, write_tmx
from tests.assess.support import recorded, shipped

SIZE = 24


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("post-edit", {"BLEU": "BLEU", "WER": WORDS, "TER": "TER", "R0": "R0", "R1": "R1", "R0+1": "R0+1"}),
        ("interactive", {"KSMR": TYPING}),
    ],
)
def test_scores_are_those_that_simulate_prints(tmp_path: Path, mode: str, names: dict[str, str]) -> None:
    work = shipped(SIZE)
    for side, name in enumerate(("en", "es")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in work.pairs), encoding="utf-8")
    project = str(tmp_path / "project")
    CliRunner().invoke(app, ["create", project, "--source", "en", "--target", "es"])
    arguments = ["simulate", project, str(tmp_path / "en"), str(tmp_path / "es"), "--mode", mode, "--memory", "--json"]
    theirs = json.loads(CliRunner().invoke(app, arguments).stdout)
    found = assess(work, tmp_path / "out", AssessmentOptions(typed=SIZE if mode == "interactive" else 0, jobs=1))
    ours = found["parts"][0]["systems"][ALONE]
    for name, each in names.items():  # rounded to two digits and to three
        assert ours[each]["score"] == pytest.approx(theirs[name], abs=0.0055), name


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    directory = tmp_path_factory.mktemp("assess")
    work = shipped(SIZE)
    options = AssessmentOptions((recorded(work, directory / "answers.tsv"),), sample=16, typed=2, jobs=1)
    return assess(work, directory / "out", options)


def test_a_report_has_all_systems_with_intervals(report: dict[str, Any]) -> None:
    (part,) = report["parts"]
    assert list(part["systems"]) == [MEMORY, ENGINE, BOTH, SIMILAR, ALONE, OVER]
    for scores in part["systems"].values():
        assert all(each["low"] <= each["score"] <= each["high"] for each in scores.values())
    assert "typing" in part["systems"][OVER]
    assert "typing" not in part["systems"][ENGINE]
    assert report["text"]["sampled"] == 16
    assert report["text"]["segments"] == SIZE


def test_a_report_has_recall_and_what_changes_of_the_engines_words_are_worth(report: dict[str, Any]) -> None:
    (part,) = report["parts"]
    assert {"R0", "R1", "R0+1"} <= part["systems"][OVER].keys()
    assert list(part["changes"]) == [BOTH, SIMILAR, OVER]
    changes = part["changes"][OVER]
    assert changes["better"] + changes["worse"] <= changes["changed"] <= 16
    assert changes["saved"]["low"] <= changes["saved"]["score"] <= changes["saved"]["high"]
    assert "Changes of the engine's words" in render(report)


def test_without_an_engine_dragoman_is_compared_with_the_memory(tmp_path: Path) -> None:
    found = assess(shipped(8), tmp_path / "out", AssessmentOptions(typed=0, jobs=1))
    (part,) = found["parts"]
    assert list(part["systems"]) == [MEMORY, ALONE]
    assert part["verdict"]["rival"] == MEMORY


def test_the_same_assessment_gives_the_same_page_but_for_the_times(report: dict[str, Any], tmp_path: Path) -> None:
    work = shipped(SIZE)
    options = AssessmentOptions((recorded(work, tmp_path / "answers.tsv"),), sample=16, typed=2, jobs=1)
    again = assess(work, tmp_path / "out", options)
    for found in (report, again):
        found["parts"][0]["engine"] = "the engine"
    assert timeless(again) == timeless(report)


def timeless(found: dict[str, Any]) -> str:
    return render(found | {"times": {"": {"": 0.0}}})


def test_the_page_needs_nothing_else_and_shows_texts_as_texts(report: dict[str, Any], tmp_path: Path) -> None:
    odd = json.loads(json.dumps(report).replace("part 0", "<script>alert(1)</script>"))
    page = write_report(odd, tmp_path).read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "url(" not in page
    assert " style=" not in page
    assert json.loads((tmp_path / "report.json").read_bytes()) == odd


def test_several_engines_are_shown_beside_each_other(report: dict[str, Any]) -> None:
    both = report | {"parts": [part | {"engine": name} for part in report["parts"] for name in ("one", "two")]}
    page = render(both)
    assert page.count("<h2>Ways to work</h2>") == 2
    assert page.index("best without dragoman") < page.index("<h2>one</h2>") < page.index("<h2>two</h2>")


def test_an_engine_that_says_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").write_text("other\totro\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="no answer for any segment"):
        ask(f"recorded:{tmp_path / 'empty.tsv'}", shipped(4), range(4), tmp_path)


def test_engines_other_than_files_are_only_asked_for_what_is_sampled(tmp_path: Path) -> None:
    work = shipped(6)
    answers = ask("command:tr a-z A-Z", work, (1, 4), tmp_path).texts
    assert [n for n, text in enumerate(answers) if text] == [1, 4]
    assert answers[1] == work.pairs[1].source.upper()


def test_answers_that_dragoman_refuses_only_count_for_the_engine_alone(tmp_path: Path) -> None:
    work = shipped(6)
    rows = (f"{pair.source}\t{pair.target if n != 2 else 9 * 'tapa '}\n" for n, pair in enumerate(work.pairs))
    (tmp_path / "answers.tsv").write_text("".join(rows), encoding="utf-8")
    answered = ask(f"recorded:{tmp_path / 'answers.tsv'}", work, range(6), tmp_path)
    assert answered.texts[2] == 9 * "tapa "
    assert [n for n, text in enumerate(answered.usable) if text is None] == [2]


def test_the_command_writes_a_report_and_says_the_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = shipped(10)
    entries = [TmxEntry(str(n), pair.source, pair.target) for n, pair in enumerate(work.pairs)]
    (tmp_path / "memory.tmx").write_bytes(write_tmx(entries, "en", "es"))
    monkeypatch.chdir(tmp_path)
    options = ["--upstream", recorded(work, tmp_path / "answers.tsv"), "--typed", "0", "--jobs", "1"]
    done = CliRunner().invoke(app, ["assess", "memory.tmx", *options])
    assert done.exit_code == 0, done.output
    assert "dragoman over the engine" in done.stdout
    assert f"Report: {Path('assess-memory') / 'report.html'}" in done.stdout
    again = json.loads(CliRunner().invoke(app, ["assess", "memory.tmx", *options, "--json"]).stdout)
    assert again["parts"][0]["verdict"]["sentence"] in done.stdout


ASSESS = "import sys\nfrom dragoman.cli import main\nsys.argv[0] = 'dragoman'\nmain()"


def test_killed_at_several_places_and_resumed_it_gives_the_same_report(tmp_path: Path) -> None:
    work = shipped(82)
    for place in ("whole", "killed"):
        (tmp_path / place).mkdir()
        recorded(work, tmp_path / place / "answers.tsv")
        rows = "".join(f"{pair.source}\t{pair.target}\n" for pair in work.pairs)
        (tmp_path / place / "memory.tsv").write_text(rows, encoding="utf-8")
    assert _start(tmp_path / "whole", jobs=1).wait() == 0
    for reached in (_asking, _replaying):
        _kill_when(reached, tmp_path / "killed")
    assert _start(tmp_path / "killed", jobs=1).wait() == 0
    whole, resumed = (_written(tmp_path / place) for place in ("whole", "killed"))
    assert whole == resumed


def _start(place: Path, jobs: int = 2) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    options = ["--upstream", "recorded:answers.tsv", "--typed", "2", "--jobs", str(jobs)]
    command = [sys.executable, "-c", ASSESS, "assess", "memory.tsv", "--source", "en", "--target", "es", *options]
    return subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _kill_when(reached: Callable[[Path], bool], place: Path) -> None:
    process = _start(place)
    while process.poll() is None and not reached(place / "assess-memory"):
        time.sleep(0.01)
    process.kill()
    assert process.wait() < 0, "it ended before it was killed"


def _asking(directory: Path) -> bool:
    return (directory / "answers" / "journal.db").exists()


def _replaying(directory: Path) -> bool:
    return any(len(read_outcomes(file)) > 30 for file in directory.glob(f"*/{LINES}"))


def _written(place: Path) -> tuple[dict[str, Any], str]:
    """The report, without its times."""
    found = json.loads((place / "assess-memory" / "report.json").read_text(encoding="utf-8"))
    page = (place / "assess-memory" / "report.html").read_text(encoding="utf-8")
    assert len(page) > 1_000
    return found | {"times": {}}, timeless(found)
