"""Connections to SQLite files."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

from dragoman.store.sqlite_files import connect

DROPPED = """
import gc, sys
from pathlib import Path
from dragoman import Engine
Engine.create(sys.argv[1], source="en", target="es")
gc.collect()
"""


def test_a_connection_that_is_dropped_closes_its_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    connection = connect(file, "rwc")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE numbers (number)")
    assert file.with_name("file-wal").exists()
    del connection
    gc.collect()
    assert not file.with_name("file-wal").exists()


def test_a_project_that_is_dropped_leaves_no_open_connection(tmp_path: Path) -> None:
    """Python 3.13 warns of those, which here would be printed."""
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", DROPPED, str(tmp_path / "project")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert "sqlite3.Connection" not in done.stderr
