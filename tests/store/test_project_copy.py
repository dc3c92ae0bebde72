"""A project moves from a file to PostgreSQL and back by being copied."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import StorageError
from dragoman.store import Journal
from tests.engine.support import PAIRS, arrays_of, assert_same, full_disk, new


def test_a_project_moves_to_a_database_and_back(url: str, tmp_path: Path) -> None:
    with new(tmp_path / "old") as old:
        for pair in PAIRS[:5]:
            old.learn(*pair, user="ana")
        expected = arrays_of(old)
    Engine.copy(tmp_path / "old", tmp_path / "shared", journal=url)
    Engine.copy(tmp_path / "shared", tmp_path / "new")
    for name in ("shared", "new"):
        with Engine.open(tmp_path / name) as engine:
            assert engine.opened.store.journal.is_shared == (name == "shared")
            assert_same(arrays_of(engine), expected)
            assert {row.user for row in engine.history()} == {"ana"}


def test_a_copy_that_fails_leaves_no_journal_in_the_database(url: str, tmp_path: Path) -> None:
    with new(tmp_path / "old") as old:
        old.learn(*PAIRS[0])
    with full_disk(), pytest.raises(StorageError):
        Engine.copy(tmp_path / "old", tmp_path / "shared", journal=url)
    assert not (tmp_path / "shared").exists()
    Journal.create(url).close()  # refused if there were one
