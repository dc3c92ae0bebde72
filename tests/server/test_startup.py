"""A server that has just been started: it answers at once what it can, and requests wait for the rest."""

from __future__ import annotations

import threading
from pathlib import Path

import fastapi.applications
import pytest

from dragoman.server import startup
from dragoman.server.startup import Tell
from tests.server.support import make_projects, starting


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


def test_a_wrong_method_is_answered_without_describing_the_whole_interface_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_projects(tmp_path)
    with starting(tmp_path, lambda _: None) as client:
        while client.get("/ready").status_code == 503:
            pass
        monkeypatch.setattr(fastapi.applications, "get_openapi", lambda **_: pytest.fail("half a second of work"))
        answer = client.delete("/api/v1/projects")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
