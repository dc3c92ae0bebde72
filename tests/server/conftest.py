"""Servers that the tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.server.keys import Keys
from tests.server.support import SMALL, Running, make_projects, running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server as it is started without options."""
    folder = tmp_path_factory.mktemp("projects")
    make_projects(folder)
    with running(folder) as found:
        yield found


@pytest.fixture(scope="session")
def keys_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "keys.json"


@pytest.fixture(scope="session")
def keys(keys_file: Path) -> dict[str, str]:
    """A key for each role in `manual`, one for another project, and one for everything."""
    made = Keys(keys_file)
    roles = {role: {"manual": role} for role in ("read", "translate", "learn")}
    return {
        name: made.add(name, role)
        for name, role in (roles | {"other": {"other": "admin"}, "root": {"*": "admin"}}).items()
    }


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory, keys_file: Path, keys: dict[str, str]) -> Iterator[Running]:
    """A server that asks everybody for keys, with narrow limits."""
    del keys
    folder = tmp_path_factory.mktemp("guarded")
    make_projects(folder)
    with running(folder, keys=keys_file, limits=SMALL) as found:
        yield found
