"""Which tests are tried a second time: those that drive a browser or another process, and no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FAILS_ONCE = """
from pathlib import Path
import pytest

def fails_once(name):
    mark = Path(__file__).with_name(name)
    if not mark.exists():
        mark.touch()
        raise AssertionError("the first time")

@pytest.mark.outside
def test_marked():
    fails_once("marked")

@pytest.fixture
def browser():
    pass

def test_with_a_browser(browser):
    fails_once("browser")

def test_plain():
    fails_once("plain")
"""


def test_only_marked_tests_are_tried_again_and_the_summary_names_them(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAILS_ONCE)
    options = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-p", "tests.conftest", "-raR", "-q"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    lines = done.stdout.splitlines()
    assert [line.split("::")[1] for line in lines if line.startswith("RERUN")] == ["test_marked", "test_with_a_browser"]
    assert [line.split("::")[1].split()[0] for line in lines if line.startswith("FAILED")] == ["test_plain"]
