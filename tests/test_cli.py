"""The command line, run as its users run it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import dragoman


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dragoman", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


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


def test_help_is_quick() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.6  # 0.3 s on a quiet machine


def test_doctor_finds_this_machine_in_order() -> None:
    done = run("doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    assert findings.keys() == {"versions", "processor", "memory", "disk", "kernel cache", "self-test"}
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
