"""Keys that are added and removed by several processes at once, and who can read them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.server.keys import Keys

PROGRAM = """
import sys
from pathlib import Path
from dragoman.server.keys import Keys
keys, name = Keys(Path(sys.argv[1])), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for turn in range(25):
    kept = keys.add(f"{name}-{turn}", {"*": "read"})
    gone = keys.add(f"{name}-gone-{turn}", {"*": "admin"})
    keys.remove(f"{name}-gone-{turn}")
    assert keys.find(gone) is None, "a removed key is valid"
    assert keys.find(kept) is not None, "a new key is not valid"
"""


def test_keys_are_added_and_removed_by_several_processes_at_once(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    command = [sys.executable, "-c", PROGRAM, str(file)]
    started = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for name in "abc"
    ]
    for process in started:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in started:
        process.communicate()
        assert process.returncode == 0
    expected = {f"{name}-{turn}" for name in "abc" for turn in range(25)}
    assert {record["name"] for record in Keys(file).records()} == expected
    assert not list(tmp_path.glob("*.part"))


def test_only_their_owner_can_read_keys_from_the_moment_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, sync, file = [], os.fsync, tmp_path / "keys.json"

    def watch(descriptor: int) -> None:
        seen.append(os.fstat(descriptor))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    Keys(file).add("ana", {"*": "read"})
    assert [oct(each.st_mode & 0o777) for each in seen if stat.S_ISREG(each.st_mode)] == ["0o600"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_bytes())["keys"][0]["name"] == "ana"
