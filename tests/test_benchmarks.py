"""`make bench CORPORA=…` reaches every benchmark, and says how long it takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
FOLDER = '"shared" / "corpora"'  # where corpora are if nobody says so
SCRIPTS = [path for path in sorted(BENCHMARKS.glob("*.py")) if FOLDER in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_place_of_the_corpora_can_be_named(script: Path) -> None:
    assert "DRAGOMAN_CORPORA" in script.read_text(encoding="utf-8")


def test_a_benchmark_without_its_corpora_says_where_it_looked(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "bench_tokens.py")]
    environment = {**os.environ, "DRAGOMAN_CORPORA": str(tmp_path / "mine")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert f"no corpora at {tmp_path / 'mine'}" in done.stdout


def test_every_benchmark_is_listed_with_a_time() -> None:
    command = [sys.executable, str(BENCHMARKS / "run_all.py"), "--list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in listed] == [
        path.stem.removeprefix("bench_") for path in sorted(BENCHMARKS.glob("bench_*.py"))
    ]
