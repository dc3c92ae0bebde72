"""Places for a journal: a file, and a schema in a private PostgreSQL server if the machine can run one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dragoman.store.sqlite_files import Place

if TYPE_CHECKING:
    from tests.store.postgresql import Server

NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    pytest.importorskip("psycopg")
    from tests.store.postgresql import UnavailableError, private_server

    memory = Path("/dev/shm")  # noqa: S108 (the server makes a directory of its own in it)
    try:
        with private_server(memory if memory.is_dir() else None) as server:
            yield server
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where a journal can be created, in each kind of database."""
    if request.param == "sqlite":
        return tmp_path / "journal.db"
    return str(request.getfixturevalue("url"))


@pytest.fixture
def url(postgresql: Server) -> str:
    """A schema of its own."""
    return postgresql.schema(f"test_{next(NUMBERS)}")
