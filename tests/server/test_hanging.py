"""The database of one project hangs: it is translated in nevertheless, and no other project notices."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import httpx
import pytest

from tests.server.support import PAIRS, Running, make_projects, running
from tests.store.postgresql import UnavailableError, private_server
from tests.store.replicas import until, writer

pytestmark = pytest.mark.outside
TEXT = {"texts": [PAIRS[0][0]]}


def timed(client: httpx.Client, method: str, path: str, **sent: object) -> tuple[int, float]:
    """Status and seconds of a request."""
    begin = time.monotonic()
    answer = client.request(method, f"/api/v1/projects/{path}", **sent)  # type: ignore[arg-type]
    return answer.status_code, time.monotonic() - begin


def use(server: Running, stop: threading.Event) -> None:
    """Ask for everything of the hanging project that needs its database, again and again."""
    pair = {"source": "Lift the lid.", "target": "Levante la tapa."}
    with server.client() as client:
        while not stop.is_set():
            timed(client, "POST", "shared/corrections", json=pair)
            timed(client, "GET", "shared/corrections")
            client.get("/metrics")


def test_a_database_that_hangs_stops_nothing_else(tmp_path: Path) -> None:
    memory = Path("/dev/shm")  # noqa: S108
    try:
        with private_server(memory if memory.is_dir() else None) as database:
            make_projects(tmp_path)
            with writer(tmp_path / "shared", database.schema("hanging")) as engine:
                engine.learn(*PAIRS[0])
            with running(tmp_path) as server, server.client() as client:
                stop, people = threading.Event(), []
                with database.hanging():
                    for _ in range(6):
                        people.append(threading.Thread(target=use, args=(server, stop)))
                        people[-1].start()
                    end, slowest = time.monotonic() + 6, 0.0
                    while time.monotonic() < end:
                        for project in ("manual", "shared"):
                            status, seconds = timed(client, "POST", f"{project}/translations", json=TEXT)
                            assert status == 200
                            slowest = max(slowest, seconds)
                        pair = {"source": "Turn the knob.", "target": "Gire el mando."}
                        status, seconds = timed(client, "POST", "other/corrections?once=true", json=pair)
                        assert status in (200, 201)
                        slowest = max(slowest, seconds)
                        assert client.get("/health").status_code == 200
                    assert client.get("/ready").json()["projects"] == ["shared"]
                    assert slowest < 3, slowest  # a few hundredths, on a machine that is not busy
                    stop.set()
                    for person in people:
                        person.join()
                pair = {"source": "Lift the lid.", "target": "Levante la tapa."}
                until(lambda: timed(client, "POST", "shared/corrections", json=pair)[0] in (200, 201))
                until(lambda: client.get("/ready").json()["problems"] == 0)
    except UnavailableError as error:
        pytest.skip(str(error))
