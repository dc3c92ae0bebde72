"""A forked child holds nothing of what its parent holds, and leaves it in peace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.store import Project
from dragoman.store.sqlite_files import Place

# The parent opens a project, appends, forks a child, and is killed; the child reads a line first, then tries to write.
PROGRAM = """
import os, sys
from dragoman.errors import DragomanError
from dragoman.store import Project

project = Project.open(sys.argv[1], write=True)
project.journal.append_learn("parent", "a")
if os.fork():
    project.journal.append_learn("parent", "b")
    print("parent", os.getpid(), flush=True)
    sys.stdin.readline()
else:
    try:
        project.journal.append_learn("child", "c")
    except DragomanError as error:
        refused = error.what
    sys.stdin.readline()
    texts = [row.target for row in project.journal.rows()]
    project.close()
    print(refused, *texts, sep="|", flush=True)
"""


@pytest.fixture
def path(place: Place, tmp_path: Path) -> Path:
    path = tmp_path / "project"
    Project.create(path, {}, source="en", target="es", journal=place if isinstance(place, str) else None).close()
    return path


def test_a_child_does_not_keep_the_lock_of_a_killed_parent(path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        _, pid = process.stdout.readline().split()
        os.kill(int(pid), signal.SIGKILL)
        process.wait()
        with Project.open(path, write=True) as project:  # while the child lives
            assert project.journal.append_learn("successor", "d") > 2
            process.stdin.write("go on\n")
            process.stdin.flush()
            said = process.stdout.readline().rstrip().split("|")
            assert said == ["was opened for writing by the parent of this process", "a", "b", "d"]
            assert project.journal.append_learn("successor", "e") > 3  # whatever the child has closed


def test_a_child_that_ends_leaves_the_parent_its_lock(path: Path) -> None:
    with Project.open(path, write=True) as project:
        child = os.fork()
        if child == 0:
            project.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert project.journal.append_learn("parent", "a") == 1
        with pytest.raises(Exception, match="is open for writing"):
            Project.open(path, write=True)
