"""The cells of an experiment, on a real Ray on this machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.cluster.runners import LOCAL, Runner, connected
from dragoman_laboratory.cells import run, run_ahead
from dragoman_laboratory.corpora import Corpora
from dragoman_laboratory.experiment import Cell, Experiment, Measured, Scale, Table, Text
from dragoman_laboratory.workspace import Workspace

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.outside,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets and files of Ray's own
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with connected(LOCAL, workers=2) as started:
        yield started


def work(workspace: Workspace, text: Text, times: int) -> Measured:
    return Measured([{"words": times * sum(len(source.split()) for source, _ in workspace.pairs(text))}])


def test_cells_of_an_experiment_are_run_on_a_cluster(tmp_path: Path, runner: Runner) -> None:
    folder = tmp_path / "corpora" / "tiny-en-es"
    folder.mkdir(parents=True)
    for language, line in (("en", "a b c"), ("es", "x y")):
        (folder / f"test.{language}").write_text(f"{line}\n" * 4)
    cells = [Cell(work, {"text": Text("tiny-en-es", "test", 4), "times": times}) for times in (1, 2, 3)]
    experiment = Experiment("T", "", "", lambda _: cells, lambda _: Table((), []), lambda _: [], lambda *_: None)
    workspace = Workspace(Corpora(tmp_path / "corpora"), tmp_path / "out")
    told: list[tuple[int, int]] = []
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    run_ahead(experiment, Scale(True), workspace, runner, lambda _, done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert len(list((tmp_path / "out" / "cells").glob("*.json"))) == 3
    results, missing = run(experiment, Scale(True), workspace)
    assert [row["words"] for row in results.rows] == [12, 24, 36]
    assert missing == []
    run_ahead(experiment, Scale(True), workspace, runner, lambda *_: told.append((0, 0)))
    assert len(told) == 3  # nothing is run twice
