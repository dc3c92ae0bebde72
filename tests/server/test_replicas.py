"""Two servers on one journal: one learns, the other translates with what was learned, and takes over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from websockets.sync.client import connect

from dragoman.server.limits import Limits
from tests.server.support import PAIRS, Running, running
from tests.server.test_running import serving
from tests.store.conftest import postgresql  # noqa: F401 (a fixture)
from tests.store.replicas import copied, until, writer

if TYPE_CHECKING:
    from tests.store.postgresql import Server

API = "/api/v1/projects/manual"
NUMBERS = count(1)
SHORT = Limits(behind_seconds=1.5)  # the journal announces each row; on a busy machine that takes a moment


@pytest.fixture
def first(postgresql: Server, tmp_path: Path) -> Iterator[Running]:  # noqa: F811
    writer(tmp_path / "first" / "manual", postgresql.schema(f"served_{next(NUMBERS)}")).close()
    copied(tmp_path / "first", tmp_path / "second")
    with running(tmp_path / "first") as found:
        yield found


def learn(client: httpx.Client, n: int = 0) -> int:
    answer = client.post(f"{API}/corrections", json={"source": PAIRS[n][0], "target": PAIRS[n][1]})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["revision"])


def translate(client: httpx.Client, text: str, at_least: int) -> httpx.Response:
    headers = {"X-At-Least-Revision": str(at_least)}
    return client.post(f"{API}/translations", json={"texts": [text]}, headers=headers)


def test_who_has_learned_at_the_writer_finds_it_at_the_replica(first: Running, tmp_path: Path) -> None:
    with (
        running(tmp_path / "second", follow="replica", limits=SHORT) as second,
        first.client() as there,
        second.client() as here,
    ):
        revision = 0
        for n, (source, target) in enumerate(PAIRS):
            revision = learn(there, n)
            answer = translate(here, source, revision)
            assert answer.status_code == 200, answer.text
            assert answer.json()["revision"] >= revision
            assert int(answer.headers["X-Revision"]) >= revision
            assert answer.json()["translations"][0]["text"] == target
        behind = translate(here, PAIRS[0][0], revision + 3)
        assert behind.status_code == 503
        assert behind.headers["Retry-After"] == "1"
        assert behind.json()["error"]["behind"] == 3
        assert f"at revision {revision}, 3 behind {revision + 3}" in behind.json()["error"]["what"]
        early = translate(there, PAIRS[0][0], revision + 3)
        assert early.status_code == 409
        assert here.get(f"{API}/glossary", headers={"X-At-Least-Revision": "nonsense"}).status_code == 422


def test_a_replica_only_reads_and_says_so(first: Running, tmp_path: Path) -> None:
    with running(tmp_path / "second", follow="replica") as second, first.client() as there, second.client() as here:
        revision = learn(there)
        changes = {
            "corrections": {"source": "a b", "target": "c d"},
            "documents": {"name": "page", "segments": [{"source": "lid"}]},
        }
        for place, body in changes.items():
            refused = here.post(f"{API}/{place}", json=body)
            assert refused.status_code == 409
            assert "send it to dragoman, process" in refused.json()["error"]["remedy"]
        suggested = {"q": "lid", "s": "tapa", "source": "en", "target": "es"}
        assert here.post("/libretranslate/suggest", json=suggested).status_code == 409
        assert here.post("/api/v1/projects", json={"name": "x", "source": "en", "target": "es"}).status_code == 403
        about = here.get(API, headers={"X-At-Least-Revision": str(revision)}).json()
        assert (about["server"], about["revision"]) == ("replica", revision)
        assert there.get(API).json()["server"] == "writer"
        assert here.get("/health").json()["role"] == "replica"
        assert here.get("/health").json()["seconds_behind"] < 20
        metrics = here.get("/metrics").text.splitlines()
        assert 'dragoman_writer{project="manual"} 0.0' in metrics
        assert f'dragoman_revision{{project="manual"}} {revision}.0' in metrics
        assert 'dragoman_behind_rows{project="manual"} 0.0' in metrics
        with connect(f"ws://127.0.0.1:{second.port}{API}/live") as socket:
            socket.send(json.dumps({"number": 1, "do": "open", "source": PAIRS[0][0], "at_least": revision}))
            assert json.loads(socket.recv())["suffix"] == PAIRS[0][1]


def test_a_standby_learns_when_the_writer_is_gone(first: Running, tmp_path: Path) -> None:
    with running(tmp_path / "second", follow="standby") as second, second.client() as here:
        with first.client() as there:
            revision = learn(there)
        assert here.get("/health").json()["role"] == "standby"
        first.app.state.context.projects.close()
        until(lambda: here.get("/health").json()["role"] == "writer")
        assert translate(here, PAIRS[0][0], revision).json()["translations"][0]["text"] == PAIRS[0][1]
        assert learn(here, 1) == revision + 1


def test_a_served_standby_takes_over_from_a_server_that_was_killed(
    postgresql: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    path = tmp_path / "first" / "manual"
    writer(path, postgresql.schema(f"served_{next(NUMBERS)}")).close()
    other = copied(path, tmp_path / "second" / "manual")
    with serving(str(path)) as (process, there, _), serving(str(other), "--standby") as (_, here, _):
        acknowledged = [learn(there, n) for n in range(4)]
        process.kill()
        until(lambda: here.get("/health").json()["role"] == "writer")
        assert learn(here, 4) > acknowledged[-1]
        rows = here.get(f"{API}/corrections").json()["corrections"]
        assert [row["source"] for row in reversed(rows)] == [source for source, _ in PAIRS[:5]]
