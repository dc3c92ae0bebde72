"""A second opinion: COMET's own command scores the translations, if the user has it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from dragoman.assess.assessment import AssessmentOptions, assess
from dragoman.assess.second_opinion import Comet
from dragoman.errors import BadInputError, DragomanError
from tests.assess.support import shipped

pytestmark = pytest.mark.kernels
SCORER = """#!{python}
import json, sys
options = sys.argv[1:]
after = lambda name: options[options.index(name) + 1]
names = [each for each in options if each[0].isdigit() and each.endswith(".txt")]
read = lambda name: open(name, encoding="utf-8").read().splitlines()
right = read(after("-r"))
assert len(read(after("-s"))) == len(right)
marks = lambda name: [{{"COMET": float(text == ref)}} for text, ref in zip(read(name), right, strict=True)]
found = {{name: marks(name) for name in names}}
json.dump(found, open(after("--to_json"), "w"))
"""


def install(monkeypatch: pytest.MonkeyPatch, directory: Path, program: str) -> Path:
    """Put a command in the place of COMET's, and a checkpoint beside it."""
    command = directory / "bin" / "comet-score"
    command.parent.mkdir()
    command.write_text(program.format(python=sys.executable), encoding="utf-8")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent), prepend=os.pathsep)
    (directory / "model.ckpt").write_bytes(b"")
    return directory / "model.ckpt"


def test_every_system_is_scored_by_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = install(monkeypatch, tmp_path, SCORER)
    found = assess(shipped(6), tmp_path / "out", AssessmentOptions(typed=0, jobs=1, comet=model))
    for scores in found["parts"][0]["systems"].values():
        assert 0 <= scores["COMET"]["low"] <= scores["COMET"]["score"] <= scores["COMET"]["high"] <= 100


def test_texts_of_several_lines_are_one_line_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Comet(install(monkeypatch, tmp_path, SCORER))
    found = model.scores(["one\ntwo", "three"], {"ours": ["uno\ndos", "tres"]}, ["uno\ndos", "cuatro"])
    assert found["ours"].tolist() == [100, 0]


def test_a_command_that_fails_is_an_error_with_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Comet(install(monkeypatch, tmp_path, "#!{python}\nraise SystemExit('no tokeniser')"))
    with pytest.raises(DragomanError, match="no tokeniser"):
        model.scores(["one"], {"ours": ["uno"]}, ["uno"])


def test_a_missing_model_is_refused_before_anything_is_replayed(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such COMET model"):
        assess(shipped(4), tmp_path / "out", AssessmentOptions(typed=0, jobs=1, comet=tmp_path / "none.ckpt"))
    assert not (tmp_path / "out").exists()


def test_without_the_command_the_error_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.ckpt").write_bytes(b"")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInputError, match="not installed") as raised:
        Comet(tmp_path / "model.ckpt")
    assert "pipx install" in str(raised.value.remedy)
