"""An engine that learns the corrections of its project, as a project uses it."""

from __future__ import annotations

import gc
import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman import Engine
from dragoman.assess.assessment import AssessmentOptions, make_plans
from dragoman.assess.past_work import PastPair, PastWork
from dragoman.assess.replay import replay
from dragoman.cli import app
from dragoman.neural import learner as learner_module
from dragoman.store import Project
from dragoman.upstream import learned_weights
from dragoman.upstream.checks import is_run
from dragoman.upstream.learned_weights import WEIGHTS, thin_out
from tests.upstream.learning import PAIRS, bits, learned, project, snapshots, wait_for
from tests.upstream.support import make_model

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(learner_module, "EVERY", 3)
    monkeypatch.setattr(learned_weights, "EVERY", 3)
    yield
    gc.collect()


def test_an_engine_follows_what_is_learned_forgotten_and_revised(model: Path, tmp_path: Path) -> None:
    with project(tmp_path / "one", model) as one, project(tmp_path / "other", model) as other:
        numbers = [one.learn(*pair) for pair in PAIRS]
        weights = learned(one)
        before = weights.served()
        assert before
        assert before.ids == tuple(numbers)
        one.forget(numbers[4])
        seen = weights.served()  # from now on, nothing that has seen it
        assert seen is None or numbers[4] not in seen.ids
        one.revise(numbers[5], "abra")
        kept = [pair for n, pair in enumerate(PAIRS) if n not in (4, 5)]
        for pair in [*kept, (PAIRS[5][0], "abra")]:
            other.learn(*pair)
        assert bits(learned(one)) == bits(learned(other))
        assert weights.served().digest == learned(other).served().digest != before.digest  # type: ignore[union-attr]
        assert snapshots(tmp_path / "one") == snapshots(tmp_path / "other")  # those of what is forgotten are gone
        for row in list(one.corrections()):
            one.forget(row.id)
        assert learned(one).served() is None
        wait_for(lambda: not snapshots(tmp_path / "one"))


@pytest.mark.parametrize("lost", ["nothing", "all", "damaged", "moved"])
def test_reopened_it_is_the_same_with_or_without_its_snapshots(model: Path, tmp_path: Path, lost: str) -> None:
    path = tmp_path / "project"
    with project(path, model) as engine:
        for pair in PAIRS:
            engine.learn(*pair)
        before = bits(learned(engine))
        version = learned(engine).served()
    assert len(snapshots(path)) == 2
    if lost == "all":
        shutil.rmtree(path / WEIGHTS)
    if lost == "damaged":
        (path / WEIGHTS / snapshots(path)[-1]).write_bytes(b"half")
    if lost == "moved":
        path = path.rename(tmp_path / "elsewhere")
    with Engine.open(path) as engine:
        assert bits(learned(engine)) == before
        assert learned(engine).served().digest == version.digest  # type: ignore[union-attr]


def test_projects_share_the_weights_of_the_model(model: Path, tmp_path: Path) -> None:
    with project(tmp_path / "one", model) as one, project(tmp_path / "other", model) as other:
        for engine in (one, other):
            engine.learn(*PAIRS[0])
        first, second = learned(one)._learner, learned(other)._learner
        assert first
        assert second
        assert first.first is second.first
        assert first.weights is not second.weights


def test_answers_of_other_weights_are_not_taken_for_those_of_now(model: Path, tmp_path: Path) -> None:
    with project(tmp_path / "project", model) as engine:
        upstream = engine._consultant.upstream(engine.upstream)
        assert upstream
        for _ in range(2):
            engine.translate("open the file")
        plain, counts = upstream.version, dict(upstream.counts)
        assert (counts["asked"], counts["kept"]) == (1, 1)
        number = engine.learn(*PAIRS[0])
        learned(engine)
        assert upstream.version != plain
        engine.translate("open the file")
        assert upstream.counts["kept"] == 1
        assert upstream.counts["asked"] > 1
        engine.forget(number)
        learned(engine)
        assert upstream.version == plain


def test_an_engine_that_cannot_learn_says_why_and_translates(model: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model, tmp_path / "model")
    config = other / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"layer_norm_epsilon": 7}))
    with project(tmp_path / "project", other) as engine:
        engine.translate("open")
        engine.learn(*PAIRS[0])
        wait_for(lambda: bool(engine.upstream_learning and engine.upstream_learning.problem))
        assert engine.upstream_learning
        assert "cannot learn" in str(engine.upstream_learning.problem)
        assert engine.translate("open the file").upstream is not None


def test_what_is_due_is_waited_for_and_told(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "project"
    with project(path, model) as engine:
        for pair in PAIRS:
            engine.learn(*pair)
        engine.translate("open the file")  # loads it
        progress = engine.wait_for_learning()
        assert progress
        assert (progress.corrections, progress.due) == (len(PAIRS), 0)
        assert "It has learned 8 of 8 corrections" in engine.explain("open the file").note
        engine.learn("press", "pulse")
        assert engine.wait_for_learning(0.0) is not None
    done = CliRunner().invoke(app, ["upstream", "test", str(path)])
    assert "it has learned 9 of 9 corrections" in done.output
    done = CliRunner().invoke(app, ["translate", str(path), "press"])
    assert done.output == "pulse\n"


def test_what_is_asked_ahead_is_asked_of_the_learned_weights(model: Path, tmp_path: Path) -> None:
    path, file = tmp_path / "project", tmp_path / "chapter.txt"
    file.write_text("open the file\n", encoding="utf-8")
    with project(path, model) as engine:
        engine.learn(*PAIRS[0])
        version = learned(engine).served()
    CliRunner().invoke(app, ["upstream", "fill", str(path), str(file)])
    with Project.open(path) as opened:
        (kept,) = [each for each in opened.answers.entries() if each.text == "open the file"]
    assert version
    assert str(kept.version).endswith(version.digest[:12])


def test_past_work_is_replayed_over_the_engine_as_it_has_learned_by_then(model: Path, tmp_path: Path) -> None:
    name, pairs = f"ct2:{model}#learns=yes", tuple(PAIRS[:4])
    work = PastWork([PastPair(*pair, "part") for pair in pairs], "en", "es", "order of the file", {})
    _, plan = make_plans(work, AssessmentOptions(engines=(name,), typed=0), (0, 1, 2, 3), {name: (None,) * 4})
    assert plan.engine == name
    replayed = replay(plan, tmp_path / "replay")
    with project(tmp_path / "project", model) as engine:
        for outcome, pair in zip(replayed, pairs, strict=True):
            learned(engine)
            assert engine.translate(pair[0]).text == outcome.text
            engine.learn(*pair, force=True)


def test_of_many_snapshots_the_old_ones_are_thinned_out(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).mkdir()
    for count in range(3, 90, 3):
        (tmp_path / WEIGHTS / f"{count:06d}-{'0' * 16}.snapshot").touch()
        thin_out(tmp_path)
    counts = [int(name[:6]) for name in snapshots(tmp_path)]
    assert len(counts) == 10
    assert counts[-3:] == [81, 84, 87]
    assert counts[0] <= 30


def test_answers_that_run_wild_are_recognised() -> None:
    assert is_run("Use --- here.", "Use " + "*" * 300)
    assert is_run("a", "a " + ". . " * 20)
    assert not is_run("-" * 40, "-" * 41)
    assert not is_run("It costs 1,000,000,000 dollars.", "Cuesta 1.000.000.000 dólares.")


KILLS = 3
PROGRAM = """
import os, sys
from dragoman import Engine
from dragoman.neural import learner
from dragoman.store import Project
from dragoman.upstream import learned_weights
learner.EVERY = learned_weights.EVERY = 3
with Engine.open(sys.argv[1]) as engine:
    number = int(sys.argv[2])
    while True:
        engine.translate(f"open the file {number % 7}")
        row = engine.learn(f"close {number}", f"cierre {number}", force=True)
        os.write(1, f"{row}\\n".encode())
        number += 1
"""


def test_killed_at_any_moment_it_has_learned_what_was_acknowledged(model: Path, tmp_path: Path) -> None:
    path, chance, acknowledged = tmp_path / "project", random.Random(7), list[int]()
    project(path, model).close()
    for number in range(KILLS):
        command = [sys.executable, "-c", PROGRAM, str(path), str(1000 * number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            acknowledged += [int(process.stdout.readline())]
            time.sleep(chance.random())
            process.kill()
            acknowledged += [int(line) for line in process.stdout if line.endswith("\n")]
    with Engine.open(path) as engine, project(tmp_path / "fresh", model) as fresh:
        weights = learned(engine)
        rows = {row.id: row for row in engine.corrections()}
        assert rows.keys() >= set(acknowledged)
        for _, row in sorted(rows.items()):
            fresh.learn(str(row.source), str(row.target), force=True)
        assert bits(learned(fresh)) == bits(weights)
        assert not [name for name in snapshots(path) if not name.endswith(".snapshot")]
