"""Claims: one process at a time, however it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dragoman.kernels import claims

pytestmark = [
    pytest.mark.outside,
    pytest.mark.skipif(sys.platform == "win32", reason="without these locks every process compiles"),
]
HOLDER = """
import sys
from pathlib import Path
from dragoman.kernels import claims
claims.take(Path(sys.argv[1]), sys.argv[2])
print("mine", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(root: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a claim until it is killed."""
    command = [sys.executable, "-c", HOLDER, str(root), name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "mine\n"
        yield process
        process.kill()


def test_what_another_process_has_claimed_is_free_again_when_it_is_killed(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path, "a") as other:
        assert not claims.attempt(tmp_path, "a")
        assert claims.attempt(tmp_path, "b")
        other.kill()
        other.wait()
        assert claims.attempt(tmp_path, "a")
    for name in "ab":
        claims.release(tmp_path, name)


def test_waiting_for_a_claim_ends_and_says_so(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path, "a"):
        assert not claims.take(tmp_path, "a", patience=0.1)
    assert claims.take(tmp_path, "a")
    claims.release(tmp_path, "a")


def test_a_claim_is_released_as_often_as_it_was_taken(tmp_path: Path) -> None:
    claims.take(tmp_path, "a")
    claims.take(tmp_path, "a")
    claims.release(tmp_path, "a")
    tried = [
        sys.executable,
        "-c",
        HOLDER.replace("take", "attempt").replace('"mine"', "claims._held"),
        str(tmp_path),
        "a",
    ]
    assert subprocess.run(tried, input="", capture_output=True, text=True).stdout == "{}\n"
    claims.release(tmp_path, "a")
    assert subprocess.run(tried, input="", capture_output=True, text=True).stdout != "{}\n"
    claims.release(tmp_path, "a")  # once too often does nothing


def test_where_nothing_can_be_written_everybody_may_compile(tmp_path: Path) -> None:
    assert claims.attempt(tmp_path / "missing", "a")
    assert claims.take(tmp_path / "missing", "a")
    claims.release(tmp_path / "missing", "a")
