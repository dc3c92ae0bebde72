"""A server that has just been started: it answers at once what it can, and requests wait for the rest."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from dragoman.server import startup
from dragoman.server.config import Settings
from dragoman.server.running import configure
from dragoman.server.startup import Preparation, Startup, Tell
from tests.server.support import make_projects

pytestmark = pytest.mark.kernels


@contextmanager
def starting(folder: Path, prepare: Preparation) -> Iterator[httpx.Client]:
    """A server that is listening; it is not ready before `prepare` returns."""
    config = configure(Settings(paths=(folder,), port=0), startup=Startup(prepare))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            yield client
    finally:
        cast(FastAPI, config.app).state.context.startup.warming.stop()
        server.should_exit = True
        thread.join()


def test_the_page_is_there_at_once_and_requests_are_answered_when_all_is_prepared(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def prepare(tell: Tell) -> None:
        tell(120, 502)
        begun.set()
        go_on.wait(60)

    make_projects(tmp_path)
    with starting(tmp_path, prepare) as client:
        assert client.get("/").status_code == client.get("/health").status_code == 200
        assert begun.wait(60)
        answer = client.get("/ready")
        assert answer.status_code == 503
        told = {"doing": "learning the sample", "done": 120, "total": 502, "usable": False}
        assert answer.json() == {"state": "starting", "problems": 0, "projects": []} | told
        threading.Timer(0.3, go_on.set).start()
        assert len(client.get("/api/v1/projects").json()) == 2
        while client.get("/ready").status_code == 503:
            pass
        assert client.get("/ready").json() == {"state": "ready", "problems": 0, "projects": []}


def test_a_request_that_has_waited_long_enough_is_told_to_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(startup, "PATIENCE", 0.1)
    make_projects(tmp_path)
    with starting(tmp_path, lambda _: go_on.wait(60)) as client:
        answer = client.get("/api/v1/projects")
        go_on.set()
    assert answer.status_code == 503
    assert "still compiling" in answer.json()["error"]["what"]
    assert answer.headers["Retry-After"] == "5"


def test_if_preparing_fails_the_server_says_so_and_serves_what_it_can(tmp_path: Path) -> None:
    def prepare(_: Tell) -> None:
        raise OSError("no space left on device")

    make_projects(tmp_path)
    with starting(tmp_path, prepare) as client:
        assert len(client.get("/api/v1/projects").json()) == 2
        assert client.get("/ready").json()["state"] == "failed"
