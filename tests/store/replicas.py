"""What the tests of replicas share: projects in several directories on one journal, and what is in its server."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from dragoman.engine import Engine
from tests.engine.support import arrays_of, assert_same

if TYPE_CHECKING:
    from tests.store.postgresql import Server


def writer(path: Path, url: str) -> Engine:
    """The writer of a new project whose journal is in PostgreSQL."""
    return Engine.create(path, source="en", target="es", preset="thot", journal=url)


def copied(path: Path, to: Path) -> Path:
    """The directory as another machine would have it: without snapshots."""
    shutil.copytree(path, to, ignore=shutil.ignore_patterns("lock", "snapshots"))
    return to


def end_backends(server: Server, which: str) -> int:
    """Let the server end the connections for which a condition on pg_stat_activity holds; how many."""
    query = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND {which}"  # noqa: S608
    with psycopg.connect(server.url) as connection:
        return len(connection.execute(query.encode()).fetchall())


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so, which it must be soon."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def assert_follows(replica: Engine, engine: Engine) -> None:
    """It comes to know all that the other knows, bit for bit."""
    replica.wait_for(engine.revision, timeout=20)
    assert replica.revision == engine.revision
    assert_same(arrays_of(replica), arrays_of(engine))
    assert replica.opened.state.settings == engine.opened.state.settings
