"""Reports on files: figures with interval and signature, comparisons, and errors that name files and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.errors import BadInputError
from dragoman.measure import bleu, repetition
from dragoman.measure.report import NAMES, measure_files, new_measure, repetition_of_files

pytestmark = pytest.mark.kernels

REFERENCES = ["Press the green button.", "Close the lid.", "Wait for the light to go out."] * 10
SYSTEM = ["Press the green button.", "Close the cover.", "Wait for the light to go out."] * 10
BASELINE = ["Push the green knob.", "Close the cover.", "Wait for light to go out."] * 10


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    named = {"system": SYSTEM, "references": REFERENCES, "baseline": BASELINE}
    system, references, baseline = (write(tmp_path / name, lines) for name, lines in named.items())
    return system, references, baseline


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_with_interval_and_signature(files: tuple[Path, Path, Path], name: str) -> None:
    measure = new_measure(name)
    report = measure_files(measure, *files[:2])
    assert report.score.score == measure(SYSTEM, REFERENCES)
    assert report.score.low <= report.score.score <= report.score.high
    assert str(report).startswith(f"{measure.name} {report.score}\n")
    assert str(report).endswith(f"30 sentences, {measure.signature}")
    data = json.loads(json.dumps(report.as_json()))
    assert data["score"]["score"] == report.score.score
    assert ("parts" in data) == (name == "bleu")
    assert "comparison" not in data


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_with_a_baseline(files: tuple[Path, Path, Path], name: str) -> None:
    measure = new_measure(name)
    report = measure_files(measure, *files)
    assert report.comparison is not None
    assert report.comparison.baseline.score == measure(BASELINE, REFERENCES)
    assert report.comparison.p_value < 0.01
    assert f"difference {report.comparison.difference}" in str(report)
    assert json.loads(json.dumps(report.as_json()))["randomisation"] < 0.01


def test_the_tokenizer_can_be_chosen(files: tuple[Path, Path, Path]) -> None:
    report = measure_files(new_measure("bleu", "none"), *files[:2])
    assert report.score.score == bleu(SYSTEM, REFERENCES, "none")
    assert "tok:none" in report.signature


def test_files_of_different_length_are_refused_with_names_and_counts(tmp_path: Path) -> None:
    system, references = write(tmp_path / "system", ["a"] * 3), write(tmp_path / "references", ["a"] * 4)
    with pytest.raises(BadInputError, match=r"system has 3 lines, .*references has 4"):
        measure_files(new_measure("wer"), system, references)


def test_empty_files_are_refused(tmp_path: Path) -> None:
    system, references = write(tmp_path / "system", []), write(tmp_path / "references", [])
    with pytest.raises(BadInputError, match="references: the file is empty"):
        measure_files(new_measure("wer"), system, references)


def test_an_unknown_measure_is_refused_with_the_choice() -> None:
    with pytest.raises(BadInputError, match="choose one of wer, bleu, ter, chrf"):
        new_measure("meteor")


def test_repetition_of_files_is_that_of_their_tokens(tmp_path: Path) -> None:
    text = write(tmp_path / "text", ["Press (the) button.", "Press (the) lid."])
    training = write(tmp_path / "training", ["Press (it)."])
    tokens = [["Press", "(", "the", ")", "button", "."], ["Press", "(", "the", ")", "lid", "."]]
    assert repetition_of_files(text, training) == repetition(tokens, [["Press", "(", "it", ")", "."]])
    spaced = [["Press", "(the)", "button."], ["Press", "(the)", "lid."]]
    assert repetition_of_files(text, mode="words") == repetition(spaced)
