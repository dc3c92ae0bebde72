"""A copy that is killed is there whole or not at all, and the next attempt clears up what it has left."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError, DragomanError
from dragoman.store import Journal, Project, TakenError, UnfinishedError
from dragoman.store.sqlite_files import Place
from dragoman.store.unfinished import aside, publish
from tests.engine.support import PAIRS, arrays_of, assert_same, new

ROOT = Path(__file__).parents[2]
# Imported once and forked for each copy, which says how long it took if nobody kills it.
PROGRAM = """
import os, sys, time
from dragoman import kernels
from dragoman.engine import Engine
kernels.warm()
for line in sys.stdin:
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        Engine.copy(sys.argv[1], sys.argv[2], journal=sys.argv[3] or None)
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print(time.monotonic() - began, flush=True)
"""


def is_there(path: Path) -> bool:
    """Whether a project can be opened here."""
    try:
        Engine.open(path).close()
    except DragomanError as error:
        assert isinstance(error, UnfinishedError) or "is not a dragoman project" in str(error)
        return False
    return True


def test_a_copy_killed_at_any_moment_is_whole_or_not_there(place: Place, tmp_path: Path) -> None:
    old, path, chance = tmp_path / "old", tmp_path / "copies" / "new", random.Random(7)
    journal = place if isinstance(place, str) else ""
    with new(old) as engine:
        for pair in PAIRS[:15]:
            engine.learn(*pair)
        expected = arrays_of(engine)
    command = [sys.executable, "-c", PROGRAM, str(old), str(path), journal]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin
        assert process.stdout
        took, whole = 0.0, 0
        for turn in range(12):
            print("copy", file=process.stdin, flush=True)
            child = int(process.stdout.readline())
            if turn:  # the first is not killed, and tells how long it takes
                time.sleep(chance.uniform(0, 1.1 * took))
                with suppress(ProcessLookupError):  # it was quicker
                    os.kill(child, signal.SIGKILL)
            seconds = float(process.stdout.readline())
            took = took or seconds
            if is_there(path):
                whole += 1
                with Engine.open(path) as engine:
                    assert_same(arrays_of(engine), expected)
                shutil.rmtree(path)
                if journal:
                    Journal.drop(journal)
            assert not list(path.parent.glob("*/project.json")) or (path / "project.json").exists()
        process.stdin.close()
    assert whole < 12
    Engine.copy(old, path, journal=journal or None)
    with Engine.open(path) as engine:
        assert_same(arrays_of(engine), expected)
    assert [each.name for each in path.parent.iterdir()] == ["new"]


def unfinished(path: Path, place: Place) -> Project:
    journal = place if isinstance(place, str) else None
    return Project.create(path, {}, source="en", target="es", journal=journal, unfinished=True)


def test_an_unfinished_project_is_refused_until_it_is_published(place: Place, tmp_path: Path) -> None:
    with aside(tmp_path / "new") as built:
        unfinished(built, place).close()
        for write in (False, True):
            with pytest.raises(UnfinishedError, match="make the copy again"):
                Project.open(built, write=write)
        publish(built, tmp_path / "new")
    Project.open(tmp_path / "new", write=True).close()
    assert [path.name for path in tmp_path.iterdir() if path.name != "journal.db"] == ["new"]


def test_what_was_moved_but_not_finished_is_refused_and_replaced(place: Place, tmp_path: Path) -> None:
    path = tmp_path / "new"
    unfinished(path, place).close()
    with pytest.raises(UnfinishedError):
        Project.open(path)
    with aside(path) as built:
        unfinished(built, place).close()
        publish(built, path)
    Project.open(path).close()


def test_two_cannot_build_the_same_project_at_once(tmp_path: Path) -> None:
    with aside(tmp_path / "new"), pytest.raises(TakenError), aside(tmp_path / "new"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_another_name_left_and_what_a_link_leads_to_stay(tmp_path: Path) -> None:
    other, elsewhere = tmp_path / ".a.b.01234567.unfinished", tmp_path / "elsewhere"
    for folder in (other, elsewhere):
        folder.mkdir()
    (tmp_path / ".a.01234567.unfinished").symlink_to(elsewhere)
    with aside(tmp_path / "a"):
        pass
    assert other.exists()
    assert list(elsewhere.iterdir()) == []


def test_a_journal_that_is_being_copied_is_not_replaced(url: str, tmp_path: Path) -> None:
    with unfinished(tmp_path / "one", url), pytest.raises(TakenError, match="a copy is being made here"):
        unfinished(tmp_path / "two", url)
    unfinished(tmp_path / "two", url).close()


def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "project.json").write_text("{")
    with pytest.raises(BadInputError, match="not an empty directory"), aside(tmp_path / "new"):
        pass
    assert (tmp_path / "new" / "project.json").read_text() == "{"
