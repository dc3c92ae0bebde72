"""The command `dragoman lab tune`, and `dragoman lab measure repetition --project`, as their users run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.measure import repetition
from dragoman.sample import pairs

pytestmark = pytest.mark.kernels


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=os.environ)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a project trained on the sample, and files of its last segments to tune on."""
    directory = tmp_path_factory.mktemp("tuning")
    with Engine.create(directory / "manual", source="en", target="es") as engine:
        engine.train(pairs()[:300])
    for place, language in enumerate(("en", "es")):
        lines = [pair[place] for pair in pairs()[300:320]]
        (directory / f"dev.{language}").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return directory


def test_tuning_reports_each_round_and_sets_the_weights(trained: Path) -> None:
    with Engine.open(trained / "manual", write=False) as engine:
        before = engine.weights
    tried = run("lab", "tune", "manual", "dev.en", "dev.es", "--dry-run", "--rounds", "2", "--json", cwd=trained)
    assert tried.returncode == 0, tried.stderr
    report = json.loads(tried.stdout)
    assert report["sentences"] == 20
    assert report["changed"]
    assert report["after"] > report["before"]
    with Engine.open(trained / "manual", write=False) as engine:
        assert engine.weights == before
    done = run("lab", "tune", "manual", "dev.en", "dev.es", "--rounds", "2", "--plot", "rounds.svg", cwd=trained)
    assert done.returncode == 0, done.stderr
    assert "BLEU of the parts held out, by how far the weights were moved: 0%: " in done.stdout
    assert done.stdout.endswith("weights changed\n")
    assert (trained / "rounds.svg").exists()
    with Engine.open(trained / "manual", write=False) as engine:
        assert engine.weights == report["weights"]  # from the journal, and the same as in the dry run


def test_numbers_that_are_no_weights_are_tuned_and_kept(trained: Path) -> None:
    files = ("manual", "dev.en", "dev.es", "--evaluations", "2")
    tried = run("lab", "tune-number", "beta", *files, "--dry-run", "--json", cwd=trained)
    assert tried.returncode == 0, tried.stderr
    assert [value for value, _ in json.loads(tried.stdout)["tried"]] == [0.9, 0.0]
    for name in ("beta", "share"):
        done = run("lab", "tune-number", name, *files, "--measure", "ter", cwd=trained)
        assert done.returncode == 0, done.stderr
        assert f"{name} set to " in done.stdout
        with Engine.open(trained / "manual", write=False) as engine:
            kept = engine.estimates.beta if name == "beta" else engine.share
            assert f"{name} set to {kept:.3f}" in done.stdout
    refused = run("lab", "tune-number", "gamma", *files, cwd=trained)
    assert (refused.returncode, "choose one of beta, delta, share" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["short.en", "dev.es"], "short.en has 1 lines, dev.es has 20"),
        (["empty", "empty"], "no sentence with words on both sides to tune on"),
        (["dev.en", "dev.es", "--method", "guessing"], "choose one of mert, mira, pro, simplex, powell"),
        (["dev.en", "dev.es", "--measure", "chrf"], "choose one of bleu, ter, wer"),
        (["nowhere", "dev.es"], "nowhere: cannot be read"),
    ],
)
def test_bad_input_is_one_clear_line(trained: Path, arguments: list[str], message: str) -> None:
    (trained / "short.en").write_text("Press it.\n", encoding="utf-8")
    (trained / "empty").write_text("\n \n", encoding="utf-8")
    done = run("lab", "tune", "manual", *arguments, cwd=trained)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_repetition_against_what_a_project_knows(trained: Path) -> None:
    done = run("lab", "measure", "repetition", "dev.es", "--project", "manual", "--json", cwd=trained)
    assert done.returncode == 0, done.stderr
    with Engine.open(trained / "manual", write=False) as engine, engine.opened.reading() as state:
        side = state.knowledge.target
        known, text = (
            [side.model_words(side.read(target)) for _, target in part] for part in (pairs()[:300], pairs()[300:320])
        )
    expected = repetition(text, known)
    found = json.loads(done.stdout)
    assert (found["unf"], found["rrr"]) == pytest.approx((expected.unf, expected.rrr))
    assert 0 < found["unf"] < 100
    refused = run("lab", "measure", "repetition", "dev.es", "dev.es", "--project", "manual", cwd=trained)
    assert refused.returncode == 2
    assert "leave one of them out" in refused.stderr
